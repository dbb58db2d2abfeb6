package command

import (
	"cmp"
	"context"
	"errors"
	"io"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/history"
	"tracecheck/ingest/mapping"
	"tracecheck/internal/console"
	"tracecheck/tlaplus/export"
	"tracecheck/trace"
	"tracecheck/validators"
)

// job reads an input, more than once if need be.
type job struct {
	names     []string
	source    source                    // nil: the names are files
	rules     *mapping.Rules            // nil: the files are traces
	lines     func() ingest.LineDecoder // of another log, where there are no rules; nil: the files are traces
	counts    mapping.Counts            // of the last pass, where there are rules
	limits    ingest.Options
	linesOnly bool // no other format than JSON Lines is looked for
	log       *zap.Logger
	progress  io.Writer // the terminal to show it on; nil: none
	remember  int       // as in validators.Options

	// Of the lines that were read, the last ones may be kept: to say what came before
	// violations, or so that each can be called again.
	keep      bool
	repeat    bool
	keepBytes int           // how much; 0: what suits the input
	kept      *history.Ring // nil: nothing yet
	cut       bool          // of repeat: the first call has ended before the input
	ended     error         // of repeat: how the input has ended

	histories map[string][]validators.Event // by the id of a violation: what came before, where that cannot be read again
	watched   int                           // the violations up to which these were looked up
}

// source is where events come from that are in no file.
type source interface {
	// each calls do with the events; what it is for is shown. An end that was
	// asked for is no error.
	each(ctx context.Context, what string, do func([]trace.Event) error) error
	// name is what messages call it.
	name() string
	// again reports whether each can be called again, and gives the same.
	again() bool
	// after completes the result, and says what else there is to know.
	after(*validators.Result) []string
}

// judge runs the whole input through the runner. ended says why a partial
// result is partial. With an error, the result is that of what was read before
// it, nil if nothing could be.
func (j *job) judge(ctx context.Context, runner *validators.Runner) (result *validators.Result, ended string, err error) {
	ended = "--max-violations was reached"
	keep := func([]trace.Event) {}
	if j.keep {
		size := history.Size
		if j.readable() {
			size = history.SizeOfFiles
		}
		j.kept, j.histories = history.New(cmp.Or(j.keepBytes, size)), map[string][]validators.Event{}
		keep = j.kept.Add
	}
	if j.source != nil || j.rules != nil || j.repeat {
		err = j.each(ctx, "judging", func(events []trace.Event) error {
			keep(events)
			return cmp.Or(runner.Push(events), j.watch(runner))
		})
	} else {
		err = j.blocks(ctx, "judging", func(b *ingest.Block) error {
			keep(b.Events)
			return cmp.Or(runner.PushLater(b.Events, b.Release), j.watch(runner))
		})
	}
	if overErr := runner.Wait(); err == nil {
		err = overErr
	}
	if closed, ok := errors.AsType[notOpened](err); ok {
		return nil, "", closed.error
	}
	unfit, isUnfit := errors.AsType[*trace.Error](err)
	switch {
	case err == nil, errors.Is(err, validators.ErrEnough):
		err = nil
	case isUnfit:
		runner.Fail(unfit)
		err = nil
	case ctx.Err() != nil:
		runner.Interrupt()
		ended, err = "it was interrupted", nil
	default:
		runner.Interrupt()
		ended = "the input could not be read on"
	}
	result = runner.Finish()
	result.Unmapped = j.counts.Unmapped
	return result, ended, err
}

// notOpened is an error before anything was read.
type notOpened struct{ error }

// each calls do with the events of the input, block by block.
func (j *job) each(ctx context.Context, what string, do func([]trace.Event) error) error {
	if j.repeat {
		return j.repeated(ctx, what, do)
	}
	return j.once(ctx, what, do)
}

// once reads the input itself.
func (j *job) once(ctx context.Context, what string, do func([]trace.Event) error) error {
	if j.source != nil {
		return j.source.each(ctx, what, do)
	}
	if j.rules != nil {
		j.counts = mapping.Counts{}
		opening, push := j.rules.Opening(), do
		do = func(events []trace.Event) error { return opening.Each(events, push) }
	}
	return j.blocks(ctx, what, func(b *ingest.Block) error {
		defer b.Release()
		return do(b.Events)
	})
}

// blocks calls do with the blocks of the files, which it releases.
func (j *job) blocks(ctx context.Context, what string, do func(*ingest.Block) error) error {
	limits := j.limits
	if j.rules != nil {
		limits.Lines = func() ingest.LineDecoder { return j.rules.Decoder() }
	} else if j.lines != nil {
		limits.Lines = j.lines
	} else if limits.Format == nil && !j.linesOnly {
		limits.Formats = []ingest.Format{itf}
	}
	reader, err := ingest.Open(j.names, limits)
	if err != nil {
		return notOpened{err}
	}
	defer reader.Close() // it was only read: nothing is lost
	_, total := reader.Progress()
	j.log.Debug("open", zap.String("for", what), zap.Strings("inputs", j.names), zap.Int64("bytes", total))
	var bar *console.Progress
	if j.progress != nil {
		bar = console.NewProgress(j.progress, what, "", total)
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
			j.counts.Add(&lines.Counts)
		}
		if err := do(block); err != nil {
			return err
		}
		read, _ := reader.Progress()
		bar.Set(read)
	}
}

// itf is the Informal Trace Format of TLA+ tools.
var itf = ingest.Format{Is: export.IsITF, Lines: export.Lines}

// The values of --format.
const (
	formatAuto  = "auto"
	formatLines = "jsonl"
	formatITF   = "itf"
)

func (j *job) format(name string) {
	switch name {
	case formatITF:
		j.limits.Format = &itf
	case formatLines:
		j.linesOnly = true
	}
}
