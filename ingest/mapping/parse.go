package mapping

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
	"tracecheck/trace"
)

var (
	fileKeys = []string{"lines", "meta", "tables", "defaults", "rules"}
	metaKeys = []string{"format", "spec", "steps", "profile", "constants"}
	ruleKeys = append([]string{"name", "when", "ignore", "events"}, eventKeys...)
)

// parser reads one rules file.
type parser struct {
	yamldoc.Reader
	rules  *Rules
	paths  map[string]int // index of each path in rules.paths
	tables map[string]*table
}

// Parse reads rules from data. file is the name for errors. An error lists all faults, each
// with its line.
func Parse(file string, data []byte) (*Rules, error) {
	root, err := yamldoc.Document(file, data)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return nil, fmt.Errorf("%s: the file is empty: it needs rules", file)
	case yamldoc.Has(root, "module"):
		return nil, fmt.Errorf("%s is a bind file, and has no rules: give it with --bind", file)
	}
	p := &parser{Reader: yamldoc.Reader{File: file, Hint: bracesHint}, rules: &Rules{File: file, heads: heads{}}, paths: map[string]int{}, tables: map[string]*table{}}
	sections := map[string]*yaml.Node{}
	for _, m := range p.Pairs(root, "the file", fileKeys) {
		if sections[m.Name] = m.Value; m.Name == "meta" {
			p.meta(m)
		}
	}
	if n := sections["lines"]; n != nil {
		p.lines(n)
	}
	if n := sections["tables"]; n != nil {
		p.namedTables(n)
	}
	defaults := draft{}
	if n := sections["defaults"]; n != nil {
		defaults = defaults.with(p.Pairs(n, "defaults", eventKeys))
	}
	switch n := sections["rules"]; {
	case n == nil:
		p.Fault(root, "the file has no rules")
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		p.Fault(n, "rules is a list of rules, not %s", yamldoc.Shape(n))
	default:
		for _, r := range n.Content {
			p.rule(p.Visit(r), defaults)
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.rules, nil
}

// warn adds a warning, once: a default is read for each rule.
func (p *parser) warn(w Warning) {
	if !slices.Contains(p.rules.Warnings, w) {
		p.rules.Warnings = append(p.rules.Warnings, w)
	}
}

// meta reads the meta line. The caller checks the names of specs and constants.
func (p *parser) meta(section yamldoc.Pair) {
	n := section.Value
	p.Pairs(n, "meta", metaKeys)
	m := &meta{line: section.Key.Line, object: p.JSON(n)}
	if n.Kind != yaml.MappingNode {
		return
	}
	var err error
	ev := trace.Event{Raw: `{"object":` + string(m.object) + `}`}
	if m.parsed, err = trace.ParseMeta(&ev); err != nil {
		p.Fault(n, "%v", err)
	}
	p.rules.meta = m
}

func (p *parser) rule(n *yaml.Node, defaults draft) {
	count := len(p.rules.rules)
	r := rule{name: fmt.Sprintf("#%d", count+1), line: n.Line}
	list := p.Pairs(n, "a rule", ruleKeys)
	given := map[string]*yaml.Node{}
	for _, m := range list {
		given[m.Name] = m.Value
	}
	if m := given["name"]; m != nil {
		r.name = p.Text(m, "name")
	}
	for i := range p.rules.rules {
		switch before := &p.rules.rules[i]; {
		case before.name == r.name:
			p.Fault(n, "the rule at line %d has the name %q, too", before.line, r.name)
		case before.when == nil && i == count-1:
			p.Fault(n, "no line reaches this rule: the rule before it, at line %d, has no when, and matches all", before.line)
		}
	}
	if m := given["when"]; m != nil {
		c := p.condition(m)
		r.when = &c
	}
	r.events = p.events(n, given, defaults.with(list))
	p.rules.rules = append(p.rules.rules, r)
}

// events reads the events of a rule: one, a list, or none.
func (p *parser) events(n *yaml.Node, given map[string]*yaml.Node, shared draft) []event {
	own := slices.ContainsFunc(eventKeys, func(key string) bool { return given[key] != nil })
	many, ignore := given["events"], given["ignore"]
	switch {
	case ignore != nil:
		if !p.Bool(ignore, "ignore") || own || many != nil {
			p.Fault(ignore, "ignore must be true, and the rule may make no events: otherwise leave it out")
		}
		return nil
	case many == nil && !own:
		p.Fault(n, "the rule makes no event: give it kind, op, id and object, or a list of events, or ignore: true")
		return nil
	case many == nil:
		return []event{p.event(n, shared)}
	case many.Kind != yaml.SequenceNode || len(many.Content) == 0:
		p.Fault(many, "events is a list of events, not %s", yamldoc.Shape(many))
		return nil
	}
	var list []event
	for _, item := range many.Content {
		item = p.Visit(item)
		list = append(list, p.event(item, shared.with(p.Pairs(item, "an event", eventKeys))))
	}
	return list
}

// bracesHint explains a common mistake: {a.b} without quotes is a mapping in YAML.
func bracesHint(n *yaml.Node) string {
	if n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 && n.Content[1].ShortTag() == "!!null" {
		return `; a path in braces needs quotes: "{…}"`
	}
	return ""
}
