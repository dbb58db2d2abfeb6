// Package yamldoc reads a YAML file node by node, so that each error names its line.
package yamldoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/nearest"
)

// Reader reads one file. It continues after a fault, so that a user sees all of
// them.
type Reader struct {
	File string // its name, for faults
	// Hint, where it is not nil, ends the fault of a key that cannot be.
	Hint func(mapping *yaml.Node) string

	faults []error
	nodes  int // visited so far
}

const (
	maxNodes = 50_000 // bounds what anchors of anchors blow up
	// MaxFaults are reported; the others are counted.
	MaxFaults = 20
)

// Fault notes a mistake in the file.
func (r *Reader) Fault(n *yaml.Node, format string, args ...any) {
	if r.nodes <= maxNodes { // what comes after that is its consequence
		r.faults = append(r.faults, fmt.Errorf("%s:%d: "+format, append([]any{r.File, n.Line}, args...)...))
	}
}

// Faults is how many there are so far.
func (r *Reader) Faults() int { return len(r.faults) }

// Err joins the faults, one a line, in the file's order as far as it was read.
func (r *Reader) Err() error {
	if n := len(r.faults); n > MaxFaults {
		return fmt.Errorf("%w\nand %d more", errors.Join(r.faults[:MaxFaults]...), n-MaxFaults)
	}
	return errors.Join(r.faults...)
}

func (r *Reader) hint(n *yaml.Node) string {
	if r.Hint == nil {
		return ""
	}
	return r.Hint(n)
}

// Visit counts a node, and returns what an alias refers to. Once there are too many it returns
// nodes of no kind, so that all ends.
func (r *Reader) Visit(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if r.nodes > maxNodes {
		return &yaml.Node{}
	}
	if weight := 1 + len(n.Value)/64; r.nodes+weight > maxNodes {
		r.Fault(n, "the file is too long when its anchors are expanded")
		r.nodes = maxNodes + 1
	} else {
		r.nodes += weight
	}
	return n
}

// Pair is a key of a YAML mapping with its value.
type Pair struct {
	Key   *yaml.Node
	Name  string
	Value *yaml.Node
}

// Pairs are a mapping's, each key once. known, where it is not nil, are the
// keys that there may be; what says whose they are.
func (r *Reader) Pairs(n *yaml.Node, what string, known []string) []Pair {
	n = r.Visit(n)
	if n.Kind != yaml.MappingNode {
		r.Fault(n, "%s is a mapping of keys to values, not %s", what, Shape(n))
		return nil
	}
	var list []Pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := r.Visit(n.Content[i]), r.Visit(n.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			r.Fault(key, "a key of %s is text, not %s%s", what, Shape(key), r.hint(n))
		case seen[key.Value]:
			r.Fault(key, "%s has the key %q twice", what, key.Value)
		case known != nil && !slices.Contains(known, key.Value):
			r.Fault(key, "%s has no key %q: it may have %s%s%s", what, key.Value, strings.Join(known, ", "), nearest.Hint(key.Value, known), r.hint(n))
		default:
			list = append(list, Pair{key, key.Value, value})
		}
		seen[key.Value] = true
	}
	return list
}

// Has reports whether the node is a mapping with the key.
func Has(n *yaml.Node, key string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Shape says what a node is, for errors.
func Shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		if len(n.Content) == 0 {
			return "an empty list"
		}
		return "a list"
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return "nothing"
		}
		if len(n.Value) > 100 { // such as a log in place of the file
			return fmt.Sprintf("%.60q…", n.Value)
		}
		return fmt.Sprintf("%q", n.Value)
	}
	return "this"
}

// Text is a text that is not empty.
func (r *Reader) Text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" {
		r.Fault(n, "%s is a text, not %s", what, Shape(n))
		return ""
	}
	return n.Value
}

// Bool is true or false.
func (r *Reader) Bool(n *yaml.Node, what string) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	r.Fault(n, "%s is true or false, not %s", what, Shape(n))
	return false
}
