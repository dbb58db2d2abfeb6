package validators

import (
	"errors"
	"slices"

	"tracecheck/trace"
)

// Finish judges what is still open, and returns the result. If the input broke
// off, open transactions are not judged: they may lack lines. Without Recover,
// the streams' states are released.
func (r *Runner) Finish() *Result {
	streams := r.streams()
	ends := r.end(streams)
	res := &Result{Version: 1, Events: r.events, Streams: len(streams), Partial: r.partial, Violations: r.Violations()}
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
		past := s.endings()
		for k := range past {
			r.add(res, &past[k], counted)
		}
		r.add(res, &ends[i], counted)
		res.Streams += len(past)
		res.Duplicates += s.seq.Duplicates
		res.Gaps += s.seq.Gaps
		res.Skipped += s.seq.Skipped
	}
	for i := range r.shards {
		res.Known += r.shards[i].known
	}
	res.Verdict, res.Reason = r.verdict(res)
	res.Notes = r.notes(res, streams, ends)
	return res
}

// add adds the results of a recording.
func (r *Runner) add(res *Result, e *ending, counted map[law]bool) {
	if r.unfit == nil {
		r.unfit = e.unfit
	}
	res.Liveness = append(res.Liveness, e.liveness...)
	res.Desired = append(res.Desired, e.desired...)
	e.liveness, e.desired = nil, nil
	for _, j := range e.judges {
		if !j.provisional {
			if !slices.Contains(res.Specs, j.spec.Name) {
				res.Specs = append(res.Specs, j.spec.Name)
			}
			res.Allowances = j.uses.addTo(res.Allowances, j.spec)
			res.Coverage = r.coverage(res.Coverage, j, counted)
		}
	}
}

// end ends the streams, each shard its own.
func (r *Runner) end(streams []*stream) []ending {
	ends := make([]ending, len(streams))
	for i := range r.shards {
		end := func() {
			for k, s := range streams {
				if s.shard == &r.shards[i] {
					ends[k] = s.end(r.broken)
				}
			}
		}
		if i == len(r.shards)-1 {
			end() // the caller's goroutine does one shard
		} else {
			r.wait.Go(end)
		}
	}
	r.wait.Wait()
	return ends
}

// end ends the stream, unless its input broke off.
func (s *stream) end(broken bool) ending {
	var unjudged *trace.Error
	if !broken {
		err := s.seq.Close(s)
		if err == nil && s.order != nil {
			err = s.order.End()
		}
		if reason, ok := errors.AsType[*trace.Error](err); ok {
			unjudged = reason
			s.stop()
		}
	}
	e := s.conclude()
	if !s.shard.run.opts.Recover { // release it: the result takes as much memory
		for _, j := range s.judges {
			j.machine, j.ledger = nil, Ledger{}
		}
	}
	if unjudged != nil {
		e.unfit = unjudged
	}
	return e
}

// stateInto adds what the stream's judges see of its state.
func (s *stream) stateInto(e *ending) {
	for _, j := range s.judges {
		if of := s.liveness(j); e.liveness == nil {
			e.liveness = of
		} else {
			e.liveness = append(e.liveness, of...)
		}
		if j.spec.Desired && j.machine != nil && j.judged && !j.provisional {
			e.desired = append(e.desired, s.stateOf(j))
		}
	}
}

// conclude judges what is only known at the end of a recording.
func (s *stream) conclude() (e ending) {
	if e.unfit = s.waiting(); e.unfit == nil {
		e.unfit = s.timeless()
	}
	if reason, ok := errors.AsType[*trace.Error](s.settle()); ok {
		if s.stop(); e.unfit == nil {
			e.unfit = reason
		}
	}
	if !s.shard.run.opts.Brief {
		s.stateInto(&e)
	}
	e.judges = slices.Clone(s.judges)
	if !s.reached {
		e.unjudged = s.lines
	}
	return e
}
