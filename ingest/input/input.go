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

// Input is the input of a command. Set the exported fields before the first reading.
type Input struct {
	Names    []string
	Live     Source         // nil: the names are files
	Rules    *mapping.Rules // nil: the files are traces
	Order    func() Order   // sorts the events of one reading; nil: they are in order
	Limits   ingest.Options
	Log      *zap.Logger
	Progress io.Writer  // the terminal for the progress bar; nil: none
	Found    func() int // returns the number of violations so far, for Progress; nil: none are looked for

	// Repeat keeps the lines in memory, so that the input can be read again. Only files may
	// be larger than history.SizeToRepeat: they are then read again.
	Repeat bool

	Counts mapping.Counts // of the last reading, with Rules

	keepBytes int           // of Repeat; 0: history.SizeToRepeat
	kept      *history.Ring // of Repeat; nil: nothing was read yet
	cut       bool          // the first reading has ended before the input
	ended     error         // how the input has ended
}

// Order sorts the events of an input.
type Order interface {
	// Each calls do with the next events of the order, and keeps the others for later. The
	// events are valid until do returns. A *trace.Error means that the events have no order.
	Each(events []trace.Event, do func([]trace.Event) error) error
	// End returns an error if kept events have no place in the order.
	End() error
}

// Source is a source of events other than files.
type Source interface {
	// Read calls take with the events. The progress bar shows what. The error is nil if the
	// user ended the reading.
	Read(ctx context.Context, what string, take func(Batch) error) error
	// Again reports whether Read can be called again, with the same events.
	Again() bool
}

// Batch has consecutive events of an input. They are valid until Release or, if Keeps is
// false, until the next batch.
type Batch struct {
	Events  []trace.Event
	block   *ingest.Block // nil: they are not lines of a file
	release func()        // nil: they are valid until the next batch
}

// Keeps reports whether the events are valid until Release.
func (b Batch) Keeps() bool { return b.release != nil }

// Hold keeps the lines in the ring, unless that is nil. It copies those that are not of a file.
func (b Batch) Hold(r *history.Ring) {
	switch {
	case r == nil:
	case b.block != nil:
		r.Hold(b.block)
	default:
		r.Add(b.Events)
	}
}

// Release returns the events for reuse. Call it once.
func (b Batch) Release() {
	if b.release != nil {
		b.release()
	}
}

// NotOpened is an error before anything was read.
type NotOpened struct{ error }

// Unwrap returns the error.
func (e NotOpened) Unwrap() error { return e.error }

// errLeft ends a reading when the caller needs no more batches.
var errLeft = errors.New("left")

// Batches yields the batches of the input, from its start. The progress bar shows what. An
// error comes last. It is a *trace.Error if the input is unusable, and a NotOpened if it
// cannot be opened. Other errors are of reading, or of ctx.
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

// Each calls do with the events of the batches, until do fails. The events are valid until
// do returns. An error of opening the input is returned without NotOpened.
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

// Reading returns Each as a function, for callers that read the input several times.
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

// once reads the input, not the kept lines.
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

// unordered reads the input in its own order.
func (in *Input) unordered(ctx context.Context, what string, take func(Batch) error) error {
	switch {
	case in.Live != nil:
		return in.Live.Read(ctx, what, take)
	case in.Rules == nil:
		return in.blocks(ctx, what, func(b *ingest.Block) error { return take(Batch{b.Events, b, b.Release}) })
	}
	in.Counts = mapping.Counts{}
	opening := in.Rules.Opening()
	return in.blocks(ctx, what, func(b *ingest.Block) error {
		defer b.Release()
		return opening.Each(b.Events, func(events []trace.Event) error { return take(Batch{Events: events}) })
	})
}

func (in *Input) found() int {
	if in.Found == nil {
		return 0
	}
	return in.Found()
}

// blocks calls take with the blocks of the files. take releases them.
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
	events := 0
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
		events += len(block.Events)
		if err := take(block); err != nil {
			return err
		}
		read, _ := reader.Progress()
		bar.Found(events, in.found())
		bar.Set(read)
	}
}
