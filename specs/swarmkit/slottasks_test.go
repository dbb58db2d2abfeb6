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

// TestVSlotSize: the runtime gives a larger vslot 64 bytes, and most tasks have a vslot of their own.
func TestVSlotSize(t *testing.T) {
	if size := reflect.TypeFor[vslot]().Size(); size > 48 {
		t.Errorf("a vslot has %d bytes, want 48 at most", size)
	}
	if size := reflect.TypeFor[slotRest]().Size(); size > 64 {
		t.Errorf("what vslots share has %d bytes, want 64 at most", size)
	}
}
