package updatecluster

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// unexplained is the finding of a step that no action explains.
func (m *machine) unexplained(step *trace.Step, near []validators.Near) validators.Finding {
	line, what := m.subject()
	var text strings.Builder
	fmt.Fprintf(&text, "no action of UpdateCluster explains this step: %s", what)
	if n := len(m.requests); n > 1 {
		fmt.Fprintf(&text, " (one of %d requests that change)", n)
		if !m.batched {
			text.WriteString("; an atomic step is one action: if the recording sums up several, judge it with --steps batched")
		}
	}
	if len(near) > 0 && len(near[0].Failed) > 0 {
		fmt.Fprintf(&text, ". Nearest is %s, but not: %s", near[0].Action, near[0].Failed[0])
		if near[0].Values[0] != "" {
			fmt.Fprintf(&text, " (%s)", near[0].Values[0])
		}
	}
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[line].Pos,
		Message: text.String(), Nearest: near, Changes: m.changes()}
}

// subject is the first object that changes: its line and what happens to it.
func (m *machine) subject() (int, string) {
	if len(m.requests) > 0 {
		c := &m.requests[0]
		return c.line, c.what()
	}
	p, at := &m.pair, max(m.clLine, 0)
	switch {
	case !p.sameCluster():
		return at, fmt.Sprintf("clusterState goes from %s to %s", p.was.cluster, p.cluster)
	case p.badConf || p.badLast:
		return at, "the cluster gets a value outside its type"
	case !p.sameConf():
		return at, fmt.Sprintf("confOK goes from %s to %s", boolean(p.was.conf == yes), boolean(p.conf == yes))
	}
	return at, fmt.Sprintf("lastSubmitted goes from %d to %d", p.was.last, p.last)
}

// what says in words what happens to the request.
func (c *requestChange) what() string {
	var parts []string
	if c.old.status != c.new.status {
		parts = append(parts, fmt.Sprintf("goes from %s to %s", c.old.status, c.new.status))
	}
	if c.old.rankValue != c.new.rankValue {
		parts = append(parts, fmt.Sprintf("gets rank %s after %s", c.new.rankValue, c.old.rankValue))
	}
	switch {
	case c.is == in && c.was == out:
		parts = append(parts, "enters the queue")
	case c.is == out && c.was == in:
		parts = append(parts, "leaves the queue")
	case c.is == in && c.old.status == Valid && c.new.status != Valid:
		parts = append(parts, "stays in the queue")
	case len(parts) == 0:
		parts = append(parts, "gets a value outside its type")
	}
	return fmt.Sprintf("request %s %s", c.id, strings.Join(parts, " and "))
}

// changes lists what the step changes, the cluster first.
func (m *machine) changes() []validators.Change {
	var list []validators.Change
	p := &m.pair
	if !p.sameCluster() {
		list = append(list, validators.Change{Kind: "cluster", Before: encode(p.was.cluster.fields()), After: encode(p.cluster.fields())})
	}
	for i := range m.requests {
		if len(list) == validators.MaxChanges {
			break
		}
		c := &m.requests[i]
		list = append(list, validators.Change{Kind: "request", ID: strings.Clone(c.id), Before: m.s.requestJSON(&c.old), After: m.s.requestJSON(&c.new)})
	}
	return list
}

// What a reader of a report sees of the state, and snapshot lines would say. A
// membership of queue that is inferred is left out.

func (v *requestValue) json() json.RawMessage {
	fields := map[string]any{"status": v.status.String(), "rank": nil}
	if v.set {
		fields["rank"] = v.n
	}
	if v.queue != open && v.bad&badQueuedField == 0 {
		fields["queued"] = v.queue == in
	}
	return encode(fields)
}

func (s *state) requestJSON(v *requestValue) json.RawMessage {
	shown := *v
	if !s.queueLogged {
		shown.queue = open
	}
	return shown.json()
}

func (c *clusterValue) fields() map[string]any {
	fields := map[string]any{"request": nil, "complete": c.complete}
	if c.hasRequest {
		fields["request"] = c.request
	}
	return fields
}

func (s *state) clusterJSON() json.RawMessage {
	fields := s.cluster.fields()
	fields["last_submitted"] = s.last
	if s.conf != unknown {
		fields["conf_ok"] = s.conf == yes
	}
	return encode(fields)
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("updatecluster: strings, numbers and booleans did not encode: " + err.Error())
	}
	return b
}
