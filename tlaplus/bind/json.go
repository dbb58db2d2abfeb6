package bind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// shape says which parts of a JSON value are sets or functions.
type shape struct {
	fields map[string]*shape
	each   *shape // of the elements of an array, or the values of an object
	set    bool
	fcn    bool
}

const wildcard = "[*]"

// steps takes a path apart: the name that it begins with, fields, and wildcards.
func steps(path string) (list []string, ok bool) {
	for i, part := range strings.Split(path, ".") {
		field, rest, _ := strings.Cut(part, "[")
		if field == "" || i == 0 && field != lineName && field != headerName && field != objectsName {
			return nil, false
		}
		list = append(list, field)
		for rest != "" {
			after, more := strings.CutPrefix(rest, "*]")
			if !more || after != "" && after[0] != '[' {
				return nil, false
			}
			list, rest = append(list, wildcard), strings.TrimPrefix(after, "[")
		}
	}
	return list, true
}

// shapes are those of the line, of the header, and of the fields of objects.
func (f *file) shapes() *shape {
	root := &shape{}
	put := func(path string, mark func(*shape)) {
		list, _ := steps(path)
		at := root
		for _, step := range list {
			at = at.make(step)
		}
		mark(at)
	}
	for _, path := range f.sets {
		put(path, func(s *shape) { s.set = true })
	}
	for _, path := range f.functions {
		put(path, func(s *shape) { s.fcn = true })
	}
	return root
}

func (s *shape) make(step string) *shape {
	if step == wildcard {
		if s.each == nil {
			s.each = &shape{}
		}
		return s.each
	}
	if s.fields == nil {
		s.fields = map[string]*shape{}
	}
	if s.fields[step] == nil {
		s.fields[step] = &shape{}
	}
	return s.fields[step]
}

func (s *shape) field(name string) *shape {
	switch {
	case s == nil:
		return nil
	case s.fields[name] != nil:
		return s.fields[name]
	}
	return s.each
}

func (s *shape) elements() *shape {
	if s == nil {
		return nil
	}
	return s.each
}

// reader makes values of JSON.
type reader struct {
	space *value.Space
	null  value.Value

	names []*value.Str  // of the objects that are being read
	vals  []value.Value // of the objects and arrays that are being read
}

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
	r.names, r.vals = r.names[:0], r.vals[:0]
	return r.value(gjson.Parse(raw), as), ""
}

// add puts the value to those of what is being read.
func (r *reader) add(j gjson.Result, as *shape) {
	v := r.value(j, as)
	r.vals = append(r.vals, v)
}

// from takes what has been read since there were so many values.
func (r *reader) from(n int) []value.Value {
	list := slices.Clone(r.vals[n:])
	r.vals = r.vals[:n]
	return list
}

func (r *reader) value(j gjson.Result, as *shape) value.Value {
	switch j.Type {
	case gjson.True:
		return value.True
	case gjson.False:
		return value.False
	case gjson.String:
		return r.space.Borrowed(j.Str)
	case gjson.Number:
		return number(j.Raw)
	case gjson.JSON:
		if j.IsArray() {
			return r.array(j, as)
		}
		return r.object(j, as)
	}
	return r.null
}

func number(raw string) value.Value {
	if len(raw) < 9 {
		if n, err := strconv.Atoi(raw); err == nil {
			return value.Of(int64(n))
		}
	}
	v, err := eval.FromNumber(raw)
	if err != nil {
		value.Fail("%v", err)
	}
	return v
}

func (r *reader) array(j gjson.Result, as *shape) value.Value {
	first := len(r.vals)
	j.ForEach(func(_, e gjson.Result) bool {
		r.add(e, as.elements())
		return true
	})
	elems := r.from(first)
	switch {
	case as != nil && as.set:
		return value.NewSet(elems)
	case as != nil && as.fcn:
		var keys, vals []value.Value
		for _, e := range elems {
			pair, ok := e.(*value.Tuple)
			if !ok || len(pair.Elems) != 2 {
				value.Fail("%s is no pair of an argument and a value: a function's array has such pairs", value.Show(e))
			}
			keys, vals = append(keys, pair.Elems[0]), append(vals, pair.Elems[1])
		}
		return function(keys, vals)
	}
	return value.NewTuple(elems...)
}

func (r *reader) object(j gjson.Result, as *shape) value.Value {
	if as != nil && as.fcn {
		var keys, vals []value.Value
		j.ForEach(func(k, v gjson.Result) bool {
			key := value.Value(r.space.Borrowed(k.Str))
			if n, err := strconv.ParseInt(k.Str, 10, 32); err == nil {
				key = value.Of(n)
			}
			keys, vals = append(keys, key), append(vals, r.value(v, as.elements()))
			return true
		})
		return function(keys, vals)
	}
	name, val := len(r.names), len(r.vals)
	j.ForEach(func(k, v gjson.Result) bool {
		r.names = append(r.names, r.space.Borrowed(k.Str))
		r.add(v, as.field(k.Str))
		return true
	})
	dom, at := r.space.Fields(r.names[name:])
	list := make([]value.Value, len(dom.Elems))
	for i, v := range r.vals[val:] {
		list[at[i]] = v
	}
	r.names, r.vals = r.names[:name], r.vals[:val]
	return value.NewFcn(dom, list)
}

// function is that of the keys, of which the last counts that is the same.
func function(keys, vals []value.Value) value.Value {
	dom := value.NewSet(append([]value.Value(nil), keys...))
	list := make([]value.Value, len(dom.Elems))
	for i, k := range keys {
		list[dom.Index(k)] = vals[i]
	}
	return value.NewFcn(dom, list)
}
