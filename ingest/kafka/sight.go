package kafka

import (
	"context"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// Sight is what the leader of a partition last said of it, in answers without
// messages, too. The zero value is ready. Its methods may be called from several
// goroutines.
type Sight struct {
	mu     sync.Mutex
	heard  time.Time // the last answer
	high   int64
	stable int64
	open   time.Time // since when stable is what it is, and less than high; zero: it is not less
	empty  int64     // from this offset on there is nothing before stable, though that is greater; less than 0: that is not known
}

// Outlook is a partition from an offset on.
type Outlook struct {
	Heard time.Time // when the leader last answered; zero: not yet
	Lag   int64     // offsets up to the high watermark; less than 0: not known
	Held  time.Time // since when all that is there belongs to open transactions, or is behind their beginning; zero: it does not
}

// From is the outlook from the offset on.
func (s *Sight) From(offset int64) Outlook {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard.IsZero() {
		return Outlook{Lag: -1}
	}
	o := Outlook{Heard: s.heard, Lag: max(0, s.high-offset)}
	read := offset >= s.stable || s.empty >= 0 && offset >= s.empty
	switch {
	case read && s.high > s.stable:
		o.Held = s.open
	case read:
		o.Lag = 0
	}
	return o
}

// saw notes an answer. empty is an offset from which nothing is there before
// stable; less than 0: none is known.
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

// FollowOne is Follow of one span, and keeps in sight what its leader says.
func (s *Source) FollowOne(ctx context.Context, span Span, sight *Sight, take func(*Batch) error) error {
	return s.follow(ctx, []Span{span}, sight, take)
}

// looksApart is how many polls a look comes after the one before, while who
// takes the batches is busy and nothing is fetched.
const looksApart = 4

// handOn waits until the batch is taken, and looks at the partition meanwhile.
func (r *reader) handOn(ctx context.Context, b *Batch) error {
	for {
		var look <-chan time.Time
		if r.sight != nil {
			look = time.After(looksApart * r.flow.src.opts.pace.poll)
		}
		select {
		case r.out <- b:
			return nil
		case <-look:
			r.look(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look asks how far the partition goes. Where nobody answers, it is not heard.
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
