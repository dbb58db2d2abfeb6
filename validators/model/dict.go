package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Symbols numbers the names that a stream uses as keys of Dicts. They are the elements of a constant
// set. Without a constant, they are the names in the lines so far. The zero value is empty.
type Symbols struct {
	names  []string
	number map[string]Symbol
	known  int // elements of the constant set: the first of names; 0: it is not given
	buffer []entry
}

// Symbol is the number of a name in Symbols.
type Symbol int32

// NewSymbols returns the symbols of a constant set, or no symbols if names is empty.
func NewSymbols(names []string) Symbols {
	var n Symbols
	for _, name := range names {
		n.Find(name)
	}
	n.known = len(n.names)
	return n
}

// Find returns the symbol of the name. A new name gets the next number.
func (n *Symbols) Find(name string) Symbol {
	at, ok := n.number[name]
	if !ok {
		if n.number == nil {
			n.number = map[string]Symbol{}
		}
		at, name = Symbol(len(n.names)), strings.Clone(name)
		n.names, n.number[name] = append(n.names, name), at
	}
	return at
}

// Known returns the symbol of a name that Find has numbered.
func (n *Symbols) Known(name string) (Symbol, bool) {
	at, ok := n.number[name]
	return at, ok
}

// Name returns the name of the symbol.
func (n *Symbols) Name(of Symbol) string { return n.names[of] }

// Has reports whether the symbol is in the constant set. Without a constant, every symbol is.
func (n *Symbols) Has(of Symbol) bool { return n.known == 0 || int(of) < n.known }

// Len returns the number of elements of the set. Without a constant, it counts the names so far.
func (n *Symbols) Len() int {
	if n.known > 0 {
		return n.known
	}
	return len(n.names)
}

// Code writes or reads the names. Dicts write only their numbers.
func (n *Symbols) Code(c *codec.Codec) {
	names := n.names
	codec.Slice(c, &names, func(name *string) { codec.String(c, name) })
	for i, name := range names {
		if n.Find(name) != Symbol(i) {
			c.Fail("%q is not number %d", name, i)
		}
	}
}

// Dict is a function from symbols to values of an enumeration. It can be compared by ==. The value
// of a symbol without an entry is 0. A Dict with at most one entry takes no extra memory.
type Dict[V ~uint8] struct {
	n     int32
	first entry
	more  string // the entries after the first, by symbol
	bad   bool   // the lines gave no map
}

type entry struct {
	of    Symbol
	value uint8
}

const entrySize = 5

// Len returns the number of symbols with a value other than 0.
func (d *Dict[V]) Len() int { return int(d.n) }

// IsBad reports whether the lines gave a value that is not a map.
func (d *Dict[V]) IsBad() bool { return d.bad }

// At returns the i-th entry, in the order of the symbols.
func (d *Dict[V]) At(i int) (Symbol, V) {
	e := d.at(i)
	return e.of, V(e.value)
}

func (d *Dict[V]) at(i int) entry {
	if i == 0 {
		return d.first
	}
	b := d.more[(i-1)*entrySize : i*entrySize]
	return entry{Symbol(b[0])<<24 | Symbol(b[1])<<16 | Symbol(b[2])<<8 | Symbol(b[3]), b[4]}
}

// Of returns the value of the symbol.
func (d *Dict[V]) Of(s Symbol) V {
	if i := d.place(s); i < d.Len() && d.at(i).of == s {
		return V(d.at(i).value)
	}
	return 0
}

// place is where the symbol is, or would be.
func (d *Dict[V]) place(s Symbol) int {
	i, end := 0, d.Len()
	for i < end {
		if middle := (i + end) / 2; d.at(middle).of < s {
			i = middle + 1
		} else {
			end = middle
		}
	}
	return i
}

// With returns [d EXCEPT ![s] = v].
func (d Dict[V]) With(s Symbol, v V) Dict[V] {
	var room [8]entry
	return pack[V](set(d.list(room[:0]), s, uint8(v)))
}

// Count returns the number of symbols with the value. The value must not be 0.
func (d *Dict[V]) Count(v V) (n int) {
	for i := range d.Len() {
		n += BoolInt(d.at(i).value == uint8(v))
	}
	return n
}

