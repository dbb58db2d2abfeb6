package report

import (
	"encoding/json"
	"strings"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// exists is the status of an object whose kind has no status.
const exists = "exists"

// statusAfter is the object's status after an event: its state, status or
// pvc_state.
func statusAfter(was string, op trace.Op, fields []field) string {
	if op == trace.OpDelete {
		return ""
	}
	if op == trace.OpReject {
		return was
	}
	for _, name := range [...]string{"state", "status", "pvc_state"} {
		if raw := named(fields, name); raw != "" {
			return clean(unquoted(raw))
		}
	}
	if raw := named(fields, "clusters"); raw != "" {
		return shorten(clean(raw), 40)
	}
	if named(fields, "remove") == "true" {
		return "to be removed"
	}
	if was == "" {
		return exists
	}
	return was
}

// slotSeparator separates a service and a slot.
const slotSeparator = " / "

// groupOf is the object's group, as far as its fields show it.
func groupOf(kind trace.Kind, fields []field) string {
	switch kind {
	case kinds.Task:
		service, slot := unquoted(named(fields, "service")), unquoted(named(fields, "slot"))
		if service == "" {
			return ""
		}
		if slot == "global" {
			slot = unquoted(named(fields, "node"))
		}
		return clean(service) + slotSeparator + clean(slot)
	case kinds.Container:
		return clean(unquoted(named(fields, "node")))
	case kinds.PVC, kinds.Syncer:
		return clean(unquoted(named(fields, "namespace")))
	}
	return ""
}

// named is the field's raw value, or "".
func named(fields []field, name string) string {
	for i := range fields {
		if fields[i].name == name {
			return fields[i].after
		}
	}
	return ""
}

// unquoted is the text of a JSON string, or any other value unchanged.
func unquoted(raw string) string {
	var s string
	if strings.HasPrefix(raw, `"`) && json.Unmarshal([]byte(raw), &s) == nil {
		return s
	}
	return raw
}

func stringOf(object json.RawMessage, name string) string {
	fields, _ := members(object)
	return unquoted(named(fields, name))
}
