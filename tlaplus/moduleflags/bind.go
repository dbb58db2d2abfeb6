package moduleflags

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest"
	"tracecheck/ingest/input"
	"tracecheck/tlaplus/bind"
	"tracecheck/validators"
)

// BindFlags are about bind files: any log against any TLA+ module.
type BindFlags struct {
	Bind string
	With *bind.Bind // once it is read
}

func (b *BindFlags) List() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bind", Destination: &b.Bind, Usage: "judge any log by a TLA+ module: the bind file `FILE` defines what each line means (docs/bind.md)"},
	}
}

// bindUnfit are the flags that mean nothing with --bind.
var bindUnfit = []string{"module", "config", "any-path", "map", "spec", "steps", "profile", "constant", "attach", "deadline", "on-gap", "remember", "kind", "format", "budget", "swarm", "instance", "name"}

// traceFit are those of them that mean something where the log is in the trace format.
var traceFit = []string{"map", "steps", "on-gap", "remember", "format"}

// bindFit are the flags about modules that mean something with --bind.
var bindFit = []string{"bind", "module-path", "env", "full", "max-states"}

// Refuse names a flag that is set, and cannot be used with --bind.
func (b *BindFlags) Refuse(c *cli.Context) error {
	if b.Bind == "" {
		return nil
	}
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; c.IsSet(name) && b.Unfit(name) {
			return fmt.Errorf("--%s %s", name, UnfitText)
		}
	}
	return nil
}

// Unfit reports whether a flag cannot be used with --bind, which is given, and UnfitText
// says so.
func (b *BindFlags) Unfit(flag string) bool {
	return b.Bind != "" && slices.Contains(bindUnfit, flag) && !(slices.Contains(traceFit, flag) && bind.OfTraces(b.Bind))
}

// UnfitText follows the flag's name.
const UnfitText = "cannot be used with --bind: the bind file defines how the log is read and judged"

// AboutBind is a flag, of those set, that is about a bind file where none is named; "":
// there is none.
func (m *Flags) AboutBind() string {
	if m.Bind != "" || !m.about() {
		return ""
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"module-path", len(m.Path) > 0}, {"env", len(m.env) > 0}, {"full", m.Full}} {
		if f.set {
			return f.name
		}
	}
	return "max-states"
}

// Bound is the spec of --bind alone, or all specs where there is none.
func (m *Flags) Bound(all []*validators.Spec) ([]*validators.Spec, error) {
	if m.Bind == "" {
		if m.about() {
			return nil, errUnnamed
		}
		return all, nil
	}
	environ, err := m.environ(nil)
	if err != nil {
		return nil, err
	}
	m.With, err = bind.Load(m.Bind, bind.Options{Path: m.Path, Env: environ, Set: m.env, MaxStates: m.maxStates.Value, Full: m.Full})
	if err != nil {
		return nil, err
	}
	return []*validators.Spec{m.With.Spec}, nil
}

// Lines makes events of the log's lines; nil where the files are traces.
func (m *Flags) Lines() func() ingest.LineDecoder {
	if m.With == nil || m.With.Objects() {
		return nil
	}
	return func() ingest.LineDecoder { return m.With.Decoder() }
}

// StreamOrder puts the lines of each stream in order as they come; nil: they are in it.
func (m *Flags) StreamOrder() func(*validators.Workspace) validators.Orderer {
	if m.With == nil {
		return nil
	}
	return m.With.StreamOrder()
}

// Order puts the log's lines in order; nil: they are in it.
func (m *Flags) Order() func() input.Order {
	if m.With == nil || m.With.Order() == nil {
		return nil
	}
	return func() input.Order { return m.With.Order() }
}