// Differences yields each symbol with different values in d and o, with both values.
func (d *Dict[V]) Differences(o *Dict[V], yield func(s Symbol, from, to V)) {
	for i, k := 0, 0; i < d.Len() || k < o.Len(); {
		var a, b entry
		less := 0
		switch {
		case k == o.Len():
			a, less = d.at(i), -1
		case i == d.Len():
			b, less = o.at(k), +1
		default:
			a, b = d.at(i), o.at(k)
			less = cmp.Compare(a.of, b.of)
		}
		switch {
		case less < 0:
			yield(a.of, V(a.value), 0)
		case less > 0:
			yield(b.of, 0, V(b.value))
		case a.value != b.value:
			yield(a.of, V(a.value), V(b.value))
		}
		i, k = i+BoolInt(less <= 0), k+BoolInt(less >= 0)
	}
}

// DictCounts counts objects by their Dicts. The zero value is empty.
type DictCounts[V ~uint8] struct {
	small map[uint64]int // of maps of at most one entry, as numbers
	large map[Dict[V]]int
}

// Of returns the number of objects with the Dict.
func (n *DictCounts[V]) Of(d *Dict[V]) int {
	if key, is := d.key(); is {
		return n.small[key]
	}
	return n.large[*d]
}

// Add adds the number to the count of objects with the Dict: 1 or -1.
func (n *DictCounts[V]) Add(d *Dict[V], by int) {
	if key, is := d.key(); is {
		add(&n.small, key, by)
	} else {
		add(&n.large, *d, by)
	}
}

// add adds to a count, and keeps none that is 0.
func add[K comparable](counts *map[K]int, of K, d int) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	if n := (*counts)[of] + d; n != 0 {
		(*counts)[of] = n
	} else {
		delete(*counts, of)
	}
}

func (d *Dict[V]) key() (key uint64, is bool) {
	return uint64(d.n)<<40 | uint64(d.first.of)<<8 | uint64(d.first.value), d.n <= 1 && !d.bad
}

