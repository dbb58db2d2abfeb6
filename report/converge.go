package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tracecheck/postmortem/converge"
)

// Converge writes the result for a person: the decision, the reason, and
// the state of each service.
func Converge(w io.Writer, r *converge.Result, color bool) error {
	out := bufio.NewWriter(w)
	head := strings.ToUpper(string(r.Verdict))
	if r.Cause != "" {
		head += "  " + string(r.Cause)
	}
	if color {
		code := map[converge.Verdict]string{converge.Converged: "32", converge.NotConverged: "31"}[r.Verdict]
		if code == "" {
			code = "33"
		}
		head = "\x1b[1;" + code + "m" + head + "\x1b[0m"
	}
	if r.At != nil {
		head += "  at " + Clean(r.At.String())
	}
	fmt.Fprintln(out, head)
	fmt.Fprintln(out, Clean(r.Reason))
	for i := range r.Services {
		convergeService(out, &r.Services[i])
	}
	return out.Flush()
}

func convergeService(out io.Writer, s *converge.Service) {
	unit := "running"
	if strings.HasSuffix(s.Mode, "-job") {
		unit = "complete"
	}
	line := fmt.Sprintf("service %s: %d of %d %s", s.Name, s.Running, s.Wanted, unit)
	if s.ID == "" {
		line = fmt.Sprintf("service %s: not seen", s.Name)
	}
	if s.Converged {
		line += ", requested since " + s.Since.String()
	}
	if s.UpdateState != "" {
		line += ", update " + s.UpdateState
	}
	if s.Failures > 0 {
		line += fmt.Sprintf(", %d ended by themselves", s.Failures)
	}
	fmt.Fprintf(out, "\n%s\n", Clean(line))
	for i := range s.Waiting {
		fmt.Fprintf(out, "  %s\n", Clean(openEnd(&s.Waiting[i])))
	}
}

// openEnd is a line with an object, its state, and what it waits for.
func openEnd(w *converge.Waiting) string {
	var what []string
	if w.Task != "" {
		what = append(what, "task "+w.Task)
	}
	if w.Slot != 0 {
		what = append(what, fmt.Sprint("slot ", w.Slot))
	}
	if w.Node != "" {
		what = append(what, "node "+w.Node)
	}
	text := strings.Join(what, ", ")
	if text != "" {
		text += ": "
	}
	text += w.Why
	if w.State != "" {
		text += fmt.Sprintf("; %s, wanted %s", w.State, w.Desired)
	}
	if w.Since != nil {
		text += ", since " + w.Since.String()
	}
	if w.Action != "" {
		text += "; waits for " + w.Action
	}
	for _, words := range []string{w.Err, w.Message} {
		if words != "" {
			text += "; " + strconv.Quote(words)
		}
	}
	return text
}
