package mapping

import (
	"unsafe"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// line is the foreign line at hand. It looks each path up once, whichever rules
// ask for it.
type line struct {
	raw   string
	paths []string // those of the rules
	got   []gjson.Result
	at    []uint64 // the lookup that got is of
	turn  uint64
	text  []byte // templates filled in; their values point into it
}

func newLine(paths []string) line {
	return line{paths: paths, got: make([]gjson.Result, len(paths)), at: make([]uint64, len(paths))}
}

func (l *line) set(raw string) {
	l.raw, l.text = raw, l.text[:0]
	l.turn++
}

// get returns what stands at the path; it does not exist where nothing does.
func (l *line) get(path int) gjson.Result {
	if l.at[path] != l.turn {
		l.got[path] = gjson.Get(l.raw, l.paths[path])
		l.at[path] = l.turn
	}
	return l.got[path]
}

// since is the text appended from a place on. It lives until set.
func (l *line) since(start int) string {
	return unsafe.String(unsafe.SliceData(l.text[start:]), len(l.text)-start)
}

// path is the place of a path that some rule looks up.
func (p *parser) path(n *yaml.Node, path string) int {
	if path == "" {
		p.fault(n, "a path is empty")
	}
	i, known := p.paths[path]
	if !known {
		i = len(p.rules.paths)
		p.paths[path] = i
		p.rules.paths = append(p.rules.paths, path)
	}
	return i
}

// plainText is a scalar as text; ok is false for null, arrays, objects and what
// is not there.
func plainText(v *gjson.Result) (text string, ok bool) {
	switch v.Type {
	case gjson.String:
		return v.Str, true
	case gjson.Number, gjson.True, gjson.False:
		return v.Raw, true
	}
	return "", false
}
