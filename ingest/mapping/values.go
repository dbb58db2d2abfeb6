package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
)

var (
	sourceKeys = []string{"path", "text", "value", "fields"}
	valueKeys  = []string{"path", "text", "value", "fields", "match", "table", "otherwise", "as", "layout", "default", "optional"}
)

// value reads a value in its short or long form. The short form is a constant, or text
// with paths in braces. The long form is a mapping that names the source.
func (p *parser) value(n *yaml.Node, what string) value {
	v := value{what: what, path: -1}
	switch {
	case n.Kind == yaml.MappingNode:
		p.long(n, &v)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		parts := p.template(n, n.Value)
		if text, constant := constantText(parts); constant {
			v.constant = gjson.AppendJSONString(nil, text)
		} else if v.path = alone(parts); v.path < 0 {
			v.text = parts
		}
	default:
		v.constant = p.JSON(n)
	}
	return v
}

func (p *parser) long(n *yaml.Node, v *value) {
	given := map[string]*yaml.Node{}
	source := ""
	for _, m := range p.Pairs(n, v.what, valueKeys) {
		given[m.Name] = m.Value
		if slices.Contains(sourceKeys, m.Name) {
			if source != "" {
				p.Fault(m.Key, "%s is taken from one of path, text, value and fields, not from %s and %s", v.what, source, m.Name)
			}
			source = m.Name
		}
	}
	switch source {
	case "":
		p.Fault(n, "%s is taken from one of path, text, value and fields: none is given%s", v.what, bracesHint(n))
	case "value", "fields":
		if len(given) > 1 {
			p.Fault(n, "%s: with %s, no other key is allowed", v.what, source)
		}
	}
	if m := given["path"]; m != nil {
		v.path = p.path(m, p.Text(m, "path"))
	}
	if m := given["text"]; m != nil {
		v.text = p.template(m, p.Text(m, "text"))
	}
	if m := given["value"]; m != nil {
		v.constant = p.JSON(m)
	}
	if m := given["fields"]; m != nil {
		v.object, v.fields = true, p.fields(m, v.what)
	}
	p.steps(v, given)
}

// steps reads the conversions of a value.
func (p *parser) steps(v *value, given map[string]*yaml.Node) {
	exclude := func(a, b string) {
		if given[a] != nil && given[b] != nil {
			p.Fault(given[b], "%s: %s and %s exclude each other", v.what, a, b)
		}
	}
	exclude("table", "as")
	exclude("table", "layout")
	exclude("as", "layout")
	exclude("default", "optional")
	if m := given["match"]; m != nil {
		if v.match = p.regexp(m, "match"); v.match != nil && v.match.NumSubexp() != 1 {
			p.Fault(m, "match needs one group in brackets, the part that is the value; it has %d", v.match.NumSubexp())
		}
	}
	if m := given["table"]; m != nil {
		if v.table = p.table(m); v.table != nil && (v.match != nil || v.path < 0 || p.isText(v.path)) {
			for _, key := range v.table.keys {
				p.never(key)
			}
		}
	}
	if m := given["otherwise"]; m != nil {
		if v.otherwise = p.JSON(m); given["table"] == nil {
			p.Fault(m, "%s: otherwise is for values that a table lacks; for a missing value, use default", v.what)
		}
	}
	if m := given["as"]; m != nil {
		known := false
		if v.convert, known = conversions[m.Value]; !known || m.Kind != yaml.ScalarNode {
			p.Fault(m, "as is integer, boolean, seconds, milliseconds, microseconds or nanoseconds, not %s", yamldoc.Shape(m))
		}
	}
	if m := given["layout"]; m != nil {
		v.convert = conversion{to: asLayout, layout: p.layout(m)}
	}
	if m := given["default"]; m != nil {
		v.missing = p.JSON(m)
	}
	if m := given["optional"]; m != nil {
		v.optional = p.Bool(m, "optional")
	}
}

// layout reads a layout of Go's package time.
func (p *parser) layout(n *yaml.Node) string {
	layout := p.Text(n, "layout")
	other := time.Date(1987, 9, 28, 19, 46, 57, 123456789, time.UTC)
	switch {
	case layout == "":
	case other.Format(layout) == layout:
		p.Fault(n, "the layout %q has no part of a time: write how 2006-01-02 15:04:05 looks in the log", layout)
	case strings.Contains(layout, "MST"):
		p.Fault(n, "the layout %q has a zone's abbreviation, which many zones share: only an offset such as -0700 can be read", layout)
	}
	return layout
}

// fields reads the members of an object.
func (p *parser) fields(n *yaml.Node, what string) []field {
	var list []field
	for _, m := range p.Pairs(n, what, nil) {
		list = append(list, field{key: jsonKey(m.Name), value: p.value(m.Value, fmt.Sprintf("%s.%s", what, m.Name))})
	}
	return list
}

func jsonKey(name string) []byte { return append(gjson.AppendJSONString(nil, name), ':') }
