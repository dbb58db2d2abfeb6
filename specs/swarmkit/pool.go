package swarmkit

// pool keeps records that are of no use any more for those to come, so that
// tasks which come and go are no garbage. They are used again from the next
// step on only: the one at hand may still look at them.
type pool[T any] struct{ dropped, spare []*T }

// mostDropped bounds what one step leaves: the search for a batched one drops
// and makes records all the time.
const mostDropped = 1024

func (p *pool[T]) take() *T {
	last := len(p.spare) - 1
	if last < 0 {
		return new(T)
	}
	t := p.spare[last]
	p.spare[last] = nil
	p.spare = p.spare[:last]
	return t
}

func (p *pool[T]) drop(t *T) {
	if len(p.dropped) < mostDropped {
		p.dropped = append(p.dropped, t)
	}
}

// settle ends the step. The spare records are few beside those that live.
func (p *pool[T]) settle(live int) {
	for _, t := range p.dropped {
		if len(p.spare) < 8+live/8 {
			var none T
			*t = none
			p.spare = append(p.spare, t)
		}
	}
	clear(p.dropped)
	p.dropped = p.dropped[:0]
}
