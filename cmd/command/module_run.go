package command

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"tracecheck/internal/amount"
	"tracecheck/internal/console"
	"tracecheck/internal/version"
	"tracecheck/report"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/validators"
)

// runModule judges a log by a trace spec, and prints the result.
func (s *settings) runModule(ctx context.Context, env console.Environment, names []string) error {
	o, log, err := s.module.Options(names)
	if err != nil {
		return err
	}
	done := s.watch(env, &o)
	found, err := tracespec.Judge(ctx, o)
	done()
	if err != nil {
		return err
	}
	result := found.Judged(log, s.module.Full)
	doc := &report.Document{Result: result, Version: version.Read().Version, Notes: result.Notes}
	if found.Spec != nil {
		doc.Specs = []*validators.Spec{found.Spec}
	}
	if err := s.print(env, doc); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return exit(result.Verdict.ExitStatus())
}

// logEach is the number of states after which --verbose logs the progress, even if no further
// line is explained.
const logEach = 100_000

// watch shows the progress of the search: on a terminal or, with --verbose, in the log. done
// ends it.
func (s *settings) watch(env console.Environment, o *tracespec.Options) (done func()) {
	switch {
	case s.verbose:
		log, last := console.NewLogger(env.Stderr, true), tracespec.Progress{}
		o.Progress = func(p tracespec.Progress) {
			if p.Lines > last.Lines || p.States >= last.States+logEach {
				last = p
				log.Debug("search", zap.Int("lines", p.Lines), zap.Int("of", p.Total), zap.Int("frontier", p.Frontier), zap.Int("states", p.States))
			}
		}
	case console.IsTerminal(env.Screen) && !s.quiet && !s.noProgress:
		var bar *console.Progress
		o.Progress = func(p tracespec.Progress) {
			if bar == nil {
				bar = console.NewProgress(env.Screen, "searching", "lines", int64(p.Total))
			}
			bar.Tell(fmt.Sprintf("searching, %s in the frontier, %s made", amount.Of(p.Frontier, "state"), amount.Of(p.States, "state")))
			bar.Set(int64(p.Lines))
		}
		return func() { bar.Done() }
	}
	return func() {}
}
