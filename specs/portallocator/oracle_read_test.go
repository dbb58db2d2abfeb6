package portallocator_test

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tracecheck/specs/internal/oracle"
)

// read makes runs of a trace's lines: each is one step, or one run of
// snapshots.
func read(lines []string, searchCap int) (*judging, [][]oracle.Event) {
	j := &judging{model: oModel{[]string{"tcp", "udp", "sctp"}, 30000, 32767}, state: newOState(), cap: searchCap}
	var runs [][]oracle.Event
	oracle.Steps(lines, j.meta, func(run []oracle.Event) bool {
		runs = append(runs, run)
		return true
	})
	return j, runs
}

// readPorts reads an array of ports; false where a field is not of its shape.
func readPorts(v any) ([]oPort, bool) {
	entries, ok := v.([]any)
	ports := []oPort{}
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		name, ok1 := fields["name"].(string)
		protocol, ok2 := fields["protocol"].(string)
		mode, ok3 := fields["mode"].(string)
		number, ok4 := fields["published_port"].(float64)
		ok = ok && ok1 && ok2 && ok3 && ok4 && number == math.Trunc(number)
		ports = append(ports, oPort{name, protocol, mode, int(number)})
	}
	return ports, ok
}

func readAllocated(m oModel, v any) (set, bool) {
	entries, ok := v.([]any)
	addrs := set{}
	for _, entry := range entries {
		text, isString := entry.(string)
		protocol, number, found := strings.Cut(text, "/")
		n, err := strconv.Atoi(number)
		ok = ok && isString && found && err == nil && slices.Contains(m.protocols, protocol) && 1 <= n && n <= 65535
		addrs[text] = true
	}
	return addrs, ok
}

func (j *judging) meta(object map[string]any) {
	j.batched = object["steps"] == "batched"
	constants, _ := object["constants"].(map[string]any)
	if bounds, ok := constants["dynamic_ports"].([]any); ok {
		j.model.first, j.model.last = int(bounds[0].(float64)), int(bounds[1].(float64))
	}
	if names, ok := constants["protocols"].([]any); ok {
		j.model.protocols = nil
		for _, n := range names {
			j.model.protocols = append(j.model.protocols, n.(string))
		}
	}
}
