package swarmkit

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tracecheck/validators"
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

// TestSlotTasks compares with a list, and holds what is allocated to what is needed.
func TestSlotTasks(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var vs vslot
		var want []*task
		var gone *task
		most := 0
		for n := range 2000 {
			switch size := len(want); {
			case size > 0 && r.IntN(9) > 3:
				at := r.IntN(size)
				gone = want[at]
				vs.remove(gone)
				want = slices.Delete(want, at, at+1)
			case gone == nil || r.IntN(2) == 0:
				gone = &task{}
				fallthrough
			default: // it may come again
				vs.prepend(gone)
				want, gone = slices.Insert(want, 0, gone), nil
			}
			most = max(most, len(want))
			if got := slices.Collect(vs.all); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d: got %v, want %v", seed, n, got, want)
			}
			for i, one := range want {
				var before *task
				if i > 0 {
					before = want[i-1]
				}
				if got := vs.previous(one); got != before {
					t.Fatalf("seed %d, %d: before %d of %d comes %p, want %p", seed, n, i, len(want), got, before)
				}
				if i > 1 && one.extra == nil {
					t.Fatalf("seed %d, %d: to find what is before %d, the others are searched", seed, n, i)
				}
			}
		}
		if most < 4 {
			t.Errorf("seed %d: %d tasks at most", seed, most)
		}
	}
	var vs vslot
	for range 2 {
		one := &task{}
		if vs.prepend(one); one.extra != nil || vs.first.after != nil && vs.first.after.extra != nil {
			t.Error("two tasks need more than their records")
		}
	}
}

// TestHeld: a task waits for what it was last said to wait for.
func TestHeld(t *testing.T) {
	one, reaper := &validators.Obligation{For: 1}, &validators.Obligation{For: waitReaper}
	all := []held{{}, {first: one}, {second: reaper}, {one, reaper}}
	for _, before := range all {
		for _, h := range all {
			var of task
			of.hold(before)
			if of.hold(h); of.held() != h {
				t.Errorf("%v after %v: it waits for %v", h, before, of.held())
			}
			if before.first == nil && h.first == nil && of.extra != nil {
				t.Errorf("%v after %v: one wait needs more than the task's record", h, before)
			}
		}
	}
}

// TestSharedCounts: vslots with few tasks share the records of equal counts, and only these.
func TestSharedCounts(t *testing.T) {
	var s state
	s.init(1, false, false, &scratch{})
	records := map[taskCounts]*slotRest{}
	for n := range int32(mostShared + 1) {
		for i := range 1 << 14 {
			part := func(at int) int32 { return min(n, int32(i>>at&3)) }
			c := taskCounts{count: n, runnable: part(0), running: part(2), terminated: part(4), terminatedGoing: part(6), notRemove: part(8), wanted: part(10), ready: part(12)}
			r := s.sharedByFew(&c)
			if r.taskCounts != c || r.own || r.waits.any() {
				t.Fatalf("%+v: got %+v", c, *r)
			}
			if before := records[c]; before != nil && before != r {
				t.Fatalf("%+v has two records", c)
			}
			records[c] = r
		}
	}
}
