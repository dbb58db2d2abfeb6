package command

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm"
	"tracecheck/internal/flagvalue"
	"tracecheck/trace"
	"tracecheck/validators"
)

// liveSwarm is a swarm that is judged while it runs: what record would write.
type liveSwarm struct {
	socket   string
	duration flagvalue.Duration // 0: until the run is interrupted
	log      *zap.Logger
}

// each calls do with the events as they come. An end that was asked for is no
// error.
func (l *liveSwarm) each(ctx context.Context, _ string, do func([]trace.Event) error) error {
	ctx, cancel := flagvalue.Limited(ctx, l.duration)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: l.socket, Log: l.log})
	if err != nil {
		return notOpened{err}
	}
	lines := swarm.NewEvents(l.socket)
	events, err := lines.Decode(source.Meta())
	if err == nil {
		err = do(events)
	}
	if err != nil {
		return err
	}
	return source.Run(ctx, func(b swarm.Batch) error {
		events, err := lines.Decode(b.Lines)
		if err != nil {
			return err
		}
		return do(events)
	})
}

func (l *liveSwarm) name() string { return l.socket }

func (l *liveSwarm) again() bool { return false }

func (l *liveSwarm) after(*validators.Result) []string { return nil }

// live checks how the flags go together; nil means that files are judged.
func (s *settings) live(names []string, log *zap.Logger) (*liveSwarm, error) {
	switch {
	case s.socket == "" && s.duration != 0:
		return nil, errors.New("--duration bounds the judging of what is live: name it with --swarm or --kafka")
	case s.socket == "":
		return nil, nil
	case len(names) > 0:
		return nil, errors.New("--swarm judges a live swarm, not files: give one or the other")
	}
	return &liveSwarm{socket: s.socket, duration: s.duration, log: log}, nil
}

// logFindings logs what breaks the rules at once: the report comes at the end.
func logFindings(log *zap.Logger, next stepSeen) stepSeen {
	return func(step *trace.Step, spec string, explanation []string, findings []validators.Finding) {
		last := &step.Events[len(step.Events)-1]
		for i := range findings {
			f := &findings[i]
			log.Warn(string(f.Kind)+" "+f.Rule, zap.String("spec", spec), zap.Int64("seq", last.Seq),
				zap.String("time", last.Time), zap.String("what", f.Message))
		}
		if next != nil {
			next(step, spec, explanation, findings)
		}
	}
}

// stepSeen is validators.Options.OnStep.
type stepSeen = func(*trace.Step, string, []string, []validators.Finding)
