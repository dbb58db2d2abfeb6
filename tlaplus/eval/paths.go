package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// note notes what is read in the current state.
func (o *outcome) note(r *Run, variable int, steps []value.Value) {
	if r.cur != o.in { // by a function that has been made in another one
		o.again = true
		return
	}
	if o.ranges {
		o.noteRange(r, variable, steps)
		return
	}
	if o.covers(variable, steps) {
		return
	}
	if len(o.reads) == mostPaths && len(steps) > 0 {
		o.coarsen(r)
		if o.covers(variable, steps) {
			return
		}
	}
	o.append(r, variable, slices.Clone(steps))
}

func (o *outcome) append(r *Run, variable int, steps []value.Value) {
	o.reads = append(o.reads, path{variable: variable, steps: steps, was: r.cur.Vals[variable], used: true})
}

// noteAll notes what a part has read.
func (o *outcome) noteAll(r *Run, reads []path) {
	for i := range reads {
		if reads[i].used {
			o.note(r, reads[i].variable, reads[i].steps)
		}
	}
}

// covers reports whether something is noted that includes the path. An evaluation mostly
// reads in the order of the one before: the path after the last one found is tried first.
func (o *outcome) covers(variable int, steps []value.Value) bool {
	n := len(o.reads)
	i := o.found + 1
	for range n {
		if i >= n {
			i = 0
		}
		p := &o.reads[i]
		if p.variable == variable && (p.used || o.ranges || len(p.steps) == len(steps)) && p.covers(steps) {
			p.used, o.found = true, i
			return true
		}
		i++
	}
	return false
}

func (p *path) covers(steps []value.Value) bool {
	if len(p.steps) > len(steps) {
		return false
	}
	for k, s := range p.steps {
		if !value.Same(s, steps[k]) {
			all, ok := s.(value.Span)
			part, also := span(steps[k])
			return ok && also && k == len(p.steps)-1 && all.From <= part.From && part.To <= all.To
		}
	}
	return true
}

// span is a step as one to some elements of a sequence; ok is false where it is none.
func span(step value.Value) (s value.Span, ok bool) {
	switch x := step.(type) {
	case value.Int:
		return value.Span{From: int(x), To: int(x)}, true
	case value.Span:
		return x, x.From <= x.To
	}
	return s, false
}

// noteRange is note, but takes what is read of a sequence together: its elements from
// the first to the last that is read.
func (o *outcome) noteRange(r *Run, variable int, steps []value.Value) {
	if o.covers(variable, steps) {
		return
	}
	v := r.cur.Vals[variable]
	for k, step := range steps {
		part, ok := span(step)
		if _, isTuple := v.(*value.Tuple); ok && isTuple {
			for i := range o.reads {
				if p := &o.reads[i]; p.variable == variable && len(p.steps) == k+1 && slices.EqualFunc(p.steps[:k], steps[:k], value.Same) {
					if s, ok := p.steps[k].(value.Span); ok {
						p.steps[k], p.used = value.Span{From: min(s.From, part.From), To: max(s.To, part.To)}, true
						return
					}
				}
			}
			steps = append(slices.Clone(steps[:k]), part)
			break
		}
		if k < len(steps)-1 {
			if v, ok = value.Part(v, step); !ok {
				break
			}
		}
	}
	o.append(r, variable, slices.Clone(steps))
}

// narrow takes paths together that lead to all values of a function: one leads to it.
func (o *outcome) narrow(r *Run) {
	for i := 0; i < len(o.reads) && r.without&Paths == 0; i++ {
		first := o.reads[i]
		last := len(first.steps) - 1
		if last < 0 || !first.used {
			continue
		}
		of, ok := value.At(r.cur.Vals[first.variable], first.steps[:last]).(*value.Fcn)
		if !ok || len(o.reads)-i < of.Len() {
			continue
		}
		beside := func(p path) bool {
			return p.used && p.variable == first.variable && len(p.steps) == last+1 && slices.EqualFunc(p.steps[:last], first.steps[:last], value.Same)
		}
		count := 0
		for _, p := range o.reads[i:] {
			if beside(p) {
				count++
			}
		}
		if count == of.Len() {
			o.reads = slices.DeleteFunc(o.reads, beside)
			o.append(r, first.variable, slices.Clone(first.steps[:last]))
			i = -1
		}
	}
}

// coarsen notes less exactly what has been read: ranges of sequences, or else whole
// variables.
func (o *outcome) coarsen(r *Run) {
	all := slices.DeleteFunc(o.reads, func(p path) bool { return !p.used })
	o.reads = nil
	for i := range all {
		o.noteRange(r, all[i].variable, all[i].steps)
	}
	if len(o.reads) <= mostPaths/2 {
		return
	}
	o.reads = nil
	for i := range all {
		if !o.covers(all[i].variable, nil) {
			o.append(r, all[i].variable, nil)
		}
	}
}
