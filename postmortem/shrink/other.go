package shrink

import (
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// Of another log, a draft is some lines of it. A line's fields are its values, and those
// of its objects, each with the path to it.

// everyStep is how many steps are kept before the violation where no snapshot can have
// what they lead to.
const everyStep = math.MaxInt

// pathSeparator is between the names of a path. What a line says is judged by its text, so
// that a name that has it does no harm.
const pathSeparator = "\x00"

// events are those of all lines, whose numbers are their positions.
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

// leaves are the fields of a line of another log.
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

// joined is the object of the fields. Those with a common path are beside each other.
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

// mostValues bounds the values whose lines are taken away together: those of the most lines.
const mostValues = 256

// withoutValues: all lines may go that have the same value of a field. What one of several
// actors did goes with that, though its lines are apart.
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
	slices.SortStableFunc(list, func(a, b field) int { return len(lines[b]) - len(lines[a]) })
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
