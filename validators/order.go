package validators

import (
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Orderer puts the lines of one stream in the order in which they are judged.
type Orderer interface {
	// Take returns the events that are next in the order, now that ev has come. They are
	// valid until ev is not. It copies the events that wait for others. The error is of an
	// event that has no place in the order. The events that it also returns come before it.
	Take(ev *trace.Event) ([]trace.Event, error)
	// End returns an error if events still wait.
	End() error
	// Waiting returns the number of events that wait.
	Waiting() int
	// Persist encodes the events that wait, or decodes them into a new Orderer.
	Persist(*codec.Codec)
}

// orderer returns the stream's Orderer, nil if the lines are in order.
func (s *stream) orderer() Orderer {
	if s.order == nil && s.shard.run.opts.Order != nil {
		s.order = s.shard.run.opts.Order(&s.shard.workspace)
	}
	return s.order
}

// inOrder judges the lines that are next in the stream's order.
func (s *stream) inOrder(order Orderer, step *trace.Step) error {
	for i := range step.Events {
		next, bad := order.Take(&step.Events[i])
		for k := range next {
			if err := s.judge(&trace.Step{Events: next[k : k+1 : k+1]}); err != nil {
				return err
			}
		}
		if bad != nil {
			return bad
		}
	}
	return nil
}

// codeOrder encodes or decodes the lines that wait.
func (s *stream) codeOrder(c *codec.Codec) {
	if s.shard.run.opts.Order == nil {
		return
	}
	begun := s.order != nil
	if codec.Bool(c, &begun); begun && c.Err() == nil {
		s.orderer().Persist(c)
	}
}
