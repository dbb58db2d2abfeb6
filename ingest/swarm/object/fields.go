// Package object converts objects of a swarm's store to objects of a format-1
// trace. It reads only the fields that the format has. Environment, arguments,
// tokens and keys may be secrets, and are never read.
package object

import (
	"reflect"
	"strings"

	"tracecheck/ingest/swarm/wire"
)

// global is the slot of a task, and the replicas of a service, that has one
// task per node.
const global = "global"

// Fields are the fields of an object in a line. Empty ones are left out.
type Fields map[string]any

// text sets a field unless it is empty.
func (f Fields) text(name, value string) {
	if value != "" {
		f[name] = value
	}
}

// Since returns the difference as a JSON merge patch.
func (f Fields) Since(before Fields) Fields {
	patch := Fields{}
	for name, value := range f {
		old, ok := before[name]
		was, wasMap := old.(map[string]string)
		is, isMap := value.(map[string]string)
		switch {
		case ok && reflect.DeepEqual(old, value):
		case wasMap && isMap:
			patch[name] = mapSince(was, is)
		default:
			patch[name] = value
		}
	}
	for name := range before {
		if _, ok := f[name]; !ok {
			patch[name] = nil
		}
	}
	return patch
}

// mapSince is the patch of a map: a deleted key is null.
func mapSince(before, after map[string]string) map[string]any {
	patch := map[string]any{}
	for key, value := range after {
		if old, ok := before[key]; !ok || old != value {
			patch[key] = value
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			patch[key] = nil
		}
	}
	return patch
}

// word is an enumeration's value in the format's spelling.
func word(value interface{ String() string }) string {
	return strings.ToLower(value.String())
}

// image is the image of the task, "" if it is not a container.
func image(t *wire.TaskSpec) string {
	if c := t.Container; c != nil {
		return c.Image
	}
	return ""
}
