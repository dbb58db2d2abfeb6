package anonymize

import (
	"errors"
	"fmt"

	"tracecheck/ingest"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Comparison judges a log, and the same log with other names. A module may look into its strings, or
// choose by their order. Then the verdicts may differ. nil compares nothing.
type Comparison struct {
	runners [2]*validators.Runner
	lines   ingest.LineDecoder // nil: the lines are a trace
	decoder trace.Decoder
	over    bool // the rest does not count
}

// NewComparison returns one that judges both logs with the options. lines decodes them, unless it is nil:
// then they are traces.
func NewComparison(options validators.Options, lines func() ingest.LineDecoder) (*Comparison, error) {
	c := &Comparison{}
	if lines != nil {
		c.lines = lines()
	}
	for i := range c.runners {
		var err error
		if c.runners[i], err = validators.NewRunner(options); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Push judges events, and their lines with other names. places has where each line begins and ends
// in text.
func (c *Comparison) Push(events []trace.Event, text []byte, places []int) error {
	if c == nil || c.over {
		return nil
	}
	c.decoder.Reset()
	renamed := make([]trace.Event, 0, len(events))
	for i := range events {
		line, pos := text[places[2*i]:places[2*i+1]], events[i].Pos
		var err error
		if c.lines != nil {
			renamed, err = c.lines.Decode(renamed, line, pos)
		} else {
			renamed = append(renamed, trace.Event{})
			err = c.decoder.Decode(line, pos, &renamed[i])
		}
		if err != nil {
			return fmt.Errorf("with other names, the line cannot be read: %w", err)
		}
	}
	for i, list := range [][]trace.Event{events, renamed} {
		if err := c.runners[i].Push(list); err != nil {
			if unfit, ok := errors.AsType[*trace.Error](err); ok {
				c.runners[i].Fail(unfit)
			} else {
				c.runners[i].Interrupt()
			}
			c.over = true
		}
	}
	return nil
}

// End reports another verdict, another violation or another number of steps.
func (c *Comparison) End() error {
	if c == nil {
		return nil
	}
	var found [2][]string
	for i, runner := range c.runners {
		if err := runner.Wait(); err != nil {
			return err
		}
		result := runner.Finish()
		for n := range result.Violations {
			v := &result.Violations[n]
			found[i] = append(found[i], fmt.Sprintf("%s %s at %s:%d", v.Kind, v.Rule, v.File, v.Line))
		}
		found[i] = append(found[i], fmt.Sprintf("%s, with %d steps judged", result.Verdict, result.Steps))
	}
	for i, was := range found[0] {
		if is := found[1][min(i, len(found[1])-1)]; is != was {
			return fmt.Errorf("with other names, the log has another verdict: %s, not %s. The module or the bind file looks into the log's texts. "+
				"Make a short log with `tracecheck shrink --bind`, and replace the names yourself", is, was)
		}
	}
	return nil
}
