package sources

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/follow"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// FileOptions are the settings of Files.
type FileOptions struct {
	MaxLine int // the longest line in bytes; 0: ingest.DefaultMaxLine

	// Lines returns a decoder for other logs; nil: the files have format 1.
	Lines func() ingest.LineDecoder

	// Read, unless nil, is called with the decoder before each batch is judged.
	// Several files call it in parallel.
	Read func(ingest.LineDecoder)

	Log *zap.Logger
}

// Files follows growing files in parallel. Each is a part. A stream must be in
// one file: if it shows in a second one, it is not judged from there on.
type Files struct{ parts []*filePart }

// OpenFiles prepares to follow the named files. They need not exist yet.
func OpenFiles(names []string, opts FileOptions) (*Files, error) {
	if len(names) == 0 {
		return nil, errors.New("name at least one file to follow")
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	f := &Files{}
	var all *assignments
	if len(names) > 1 {
		all = newAssignments()
	}
	known := map[string]bool{}
	for _, name := range names {
		file, err := follow.Open(name, follow.Options{MaxLine: opts.MaxLine, Lines: opts.Lines, Log: opts.Log})
		if err != nil {
			return nil, err
		}
		if known[file.Path()] {
			return nil, fmt.Errorf("%s is given twice: name it once", name)
		}
		known[file.Path()] = true
		f.parts = append(f.parts, &filePart{
			file: file, name: name, read: opts.Read, assignments: all, patience: defaultPatience, log: opts.Log.With(zap.String("file", name)),
		})
	}
	return f, nil
}

// Run implements monitor.Source.
func (f *Files) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	gate := monitor.NewGate(len(f.parts))
	var parts []monitor.Part
	for _, p := range f.parts {
		p.gate = gate
		parts = append(parts, p)
	}
	return run(ctx, parts, judge)
}

// filePart is one file.
type filePart struct {
	file        *follow.File
	name        string // as the user gave it
	read        func(ingest.LineDecoder)
	assignments *assignments // nil: there is one file only
	gate        *monitor.Gate
	patience    patience
	log         *zap.Logger
}

// Name is "file:" and the absolute path.
func (p *filePart) Name() string { return "file:" + p.file.Path() }

// Gate is the gate of all files.
func (p *filePart) Gate() *monitor.Gate { return p.gate }

// Report has the time when the file last existed.
func (p *filePart) Report(at monitor.Position) monitor.Report {
	heard, lag := p.file.Seen()
	r := monitor.Report{Answered: heard, Lag: lag, Unit: "bytes", Place: follow.Describe(string(at))}
	if p.file.Missing() {
		r.Away = "the file does not exist"
	}
	return r
}

// Follow reads from the position. While the file cannot be read, it retries
// until ctx ends.
func (p *filePart) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	var own *residents
	if p.assignments != nil {
		own = p.assignments.of(p.name)
	}
	var out monitor.Batch
	return p.patience.again(ctx, p.log, from, take, func(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) (bool, error) {
		err := p.file.Follow(ctx, string(from), func(b *follow.Batch) error {
			if p.read != nil && b.Lines != nil {
				p.read(b.Lines)
			}
			out = monitor.Batch{
				Events: b.Events, Bad: append(out.Bad[:0], b.Bad...), Missed: b.Missed,
				Next: monitor.Position(b.Next), Lag: b.Lag, Unit: "bytes",
				At: func(pos trace.Pos) monitor.Position { return monitor.Position(b.At(pos.Line)) },
			}
			if own != nil {
				own.check(&out)
			}
			return take(&out)
		})
		return errors.Is(err, follow.ErrPosition), err
	})
}
