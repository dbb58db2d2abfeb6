package swarmkit

// pool keeps records that are of no use any more for those to come, so that
// tasks which come and go are no garbage. They are used again from the next
// step on only: the current one may still look at them.
type pool[T any] struct{ dropped, spare []*T }

// The bounds are of all streams of a goroutine together: of what one step leaves,
// as the search for a batched one drops and makes records all the time, and of what
// is kept.
const (
	mostDropped = 1024
	mostSpare   = 4096
)

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

// settle ends the step.
func (p *pool[T]) settle() {
	for _, t := range p.dropped {
		if len(p.spare) < mostSpare {
			var none T
			*t = none
			p.spare = append(p.spare, t)
		}
	}
	clear(p.dropped)
	p.dropped = p.dropped[:0]
}
