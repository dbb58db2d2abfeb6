// Package export converts between traces and behaviours of TLA+, which have the
// variables of the specs. It reads and writes the Informal Trace Format (ITF) of
// Apalache, and writes modules that TLC checks.
package export

import (
	"slices"
	"strconv"
	"strings"
)

// value is a value of TLA+, as far as the specs' variables have such.
type value struct {
	kind  kind
	text  string   // of scalars; the sort of an id is in sort
	sort  string   // of an id: node, service, …; of a sequence: isTuple
	names []string // a record's fields
	keys  []value  // a function's domain
	items []value  // elements, or the values of names and keys
}

type kind uint8

const (
	aString     kind = iota
	anInteger        // text is decimal
	aBoolean         // text is true or false
	aModelValue      // text is its name
	anID             // a string in ITF, a model value in a module
	aSet
	aSequence
	aRecord
	aFunction
	aFormula // text is TLA+, of what cannot be written out
)

func str(s string) value         { return value{kind: aString, text: s} }
func id(sort, name string) value { return value{kind: anID, sort: sort, text: name} }
func model(name string) value    { return value{kind: aModelValue, text: name} }
func integer(n int) value        { return value{kind: anInteger, text: strconv.Itoa(n)} }
func boolean(b bool) value       { return value{kind: aBoolean, text: strconv.FormatBool(b)} }
func set(items ...value) value   { return value{kind: aSet, items: items} }
func sequence(items ...value) value {
	return value{kind: aSequence, items: items}
}

// tuple is a sequence whose elements are of different types.
func tuple(items ...value) value { return value{kind: aSequence, sort: isTuple, items: items} }

const isTuple = "tuple"

// record has fields by name.
func record(fields ...any) value {
	v := value{kind: aRecord}
	for i := 0; i < len(fields); i += 2 {
		v.names = append(v.names, fields[i].(string))
		v.items = append(v.items, fields[i+1].(value))
	}
	return v
}

// function maps keys to values.
func function() value { return value{kind: aFunction} }

func (v *value) put(key, to value) {
	v.keys, v.items = append(v.keys, key), append(v.items, to)
}

// field is a record's, or that of a function from strings; false: there is none.
func (v value) field(name string) (value, bool) {
	for _, e := range v.entries() {
		if e.key.text == name {
			return e.value, true
		}
	}
	return value{}, false
}

type entry struct{ key, value value }

// entries are what a function maps. A record is a function from strings, a
// sequence one from 1..n, and what is empty may be any of them.
func (v value) entries() []entry {
	var list []entry
	for i, item := range v.items {
		switch v.kind {
		case aFunction:
			list = append(list, entry{v.keys[i], item})
		case aRecord:
			list = append(list, entry{str(v.names[i]), item})
		case aSequence:
			list = append(list, entry{integer(i + 1), item})
		}
	}
	return list
}

func (v value) isFunction() bool {
	return v.kind == aFunction || v.kind == aRecord || v.kind == aSequence || v.kind == aSet && len(v.items) == 0
}

// elements are those of a sequence, which may be a function from 1..n.
func (v value) elements() ([]value, bool) {
	if v.kind == aSequence {
		return v.items, true
	}
	if !v.isFunction() {
		return nil, false
	}
	list := make([]value, len(v.items))
	for _, e := range v.entries() {
		n, err := strconv.Atoi(e.key.text)
		if e.key.kind != anInteger || err != nil || n < 1 || n > len(list) {
			return nil, false
		}
		list[n-1] = e.value
	}
	return list, true
}

// key is the same for equal values, whichever way they are written.
func (v value) key() string {
	var parts []string
	switch v.kind {
	case anInteger:
		return v.text
	case aBoolean:
		return strings.ToUpper(v.text)
	case aString, anID, aModelValue:
		return strconv.Quote(v.text)
	case aSet:
		if len(v.items) > 0 {
			for _, item := range v.items {
				parts = append(parts, item.key())
			}
			slices.Sort(parts)
			return "{" + strings.Join(slices.Compact(parts), ",") + "}"
		}
	}
	for _, e := range v.entries() {
		parts = append(parts, e.key.key()+":"+e.value.key())
	}
	slices.Sort(parts)
	return "(" + strings.Join(parts, ",") + ")"
}
