package mapping

import (
	"fmt"
	"math"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
)

// table maps scalars to JSON values. Scalars of different types differ, as in JSON: 200 is
// not "200".
type table struct {
	texts         map[string][]byte
	numbers       map[float64][]byte
	yes, no, null []byte
	keys          []*yaml.Node // of a table in the file
}

// lookup returns nil if the table does not have the scalar.
func (t *table) lookup(v *gjson.Result) []byte {
	switch v.Type {
	case gjson.String:
		return t.texts[v.Str]
	case gjson.Number:
		return t.numbers[v.Num]
	case gjson.True:
		return t.yes
	case gjson.False:
		return t.no
	case gjson.Null:
		if v.Exists() {
			return t.null
		}
	}
	return nil
}

// put adds a value for the scalar n.
func (p *parser) put(t *table, n *yaml.Node, value []byte) {
	key := gjson.ParseBytes(p.ScalarJSON(n))
	switch key.Type {
	case gjson.String:
		if t.texts == nil {
			t.texts = map[string][]byte{}
		}
		t.texts[key.Str] = value
	case gjson.Number:
		if math.Abs(key.Num) >= 1<<53 {
			p.Fault(n, "numbers from 2^53 on are not exact: compare with matches: '^%s$'", n.Value)
		}
		if t.numbers == nil {
			t.numbers = map[float64][]byte{}
		}
		t.numbers[key.Num] = value
	case gjson.True:
		t.yes = value
	case gjson.False:
		t.no = value
	case gjson.Null:
		t.null = value
	}
}

// never warns of a key that a text never equals.
func (p *parser) never(key *yaml.Node) {
	if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!str" {
		return
	}
	text := fmt.Sprintf("the value is always a text, and %s is none, so they are never equal", key.Value)
	if key.ShortTag() != "!!null" {
		text += fmt.Sprintf(": write %q", key.Value)
	}
	p.warn(Warning{key.Line, text})
}

// set reads a scalar, or a list of scalars, as a set. isText: it is compared with a text.
func (p *parser) set(n *yaml.Node, isText bool) *table {
	t := &table{}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		if items = n.Content; len(items) == 0 {
			p.Fault(n, "the list is empty: no value is in it")
		}
	}
	for _, item := range items {
		if item = p.Visit(item); item.Kind != yaml.ScalarNode {
			p.Fault(item, "a value to compare with is text, a number, true, false or null, not %s", yamldoc.Shape(item))
			continue
		}
		if p.put(t, item, []byte("true")); isText {
			p.never(item)
		}
	}
	return t
}

// namedTables reads the section tables.
func (p *parser) namedTables(n *yaml.Node) {
	for _, m := range p.Pairs(n, "tables", nil) {
		p.tables[m.Name] = p.table(m.Value)
	}
}

// table reads a table, or the name of a table in the section tables.
func (p *parser) table(n *yaml.Node) *table {
	if n.Kind == yaml.ScalarNode {
		name := p.Text(n, "a table's name")
		t := p.tables[name]
		if t == nil && name != "" {
			p.Fault(n, "there is no table %q in the section tables", name)
		}
		return t
	}
	t := &table{}
	list := p.Pairs(n, "a table", nil)
	for _, m := range list {
		p.put(t, m.Key, p.JSON(m.Value))
		t.keys = append(t.keys, m.Key)
	}
	if len(list) == 0 && n.Kind == yaml.MappingNode {
		p.Fault(n, "the table is empty")
	}
	return t
}
