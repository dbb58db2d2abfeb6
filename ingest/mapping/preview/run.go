package preview

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"tracecheck/ingest"
	"tracecheck/ingest/mapping"
	"tracecheck/report"
	"tracecheck/trace"
)

// Options set what is shown of a log.
type Options struct {
	Rules   *mapping.Rules
	JSONL   bool // write only the trace
	Verbose bool // show the nearest rule for a line without one
	MaxLine int  // in bytes
	Stdin   io.Reader
	Out     io.Writer
	Notes   io.Writer // gets the counts
}

// Run shows what the rules make of the files, which are one log. well is false if a line
// cannot be mapped.
func Run(ctx context.Context, files []string, opts Options) (well bool, err error) {
	o := &output{
		Options: opts, opening: opts.Rules.Opening(), out: bufio.NewWriter(report.Visible(opts.Out)),
		counts: mapping.Counts{Matched: make([]int, opts.Rules.Len())},
	}
	err = Each(ctx, files, opts, o.block)
	if flushErr := o.out.Flush(); flushErr != nil {
		return false, fmt.Errorf("cannot write: %w", flushErr)
	}
	if err == nil || o.counts.Lines > 0 {
		o.summary()
	}
	if unfit, ok := errors.AsType[*trace.Error](err); ok {
		fmt.Fprintf(opts.Notes, "tracecheck: %v\n", unfit)
		return false, nil
	}
	return err == nil && o.failed == 0, err
}

// Each reads the files, which are one log, block by block.
func Each(ctx context.Context, files []string, opts Options, do func(*Lines, []trace.Event) error) error {
	reader, err := ingest.Open(files, ingest.Options{
		MaxLine: opts.MaxLine, Stdin: opts.Stdin,
		Lines: func() ingest.LineDecoder {
			return &Lines{Decoder: opts.Rules.Decoder(), Strict: opts.JSONL, Explain: opts.Verbose}
		},
	})
	if err != nil {
		return err
	}
	defer reader.Close() // read only: nothing is lost
	for {
		block, err := reader.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return errors.New("interrupted before the log ended")
		case err != nil:
			return err
		}
		err = do(block.Lines.(*Lines), block.Events)
		block.Release()
		if err != nil {
			return err
		}
	}
}
