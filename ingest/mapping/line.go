package mapping

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// line is the current foreign line. It looks each path up once, for all rules.
type line struct {
	raw    string
	paths  []lookup // of the rules
	names  heads
	whole  bool // the line is not an object, so its paths have no heads
	halves bool // keepHalves has found some
	turn   uint64
	found  []slot // by path
	heads  []slot // by head
	text   []byte // the results of templates; values refer to it
}

// slot is a value, and the number of its line.
type slot struct {
	value gjson.Result
	turn  uint64
}

func newLine(r *Rules) line {
	return line{paths: r.paths, names: r.heads, found: make([]slot, len(r.paths)), heads: make([]slot, len(r.heads))}
}

func (l *line) set(raw string) {
	l.raw, l.halves = keepHalves(raw)
	l.text = l.text[:0]
	l.turn++
	root := gjson.Parse(l.raw)
	if l.whole = !root.IsObject(); l.whole || len(l.names) == 0 {
		return
	}
	left := len(l.heads)
	root.ForEach(func(key, value gjson.Result) bool {
		// The first of repeated keys counts, as in gjson.
		if i, known := l.names[key.Str]; known && l.heads[i].turn != l.turn {
			l.heads[i] = slot{value, l.turn}
			left--
		}
		return left > 0
	})
}

// get returns the value at the path; the result does not exist if there is none.
func (l *line) get(path int) gjson.Result {
	at := &l.found[path]
	if at.turn == l.turn {
		return at.value
	}
	at.turn, at.value = l.turn, gjson.Result{}
	switch k := &l.paths[path]; {
	case l.whole || k.head < 0:
		at.value = gjson.Get(l.raw, k.path)
	case l.heads[k.head].turn == l.turn:
		at.value = k.from(l.heads[k.head].value)
	}
	if raw, has := keepHalves(at.value.Raw); has { // JSON within a string
		l.halves = true
		at.value = gjson.Parse(raw)
	}
	return at.value
}

// since returns the text appended from an index on. It is valid until set.
func (l *line) since(start int) string {
	return unsafe.String(unsafe.SliceData(l.text[start:]), len(l.text)-start)
}

// path returns the index of a path, and adds it if needed.
func (p *parser) path(n *yaml.Node, path string) int {
	if path == "" {
		p.Fault(n, "a path is empty")
	}
	i, known := p.paths[path]
	if !known {
		i = len(p.rules.paths)
		p.paths[path] = i
		p.rules.paths = append(p.rules.paths, newLookup(path, p.rules.heads.place))
	}
	p.checkName(n, &p.rules.paths[i])
	return i
}

// checkName warns of a path that begins with a name that no line has.
func (p *parser) checkName(n *yaml.Node, path *lookup) {
	f, is := p.rules.format.(interface{ names() []string })
	if !is || path.head < 0 {
		return
	}
	names := f.names()
	for name, i := range p.rules.heads {
		if i == path.head && !slices.Contains(names, name) {
			p.warn(Warning{n.Line, fmt.Sprintf("no line has a field %q: the section lines names %s", name, strings.Join(names, ", "))})
		}
	}
}

// isText reports whether the value of the path is always a text, if the line has it.
func (p *parser) isText(path int) bool {
	return p.rules.format != nil && !strings.Contains(p.rules.paths[path].path, "@")
}

// plainText returns a scalar as text. ok is false for null, arrays, objects and missing
// values.
func plainText(v *gjson.Result) (text string, ok bool) {
	switch v.Type {
	case gjson.String:
		return v.Str, true
	case gjson.Number, gjson.True, gjson.False:
		return v.Raw, true
	}
	return "", false
}
