package monitor

import (
	"encoding/json"
	"strconv"

	"tracecheck/monitor/board"
)

// mostRecent is how many violations a part keeps to be looked at.
const mostRecent = 200

// recent is the latest violations of a part.
type recent struct {
	ring  [mostRecent]*board.Violation // the n-th at n % mostRecent
	count int                          // that there were
	saved int                          // of these, in a checkpoint
}

func (r *recent) add(v *board.Violation) {
	r.ring[r.count%mostRecent] = v
	r.count++
}

// at returns the n-th latest, from 0; nil: it is not kept.
func (r *recent) at(n int) *board.Violation {
	if n >= r.count || n >= mostRecent {
		return nil
	}
	return r.ring[(r.count-1-n)%mostRecent]
}

// save yields those that no checkpoint has, or all.
func (r *recent) save(all bool, yield func(slot string, v []byte)) {
	from := max(r.saved, r.count-mostRecent)
	if all {
		from = max(0, r.count-mostRecent)
	}
	for n := from; n < r.count; n++ {
		if data, err := json.Marshal(kept{n, r.ring[n%mostRecent]}); err == nil {
			yield(strconv.Itoa(n%mostRecent), data)
		}
	}
	r.saved = r.count
}

// kept is a violation and its number.
type kept struct {
	N int
	V *board.Violation
}

// restore takes what save has yielded. What cannot be read is not shown.
func (r *recent) restore(all []string, count int) {
	r.count, r.saved = max(count, 0), max(count, 0)
	for _, text := range all {
		var k kept
		if json.Unmarshal([]byte(text), &k) == nil && k.V != nil && k.N >= 0 && k.N < r.count && k.N >= r.count-mostRecent {
			r.ring[k.N%mostRecent] = k.V
		}
	}
}
