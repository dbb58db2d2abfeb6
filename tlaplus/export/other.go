package export

import (
	"fmt"
	"slices"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Other is a spec that has no module here: each of its kinds is a variable, a
// function from ids to records or, of a singleton, a record.
type Other struct {
	Spec, Module string
	Kinds        []trace.Kind
	Fields       [][]string // of each kind
}

// Others are the specs with what their tables say of their objects.
func Others(specs []*validators.Spec) (list []Other) {
	for _, spec := range specs {
		o := Other{Spec: spec.Name, Module: spec.Module, Kinds: spec.Kinds, Fields: make([][]string, len(spec.Kinds))}
		for _, c := range spec.Columns {
			i := slices.Index(spec.Kinds, c.Kind)
			o.Fields[i] = append(o.Fields[i], c.Field)
		}
		list = append(list, o)
	}
	return list
}

func (o *Other) module() *module {
	m := &module{spec: o.Spec, name: o.Module, kinds: o.Kinds, begin: func(*writing) {}}
	for _, k := range o.Kinds {
		m.variables = append(m.variables, k.String())
	}
	m.write = func(w *writing) (map[string]value, error) {
		vars := map[string]value{}
		for i, k := range o.Kinds {
			if k.IsSingleton() {
				vars[k.String()] = recordOf(w.stream.Object(k, ""), o.Fields[i])
				continue
			}
			all := function()
			for _, object := range w.of(k) {
				all.put(str(object.ID), recordOf(object, o.Fields[i]))
			}
			vars[k.String()] = all
		}
		return vars, nil
	}
	return m
}

// recordOf has the fields of the object; nil: no line has shown it.
func recordOf(o *replay.Object, names []string) value {
	var fields []any
	for _, name := range names {
		raw := ""
		if o != nil {
			raw = o.Get(name)
		}
		fields = append(fields, name, fromJSON(raw))
	}
	return record(fields...)
}

// modules are all that there are.
func (s *survey) modules() []*module {
	list := modules()
	for i := range s.opts.Others {
		if o := &s.opts.Others[i]; moduleOf(o.Spec) == nil {
			list = append(list, o.module())
		}
	}
	return list
}

// checkable returns an error if TLC cannot check the behaviour.
func (m *module) checkable() error {
	if m.constants == nil {
		return fmt.Errorf("%s does not define how its variables are written for TLC: use export itf, which writes its objects", m.spec)
	}
	return nil
}
