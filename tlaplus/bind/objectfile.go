package bind

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/files"
	"tracecheck/internal/yamldoc"
	"tracecheck/trace"
)

// What a bind file says of logs in the trace format, and of what rules make of others.

// The names of their expressions, beside those of all logs: what is there after the
// step and before it, the ids that are known, those that are there throughout, what a
// reject line gives, and whether the steps are batched.
const (
	objectsName = "objects"
	wasName     = "was"
	shownName   = "shown"
	keptName    = "kept"
	refusedName = "refused"
	batchedName = "batched"
)

// aboutObjects checks the keys that only make sense with objects, and those that make
// none with it.
func (p *parser) aboutObjects(root *yaml.Node, pairs []yamldoc.Pair) {
	f := p.f
	keys := map[string]*yaml.Node{}
	at := func(key string) *yaml.Node { return cmp.Or(keys[key], root) }
	for _, m := range pairs {
		keys[m.Name] = m.Key
		switch m.Name {
		case "present", "environment", "open", "whole", "throughout", "refused", "required":
			if f.objects == nil {
				p.Fault(m.Key, "%s is about logs in the trace format: the file needs objects", m.Name)
			}
		case "header", "stream", "when", "event", "args", "actions", "before", "preset":
			if f.objects != nil {
				p.Fault(m.Key, "%s is about other logs: with objects, the log is in the trace format", m.Name)
			}
		}
	}
	switch {
	case f.snapshots && f.objects == nil:
		p.Fault(at("init"), "init: snapshots is about logs in the trace format: the file needs objects")
	case f.initLine && f.objects != nil:
		p.Fault(at("init"), "init: first line is about other logs: with objects, the first state is Init, or init: snapshots")
	}
	if len(f.objects) > trace.MaxKinds/2 {
		p.Fault(at("objects"), "objects has %d kinds: %d are the most", len(f.objects), trace.MaxKinds/2)
	}
	for _, k := range f.objects {
		if !isKind(k.name) {
			p.Fault(at("objects"), "%q is not a valid kind: use letters, digits and _, and begin with a letter", k.name)
		}
	}
	known := func(key string, names []string) {
		for _, name := range names {
			if !slices.ContainsFunc(f.objects, func(k objectKind) bool { return k.name == name }) {
				p.Fault(at(key), "%s names the kind %s, which objects does not have", key, name)
			}
		}
	}
	known("present", f.present)
	known("environment", f.environment)
	for _, name := range f.environment {
		if slices.Contains(f.present, name) {
			p.Fault(at("environment"), "the kind %s is in present, and so does not come and go: it cannot be in environment", name)
		}
	}
	for _, k := range f.refused {
		known("refused", []string{k.name})
	}
	for _, name := range slices.Sorted(maps.Keys(f.required)) {
		known("required", []string{name})
	}
	for _, k := range f.objects {
		for _, field := range f.required[k.name] {
			if !slices.ContainsFunc(k.fields, func(of named) bool { return of.name == field }) {
				p.Fault(at("required"), "required names the field %s of %s, which objects does not have", field, k.name)
			}
		}
	}
}

// isKind reports whether a text is the name of a kind that a bind file can have.
func isKind(name string) bool {
	letters := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
	return name != "" && letters == "" && !strings.Contains("_0123456789", name[:1]) && name != trace.KindMeta.String() && name != trace.KindLine.String()
}

// register has traces read with the file's kinds, which may be no spec's. That has to be
// before the first line is read.
func (f *file) register() (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%s: objects: %v", f.name, x)
		}
	}()
	for _, k := range f.objects {
		trace.KindNamed(k.name)
	}
	return nil
}

// OfTraces reports whether the bind file is about logs in the trace format. What is wrong
// with it, Load says.
func OfTraces(name string) bool {
	text, err := files.Read(name, files.Document)
	if err != nil {
		return false
	}
	f, err := parse(name, text)
	return err == nil && f.objects != nil
}
