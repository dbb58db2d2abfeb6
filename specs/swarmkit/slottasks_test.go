package swarmkit

import (
	"reflect"
	"testing"
)

// TestTaskSize: a task takes one cache line. With a million tasks, a second one is a further wait for memory.
func TestTaskSize(t *testing.T) {
	if size := reflect.TypeFor[task]().Size(); size > 64 {
		t.Errorf("a task has %d bytes, want 64 at most", size)
	}
}
