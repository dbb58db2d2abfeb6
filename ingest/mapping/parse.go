package mapping

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"tracecheck/trace"
)

var (
	fileKeys = []string{"meta", "tables", "defaults", "rules"}
	metaKeys = []string{"format", "spec", "steps", "profile", "constants"}
	ruleKeys = append([]string{"name", "when", "ignore", "events"}, eventKeys...)
)

// Parse reads rules from data; file is the name in errors, which have all of
// the faults, one a line, each with its place.
func Parse(file string, data []byte) (*Rules, error) {
	root, err := document(file, data)
	if err != nil {
		return nil, err
	}
	if n := holdsItself(root, map[*yaml.Node]bool{}); n != nil {
		return nil, fmt.Errorf("%s:%d: the anchor %s holds itself", file, n.Line, n.Value)
	}
	p := &parser{file: file, rules: &Rules{File: file, heads: heads{}}, paths: map[string]int{}, tables: map[string]*table{}}
	sections := map[string]*yaml.Node{}
	for _, m := range p.pairs(root, "the file", fileKeys) {
		if sections[m.name] = m.value; m.name == "meta" {
			p.meta(m)
		}
	}
	if n := sections["tables"]; n != nil {
		p.namedTables(n)
	}
	defaults := draft{}
	if n := sections["defaults"]; n != nil {
		defaults = defaults.with(p.pairs(n, "defaults", eventKeys))
	}
	switch n := sections["rules"]; {
	case n == nil:
		p.fault(root, "the file has no rules")
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		p.fault(n, "rules is a list of rules, not %s", shape(n))
	default:
		for _, r := range n.Content {
			p.rule(p.visit(r), defaults)
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.rules, nil
}

// meta is the meta line. Whether there are specs and constants of these names is
// for those to say who know them.
func (p *parser) meta(section pair) {
	n := section.value
	p.pairs(n, "meta", metaKeys)
	m := &meta{line: section.key.Line, object: p.json(n)}
	if n.Kind != yaml.MappingNode {
		return
	}
	var err error
	ev := trace.Event{Raw: `{"object":` + string(m.object) + `}`}
	if m.parsed, err = trace.ParseMeta(&ev); err != nil {
		p.fault(n, "%v", err)
	}
	p.rules.meta = m
}

func (p *parser) rule(n *yaml.Node, defaults draft) {
	count := len(p.rules.rules)
	r := rule{name: fmt.Sprintf("#%d", count+1), line: n.Line}
	list := p.pairs(n, "a rule", ruleKeys)
	given := map[string]*yaml.Node{}
	for _, m := range list {
		given[m.name] = m.value
	}
	if m := given["name"]; m != nil {
		r.name = p.str(m, "name")
	}
	for i := range p.rules.rules {
		switch before := &p.rules.rules[i]; {
		case before.name == r.name:
			p.fault(n, "the rule at line %d has the name %q, too", before.line, r.name)
		case before.when == nil && i == count-1:
			p.fault(n, "no line comes as far as this rule: the one before, at line %d, has no when, and matches all", before.line)
		}
	}
	if m := given["when"]; m != nil {
		c := p.condition(m)
		r.when = &c
	}
	r.events = p.events(n, given, defaults.with(list))
	p.rules.rules = append(p.rules.rules, r)
}

// events are those that a rule makes: one, those of a list, or none.
func (p *parser) events(n *yaml.Node, given map[string]*yaml.Node, shared draft) []event {
	own := slices.ContainsFunc(eventKeys, func(key string) bool { return given[key] != nil })
	many, ignore := given["events"], given["ignore"]
	switch {
	case ignore != nil:
		if !p.boolean(ignore, "ignore") || own || many != nil {
			p.fault(ignore, "ignore is true, in a rule that makes no events; or left out")
		}
		return nil
	case many == nil && !own:
		p.fault(n, "the rule makes no event: give it kind, op, id and object, or a list of events, or ignore: true")
		return nil
	case many == nil:
		return []event{p.event(n, shared)}
	case many.Kind != yaml.SequenceNode || len(many.Content) == 0:
		p.fault(many, "events is a list of events, not %s", shape(many))
		return nil
	}
	var list []event
	for _, item := range many.Content {
		item = p.visit(item)
		list = append(list, p.event(item, shared.with(p.pairs(item, "an event", eventKeys))))
	}
	return list
}
