package mapping

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// parser reads one rules file. It goes on after a fault, so that a user sees
// all of them.
type parser struct {
	file   string
	faults []error
	nodes  int // visited so far
	rules  *Rules
	paths  map[string]int // each path's place in rules.paths
	tables map[string]*table
}

const (
	maxNodes  = 50_000 // bounds what anchors of anchors blow up
	maxFaults = 20
)

// fault is a mistake in the rules file.
func (p *parser) fault(n *yaml.Node, format string, args ...any) {
	if p.nodes <= maxNodes { // what comes after that is its consequence
		p.faults = append(p.faults, fmt.Errorf("%s:%d: "+format, append([]any{p.file, n.Line}, args...)...))
	}
}

// err joins the faults, one a line, in the file's order as far as it was read.
func (p *parser) err() error {
	if n := len(p.faults); n > maxFaults {
		return fmt.Errorf("%w\nand %d more", errors.Join(p.faults[:maxFaults]...), n-maxFaults)
	}
	return errors.Join(p.faults...)
}

// document is the file's one document.
func document(file string, data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var doc, more yaml.Node
	switch err := loader.Load(&doc); {
	case err == io.EOF:
		return nil, fmt.Errorf("%s: the file is empty: it needs rules", file)
	case err != nil:
		return nil, syntax(file, err)
	}
	switch err := loader.Load(&more); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second document: the rules are one", file, more.Line)
	case err != io.EOF:
		return nil, syntax(file, err)
	}
	return doc.Content[0], nil
}

func syntax(file string, err error) error {
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: not YAML: %w", file, err)
	}
	if at.ContextMsg != "" {
		return fmt.Errorf("%s:%d: not YAML: %s (%s from line %d)", file, at.Mark.Line, at.Message, at.ContextMsg, at.ContextMark.Line)
	}
	if at.Mark.Line == 0 {
		return fmt.Errorf("%s: not YAML: %s", file, at.Message)
	}
	return fmt.Errorf("%s:%d: not YAML: %s", file, at.Mark.Line, at.Message)
}

// holdsItself finds an alias within what it stands for: that would have no end.
// done has the nodes that are known to be right, and as false those around n.
func holdsItself(n *yaml.Node, done map[*yaml.Node]bool) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		if right, seen := done[n.Alias]; seen && !right {
			return n
		}
		n = n.Alias
	}
	if done[n] {
		return nil
	}
	done[n] = false
	for _, kid := range n.Content {
		if bad := holdsItself(kid, done); bad != nil {
			return bad
		}
	}
	done[n] = true
	return nil
}

// visit counts a node, and returns what an alias stands for. Once there are too
// many it returns nodes of no kind, so that all ends.
func (p *parser) visit(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if p.nodes > maxNodes {
		return &yaml.Node{}
	}
	if weight := 1 + len(n.Value)/64; p.nodes+weight > maxNodes {
		p.fault(n, "the rules are too long, with what their anchors stand for")
		p.nodes = maxNodes + 1
	} else {
		p.nodes += weight
	}
	return n
}

// pair is a key of a YAML mapping with its value.
type pair struct {
	key   *yaml.Node
	name  string
	value *yaml.Node
}

// pairs are a mapping's, each key once. known, where it is not nil, are the
// keys that there may be; what says whose they are.
func (p *parser) pairs(n *yaml.Node, what string, known []string) []pair {
	n = p.visit(n)
	if n.Kind != yaml.MappingNode {
		p.fault(n, "%s is a mapping of keys to values, not %s", what, shape(n))
		return nil
	}
	var list []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := p.visit(n.Content[i]), p.visit(n.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			p.fault(key, "a key of %s is text, not %s%s", what, shape(key), bracesHint(n))
		case seen[key.Value]:
			p.fault(key, "%s has the key %q twice", what, key.Value)
		case known != nil && !slices.Contains(known, key.Value):
			p.fault(key, "%s has no key %q: it may have %s%s", what, key.Value, strings.Join(known, ", "), bracesHint(n))
		default:
			list = append(list, pair{key, key.Value, value})
		}
		seen[key.Value] = true
	}
	return list
}

// bracesHint guesses at the usual mistake: YAML takes {a.b} for a mapping.
func bracesHint(n *yaml.Node) string {
	if n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 && n.Content[1].Value == "" {
		return `; a path in braces needs quotes: "{…}"`
	}
	return ""
}

// shape says what a node is, for errors.
func shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return "nothing"
		}
		return fmt.Sprintf("%q", n.Value)
	}
	return "this"
}

// str is a text that is not empty.
func (p *parser) str(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" {
		p.fault(n, "%s is a text, not %s", what, shape(n))
		return ""
	}
	return n.Value
}

// boolean is true or false.
func (p *parser) boolean(n *yaml.Node, what string) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	p.fault(n, "%s is true or false, not %s", what, shape(n))
	return false
}

// json is a constant as JSON.
func (p *parser) json(n *yaml.Node) []byte {
	switch n = p.visit(n); n.Kind {
	case yaml.ScalarNode:
		return p.scalar(n)
	case yaml.SequenceNode:
		out := []byte{'['}
		for i, item := range n.Content {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, p.json(item)...)
		}
		return append(out, ']')
	case yaml.MappingNode:
		out := []byte{'{'}
		for i, m := range p.pairs(n, "a constant", nil) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(gjson.AppendJSONString(out, m.name), ':')
			out = append(out, p.json(m.value)...)
		}
		return append(out, '}')
	}
	p.fault(n, "this is no value")
	return []byte("null")
}

// scalar is a YAML scalar as JSON. Dates are text, as they are in JSON.
func (p *parser) scalar(n *yaml.Node) []byte {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return gjson.AppendJSONString(nil, n.Value)
	case "!!null":
		return []byte("null")
	case "!!bool":
		if out := strings.ToLower(n.Value); out == "true" || out == "false" {
			return []byte(out)
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return []byte(n.Value) // as exact as it stands
		}
		var v any
		if n.Load(&v) == nil {
			if out, err := json.Marshal(v); err == nil {
				return out
			}
		}
	}
	p.fault(n, "JSON has no value %s %s: write it in quotes, if it is text", n.ShortTag(), n.Value)
	return []byte("null")
}
