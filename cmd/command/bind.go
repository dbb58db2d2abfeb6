package command

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest"
	"tracecheck/tlaplus/bind"
	"tracecheck/validators"
)

// bindFlags are about bind files: any log against any TLA+ module.
type bindFlags struct {
	bind string
	with *bind.Bind // once it is read
}

func (b *bindFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bind", Destination: &b.bind, Usage: "judge another log by a TLA+ module: the bind file `FILE` says what a line tells (docs/bind.md)"},
	}
}

// bindUnfit are the flags that mean nothing with --bind.
var bindUnfit = []string{"module", "config", "any-path", "map", "spec", "steps", "profile", "constant", "attach", "deadline", "on-gap", "remember", "format", "budget", "swarm", "kafka"}

// refuse names a flag that is set, and means nothing with --bind.
func (b *bindFlags) refuse(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; c.IsSet(name) && slices.Contains(bindUnfit, name) {
			return fmt.Errorf("--%s means nothing with --bind: the bind file says how the log is read, and by what it is judged", name)
		}
	}
	return nil
}

// bound is the spec of --bind alone, or all specs where there is none.
func (m *moduleFlags) bound(all []*validators.Spec) ([]*validators.Spec, error) {
	if m.bind == "" {
		return all, nil
	}
	environ, err := m.environ(nil)
	if err != nil {
		return nil, err
	}
	m.with, err = bind.Load(m.bind, bind.Options{Path: m.path, Env: environ, MaxStates: m.maxStates.Value, Full: m.full})
	if err != nil {
		return nil, err
	}
	return []*validators.Spec{m.with.Spec}, nil
}

// repeatable is an error where the files of a bound log cannot be read several times.
func (b *bindFlags) repeatable(names []string) error {
	for _, name := range names {
		if info, err := os.Stat(name); b.bind != "" && (name == "-" || err == nil && !info.Mode().IsRegular()) {
			return fmt.Errorf("with --bind, the log is read several times, which only files allow: %q is none; write it to one first", name)
		}
	}
	return nil
}

// lines makes events of the log's lines; nil where the files are traces.
func (m *moduleFlags) lines() func() ingest.LineDecoder {
	if m.with == nil {
		return nil
	}
	return func() ingest.LineDecoder { return m.with.Decoder() }
}
