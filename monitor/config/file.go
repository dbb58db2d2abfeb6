package config

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/nearest"
	"tracecheck/internal/yamldoc"
)

// fileValue is the value of a flag in the configuration file.
type fileValue struct {
	name  string
	line  int
	texts []string // the arguments for its Set, in order
}

// LineOnly are the flags that cannot be keys of the file.
var LineOnly = []string{"config", "dry-run"}

// readFile reads a configuration file. It sets the flags of try to check each value. The
// error lists all faults, each with its line.
func readFile(file string, try *Flags) ([]fileValue, error) {
	data, err := files.Read(file, files.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write it; its keys are the flags in `tracecheck help monitor`", err)
	}
	if err != nil {
		return nil, err
	}
	return Parse(file, data, try)
}

// Parse reads the keys of a configuration, and tries each value with a flag of try. file is the
// name in errors. The error has all faults, each with its line.
func Parse(file string, data []byte, try *Flags) ([]fileValue, error) {
	root, err := yamldoc.Document(file, data)
	if err != nil || root == nil {
		return nil, err
	}
	r := &fileReader{Reader: yamldoc.Reader{File: file}, set: try.set}
	var values []fileValue
	for _, p := range r.Pairs(root, "the configuration", nil) {
		i := slices.IndexFunc(try.List, func(f cli.Flag) bool { return f.Names()[0] == p.Name })
		switch {
		case i < 0:
			r.Fault(p.Key, "unknown key %q%s", p.Name, didYouMean(p.Name, try.List))
		case slices.Contains(LineOnly, p.Name):
			r.Fault(p.Key, "%s is for the command line alone", p.Name)
		case isNothing(p.Value):
			r.Fault(p.Key, "%s has no value: give it one, or leave it out", p.Name)
		default:
			values = append(values, fileValue{p.Name, p.Key.Line, r.texts(p, try.List[i])})
		}
	}
	return values, r.Err()
}

// fileReader checks the values with their flags.
type fileReader struct {
	yamldoc.Reader
	set *flag.FlagSet
}

func isNothing(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// texts returns the value in the form of the command line.
func (r *fileReader) texts(p yamldoc.Pair, f cli.Flag) []string {
	if _, ok := f.(*cli.BoolFlag); ok {
		if r.Bool(p.Value, p.Name) {
			return []string{"true"}
		}
		return []string{"false"}
	}
	if generic, ok := f.(*cli.GenericFlag); ok {
		switch generic.Value.(type) {
		case flagvalue.Constants:
			return r.members(p, func(n *yaml.Node) string { return string(r.JSON(n)) })
		case flagvalue.Labels:
			return r.members(p, func(n *yaml.Node) string { return r.plain(p.Name, n) })
		case *flagvalue.Words, *flagvalue.Repeated:
			return r.list(p)
		}
	}
	return r.text(p.Name, p.Value, nil)
}

// text appends a scalar in the form of the command line.
func (r *fileReader) text(name string, n *yaml.Node, list []string) []string {
	faults := r.Faults()
	text := r.plain(name, n)
	if r.Faults() > faults {
		return list
	}
	return r.try(name, n, text, list)
}

// plain returns the text of a scalar of any type.
func (r *fileReader) plain(name string, n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode || isNothing(n):
		r.Fault(n, "%s is one value, not %s", name, yamldoc.Shape(n))
	case n.ShortTag() == "!!bool":
		r.Fault(n, "%s is neither true nor false: a text that is such a word needs quotes", name)
	}
	return n.Value
}

func (r *fileReader) try(name string, n *yaml.Node, text string, list []string) []string {
	if err := r.set.Set(name, text); err != nil {
		r.Fault(n, "%s: %v", name, err)
	}
	return append(list, text)
}

func (r *fileReader) list(p yamldoc.Pair) (list []string) {
	if p.Value.Kind != yaml.SequenceNode {
		return r.text(p.Name, p.Value, nil)
	}
	if len(p.Value.Content) == 0 {
		r.Fault(p.Value, "the list %s is empty: leave it out", p.Name)
	}
	for _, item := range p.Value.Content {
		list = r.text(p.Name, r.Visit(item), list)
	}
	return list
}

// members returns the members of a mapping, as NAME=VALUE.
func (r *fileReader) members(p yamldoc.Pair, value func(*yaml.Node) string) (list []string) {
	for _, c := range r.Pairs(p.Value, p.Name, nil) {
		if strings.Contains(c.Name, "=") {
			r.Fault(c.Key, "%s: no name has a %q: %q", p.Name, "=", c.Name)
			continue
		}
		list = r.try(p.Name, c.Value, c.Name+"="+value(c.Value), list)
	}
	return list
}

// didYouMean suggests the nearest key, if one is similar.
func didYouMean(key string, flags []cli.Flag) string {
	var keys []string
	for _, f := range flags {
		if name := f.Names()[0]; !slices.Contains(LineOnly, name) {
			keys = append(keys, name)
		}
	}
	return "; " + nearest.Or(strings.TrimLeft(key, "-"), keys, "`tracecheck monitor --help` lists them, as flags")
}
