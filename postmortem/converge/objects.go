package converge

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// The objects, with the fields that decisions need. A missing field is the zero value. The
// objects own their strings, since lines are not kept.

type service struct {
	name, mode, image          string
	replicas                   int64
	global                     bool // replicas is "global"
	remove                     bool
	spec, iteration            version
	updateState, updateMessage string
	constraints                []string
	ports                      []port // that it asks for
	maxAttempts                int64
	changed                    time.Time // its spec or iteration, last
	updateSince                time.Time // of updateState
}

// version is a number that may be missing.
type version struct {
	number int64
	known  bool
}

// differs reports whether both are known and different.
func (v version) differs(w version) bool { return v.known && w.known && v.number != w.number }

type task struct {
	id, service, node, image string
	slot                     int64 // 0: one per node
	state, desired           string
	err, message             string
	spec, iteration          version
	since                    time.Time // of its state and desired state
	errSince                 time.Time // since when err is set
}

type node struct {
	status, availability, role string
	labels                     map[string]string
}

type port struct {
	protocol, mode string
	published      int64
}

func (s *service) isJob() bool { return strings.HasSuffix(s.mode, "-job") }

func (s *service) isGlobal() bool { return s.global || s.mode == "global" || s.mode == "global-job" }

// rank is the order of the states, from 1.
var rank = map[string]int{
	"new": 1, "pending": 2, "assigned": 3, "accepted": 4, "preparing": 5, "ready": 6, "starting": 7,
	"running": 8, "complete": 9, "shutdown": 10, "failed": 11, "rejected": 12, "orphaned": 13,
}

func (t *task) runnable() bool { return rank[t.state] > 0 && rank[t.state] <= rank["running"] }

func (t *task) running() bool { return t.state == "running" }

func (t *task) wanted() bool { return t.desired != "shutdown" && t.desired != "remove" }

// vslot is the place of a task: a slot or, with one task per node, the node.
type vslot struct {
	number int64
	node   string
}

func (t *task) vslot() vslot {
	if t.slot != 0 {
		return vslot{number: t.slot}
	}
	return vslot{node: t.node}
}

// The fields that are read, by name. null removes a field.
var (
	serviceFields = fields[service]{
		"name":           func(s *service, v value) { s.name = text(v) },
		"mode":           func(s *service, v value) { s.mode = text(v) },
		"image":          func(s *service, v value) { s.image = text(v) },
		"replicas":       func(s *service, v value) { s.replicas, s.global = v.Int(), v.Type == gjson.String && v.Str == "global" },
		"remove":         func(s *service, v value) { s.remove = v.Bool() },
		"spec_version":   func(s *service, v value) { s.spec = number(v) },
		"job_iteration":  func(s *service, v value) { s.iteration = number(v) },
		"update_state":   func(s *service, v value) { s.updateState = text(v) },
		"update_message": func(s *service, v value) { s.updateMessage = text(v) },
		"max_attempts":   func(s *service, v value) { s.maxAttempts = v.Int() },
		"constraints":    func(s *service, v value) { s.constraints = texts(v) },
		"spec_ports":     func(s *service, v value) { s.ports = ports(v) },
	}
	taskFields = fields[task]{
		"service":       func(t *task, v value) { t.service = text(v) },
		"slot":          func(t *task, v value) { t.slot = v.Int() },
		"node":          func(t *task, v value) { t.node = text(v) },
		"image":         func(t *task, v value) { t.image = text(v) },
		"state":         func(t *task, v value) { t.state = text(v) },
		"desired_state": func(t *task, v value) { t.desired = text(v) },
		"err":           func(t *task, v value) { t.err = text(v) },
		"message":       func(t *task, v value) { t.message = text(v) },
		"spec_version":  func(t *task, v value) { t.spec = number(v) },
		"job_iteration": func(t *task, v value) { t.iteration = number(v) },
	}
	nodeFields = fields[node]{
		"availability": func(n *node, v value) { n.availability = text(v) },
		"role":         func(n *node, v value) { n.role = text(v) },
		"labels":       func(n *node, v value) { n.labels = merged(n.labels, v) },
	}
)

// patchStatus uses the state, up or down, for a node without a status.
func (n *node) patchStatus(ev *trace.Event) {
	object := ev.Object()
	switch state, status := text(object.Get("state")), text(object.Get("status")); {
	case status != "":
		n.status = status
	case state == "up":
		n.status = "ready"
	case state != "":
		n.status = state
	}
}
