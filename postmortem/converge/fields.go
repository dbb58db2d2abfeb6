package converge

import (
	"maps"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// value is the value of a field in the line.
type value = gjson.Result

// each calls do with the fields of the event's object.
func each(ev *trace.Event, do func(name string, v value)) {
	ev.Object().ForEach(func(key, v value) bool {
		do(key.Str, v)
		return true
	})
}

// fields sets the fields of an object, by their names.
type fields[T any] map[string]func(*T, value)

// apply returns the object after the event. old may be nil.
func (f fields[T]) apply(old *T, ev *trace.Event) *T {
	now := new(T)
	if old != nil && ev.Op == trace.OpUpdate {
		*now = *old
	}
	each(ev, func(name string, v value) {
		if set := f[name]; set != nil {
			set(now, v)
		}
	})
	return now
}

func text(v value) string {
	if v.Type != gjson.String {
		return ""
	}
	return strings.Clone(v.Str)
}

func texts(v value) []string {
	var all []string
	for _, one := range v.Array() {
		all = append(all, text(one))
	}
	return all
}

func number(v value) version {
	return version{number: v.Int(), known: v.Type == gjson.Number}
}

func ports(v value) []port {
	var all []port
	for _, one := range v.Array() {
		all = append(all, port{
			protocol: text(one.Get("protocol")), mode: text(one.Get("mode")), published: one.Get("published_port").Int(),
		})
	}
	return all
}

// merged returns a map after a merge patch.
func merged(old map[string]string, patch value) map[string]string {
	if !patch.IsObject() {
		return nil
	}
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	patch.ForEach(func(key, v value) bool {
		name := strings.Clone(key.Str)
		if v.Type == gjson.Null {
			delete(all, name)
		} else {
			all[name] = text(v)
		}
		return true
	})
	return all
}
