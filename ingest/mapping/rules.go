// Package mapping turns the lines of foreign logs into events, by rules that a
// YAML file lists. docs/map.md describes them.
package mapping

import (
	"fmt"

	"tracecheck/internal/files"
	"tracecheck/trace"
)

// Rules are a rules file, checked and compiled. They do not change: any number
// of Decoders may share them.
type Rules struct {
	File     string    // as the user named it
	Warnings []Warning // what is no error, and still not likely meant

	rules  []rule
	paths  []lookup // the distinct paths of all rules
	heads  heads    // the first names of those
	meta   *meta    // nil: none
	format format   // nil: lines are JSON
}

// meta is the section of that name.
type meta struct {
	line   int
	object []byte // as JSON
	parsed trace.Meta
}

// Warning is a remark on a line of the rules file.
type Warning struct {
	Line int // from 1
	Text string
}

// rule says what becomes of the lines that it matches.
type rule struct {
	name   string
	line   int
	when   *cond // nil: every line
	events []event
}

func (r *rule) String() string { return fmt.Sprintf("rule %q", r.name) }

// Load reads a rules file. An error names the file, and each fault in it by
// line.
func Load(file string) (*Rules, error) {
	data, err := files.Read(file, files.Document)
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	return Parse(file, data)
}

// Len is how many rules there are.
func (r *Rules) Len() int { return len(r.rules) }

// Name is the i-th rule's name, and the line where it begins.
func (r *Rules) Name(i int) (name string, line int) { return r.rules[i].name, r.rules[i].line }

// Ignores reports whether the i-th rule makes no events.
func (r *Rules) Ignores(i int) bool { return len(r.rules[i].events) == 0 }

// Meta is what the section meta says, and its line; 0 where there is none.
func (r *Rules) Meta() (trace.Meta, int) {
	if r.meta == nil {
		return trace.Meta{}, 0
	}
	return r.meta.parsed, r.meta.line
}
