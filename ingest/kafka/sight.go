package kafka

import (
	"context"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// Sight has the latest state of a partition by its leader's answers, also those without
// messages. The zero value is ready. Several goroutines may call its methods.
type Sight struct {
	mu     sync.Mutex
	heard  time.Time // the time of the last answer
	high   int64
	stable int64
	open   time.Time // since when stable is unchanged and less than high; zero: it is not less
	empty  int64     // from this offset up to stable there are no messages; less than 0: unknown
}

// Outlook is the state of a partition from an offset on.
type Outlook struct {
	Answered time.Time // when the leader last answered; zero: not yet
	Lag      int64     // offsets up to the high watermark; less than 0: unknown
	Blocked  time.Time // since when an open transaction blocks all unread messages; zero: none does
}

// From returns the state from the offset on.
func (s *Sight) From(offset int64) Outlook {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard.IsZero() {
		return Outlook{Lag: -1}
	}
	o := Outlook{Answered: s.heard, Lag: max(0, s.high-offset)}
	read := offset >= s.stable || s.empty >= 0 && offset >= s.empty
	switch {
	case read && s.high > s.stable:
		o.Blocked = s.open
	case read:
		o.Lag = 0
	}
	return o
}

// saw records an answer. From the offset empty up to stable there are no messages; less
// than 0: unknown.
func (s *Sight) saw(high, stable, empty int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = time.Now()
	switch {
	case stable >= high:
		s.open = time.Time{}
	case stable != s.stable || s.open.IsZero():
		s.open = s.heard
	}
	s.high, s.stable, s.empty = high, stable, empty
}

// FollowOne is Follow for one span. It records the leader's answers in sight.
func (s *Source) FollowOne(ctx context.Context, span Span, sight *Sight, take func(*Batch) error) error {
	return s.follow(ctx, []Span{span}, sight, take)
}

// looksApart is the interval of looks in polls, while take is busy and nothing is fetched.
const looksApart = 4

// handOn waits until the answer is taken. Meanwhile it looks at the partition.
func (r *reader) handOn(ctx context.Context, b *Batch) error {
	for {
		var look <-chan time.Time
		if r.sight != nil {
			look = time.After(looksApart * r.flow.src.opts.pace.poll)
		}
		select {
		case r.fetched <- b:
			return nil
		case <-look:
			r.look(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look requests the partition's offsets. Without an answer, it records nothing.
func (r *reader) look(ctx context.Context) {
	s := r.flow.src
	ctx, cancel := context.WithTimeout(ctx, s.opts.pace.answer)
	defer cancel()
	one := []Partition{{Topic: r.span.Topic, ID: r.span.Partition}}
	stable, err := s.ask(ctx, one, kafkago.LastOffset, kafkago.ReadCommitted)
	if err != nil {
		return
	}
	high, err := s.ask(ctx, one, kafkago.LastOffset, kafkago.ReadUncommitted)
	if err != nil {
		return
	}
	r.sight.saw(high[0], stable[0], -1)
}
