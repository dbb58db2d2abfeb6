package bind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// reader makes values of JSON.
type reader struct {
	space *value.Space
	null  value.Value

	raw    string        // that is being read
	at     int           // in raw
	vals   []value.Value // of the objects and arrays that are being read
	first  *layout       // of objects, before their first field
	places int           // layouts behind it
}

// layout is what objects that begin with the same fields have in common.
type layout struct {
	key   string // the last field
	name  *value.Str
	after *layout   // without the last field
	next  []*layout // with one field more
	dom   *value.Set
	at    []int // of the fields in dom
}

// mostLayouts are kept, and of each mostNext with one field more: the names of fields may be
// data.
const (
	mostLayouts = 1 << 12
	mostNext    = 32
)

// text is the value of a JSON text, which is valid. reason is why it has none.
func (r *reader) text(raw string, as *shape) (v value.Value, reason string) {
	defer func() {
		if x := recover(); x != nil {
			bad, ok := x.(*value.Error)
			if !ok {
				panic(x)
			}
			v, reason = nil, bad.Msg
		}
	}()
	return r.valueOf(raw, as), ""
}

// valueOf is the value of a JSON text, which is valid.
func (r *reader) valueOf(raw string, as *shape) value.Value {
	if r.first == nil || r.places > mostLayouts {
		r.first, r.places = &layout{}, 0
	}
	r.raw, r.at, r.vals = raw, 0, r.vals[:0]
	return r.value(as)
}

// skip goes to the next byte that is none of these, and no space, and returns it.
func (r *reader) skip(but byte) byte {
	for ; r.at < len(r.raw); r.at++ {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\n', '\r', but:
		default:
			return c
		}
	}
	value.Fail("%s is not JSON", r.raw)
	return 0
}

func (r *reader) value(as *shape) value.Value {
	switch c := r.skip(' '); c {
	case '{':
		if as != nil && as.fcn {
			return r.table(as)
		}
		return r.object(as)
	case '[':
		return r.array(as)
	case '"':
		return r.space.Borrowed(r.string())
	case 't':
		r.at += len("true")
		return value.True
	case 'f':
		r.at += len("false")
		return value.False
	case 'n':
		r.at += len("null")
		return r.null
	}
	return r.number()
}

// string reads a string. It lives as long as the text.
func (r *reader) string() string {
	rest := r.raw[r.at+1:]
	if n := strings.IndexByte(rest, '"'); n >= 0 && strings.IndexByte(rest[:n], '\\') < 0 {
		r.at += n + 2
		return rest[:n]
	}
	s := gjson.Parse(r.raw[r.at:])
	if trace.HalfPair(s.Raw) >= 0 {
		value.Fail("%s is not text: it has half of a surrogate pair", s.Raw)
	}
	r.at += len(s.Raw)
	return s.Str
}

func (r *reader) number() value.Value {
	from, n := r.at, int64(0)
	for ; r.at < len(r.raw) && '0' <= r.raw[r.at] && r.raw[r.at] <= '9' && r.at-from < fewDigits; r.at++ {
		n = n*10 + int64(r.raw[r.at]-'0')
	}
	digits := r.at - from
	for r.at < len(r.raw) && strings.IndexByte("0123456789+-.eE", r.raw[r.at]) >= 0 {
		r.at++
	}
	if text := r.raw[from:r.at]; digits == 0 || len(text) > digits {
		return numberOf(text)
	}
	return value.Of(n)
}

// fewDigits are of an integer of 32 bits for certain.
const fewDigits = 9

func numberOf(text string) value.Value {
	v, err := eval.FromNumber(text)
	if err != nil {
		value.Fail("%v", err)
	}
	return v
}

// from takes what has been read since there were so many values.
func (r *reader) from(n int) []value.Value {
	list := slices.Clone(r.vals[n:])
	r.vals = r.vals[:n]
	return list
}

func (r *reader) array(as *shape) value.Value {
	first := len(r.vals)
	for r.at++; r.skip(',') != ']'; {
		v := r.value(as.elements())
		r.vals = append(r.vals, v)
	}
	r.at++
	switch {
	case as != nil && as.set:
		return value.NewSet(r.from(first))
	case as != nil && as.fcn:
		var keys, vals []value.Value
		for _, e := range r.from(first) {
			pair, ok := e.(*value.Tuple)
			if !ok || len(pair.Elems) != 2 {
				value.Fail("%s is not a pair of an argument and a value: a function's array has such pairs", value.Show(e))
			}
			keys, vals = append(keys, pair.Elems[0]), append(vals, pair.Elems[1])
		}
		return function(keys, vals)
	}
	t := value.NewShortTuple(r.vals[first:])
	r.vals = r.vals[:first]
	return t
}

// table is an object as a function.
func (r *reader) table(as *shape) value.Value {
	var keys, vals []value.Value
	var digits [fewDigits + 2]byte
	for r.at++; r.skip(',') != '}'; {
		name := r.string()
		key := value.Value(r.space.Borrowed(name))
		if n, err := strconv.ParseInt(name, 10, 32); err == nil && string(strconv.AppendInt(digits[:0], n, 10)) == name { // "01" is another key
			key = value.Of(n)
		}
		r.skip(':')
		keys, vals = append(keys, key), append(vals, r.value(as.field(name)))
	}
	r.at++
	return function(keys, vals)
}

// object is an object as a record.
func (r *reader) object(as *shape) value.Value {
	first, l := len(r.vals), r.first
	for r.at++; r.skip(',') != '}'; {
		l = r.with(l, r.string())
		r.skip(':')
		v := r.value(as.field(l.key))
		r.vals = append(r.vals, v)
	}
	r.at++
	if l.dom == nil {
		names := make([]*value.Str, len(r.vals)-first)
		for i, at := len(names)-1, l; i >= 0; i, at = i-1, at.after {
			names[i] = at.name
		}
		l.dom, l.at = r.space.Fields(names)
	}
	list := make([]value.Value, l.dom.Len())
	for i, v := range r.vals[first:] {
		list[l.at[i]] = v
	}
	r.vals = r.vals[:first]
	return value.NewFcn(l.dom, list)
}

// with is the layout with one field more.
func (r *reader) with(l *layout, key string) *layout {
	for _, n := range l.next {
		if n.key == key {
			return n
		}
	}
	n := &layout{key: strings.Clone(key), after: l}
	n.name = r.space.Borrowed(n.key)
	if len(l.next) < mostNext {
		l.next = append(l.next, n)
		r.places++
	}
	return n
}

// function is that of the keys, of which the last counts that is the same.
func function(keys, vals []value.Value) value.Value {
	dom := value.NewSet(append([]value.Value(nil), keys...))
	list := make([]value.Value, dom.Len())
	for i, k := range keys {
		list[dom.Index(k)] = vals[i]
	}
	return value.NewFcn(dom, list)
}
