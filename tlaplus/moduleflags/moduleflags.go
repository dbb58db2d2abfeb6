// Package moduleflags has the flags about TLA+ modules: trace specs, and bind files.
package moduleflags

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest/foreign"
	"tracecheck/internal/flagvalue"
	"tracecheck/tlaplus/bind"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/validators"
)

// Flags are about trace specs: TLA+ modules that read a log.
type Flags struct {
	BindFlags
	module    string
	config    string
	Path      flagvalue.Repeated
	env       flagvalue.Repeated
	anyPath   bool
	Full      bool
	maxStates flagvalue.Number
}

// TextFlags name the trace spec; to is what is done with it.
func (m *Flags) TextFlags(to string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "module", Destination: &m.module, Usage: to + " the trace spec in `FILE`, a TLA+ module that was written for TLC (docs/trace-specs.md)"},
		&cli.StringFlag{Name: "config", Destination: &m.config, Usage: "use `FILE` as the trace spec's cfg", DefaultText: "the module's name with .cfg"},
		&cli.GenericFlag{Name: "module-path", Value: &m.Path, Usage: "also look for modules in the folder `DIR` (repeatable)", DefaultText: "the module's folder"},
	}
}

// OfBind are the flags of a command that has bind files, and no trace specs, without those
// that are named.
func (m *Flags) OfBind(without ...string) []cli.Flag {
	var list []cli.Flag
	for _, f := range m.List() {
		name := f.Names()[0]
		if !slices.Contains(bindFit, name) || slices.Contains(without, name) {
			continue
		}
		switch g, _ := f.(*cli.GenericFlag); name {
		case "env":
			g.DefaultText = "the environment"
		case "max-states":
			g.Usage, g.DefaultText = "make at most `N` states for each line", fmt.Sprint(bind.DefaultStates)
		}
		list = append(list, f)
	}
	if slices.Contains(without, "module") {
		return list
	}
	return append(list, Elsewhere())
}

// Elsewhere is --module of a command that has no trace specs: to set it is an error.
func Elsewhere() cli.Flag {
	return &cli.GenericFlag{Name: "module", Value: elsewhere{}, Hidden: true}
}

type elsewhere struct{}

func (elsewhere) String() string { return "" }

func (elsewhere) Set(string) error {
	return errors.New("only validate, explain, coverage, report and specs take --module; this command takes a bind file: --bind FILE (`tracecheck help bind`)")
}

func (m *Flags) List() []cli.Flag {
	m.maxStates.Least = 1
	return append(append(m.BindFlags.List(), m.TextFlags("judge the log by")...), []cli.Flag{
		&cli.GenericFlag{Name: "env", Value: &m.env, Usage: "set `NAME=VALUE` in the module's IOEnv (repeatable)", DefaultText: "the environment; for a trace spec, JSON and TRACE_PATH name the log"},
		&cli.BoolFlag{Name: "any-path", Destination: &m.anyPath, Usage: "report a violation if any path breaks an invariant or property, as in TLC", DisableDefaultText: true},
		&cli.BoolFlag{Name: "full", Destination: &m.Full, Usage: "show all variables of the module, not only those that the failed clause reads", DisableDefaultText: true},
		&cli.GenericFlag{Name: "max-states", Value: &m.maxStates, Usage: "make at most `N` states in the search for a path; with --bind, for each line", DefaultText: fmt.Sprintf("%d; with --bind, %d", tracespec.DefaultStates, bind.DefaultStates)},
	}...)
}

// Described is the trace spec as the built-in specs are, nil where none is named.
func (m *Flags) Described() (*validators.Spec, error) {
	switch {
	case m.module != "":
		return tracespec.Describe(tracespec.Options{Module: m.module, Config: m.config, Path: m.Path})
	case m.Given():
		return nil, errUnnamed
	}
	return nil, nil
}

var errUnnamed = errors.New("--config, --module-path, --env, --any-path, --full and --max-states are about a TLA+ module: name it with --module, or a bind file with --bind")

// Given reports whether a trace spec is to judge; without a module the other
// flags of these do nothing, which is an error.
func (m *Flags) Given() bool {
	return m.Bind == "" && m.about()
}

// about reports whether a flag about trace specs is set.
func (m *Flags) about() bool {
	return m.module != "" || m.config != "" || len(m.Path)+len(m.env) > 0 || m.anyPath || m.Full || m.maxStates.Value > 0
}

// environ is what IOEnv has: the environment, the log, and what --env sets.
func (m *Flags) environ(names []string) (map[string]string, error) {
	all := map[string]string{}
	for _, entry := range os.Environ() {
		name, v, _ := strings.Cut(entry, "=")
		all[name] = v
	}
	if len(names) == 1 {
		all["JSON"], all["TRACE_PATH"] = names[0], names[0]
	}
	for _, entry := range m.env {
		name, v, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env %s: expected NAME=VALUE", entry)
		}
		all[name] = v
	}
	return all, nil
}

// log is the log's name: the argument, or what --env sets.
func (m *Flags) log(names []string, environ map[string]string) string {
	if len(names) == 1 {
		return names[0]
	}
	for _, name := range []string{"JSON", "TRACE_PATH"} {
		if slices.ContainsFunc(m.env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			return environ[name]
		}
	}
	return ""
}

// Named is the log that --env names.
func (m *Flags) Named() string {
	environ, err := m.environ(nil)
	if err != nil {
		return ""
	}
	return m.log(nil, environ)
}

// Options are those of a run over one log, which the names or --env name; log is its
// name.
func (m *Flags) Options(names []string) (o tracespec.Options, log string, err error) {
	switch {
	case m.module == "":
		return o, "", errUnnamed
	case len(names) > 1:
		return o, "", fmt.Errorf("a trace spec reads one log, not %d: give one file", len(names))
	case len(names) == 0 && len(m.env) == 0:
		return o, "", errors.New("no log: name its file, or give the trace spec its name with --env NAME=FILE")
	}
	if len(names) == 1 {
		if names[0] == "-" {
			return o, "", errors.New("a trace spec cannot read standard input: write it to a file first")
		}
		switch info, err := os.Stat(names[0]); {
		case err != nil:
			return o, "", fmt.Errorf("cannot open the log: %w: check its name and permissions", err)
		case info.IsDir():
			return o, "", fmt.Errorf("cannot open the log: %s is a directory: name a file", names[0])
		}
	}
	environ, err := m.environ(names)
	if err != nil {
		return o, "", err
	}
	log = m.log(names, environ)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // evaluation makes garbage, and keeps little
	}
	return tracespec.Options{
		Module: m.module, Config: m.config, Path: m.Path, Env: environ,
		AnyPath: m.anyPath, MaxStates: m.maxStates.Value,
		Better: func(reason string) string { return foreign.OfModule(log, reason) },
	}, log, nil
}

// moduleFit are the flags, beside those about trace specs, that mean something with
// --module.
var moduleFit = []string{"module", "config", "module-path", "env", "any-path", "full", "max-states", "output", "quiet", "verbose", "no-progress", "color"}

// Refuse names a flag that is set, and cannot be used with --module.
func (m *Flags) Refuse(c *cli.Context, also ...string) error {
	if m.Bind != "" {
		return m.BindFlags.Refuse(c)
	}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if m.Given() && c.IsSet(name) && !slices.Contains(moduleFit, name) && !slices.Contains(also, name) {
			return fmt.Errorf("--%s is about the built-in specs: it cannot be used with --module", name)
		}
	}
	return nil
}
