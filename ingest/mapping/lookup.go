package mapping

import (
	"strings"

	"github.com/tidwall/gjson"
)

// lookup is a gjson path, split in advance. Its first name is the head. One pass over the
// line finds all heads. Names with dots, written \., are also looked up here: gjson would
// split them, and allocate, for each line.
type lookup struct {
	path  string
	head  int    // the index of the head; -1: gjson reads the whole path
	steps []step // after the head
}

// step is a name with a dot, or a path between such names.
type step struct {
	text   string
	member bool // it is a name
}

func (k *lookup) String() string { return k.path }

// special are the characters with a meaning in a path, except the dot.
const special = "*?|#@!{}[]()=<>%~\"':,\\"

// newLookup splits a path. head returns the index of a head.
func newLookup(path string, head func(string) int) lookup {
	const dot = "\x00" // is in no YAML
	name, rest, more := strings.Cut(strings.ReplaceAll(path, `\.`, dot), ".")
	if name == "" || strings.ContainsAny(name, special) || more && (rest == "" || rest[0] == '.') {
		return lookup{path: path, head: -1}
	}
	k := lookup{path: path, head: head(strings.ReplaceAll(name, dot, "."))}
	switch {
	case !more:
		return k
	case strings.ContainsAny(rest, special) || !strings.Contains(rest, dot):
		k.steps = []step{{text: strings.ReplaceAll(rest, dot, `\.`)}}
		return k
	}
	for _, name := range strings.Split(rest, ".") {
		s := step{strings.ReplaceAll(name, dot, "."), strings.Contains(name, dot)}
		if n := len(k.steps) - 1; n >= 0 && !s.member && !k.steps[n].member {
			k.steps[n].text += "." + s.text
		} else {
			k.steps = append(k.steps, s)
		}
	}
	return k
}

// from looks up the rest of the path in the value of the head.
func (k *lookup) from(r gjson.Result) gjson.Result {
	for i := range k.steps {
		s := &k.steps[i]
		if !r.Exists() {
			break
		}
		if s.member {
			r = member(&r, s.text)
		} else {
			r = gjson.Get(r.Raw, s.text)
		}
	}
	return r
}

// member returns an object's member with the name. As in gjson, the first one counts.
func member(r *gjson.Result, name string) (found gjson.Result) {
	if !r.IsObject() {
		return found
	}
	r.ForEach(func(key, value gjson.Result) bool {
		if key.Str != name {
			return true
		}
		found = value
		return false
	})
	return found
}

// heads has the first names of paths with their indices.
type heads map[string]int

func (h heads) place(name string) int {
	i, known := h[name]
	if !known {
		i = len(h)
		h[name] = i
	}
	return i
}
