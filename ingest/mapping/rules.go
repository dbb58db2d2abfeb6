// Package mapping turns the lines of logs in other formats (foreign logs) into events. The
// rules are in a YAML file; docs/map.md describes them.
package mapping

import (
	"fmt"

	"tracecheck/internal/amount"
	"tracecheck/internal/files"
	"tracecheck/trace"
)

// Rules is a rules file, checked and compiled. It is immutable, so Decoders may share it.
type Rules struct {
	File     string    // the name that the user gave
	Warnings []Warning // probable mistakes that are not errors

	rules  []rule
	paths  []lookup // the distinct paths of all rules
	heads  heads    // the first names of the paths
	meta   *meta    // nil: none
	format format   // nil: lines are JSON
}

// meta is the section meta.
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

// rule makes events of the lines that it matches.
type rule struct {
	name   string
	line   int
	when   *cond // nil: every line
	events []event
}

func (r *rule) String() string { return fmt.Sprintf("rule %q", r.name) }

// Load reads a rules file. An error lists all faults, each with its line.
func Load(file string) (*Rules, error) {
	data, err := files.Read(file, files.Document)
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	return Parse(file, data)
}

// Len returns the number of rules.
func (r *Rules) Len() int { return len(r.rules) }

// Count returns the number of rules in words.
func (r *Rules) Count() string { return amount.Of(len(r.rules), "rule") }

// Name returns the i-th rule's name, and its line in the file.
func (r *Rules) Name(i int) (name string, line int) { return r.rules[i].name, r.rules[i].line }

// Ignores reports whether the i-th rule makes no events.
func (r *Rules) Ignores(i int) bool { return len(r.rules[i].events) == 0 }

// Meta returns the section meta and its line; 0 if there is none.
func (r *Rules) Meta() (trace.Meta, int) {
	if r.meta == nil {
		return trace.Meta{}, 0
	}
	return r.meta.parsed, r.meta.line
}
