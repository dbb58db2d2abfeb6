package validators

import (
	"errors"
	"slices"

	"tracecheck/trace"
)

// Finish judges what is still open and returns the outcome. Open transactions
// are not judged where the input broke off: they may lack lines.
func (r *Runner) Finish() *Result {
	streams := r.streams()
	ends := r.end(streams)
	res := &Result{Version: 1, Events: r.events, Streams: len(streams), Partial: r.partial, Violations: r.violations()}
	for i := range r.shards {
		res.Steps += r.shards[i].steps
	}
	properties := 0
	for i := range ends {
		properties += len(ends[i].liveness)
	}
	res.Liveness = slices.Grow(res.Liveness, properties)
	counted := map[law]bool{}
	for i, s := range streams {
		if ends[i].unfit != nil {
			r.Fail(ends[i].unfit)
		}
		res.Liveness = append(res.Liveness, ends[i].liveness...)
		res.Duplicates += s.seq.Duplicates
		res.Gaps += s.seq.Gaps
		res.Skipped += s.seq.Skipped
		for _, j := range s.judges {
			if j.spec.Desired && j.machine != nil && j.judged && !j.provisional {
				res.Desired = append(res.Desired, j.desired)
			}
			if !j.provisional {
				if !slices.Contains(res.Specs, j.spec.Name) {
					res.Specs = append(res.Specs, j.spec.Name)
				}
				res.Allowances = j.uses.addTo(res.Allowances, j.spec)
				res.Coverage = r.coverage(res.Coverage, j, counted)
			}
		}
	}
	res.Verdict, res.Reason = r.verdict(res)
	return res
}

// ending is what the end of a stream shows.
type ending struct {
	unfit    *trace.Error // the first reason not to judge it to its end
	liveness []Liveness
}

// end ends the streams, each shard its own.
func (r *Runner) end(streams []*stream) []ending {
	broken := r.unfit != nil || r.partial
	ends := make([]ending, len(streams))
	for i := range r.shards {
		end := func() {
			for k, s := range streams {
				if s.shard == &r.shards[i] {
					ends[k] = s.end(broken)
				}
			}
		}
		if i == len(r.shards)-1 {
			end() // the caller's goroutine does its share
		} else {
			r.wait.Go(end)
		}
	}
	r.wait.Wait()
	return ends
}

func (s *stream) end(broken bool) (e ending) {
	fail := func(reason *trace.Error) {
		if e.unfit == nil {
			e.unfit = reason
		}
	}
	unjudged := func(err error) {
		if reason, ok := errors.AsType[*trace.Error](err); ok {
			fail(reason)
			s.stop()
		}
	}
	if !broken {
		unjudged(s.seq.Close(s))
	}
	fail(s.waiting())
	fail(s.timeless())
	unjudged(s.settle())
	for _, j := range s.judges {
		if of := s.liveness(j); e.liveness == nil {
			e.liveness = of
		} else {
			e.liveness = append(e.liveness, of...)
		}
	}
	return e
}
