package report

import (
	"encoding/json"
	"strings"

	"tracecheck/trace"
)

// stands is the status of an object of a kind that has none.
const stands = "stands"

// statusAfter is the object's status after an event: what its state, status or
// pvc_state says.
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
		return stands
	}
	return was
}

// slotSeparator stands between a service and a slot.
const slotSeparator = " / "

// groupOf is what an object belongs to, as far as the fields say it.
func groupOf(kind trace.Kind, fields []field) string {
	switch kind {
	case trace.KindTask:
		service, slot := unquoted(named(fields, "service")), unquoted(named(fields, "slot"))
		if service == "" {
			return ""
		}
		if slot == "global" {
			slot = unquoted(named(fields, "node"))
		}
		return clean(service) + slotSeparator + clean(slot)
	case trace.KindContainer:
		return clean(unquoted(named(fields, "node")))
	case trace.KindPVC, trace.KindSyncer:
		return clean(unquoted(named(fields, "namespace")))
	}
	return ""
}

// named is the field's raw value, "" where there is none.
func named(fields []field, name string) string {
	for i := range fields {
		if fields[i].name == name {
			return fields[i].after
		}
	}
	return ""
}

// unquoted is a JSON string's text, and any other value as it stands.
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
