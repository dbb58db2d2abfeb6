package value

import (
	"sync"
	"testing"
)

// TestSharedValues: the values that all goroutines share are never written. The race
// detector would see it.
func TestSharedValues(t *testing.T) {
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for _, v := range []Value{Empty, NoElements, NewSet(nil), NewTuple(), True, Of(3)} {
				if Hash(v) == 0 {
					t.Errorf("the hash of %v is not known", v)
				}
			}
		})
	}
	all.Wait()
	if n := (&Set{}); Hash(n) != NoElements.hash {
		t.Errorf("the hash of {} is %x, and %x is stored", Hash(n), NoElements.hash)
	}
	if n := (&Tuple{}); Hash(n) != Empty.hash {
		t.Errorf("the hash of << >> is %x, and %x is stored", Hash(n), Empty.hash)
	}
}
