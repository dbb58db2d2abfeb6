package replay

import (
	"cmp"
	"encoding/json"
	"reflect"
	"sort"
	"strings"

	"github.com/tidwall/gjson"
)

// Change is an object that differs between two states of a stream; Before or
// After is nil if it does not exist.
type Change struct {
	Before, After *Object
}

// Object returns the last state of the object.
func (c Change) Object() *Object {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// Diff lists the differences between two states of a stream, by kind and id. A nil Stream has
// no objects. An object that was deleted and created again with the same fields is not listed.
func Diff(from, to *Stream) []Change {
	var list []Change
	if from == nil {
		from = &Stream{}
	}
	if to == nil {
		to = &Stream{}
	}
	from.settle()
	to.settle()
	for k, o := range from.objects {
		if now := to.objects[k]; now == nil || len(o.Differences(now)) > 0 {
			list = append(list, Change{o, now})
		}
	}
	for k, o := range to.objects {
		if from.objects[k] != nil {
			continue
		}
		var before *Object
		if o.init != "" { // it was there before its first line
			before = &Object{Kind: o.Kind, ID: o.ID, Fields: merge(nil, gjson.Parse(o.init))}
		}
		if before == nil || len(before.Differences(o)) > 0 {
			list = append(list, Change{before, o})
		}
	}
	sort.Slice(list, func(i, j int) bool { return compare(list[i].Object(), list[j].Object()) < 0 })
	return list
}

func compare(a, b *Object) int {
	return cmp.Or(cmp.Compare(order[a.Kind], order[b.Kind]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Get(namespaceField), b.Get(namespaceField)))
}

// Difference is a field that differs between two objects; "": the object lacks it.
type Difference struct {
	Name, Before, After string
}

// Differences lists the fields in which the objects differ, in the order in
// which they exist. The order of keys, the spacing and the spelling of strings make no difference.
func (o *Object) Differences(now *Object) []Difference {
	var list []Difference
	for _, f := range o.Fields {
		if after := now.Get(f.Name); !same(f.Value, after) {
			list = append(list, Difference{f.Name, f.Value, after})
		}
	}
	for _, f := range now.Fields {
		if o.Get(f.Name) == "" {
			list = append(list, Difference{f.Name, "", f.Value})
		}
	}
	return list
}

// same reports whether the values, as JSON, are equal; "" is none. Numbers are compared as they
// are written.
func same(a, b string) bool {
	if a == b {
		return true
	}
	values := make([]any, 2)
	for i, text := range []string{a, b} {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
