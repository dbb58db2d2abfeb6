package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tracecheck/trace"
)

// reading is a document that becomes a trace.
type reading struct {
	states   []stateRead
	instance string            // the worker or namespace, if it is given
	owners   map[string]string // whose a task's id is: joined(service, vslot, id); "" is several's
}

// Lines reads an ITF document as lines of a trace in format 1: a meta line, the
// first state as snapshots, and each further state as a step of what changed. An
// empty step represents none. yield gets each line with the number of its state,
// from 1. An error names the fault of the document, or is that of r or yield.
func Lines(r io.Reader, yield func(state int, line []byte) error) error {
	doc, err := readDocument(r)
	if err != nil {
		return err
	}
	var found []*module
	for _, m := range modules() {
		if len(doc.states) > 0 && m.has(doc.states[0].vars) && (doc.meta.Spec == "" || doc.meta.Spec == m.spec) {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("the ITF document has the variables of no spec: expected %s", strings.Join(wanted(), ", or "))
	}
	in := &reading{states: doc.states, instance: doc.meta.Instance}
	meta, err := in.meta(doc, found)
	if err != nil {
		return err
	}
	if err := yield(1, meta); err != nil {
		return err
	}
	var before []objects
	for i, s := range doc.states {
		l := liner{tx: i + 1, time: s.meta.Time, recreated: s.meta.Recreated, first: i == 0, yield: yield}
		var now []objects
		for k, m := range found {
			if !m.has(s.vars) {
				return fmt.Errorf("state %d lacks a variable: expected %s", i+1, strings.Join(m.needs, ", "))
			}
			list, err := m.read(in, s.vars)
			if err == nil {
				err = list.checkKeys()
			}
			if err != nil {
				return fmt.Errorf("state %d: %w", i+1, err)
			}
			now = append(now, list)
			var old objects
			if i > 0 {
				old = before[k]
			}
			if err := l.step(old, list); err != nil {
				return err
			}
		}
		before = now
	}
	return nil
}

func wanted() []string {
	var list []string
	for _, m := range modules() {
		list = append(list, strings.Join(m.needs, " and ")+" ("+m.name+")")
	}
	return list
}

func (in *reading) meta(doc *document, found []*module) ([]byte, error) {
	meta := struct {
		Format    int                        `json:"format"`
		Spec      []string                   `json:"spec"`
		Profile   string                     `json:"profile,omitempty"`
		Steps     string                     `json:"steps,omitempty"`
		Constants map[string]json.RawMessage `json:"constants,omitempty"`
	}{Format: 1, Profile: doc.meta.Profile, Steps: doc.meta.Steps, Constants: doc.meta.Constants}
	for _, m := range found {
		meta.Spec = append(meta.Spec, m.spec)
		if m == &kcpStorage && meta.Constants["clusters"] == nil {
			var names []string
			for _, e := range in.states[0].vars["ns"].entries() {
				names = append(names, e.key.text)
			}
			if all, err := json.Marshal(names); err == nil && len(names) > 0 {
				meta.Constants = map[string]json.RawMessage{"clusters": all}
			}
		}
	}
	return json.Marshal(struct {
		Kind   string `json:"kind"`
		Object any    `json:"object"`
	}{trace.KindMeta.String(), meta})
}

// liner writes the lines of one state.
type liner struct {
	tx        int
	time      string
	recreated []string
	first     bool
	yield     func(int, []byte) error
}

// step writes what turned the old objects into the new ones.
func (l *liner) step(old, now objects) error {
	if l.first {
		for _, o := range now {
			if err := l.line(trace.OpSnapshot, o, o.JSON()); err != nil {
				return err
			}
		}
		return nil
	}
	was, is := old.byKey(), now.byKey()
	var same objects // singletons tell what nothing else does
	changed := false
	tell := func(op trace.Op, o *object, json string) error {
		changed = true
		return l.line(op, o, json)
	}
	for _, o := range old {
		if again := is[o.key()]; again == nil || slices.Contains(l.recreated, o.key().String()) {
			delete(was, o.key())
			if err := tell(trace.OpDelete, o, ""); err != nil {
				return err
			}
		}
	}
	for _, o := range now {
		var err error
		switch before := was[o.key()]; {
		case before == nil:
			err = tell(trace.OpCreate, o, o.JSON())
		case before.JSON() != o.JSON():
			err = tell(trace.OpUpdate, o, o.since(before))
		case o.id == "":
			same = append(same, o)
		}
		if err != nil {
			return err
		}
	}
	for _, o := range same {
		if changed {
			if err := l.line(trace.OpUpdate, o, o.JSON()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *liner) line(op trace.Op, o *object, object string) error {
	var b bytes.Buffer
	b.WriteByte('{')
	if l.time != "" {
		fmt.Fprintf(&b, `"time":%s,`, quoted(l.time))
	}
	if !l.first {
		fmt.Fprintf(&b, `"tx":%d,`, l.tx)
	}
	fmt.Fprintf(&b, `"kind":%q,"op":%q`, o.kind, op)
	if o.id != "" {
		fmt.Fprintf(&b, `,"id":%s`, quoted(o.id))
	}
	if object != "" {
		fmt.Fprintf(&b, `,"object":%s`, object)
	}
	b.WriteByte('}')
	return l.yield(l.tx, b.Bytes())
}

type objectKey struct {
	kind trace.Kind
	id   string
}

func (o *object) key() objectKey { return objectKey{o.kind, o.id} }

func (list objects) byKey() map[objectKey]*object {
	all := map[objectKey]*object{}
	for _, o := range list {
		all[o.key()] = o
	}
	return all
}

// checkKeys returns an error if lines cannot distinguish two objects.
func (list objects) checkKeys() error {
	seen := make(map[objectKey]bool, len(list))
	for _, o := range list {
		if seen[o.key()] {
			return fmt.Errorf("%s occurs twice", o.key())
		}
		seen[o.key()] = true
	}
	return nil
}

// JSON is the whole object.
func (o *object) JSON() string {
	parts := make([]string, len(o.fields))
	for i, f := range o.fields {
		parts[i] = quoted(f.Name) + ":" + f.Value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// since is what changed. A request's place in the queue goes with it, and so do
// the other fields of a singleton: they are inferred if they are not given.
func (o *object) since(before *object) string {
	less := object{kind: o.kind, id: o.id}
	for i, f := range o.fields {
		if o.id == "" || f.Name == "queued" || f.Value != before.fields[i].Value {
			less.fields = append(less.fields, f)
		}
	}
	return less.JSON()
}

// sortedKeys are a set's elements in order.
func sortedKeys[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
