package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"unsafe"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/amount"
	"tracecheck/internal/yamldoc"
	"tracecheck/trace"
)

// format converts a line to JSON.
type format interface {
	// append appends the line as a JSON object whose values are strings. reason is "", or
	// why the line cannot be read.
	append(out []byte, line string) (json []byte, reason string)
}

// Names of formats in the section lines.
const (
	formatJSON   = "json"
	formatLogfmt = "logfmt"
	formatKlog   = "klog"
	formatCSV    = "csv"
)

// wholeLine is the member with the text of a line that does not have the format.
const wholeLine = "line"

// appendMember appends a member with a string as its value.
func appendMember(out []byte, key, value string) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = gjson.AppendJSONString(out, key)
	return gjson.AppendJSONString(append(out, ':'), value)
}

// expression reads lines by a regular expression: its named groups are members.
type expression struct{ *regexp.Regexp }

func (e expression) append(out []byte, line string) ([]byte, string) {
	out = append(out, '{')
	at := e.FindStringSubmatchIndex(line)
	if at == nil {
		return append(appendMember(out, wholeLine, line), '}'), ""
	}
	for i, name := range e.SubexpNames() {
		if name != "" && at[2*i] >= 0 {
			out = appendMember(out, name, line[at[2*i]:at[2*i+1]])
		}
	}
	return append(out, '}'), ""
}

// read returns the line as JSON. The result is valid until the next call.
func (d *Decoder) read(line []byte) (json []byte, reason string) {
	f := d.rules.format
	if f == nil {
		return line, trace.CheckJSON(line)
	}
	if reason := trace.CheckText(line); reason != "" {
		return nil, reason
	}
	d.json, reason = f.append(d.json[:0], unsafe.String(unsafe.SliceData(line), len(line)))
	return d.json, reason
}

// lines reads the section lines.
func (p *parser) lines(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		switch n.Value {
		case formatJSON:
		case formatLogfmt:
			p.rules.format = logfmt{}
		case formatKlog:
			p.rules.format = klog{}
		default:
			p.Fault(n, "lines is json, logfmt, klog, {csv: [COLUMN, …]} or {matches: EXPRESSION}, not %q", n.Value)
		}
		return
	}
	given := map[string]*yaml.Node{}
	for _, m := range p.Pairs(n, "lines", []string{formatCSV, "separator", "matches"}) {
		given[m.Name] = m.Value
	}
	switch columns, matches := given[formatCSV], given["matches"]; {
	case columns != nil && matches == nil:
		p.rules.format = p.csv(columns, given["separator"])
	case matches != nil && columns == nil && given["separator"] == nil:
		p.rules.format = p.expression(matches)
	default:
		p.Fault(n, "lines is either csv, perhaps with a separator, or matches")
	}
}

func (p *parser) csv(columns, separator *yaml.Node) format {
	f := csv{separator: ','}
	if columns.Kind != yaml.SequenceNode || len(columns.Content) == 0 {
		p.Fault(columns, "csv is the list of the columns' names, not %s", yamldoc.Shape(columns))
	}
	for _, c := range columns.Content {
		name := p.Text(p.Visit(c), "the name of a column")
		if slices.Contains(f.columns, name) {
			p.Fault(c, "two columns have the name %q", name)
		}
		f.columns = append(f.columns, name)
	}
	if separator != nil {
		text := p.Text(separator, "separator")
		if len(text) != 1 || text == `"` {
			p.Fault(separator, "separator is one character, such as \";\" or \"\\t\", not %q", text)
			return nil
		}
		f.separator = text[0]
	}
	return f
}

func (p *parser) expression(n *yaml.Node) format {
	compiled, err := regexp.Compile(p.Text(n, "matches"))
	if err != nil {
		p.Fault(n, "matches: %v", err)
		return nil
	}
	for _, name := range compiled.SubexpNames() {
		if name != "" {
			return expression{compiled}
		}
	}
	p.Fault(n, "matches needs groups with names, such as (?P<id>[a-z]+): they are what paths name")
	return nil
}

// names returns the fields that a line may have.
func (e expression) names() []string {
	names := slices.DeleteFunc(slices.Clone(e.SubexpNames()), func(name string) bool { return name == "" })
	return append(names, wholeLine)
}

// csv reads lines of values between separators. A value may be in double quotes.
type csv struct {
	columns   []string
	separator byte
}

// names returns the fields of each line.
func (c csv) names() []string { return c.columns }

func (c csv) append(out []byte, line string) ([]byte, string) {
	out = append(out, '{')
	n := 0
	for more := true; more; n++ {
		var value string
		var ok bool
		if value, line, more, ok = c.next(line); !ok {
			return nil, fmt.Sprintf("the quotation in column %d does not end on this line", n+1)
		}
		if n < len(c.columns) {
			out = appendMember(out, c.columns[n], value)
		}
	}
	if n != len(c.columns) {
		return nil, fmt.Sprintf("the line has %s, and the rules name %d", amount.Of(n, "column"), len(c.columns))
	}
	return append(out, '}'), ""
}

// next cuts off the first value. ok is false if its quotation has no end.
func (c csv) next(line string) (value, rest string, more, ok bool) {
	if line == "" || line[0] != '"' {
		for i := 0; i < len(line); i++ {
			if line[i] == c.separator {
				return line[:i], line[i+1:], true, true
			}
		}
		return line, "", false, true
	}
	var text []byte
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
			text = append(text, line[i])
		case i+1 < len(line) && line[i+1] == '"':
			text = append(text, '"')
			i++
		case i+1 == len(line):
			return string(text), "", false, true
		case line[i+1] == c.separator:
			return string(text), line[i+2:], true, true
		default: // a quotation mark in the middle
			text = append(text, '"')
		}
	}
	return "", "", false, false
}
