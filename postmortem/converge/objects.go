package converge

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// The objects as far as a decision looks at them. A field that was not given
// is the zero value. All strings are their own: lines are read and forgotten.

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

// differs reports whether both are known, and not the same.
func (v version) differs(w version) bool { return v.known && w.known && v.number != w.number }

type task struct {
	id, service, node, image string
	slot                     int64 // 0: one per node
	state, desired           string
	err, message             string
	spec, iteration          version
	since                    time.Time // of its state and desired state
	errSince                 time.Time // of err, whatever it says
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

// rank is the order of the states; 0 is none of them.
var rank = map[string]int{
	"new": 1, "pending": 2, "assigned": 3, "accepted": 4, "preparing": 5, "ready": 6, "starting": 7,
	"running": 8, "complete": 9, "shutdown": 10, "failed": 11, "rejected": 12, "orphaned": 13,
}

func (t *task) runnable() bool { return rank[t.state] > 0 && rank[t.state] <= rank["running"] }

func (t *task) running() bool { return t.state == "running" }

func (t *task) wanted() bool { return t.desired != "shutdown" && t.desired != "remove" }

// vslot is where a task belongs: a slot or, where there is one task per node,
// the node.
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

// patch sets the fields that the event gives: null takes one away.
func (s *service) patch(ev *trace.Event) {
	each(ev, func(name string, v value) {
		switch name {
		case "name":
			s.name = text(v)
		case "mode":
			s.mode = text(v)
		case "image":
			s.image = text(v)
		case "replicas":
			s.replicas, s.global = v.Int(), v.Type == gjson.String && v.Str == "global"
		case "remove":
			s.remove = v.Bool()
		case "spec_version":
			s.spec = number(v)
		case "job_iteration":
			s.iteration = number(v)
		case "update_state":
			s.updateState = text(v)
		case "update_message":
			s.updateMessage = text(v)
		case "max_attempts":
			s.maxAttempts = v.Int()
		case "constraints":
			s.constraints = texts(v)
		case "spec_ports":
			s.ports = ports(v)
		}
	})
}

func (t *task) patch(ev *trace.Event) {
	each(ev, func(name string, v value) {
		switch name {
		case "service":
			t.service = text(v)
		case "slot":
			t.slot = v.Int()
		case "node":
			t.node = text(v)
		case "image":
			t.image = text(v)
		case "state":
			t.state = text(v)
		case "desired_state":
			t.desired = text(v)
		case "err":
			t.err = text(v)
		case "message":
			t.message = text(v)
		case "spec_version":
			t.spec = number(v)
		case "job_iteration":
			t.iteration = number(v)
		}
	})
}

// patch takes the state, up or down, for a node without the finer status.
func (n *node) patch(ev *trace.Event) {
	state, status := "", ""
	each(ev, func(name string, v value) {
		switch name {
		case "state":
			state = text(v)
		case "status":
			status = text(v)
		case "availability":
			n.availability = text(v)
		case "role":
			n.role = text(v)
		case "labels":
			n.labels = merged(n.labels, v)
		}
	})
	switch {
	case status != "":
		n.status = status
	case state == "up":
		n.status = "ready"
	case state != "":
		n.status = state
	}
}
