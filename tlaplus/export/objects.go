package export

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// object is one of a state, as a snapshot line would have it.
type object struct {
	kind   trace.Kind
	id     string
	fields []replay.Field
}

func (o *object) set(name, raw string) *object {
	o.fields = append(o.fields, replay.Field{Name: name, Value: raw})
	return o
}

// objects are the objects of a state, in the order of the lines about them.
type objects []*object

func (list *objects) add(k trace.Kind, id string) *object {
	o := &object{kind: k, id: id}
	*list = append(*list, o)
	return o
}

// raw is the value as a field of a trace has it. What no field has is ITF, which
// is outside every type.
func raw(v value) string {
	switch v.kind {
	case anInteger, aBoolean:
		return v.text
	case aString, anID, aModelValue:
		return quoted(v.text)
	}
	return string(appendITF(nil, v))
}

// fromJSON is a field's value, from JSON.
func fromJSON(json string) value {
	r := gjson.Parse(json)
	switch r.Type {
	case gjson.String:
		return str(r.Str)
	case gjson.True, gjson.False:
		return boolean(r.Bool())
	case gjson.Number:
		if v, err := number(r.Raw); err == nil {
			return v
		}
		if n, ok := trace.Integer(r.Raw); ok { // 80.0 and 8e1 are 80
			return integer(int(n))
		}
	}
	if json == "" {
		return str(leftOut)
	}
	return str(r.Raw)
}

// named is a field that has the id of an object of the sort, from JSON. null or nothing is none.
func named(sort, json string, none value) value {
	r := gjson.Parse(json)
	switch v := fromJSON(json); {
	case r.Type == gjson.String:
		return id(sort, r.Str)
	case r.Type == gjson.Null: // nothing is, too
		return none
	case v.kind == aString: // no id is a tuple
		return tuple(v)
	default:
		return v
	}
}

// leftOut represents the value of a field that has none.
const leftOut = "(left out)"

// text is a field's string, "" where it is none.
func text(o *replay.Object, field string) string {
	if r := gjson.Parse(o.Get(field)); r.Type == gjson.String {
		return r.Str
	}
	return ""
}

// module is one of the specs: how its variables follow from objects.
type module struct {
	spec      string   // as tracecheck names it
	name      string   // as TLA+ does
	variables []string // all of them
	needs     []string // by which a state is known
	kinds     []trace.Kind
	read      func(*reading, map[string]value) (objects, error)
	write     func(*writing) (map[string]value, error)
	begin     func(*writing)  // creates what exists in Init before any line shows it
	constants func(*checking) // of a module for TLC
	checks    checks
}

// modules are those of the specs.
func modules() []*module {
	return []*module{&swarmKit, &workerImpl, &portAllocator, &updateCluster, &kcpStorage}
}

func moduleOf(spec string) *module {
	for _, m := range modules() {
		if m.spec == spec {
			return m
		}
	}
	return nil
}

// has reports whether a state has the variables that identify the module.
func (m *module) has(state map[string]value) bool {
	return !slices.ContainsFunc(m.needs, func(name string) bool {
		_, ok := state[name]
		return !ok
	})
}

// joined is an id of several parts.
func joined(parts ...string) string { return strings.Join(parts, "/") }
