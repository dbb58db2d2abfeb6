package mapping

import (
	"fmt"
	"regexp"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
)

// cond is a condition on a line.
type cond struct {
	op    condOp
	kids  []cond // for all, any and not
	path  int
	among *table         // for is
	re    *regexp.Regexp // for matches
	want  bool           // for exists
	line  int
	text  string // the expected value, for a report
}

type condOp uint8

const (
	opAll condOp = iota
	opAny
	opNot
	opIs
	opExists
	opMatches
)

func (c *cond) holds(l *line) bool {
	switch c.op {
	case opAll:
		for i := range c.kids {
			if !c.kids[i].holds(l) {
				return false
			}
		}
		return true
	case opAny:
		for i := range c.kids {
			if c.kids[i].holds(l) {
				return true
			}
		}
		return false
	case opNot:
		return !c.kids[0].holds(l)
	}
	v := l.get(c.path)
	return c.test(&v)
}

func (c *cond) test(v *gjson.Result) bool {
	switch c.op {
	case opIs:
		return c.among.lookup(v) != nil
	case opExists:
		return v.Exists() == c.want
	}
	text, ok := plainText(v)
	return ok && c.re.MatchString(text)
}

// condition reads the value of when: tests by path, and the keys all, any and not with
// nested conditions. All of them must hold.
func (p *parser) condition(n *yaml.Node) cond {
	c := cond{op: opAll, line: n.Line}
	list := p.Pairs(n, "a condition", nil)
	if len(list) == 0 && n.Kind == yaml.MappingNode {
		p.Fault(n, "the condition is empty: leave it out, to match every line")
	}
	for _, m := range list {
		switch m.Name {
		case "all":
			c.kids = append(c.kids, p.conditions(m, opAll))
		case "any":
			c.kids = append(c.kids, p.conditions(m, opAny))
		case "not":
			c.kids = append(c.kids, cond{op: opNot, line: m.Key.Line, kids: []cond{p.condition(m.Value)}})
		default:
			c.kids = append(c.kids, p.test(m))
		}
	}
	return c
}

func (p *parser) conditions(m yamldoc.Pair, op condOp) cond {
	c := cond{op: op, line: m.Key.Line}
	if m.Value.Kind != yaml.SequenceNode || len(m.Value.Content) == 0 {
		p.Fault(m.Value, "%s is a list of conditions, not %s", m.Name, yamldoc.Shape(m.Value))
		return c
	}
	for _, kid := range m.Value.Content {
		c.kids = append(c.kids, p.condition(p.Visit(kid)))
	}
	return c
}

// test reads the test of a path: a value, a list of values, or a mapping with exists or
// matches.
func (p *parser) test(m yamldoc.Pair) cond {
	c := cond{op: opIs, path: p.path(m.Key, m.Name), line: m.Key.Line}
	if m.Value.Kind != yaml.MappingNode {
		c.among = p.set(m.Value, p.isText(c.path))
		c.text = excerpt(string(p.JSON(m.Value)))
		if m.Value.Kind == yaml.SequenceNode {
			c.text = "one of " + c.text
		}
		return c
	}
	list := p.Pairs(m.Value, "a test", []string{"exists", "matches"})
	if len(list) != 1 {
		p.Fault(m.Value, "a test is a value, a list of values, or one of exists and matches; for both, use all")
		return c
	}
	switch t := list[0]; t.Name {
	case "exists":
		c.op, c.want = opExists, p.Bool(t.Value, "exists")
		c.text = fmt.Sprintf("exists: %t", c.want)
	case "matches":
		c.op, c.re = opMatches, p.regexp(t.Value, "matches")
		c.text = "matches: " + excerpt(t.Value.Value)
	}
	return c
}

// regexp reads an expression in Go's syntax. It may match anywhere in the text.
func (p *parser) regexp(n *yaml.Node, what string) *regexp.Regexp {
	expr := p.Text(n, what)
	re, err := regexp.Compile(expr)
	if err != nil {
		p.Fault(n, "%s: %v", what, err)
		return nil
	}
	return re
}

// excerpt returns the start of a text, for a report.
func excerpt(text string) string {
	const most = 60
	if n := 0; len(text) > most {
		for n = range text {
			if n > most {
				return text[:n] + "…"
			}
		}
	}
	return text
}
