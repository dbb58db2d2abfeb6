// Package input reads what a command is given: files, standard input, topics or a live
// swarm. It gives all of them as the same batches of events.
package input

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"slices"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/history"
	"tracecheck/ingest/mapping"
	"tracecheck/internal/console"
	"tracecheck/trace"
)

// Input is what is read. The exported fields are set before the first reading.
type Input struct {
	Names    []string
	Live     Source         // nil: the names are files
	Rules    *mapping.Rules // nil: the files are traces
	Order    func() Order   // puts the events in an order, anew for each reading; nil: they are in it
	Limits   ingest.Options
	Log      *zap.Logger
	Progress io.Writer // the terminal to show it on; nil: none

	// Repeat has the lines kept, so that the input can be read again from memory: all of it
	// or, of files, what is more than history.SizeToRepeat from the files.
	Repeat bool

	Counts mapping.Counts // of the last reading, where there are rules

	keepBytes int           // of Repeat; 0: history.SizeToRepeat
	kept      *history.Ring // of Repeat; nil: nothing was read yet
	cut       bool          // the first reading has ended before the input
	ended     error         // how the input has ended
}

// Order puts the events of an input in another order.
type Order interface {
	// Each calls do with the events that are next, which live until do returns; others are
	// kept. A *trace.Error says that the events have no order.
	Each(events []trace.Event, do func([]trace.Event) error) error
	// End is an error if events are left that have no place.
	End() error
}

// Source is where events come from that are in no file.
type Source interface {
	// Read calls take with the events; what it is for is shown. An end that was asked for
	// is no error.
	Read(ctx context.Context, what string, take func(Batch) error) error
	// Again reports whether Read can be called again, and gives the same.
	Again() bool
}

// Batch is neighbouring events of an input. They live until Release, and no longer than
// until the next batch is asked for where Keeps is false.
type Batch struct {
	Events []trace.Event
	block  *ingest.Block // nil: they live until the next batch
}

// Keeps reports whether the events live until Release.
func (b Batch) Keeps() bool { return b.block != nil }

// Hold has the ring keep the lines: as copies where Keeps is false.
func (b Batch) Hold(r *history.Ring) {
	if b.block != nil {
		r.Hold(b.block)
	} else {
		r.Add(b.Events)
	}
}

// Release gives the events back, once.
func (b Batch) Release() {
	if b.block != nil {
		b.block.Release()
	}
}

// NotOpened is an error before anything was read.
type NotOpened struct{ error }

// Unwrap is the error.
func (e NotOpened) Unwrap() error { return e.error }

// errLeft ends a reading whose batches nobody wants any more.
var errLeft = errors.New("left")

// Batches are those of the input, from its start; what they are for is shown. An error
// comes last: a *trace.Error where the input cannot be judged on, a NotOpened where it
// could not be read at all, else one of reading or of ctx.
func (in *Input) Batches(ctx context.Context, what string) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		err := in.read(ctx, what, func(b Batch) error {
			if !yield(b, nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && err != errLeft {
			yield(Batch{}, err)
		}
	}
}

// Each calls do with the events of the batches, which die when it returns, until do
// fails. An error of opening the input is the error itself.
func (in *Input) Each(ctx context.Context, what string, do func([]trace.Event) error) error {
	for b, err := range in.Batches(ctx, what) {
		if closed, ok := errors.AsType[NotOpened](err); ok {
			return closed.Unwrap()
		}
		if err != nil {
			return err
		}
		err := do(b.Events)
		if b.Release(); err != nil {
			return err
		}
	}
	return nil
}

// Reading is Each, for who reads the input several times.
func (in *Input) Reading(what string) func(context.Context, func([]trace.Event) error) error {
	return func(ctx context.Context, do func([]trace.Event) error) error { return in.Each(ctx, what, do) }
}

// Readable reports whether the input can be read again.
func (in *Input) Readable() bool {
	if in.Live != nil {
		return in.Live.Again()
	}
	return !slices.ContainsFunc(in.Names, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	})
}

func (in *Input) read(ctx context.Context, what string, take func(Batch) error) error {
	if in.Repeat {
		return in.repeated(ctx, what, take)
	}
	return in.once(ctx, what, take)
}

// once reads the input itself.
func (in *Input) once(ctx context.Context, what string, take func(Batch) error) error {
	if in.Order == nil {
		return in.unordered(ctx, what, take)
	}
	order := in.Order()
	err := in.unordered(ctx, what, func(b Batch) error {
		defer b.Release()
		return order.Each(b.Events, func(events []trace.Event) error { return take(Batch{Events: events}) })
	})
	if err == nil {
		err = order.End()
	}
	return err
}

// unordered reads the input as it comes.
func (in *Input) unordered(ctx context.Context, what string, take func(Batch) error) error {
	switch {
	case in.Live != nil:
		return in.Live.Read(ctx, what, take)
	case in.Rules == nil:
		return in.blocks(ctx, what, func(b *ingest.Block) error { return take(Batch{b.Events, b}) })
	}
	in.Counts = mapping.Counts{}
	opening := in.Rules.Opening()
	return in.blocks(ctx, what, func(b *ingest.Block) error {
		defer b.Release()
		return opening.Each(b.Events, func(events []trace.Event) error { return take(Batch{Events: events}) })
	})
}

// blocks calls take with the blocks of the files, which releases them.
func (in *Input) blocks(ctx context.Context, what string, take func(*ingest.Block) error) error {
	limits := in.Limits
	if in.Rules != nil {
		limits.Lines = func() ingest.LineDecoder { return in.Rules.Decoder() }
	}
	reader, err := ingest.Open(in.Names, limits)
	if err != nil {
		return NotOpened{err}
	}
	defer reader.Close() // it was only read: nothing is lost
	_, total := reader.Progress()
	in.Log.Debug("open", zap.String("for", what), zap.Strings("inputs", in.Names), zap.Int64("bytes", total))
	var bar *console.Progress
	if in.Progress != nil {
		bar = console.NewProgress(in.Progress, what, "", total)
	}
	defer bar.Done()
	for {
		block, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if lines, ok := block.Lines.(*mapping.Decoder); ok {
			in.Counts.Add(&lines.Counts)
		}
		if err := take(block); err != nil {
			return err
		}
		read, _ := reader.Progress()
		bar.Set(read)
	}
}
