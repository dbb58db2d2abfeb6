package foreign

import "github.com/tidwall/gjson"

// jsonLog is a well-known log in JSON.
type jsonLog struct {
	name  string
	has   []string // paths of the members that identify it
	split string   // the jq filter, if a line has many records
	rules string   // its built-in rules
	also  string   // another way to a trace
}

func (l *jsonLog) is(v gjson.Result) bool {
	for _, path := range l.has {
		if !v.Get(path).Exists() {
			return false
		}
	}
	return true
}

const recordSwarm = ". To judge a Docker swarm, record it instead: `tracecheck record -o swarm.jsonl` on a manager"

// jsonLogs are tried in this order.
var jsonLogs = []jsonLog{
	{name: "OTLP with traces", has: []string{"resourceSpans"}, split: ".resourceSpans[].scopeSpans[].spans[]"},
	{name: "OTLP with logs", has: []string{"resourceLogs"}, split: ".resourceLogs[].scopeLogs[].logRecords[]"},
	{name: "OTLP with metrics", has: []string{"resourceMetrics"}, split: ".resourceMetrics[].scopeMetrics[].metrics[]"},
	{name: "a list of Kubernetes objects", has: []string{"apiVersion", "items"}, split: ".items[]"},
	{name: "CloudTrail's log", has: []string{"Records.0.eventSource"}, split: ".Records[]"},
	{name: "an event of `docker events`", has: []string{"Type", "Action", "Actor"}, rules: "docker-events", also: recordSwarm},
	{name: "an entry of Docker's json-file log", has: []string{"log", "stream", "time"}},
	{name: "an entry of journald (journalctl -o json)", has: []string{"__REALTIME_TIMESTAMP"}},
	{name: "a Kubernetes audit event", has: []string{"auditID", "stage"}, rules: "k8s-audit"},
	{name: "an event of a Kubernetes watch", has: []string{"type", "object.apiVersion"}},
	{name: "a Kubernetes object", has: []string{"apiVersion", "metadata"}},
}
