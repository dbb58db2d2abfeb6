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

// FileOptions say how files are followed.
type FileOptions struct {
	MaxLine int // the longest line in bytes; 0: ingest.DefaultMaxLine

	// Lines makes what reads the lines of other logs; nil: they are format 1.
	Lines func() ingest.LineDecoder

	// Read, where it is set, is told of the lines of each batch before the batch
	// is taken; several files call it at once.
	Read func(ingest.LineDecoder)

	Log *zap.Logger
}

// Files follows files that grow, side by side: each is a part. A stream must
// not be in two of them: it is not judged from where it shows in the second.
type Files struct{ parts []*filePart }

// OpenFiles prepares to follow the files of these names, which need not be
// there yet.
func OpenFiles(names []string, opts FileOptions) (*Files, error) {
	if len(names) == 0 {
		return nil, errors.New("name at least one file to follow")
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	f := &Files{}
	var all *homes
	if len(names) > 1 {
		all = newHomes()
	}
	known := map[string]bool{}
	for _, name := range names {
		file, err := follow.Open(name, follow.Options{MaxLine: opts.MaxLine, Lines: opts.Lines, Log: opts.Log})
		if err != nil {
			return nil, err
		}
		if known[file.Path()] {
			return nil, fmt.Errorf("%s is to be followed twice: name it once", name)
		}
		known[file.Path()] = true
		f.parts = append(f.parts, &filePart{
			file: file, name: name, read: opts.Read, homes: all, patience: defaultPatience, log: opts.Log.With(zap.String("file", name)),
		})
	}
	return f, nil
}

// Run judges all files, as monitor.Source says.
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
	file     *follow.File
	name     string // as the user has it
	read     func(ingest.LineDecoder)
	homes    *homes // nil: there is no other file
	gate     *monitor.Gate
	patience patience
	log      *zap.Logger
}

// Name is "file:" and the absolute path.
func (p *filePart) Name() string { return "file:" + p.file.Path() }

// Gate is that of all files.
func (p *filePart) Gate() *monitor.Gate { return p.gate }

// Report says when the file was last there.
func (p *filePart) Report(monitor.Position) monitor.Report {
	heard, lag := p.file.Seen()
	return monitor.Report{Heard: heard, Lag: lag, Unit: "bytes"}
}

// Follow reads on from the position; where the file cannot be read, it tries
// again for as long as ctx lets it.
func (p *filePart) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	var own *residents
	if p.homes != nil {
		own = p.homes.of(p.name)
	}
	var out monitor.Batch
	return p.patience.again(ctx, p.log, from, take, func(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) (bool, error) {
		err := p.file.Follow(ctx, string(from), func(b *follow.Batch) error {
			if p.read != nil && b.Lines != nil {
				p.read(b.Lines)
			}
			out = monitor.Batch{
				Events: b.Events, Bad: out.Bad[:0], Missed: b.Missed,
				Next: monitor.Position(b.Next), Lag: b.Lag, Unit: "bytes",
				At: func(pos trace.Pos) monitor.Position { return monitor.Position(b.At(pos.Line)) },
			}
			for i := range b.Bad {
				bad := &b.Bad[i]
				out.Bad = append(out.Bad, monitor.Bad{Before: bad.Before, Streams: bad.Streams, Err: bad.Err, Raw: bad.Raw})
			}
			if own != nil {
				own.check(&out)
			}
			return take(&out)
		})
		return errors.Is(err, follow.ErrPosition), err
	})
}
