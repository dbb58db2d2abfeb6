package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"tracecheck/report"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/validators"
)

// moduleFlags are about trace specs: TLA+ modules that read a log.
type moduleFlags struct {
	module    string
	config    string
	path      repeated
	env       repeated
	anyPath   bool
	full      bool
	maxStates number
}

// textFlags name the trace spec; to is what is done with it.
func (m *moduleFlags) textFlags(to string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "module", Destination: &m.module, Usage: to + " the trace spec in `FILE`, a TLA+ module that was written for TLC (docs/trace-specs.md)"},
		&cli.StringFlag{Name: "config", Destination: &m.config, Usage: "the trace spec's cfg is `FILE`", DefaultText: "the module's name with .cfg"},
		&cli.GenericFlag{Name: "module-path", Value: &m.path, Usage: "look modules up in the folder `DIR`, too (repeatable)", DefaultText: "the module's folder"},
	}
}

func (m *moduleFlags) flags() []cli.Flag {
	m.maxStates.least = 1
	return append(m.textFlags("judge the log by"), []cli.Flag{
		&cli.GenericFlag{Name: "env", Value: &m.env, Usage: "set `NAME=VALUE` in the trace spec's IOEnv (repeatable)", DefaultText: "the environment, with JSON and TRACE_PATH for the log"},
		&cli.BoolFlag{Name: "any-path", Destination: &m.anyPath, Usage: "one path that breaks an invariant or property is a violation, as in TLC", DisableDefaultText: true},
		&cli.BoolFlag{Name: "full", Destination: &m.full, Usage: "show all variables of the trace spec, not only those that the failed clause reads", DisableDefaultText: true},
		&cli.GenericFlag{Name: "max-states", Value: &m.maxStates, Usage: "let the search for a path make at most `N` states", DefaultText: fmt.Sprint(tracespec.DefaultStates)},
	}...)
}

// described is the trace spec as the built-in specs are, nil where none is named.
func (m *moduleFlags) described() (*validators.Spec, error) {
	switch {
	case m.module != "":
		return tracespec.Describe(tracespec.Options{Module: m.module, Config: m.config, Path: m.path})
	case m.given():
		return nil, errUnnamed
	}
	return nil, nil
}

var errUnnamed = errors.New("--config, --module-path and --env are about a trace spec: name it with --module")

// given reports whether a trace spec is to judge; without a module the other
// flags of these do nothing, which is an error.
func (m *moduleFlags) given() bool {
	return m.module != "" || m.config != "" || len(m.path)+len(m.env) > 0
}

// environ is what IOEnv has: the environment, the log, and what --env says.
func (m *moduleFlags) environ(names []string) (map[string]string, error) {
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
			return nil, fmt.Errorf("--env %s: want NAME=VALUE", entry)
		}
		all[name] = v
	}
	return all, nil
}

// log is the log's name: the argument, or what --env says of it.
func (m *moduleFlags) log(names []string, environ map[string]string) string {
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

// runModule judges a log by a trace spec, and prints the result.
func (s *settings) runModule(env environment, all []*validators.Spec, names []string) error {
	m := &s.module
	switch {
	case m.module == "":
		return errUnnamed
	case len(names) > 1:
		return fmt.Errorf("a trace spec reads one log, not %d: give one file", len(names))
	case len(names) == 0 && len(m.env) == 0:
		return errors.New("no log: name its file, or give the trace spec its name with --env NAME=FILE")
	}
	if len(names) == 1 {
		if _, err := os.Stat(names[0]); err != nil {
			return err
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100) // evaluation makes garbage, and keeps little
	}
	environ, err := m.environ(names)
	if err != nil {
		return err
	}
	log := m.log(names, environ)
	found, err := tracespec.Judge(tracespec.Options{
		Module: m.module, Config: m.config, Path: m.path, Env: environ,
		AnyPath: m.anyPath, MaxStates: m.maxStates.value,
	})
	if err != nil {
		return err
	}
	result := moduleResult(found, log, m.full)
	doc := &report.Document{Result: result, Specs: all, Version: readVersion().Version}
	if err := s.print(env, doc); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	if status := result.Verdict.ExitStatus(); status != 0 {
		return verdictStatus(status)
	}
	return nil
}

// moduleResult is what was found as the result of a run.
func moduleResult(found *tracespec.Result, log string, full bool) *validators.Result {
	r := &validators.Result{
		Version: 1, Verdict: validators.Conforming, Events: found.Lines, Steps: found.Lines, Streams: 1,
		Specs: []string{found.Module}, Notes: found.Notes, Violations: []validators.Violation{},
	}
	switch {
	case found.Unusable != "":
		r.Verdict, r.Reason = validators.Unusable, found.Unusable
		return r
	case found.Accepted:
		return r
	}
	r.Verdict = validators.Violated
	v := validators.Violation{
		Spec: found.Module, Kind: validators.ViolationKind(found.Kind), Rule: found.Rule, File: log,
		Line: found.Line, FirstLine: found.Line, LastLine: found.Line, Text: found.Text, Nearest: []validators.Near{},
	}
	for _, a := range found.Nearest[:min(len(found.Nearest), nearestActions)] {
		near := validators.Near{
			Action: a.Action, Failed: []string{a.Failed.Text}, Values: []string{a.Failed.Values}, Places: []string{a.Failed.Place},
		}
		for _, c := range a.Held {
			near.Held = append(near.Held, c.Text)
		}
		v.Nearest = append(v.Nearest, near)
	}
	if len(v.Nearest) > 0 && found.Reads != "" {
		values := &v.Nearest[0].Values[0]
		*values = strings.TrimPrefix(*values+", "+found.Reads, ", ")
	}
	v.Message = moduleMessage(found)
	v.State = bindings(found, full)
	if raw := logLine(log, found); raw != nil {
		v.Events = []validators.Event{{File: log, Line: found.Line, Raw: raw}}
	}
	v.Identify()
	r.Violations = append(r.Violations, v)
	return r
}

// nearestActions is how many actions a report lists.
const nearestActions = 4

func moduleMessage(found *tracespec.Result) string {
	if found.Kind != tracespec.Transition {
		return fmt.Sprintf("the step that line %d tells breaks %s of %s", found.Line, found.Rule, found.Module)
	}
	text := fmt.Sprintf("no path of %s explains line %d: the furthest explains the %d lines before it", found.Module, found.Line, found.Lines)
	if found.Paths > 1 {
		text += fmt.Sprintf(", in %d states", found.Paths)
	}
	if len(found.Nearest) > 0 {
		a := found.Nearest[0]
		text += fmt.Sprintf(". Nearest is %s, but not: %s", a.Action, a.Failed.Text)
		if a.Failed.Values != "" {
			text += " (" + a.Failed.Values + ")"
		}
	}
	return text
}

// bindings is the state before: the variables that the failed clauses name, or
// all.
func bindings(found *tracespec.Result, full bool) []validators.Binding {
	named := map[string]bool{}
	for _, a := range found.Nearest[:min(len(found.Nearest), nearestActions)] {
		for _, word := range strings.FieldsFunc(a.Failed.Text+" "+a.Failed.Values, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		}) {
			named[word] = true
		}
	}
	var list []validators.Binding
	for _, b := range found.Before {
		if full || named[b.Name] || len(found.Nearest) == 0 {
			list = append(list, validators.Binding(b))
		}
	}
	return list
}

// logLine is the line of the log, where its lines are those that the spec reads.
func logLine(log string, found *tracespec.Result) []byte {
	if log == "" || found.Total < 0 {
		return nil
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) != found.Total || found.Line > len(lines) {
		return nil
	}
	return lines[found.Line-1]
}
