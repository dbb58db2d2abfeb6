package monitor

import (
	"encoding/json"
	"strconv"

	"tracecheck/monitor/board"
)

// mostRecent bounds the violations that a part keeps for its page.
// mostRecentBytes bounds their size, except that the latest is always kept.
const (
	mostRecent      = 200
	mostRecentBytes = 16 << 20
)

// recent holds the latest violations of a part.
type recent struct {
	ring  [mostRecent]*board.Violation // the n-th at n % mostRecent; nil: not kept
	count int                          // all violations so far
	saved int                          // of these, in a checkpoint
	bytes int                          // size of those kept
}

func (r *recent) add(v *board.Violation) {
	r.put(r.count, v)
	r.count++
	for n := max(0, r.count-mostRecent); n < r.count-1 && r.bytes > mostRecentBytes; n++ {
		r.put(n, nil)
	}
}

// put replaces the n-th.
func (r *recent) put(n int, v *board.Violation) {
	at := &r.ring[n%mostRecent]
	r.bytes += sizeOf(v) - sizeOf(*at)
	*at = v
}

// sizeOf estimates the size of the violation in bytes by its lines.
func sizeOf(v *board.Violation) (n int) {
	if v == nil {
		return 0
	}
	for i := range v.Timeline {
		n += len(v.Timeline[i].Raw)
	}
	for i := range v.Events {
		n += len(v.Events[i].Raw)
	}
	for i := range v.Changes {
		n += len(v.Changes[i].Before) + len(v.Changes[i].After)
	}
	return n + len(v.Message)
}

// latest yields the kept violations, the latest first, until yield returns
// false.
func (r *recent) latest(yield func(*board.Violation) bool) {
	for n := r.count - 1; n >= max(0, r.count-mostRecent); n-- {
		if v := r.ring[n%mostRecent]; v != nil && !yield(v) {
			return
		}
	}
}

// save lists those that no checkpoint has, or all.
func (r *recent) save(all bool) (list []numbered) {
	from := max(r.saved, r.count-mostRecent)
	if all {
		from = max(0, r.count-mostRecent)
	}
	for n := from; n < r.count; n++ {
		if v := r.ring[n%mostRecent]; v != nil {
			list = append(list, numbered{n, v})
		}
	}
	r.saved = r.count
	return list
}

// numbered is a violation and its number.
type numbered struct {
	N int
	V *board.Violation
}

// slot names the record that holds it.
func (n *numbered) slot() string { return strconv.Itoa(n.N % mostRecent) }

// restore reads saved violations. It skips those that it cannot read.
func (r *recent) restore(all []string, count int) {
	r.count, r.saved = max(count, 0), max(count, 0)
	for _, text := range all {
		var k numbered
		if json.Unmarshal([]byte(text), &k) == nil && k.V != nil && k.N >= 0 && k.N < r.count && k.N >= r.count-mostRecent {
			r.put(k.N, k.V)
		}
	}
}
