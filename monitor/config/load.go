package config

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/validators"
)

// origin is the place where a flag was set.
type origin struct {
	file string // "": the command line
	line int    // in the file
}

func (o origin) String() string {
	if o.file == "" {
		return "command line"
	}
	return fmt.Sprintf("%s:%d", o.file, o.line)
}

// Load reads the command's arguments and the configuration file that they name, and checks
// both. It has no side effects. Call it again when the file has changed.
func Load(env console.Environment, all []*validators.Spec, args []string) (*Settings, error) {
	m, err := Read(all, args)
	if err != nil {
		return nil, err
	}
	return m.settings(env, all)
}

// Read merges the command line and the file. The command line overrides the file, and its
// lists replace those of the file.
func Read(all []*validators.Spec, args []string) (*Flags, error) {
	m := NewFlags(all)
	if err := m.parse(args); err != nil || m.config == "" {
		return m, err
	}
	values, err := readFile(m.config, NewFlags(all))
	if err != nil {
		return nil, err
	}
	values = slices.DeleteFunc(values, func(v fileValue) bool {
		_, given := m.origins[v.name]
		return given
	})
	return m, m.take(m.config, values)
}

// parse parses the flags of a command line.
func (m *Flags) parse(args []string) error {
	words, rest, err := cmdline.Split(&cli.Command{Name: "monitor", Flags: m.List}, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		if info, err := os.Stat(rest[0]); err == nil && !info.IsDir() {
			return fmt.Errorf("unexpected argument %q: to judge what is appended to the file, name it with --follow", rest[0])
		}
		return fmt.Errorf("unexpected argument %q: what to judge is named with --kafka, --follow or --swarm", rest[0])
	}
	if err := cmdline.Parse(m.set, words, nil); err != nil {
		return err
	}
	m.set.Visit(func(given *flag.Flag) {
		for _, f := range m.List {
			if names := f.Names(); slices.Contains(names, given.Name) {
				m.origins[names[0]] = origin{}
			}
		}
	})
	return nil
}

// take sets the flags that the file has, unless the command line sets them.
func (m *Flags) take(file string, values []fileValue) error {
	for _, v := range values {
		m.origins[v.name] = origin{file, v.line}
		for _, text := range v.texts {
			if err := m.set.Set(v.name, text); err != nil {
				return m.Fault(v.name, "%w", err)
			}
		}
	}
	return nil
}
