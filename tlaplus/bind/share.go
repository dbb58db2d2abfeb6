package bind

import (
	"weak"

	"tracecheck/validators"
)

// A program takes much more memory than most streams. The streams that one goroutine
// judges share some programs, as far as their headers are the same.

// programs are those that machines of one goroutine have.
type programs struct {
	by   map[programOf][]weak.Pointer[program]
	most int // of by, before those that are gone are looked for
	next int
}

// programOf is what a program is made of.
type programOf struct {
	b      *Bind
	header string
}

// mostPrograms is of one goroutine and one header: few streams have a program each, which
// remembers what it has evaluated in their states.
const mostPrograms = 16

// of is a program for a machine.
func (ps *programs) of(b *Bind, header string) (*program, error) {
	key := programOf{b, header}
	if len(ps.by) >= ps.most {
		ps.sweep()
	}
	list := ps.by[key]
	if len(list) >= mostPrograms {
		ps.next++
		if p := list[ps.next%mostPrograms].Value(); p != nil {
			return p, nil
		}
		list = living(list)
	}
	var p *program
	if header == b.header {
		p = b.first.Swap(nil)
	}
	if p == nil {
		var err error
		if p, err = b.load(header, false); err != nil {
			return nil, err
		}
	}
	ps.by[key] = append(list, weak.Make(p))
	return p, nil
}

// sweep forgets what no machine has any more.
func (ps *programs) sweep() {
	kept := map[programOf][]weak.Pointer[program]{}
	for key, list := range ps.by {
		if list = living(list); len(list) > 0 {
			kept[key] = list
		}
	}
	ps.by, ps.most = kept, 2*len(kept)+mostPrograms
}

func living(list []weak.Pointer[program]) (some []weak.Pointer[program]) {
	for _, w := range list {
		if w.Value() != nil {
			some = append(some, w)
		}
	}
	return some
}

// ready gets a program, where there is none yet, for what comes next.
func (m *machine) ready() (err error) {
	if m.p == nil {
		if m.p, err = validators.PartOf[programs](m.c.Workspace).of(m.b, m.header); err != nil {
			return err
		}
	}
	m.p.run.Reset()
	m.p.initial = m.initial
	return nil
}
