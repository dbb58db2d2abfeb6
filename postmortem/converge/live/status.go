package live

import (
	"fmt"
	"strings"

	"tracecheck/postmortem/converge"
	"tracecheck/report"
)

// status is the state of the services, for a line of a terminal; "" once there is a result.
func status(gate *converge.Gate) string {
	if gate.Result() != nil {
		return ""
	}
	var parts []string
	for _, one := range gate.Progress() {
		state := ""
		if one.Converged {
			state = " since " + one.Since.Local().Format("15:04:05")
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d%s", report.Clean(one.Name), one.Running, one.Wanted, state))
	}
	return "waiting: " + strings.Join(parts, ", ")
}
