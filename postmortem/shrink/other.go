package shrink

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// For a log in another format, a draft has some of its lines. A line's fields are all its
// values, each with its path.

// everyStep keeps all steps before the violation, if no snapshot can replace them.
const everyStep = math.MaxInt

// pathSeparator is between the names of a path. A line is judged by its text, so a name with
// the separator is harmless.
const pathSeparator = "\x00"

// events returns the events of all lines, numbered from 1.
func (j *jury) events(d *draft) ([]trace.Event, error) {
	if j.lines == nil {
		return d.events(), nil
	}
	j.lines.Reset()
	var list []trace.Event
	var err error
	for _, u := range d.units {
		for _, l := range u.lines {
			if list, err = j.lines.Decode(list, []byte(l.text("")), trace.Pos{Line: len(list) + 1}); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// leaves returns the fields of a line.
func leaves(of gjson.Result, path string) (list []field) {
	of.ForEach(func(key, value gjson.Result) bool {
		name := path + key.Str
		var inner []field
		if value.IsObject() {
			inner = leaves(value, name+pathSeparator)
		}
		if len(inner) == 0 {
			inner = []field{{name: name, value: value.Raw}}
		}
		list = append(list, inner...)
		return true
	})
	return list
}

// joined returns the object of the fields. Fields with a common path are neighbours.
func joined(fields []field) string {
	var b []byte
	b = append(b, '{')
	for i := 0; i < len(fields); {
		if i > 0 {
			b = append(b, ',')
		}
		name, _, nested := strings.Cut(fields[i].name, pathSeparator)
		b = append(gjson.AppendJSONString(b, name), ':')
		if !nested {
			b = append(b, fields[i].value...)
			i++
			continue
		}
		var inner []field
		for ; i < len(fields) && strings.HasPrefix(fields[i].name, name+pathSeparator); i++ {
			inner = append(inner, field{name: fields[i].name[len(name)+1:], value: fields[i].value})
		}
		b = append(b, joined(inner)...)
	}
	return string(append(b, '}'))
}

// mostValues bounds the values for withoutValues: those with the most lines are used.
const mostValues = 256

// withoutValues removes all lines with the same value of a field. This removes all lines of an
// actor at once.
func (d *draft) withoutValues() (int, func([]bool) *draft) {
	lines := map[field]map[*line]bool{}
	var list []field
	n := 0
	d.each(func(l *line) {
		n++
		for _, f := range l.apart().fields {
			if lines[f] == nil {
				lines[f] = map[*line]bool{}
				list = append(list, f)
			}
			lines[f][l] = true
		}
	})
	list = slices.DeleteFunc(list, func(f field) bool { return len(lines[f]) < 2 || len(lines[f]) == n })
	sort.SliceStable(list, func(i, j int) bool { return len(lines[list[i]]) > len(lines[list[j]]) })
	list = list[:min(len(list), mostValues)]
	return len(list), func(keep []bool) *draft {
		return d.with(func(_ *unit, l *line) bool {
			for i, f := range list {
				if !keep[i] && lines[f][l] {
					return false
				}
			}
			return true
		})
	}
}