// Text returns the Dict for a reader. It leaves out symbols with the first value.
func (d *Dict[V]) Text(n *Symbols, values Values) string {
	if d.n == 0 {
		return "all " + strconv.Quote(values[0])
	}
	const most = 4
	var parts []string
	for i := range min(d.Len(), most) {
		of, v := d.At(i)
		parts = append(parts, n.Name(of)+": "+strconv.Quote(values[v]))
	}
	if more := d.Len() - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// list appends the entries.
func (d *Dict[V]) list(to []entry) []entry {
	for i := range d.Len() {
		to = append(to, d.at(i))
	}
	return to
}

// set sets the symbol's value.
func set(list []entry, s Symbol, v uint8) []entry {
	i, end := 0, len(list)
	for i < end {
		if middle := (i + end) / 2; list[middle].of < s {
			i = middle + 1
		} else {
			end = middle
		}
	}
	switch there := i < len(list) && list[i].of == s; {
	case there && v == 0:
		return slices.Delete(list, i, i+1)
	case there:
		list[i].value = v
	case v != 0:
		return slices.Insert(list, i, entry{s, v})
	}
	return list
}

func pack[V ~uint8](list []entry) (d Dict[V]) {
	if d.n = int32(len(list)); d.n == 0 {
		return d
	}
	if d.first = list[0]; d.n == 1 {
		return d
	}
	more := make([]byte, 0, (len(list)-1)*entrySize)
	for _, e := range list[1:] {
		more = append(binary.BigEndian.AppendUint32(more, uint32(e.of)), e.value)
	}
	d.more = string(more)
	return d
}

// Values lists the values of an enumeration. The first represents null. The last represents every
// value outside the type.
type Values []string

// read is the place of the line's value; false: it is outside the type.
func (n Values) read(v trace.Value) (uint8, bool) {
	outside := len(n) - 1
	switch v.Type {
	case trace.Null:
		return 0, true
	case trace.String:
		if i := slices.Index(n[:outside], v.Str); i >= 0 {
			return uint8(i), true
		}
	}
	return uint8(outside), false
}

// ValueOf returns a column with one of the values. typ names the type in messages.
func ValueOf[S any, R comparable, V ~uint8](field trace.FieldName, typ string, values Values, at func(*R) *V) Column[S, R] {
	c := plain[S](field, at, func(v *V) (any, bool) { return values[*v], true })
	c.Type = typ
	c.Read = func(_ *S, r *R, v trace.Value) Reading {
		value, ok := values.read(v)
		if *at(r) = V(value); !ok {
			return Noted
		}
		return Good
	}
	c.Code = func(_ *S, c *codec.Codec, r *R) { codeEnum(c, field, at(r), len(values)) }
	return c
}

// DictOf returns a column with a Dict from the symbols to the values. set names the set of the
// symbols. A line's map is a merge patch: an empty one says nothing. A null in place of the map sets
// all symbols to the first value.
func DictOf[S any, R comparable, V ~uint8](
	field trace.FieldName, set, typ string, values Values, symbols func(*S) *Symbols, at func(*R) *Dict[V],
) Column[S, R] {
	c := plain[S](field, at, nil)
	c.Type = typ
	c.Read = func(s *S, r *R, v trace.Value) Reading {
		d := at(r)
		switch {
		case v.Type == trace.Null:
			*d = Dict[V]{}
			return Good
		case !isMap(v):
			*d = Dict[V]{bad: true}
			return Noted
		}
		return d.merge(symbols(s), v, values)
	}
	c.Wrong = func(s *S, v trace.Value) string {
		if !isMap(v) {
			return fmt.Sprintf("%s %s is not a map from %[1]s to %[3]s", field, v, typ)
		}
		return values.wrong(symbols(s), v, field, set, typ)
	}
	c.Show = func(s *S, r *R) (any, bool) {
		d, fields := at(r), map[string]string{}
		if d.bad {
			return values[len(values)-1], true
		}
		for i := range d.Len() {
			of, v := d.At(i)
			fields[symbols(s).Name(of)] = values[v]
		}
		return fields, true
	}
	c.Code = func(s *S, c *codec.Codec, r *R) { at(r).code(symbols(s), len(values), c) }
	return c
}

func isMap(v trace.Value) bool { return v.Type == trace.Other && strings.HasPrefix(v.Str, "{") }

// merge overlays a line's map. An empty one says nothing.
func (d *Dict[V]) merge(n *Symbols, v trace.Value, values Values) Reading {
	reading := Good
	if !d.bad {
		reading = LeftOut
	}
	list := d.list(n.buffer[:0])
	for name, to := range v.Each {
		of := n.Find(name)
		value, ok := values.read(to)
		if list = set(list, of, value); !ok || !n.Has(of) && to.Type != trace.Null {
			reading = Noted
		} else if reading == LeftOut {
			reading = Good
		}
	}
	*d, n.buffer = pack[V](list), list[:0]
	return reading
}

// wrong says what is wrong with the first entry of the map of which something is.
func (n Values) wrong(symbols *Symbols, v trace.Value, field trace.FieldName, set, typ string) string {
	for name, to := range v.Each {
		if _, ok := n.read(to); !ok {
			return fmt.Sprintf("%s[%s] = %s is not in %s", field, name, to, typ)
		}
		if !symbols.Has(symbols.Find(name)) && to.Type != trace.Null {
			return name + " is not in " + set
		}
	}
	return "a value is outside its type"
}

func (d *Dict[V]) code(n *Symbols, values int, c *codec.Codec) {
	bad, list := d.bad, d.list(nil)
	codec.Bool(c, &bad)
	next := Symbol(0)
	codec.Slice(c, &list, func(e *entry) {
		codec.Int(c, &e.of)
		if codec.Uint(c, &e.value); e.of < next || int(e.of) >= len(n.names) || e.value == 0 || int(e.value) >= values {
			c.Fail("number %d with the value %d is not known, or out of order", e.of, e.value)
		}
		next = e.of + 1
	})
	if c.Reading() && c.Err() == nil {
		*d = pack[V](list)
		d.bad = bad
	}
}
