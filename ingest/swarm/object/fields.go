// Package object tells the objects of a swarm's store as a format-1 trace does,
// wherever they were read. It takes what the format names and nothing else:
// environment, arguments, tokens and keys may hold secrets and are never looked
// at.
package object

import (
	"reflect"
	"strings"

	"github.com/moby/swarmkit/v2/api"
)

// global is the slot of a task, and the replicas of a service, that has one
// task per node.
const global = "global"

// Fields are an object as a line has it. One that is left out is empty.
type Fields map[string]any

// text sets a field unless it is empty.
func (f Fields) text(name, value string) {
	if value != "" {
		f[name] = value
	}
}

// Since is what changed, as a JSON merge patch.
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

// mapSince is the patch of a map: a key that is gone is null.
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

// word is an enumeration's value as the format spells it.
func word(value interface{ String() string }) string {
	return strings.ToLower(value.String())
}

// image is what the task runs, "" for what is no container.
func image(t *api.TaskSpec) string {
	if c := t.GetContainer(); c != nil {
		return c.Image
	}
	return ""
}
