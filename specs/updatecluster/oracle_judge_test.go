package updatecluster_test

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"tracecheck/specs/internal/oracle"
)

type verdict = oracle.Verdict

// judging follows one stream.
type judging struct {
	batched  bool
	possible stateSet
	logs     bool            // some line has given queued
	shown    map[string]bool // requests
	open     map[string]bool // requests of which no line says whether they are in the queue
	cluster  bool            // shown
	lastSet  bool            // some line has given last_submitted
	cap      int             // states that a batched search may visit
}

// judge reads a trace of one stream.
func judge(lines []string, searchCap int) verdict {
	j := judging{possible: stateSet{}, shown: map[string]bool{}, open: map[string]bool{}, cap: searchCap}
	j.possible.add(oracleInit(true))
	j.possible.add(oracleInit(false))
	return oracle.Judge(lines, func(about map[string]any) { j.batched = about["steps"] == "batched" }, j.step)
}

// recorded is what the lines of a step say of the new state: patches of the
// old one. "queued" is there only where it is logged.
type recorded struct {
	requests map[string]map[string]any
	cluster  map[string]any
	badValue bool
	badOp    bool
	free     map[string]bool // requests whose membership after the step no line says
	inferred map[string]bool // of these: in a stream that has logged none up to the request's last line
	claims   []claim
	largest  int // rank that some line gives
}

type claim struct{ object, action string }

func (j *judging) read(run []oracle.Event) recorded {
	rec := recorded{requests: map[string]map[string]any{}, free: maps.Clone(j.open), inferred: map[string]bool{}, largest: null}
	for _, e := range run {
		if !slices.Contains([]string{"request", "cluster"}, e.Kind) {
			continue
		}
		if e.Op == "reject" {
			if e.Action != "" && !slices.Contains(oracleActions, e.Action) {
				rec.claims = append(rec.claims, claim{"", e.Action})
			}
			continue
		}
		fields := maps.Clone(e.Object)
		if fields == nil {
			fields = map[string]any{}
		}
		if e.Action != "" {
			rec.claims = append(rec.claims, claim{e.Kind + e.ID, e.Action})
		}
		if e.Op == "delete" {
			rec.badOp = true
			continue
		}
		whole := e.Op == "create" || e.Op == "snapshot"
		if e.Kind == "cluster" {
			rec.badOp = rec.badOp || e.Op == "create" && j.cluster
			j.cluster = true
			if rec.cluster == nil {
				rec.cluster = map[string]any{}
			}
			if whole {
				for name, v := range map[string]any{"request": nil, "complete": "left out"} {
					if _, ok := fields[name]; !ok {
						fields[name] = v
					}
				}
			}
			rec.check(e.Kind, fields)
			maps.Copy(rec.cluster, fields)
			continue
		}
		rec.badOp = rec.badOp || e.Op == "create" && j.shown[e.ID]
		j.shown[e.ID] = true
		if rec.requests[e.ID] == nil || whole {
			rec.requests[e.ID] = map[string]any{}
		}
		r := rec.requests[e.ID]
		if whole {
			for name, v := range map[string]any{"status": "left out", "rank": nil} {
				if _, ok := fields[name]; !ok {
					fields[name] = v
				}
			}
		}
		j.readQueued(&rec, e, fields)
		rec.check(e.Kind, fields)
		maps.Copy(r, fields)
		if f, ok := fields["rank"].(float64); ok {
			rec.largest = max(rec.largest, int(f))
		}
	}
	rec.drop()
	return rec
}

// readQueued puts into the fields what the line says of queued, and notes where
// it says nothing.
func (j *judging) readQueued(rec *recorded, e oracle.Event, fields map[string]any) {
	q, given := fields["queued"]
	j.logs = j.logs || q != nil
	rec.inferred[e.ID] = !j.logs
	switch {
	case !j.logs: // a null, too, says nothing
		delete(fields, "queued")
		rec.free[e.ID] = true
		return
	case given && q == nil || !given && e.Op == "create":
		fields["queued"] = false
	case !given && e.Op == "snapshot":
		rec.free[e.ID] = true
		return
	case !given && rec.free[e.ID] && j.status(rec, e.ID) != "valid":
		fields["queued"] = false // as was inferred, and stays so
	case !given:
		return
	}
	rec.free[e.ID] = false
}

// status is the request's, as the step's lines have it so far.
func (j *judging) status(rec *recorded, id string) any {
	if s, has := rec.requests[id]["status"]; has {
		return s
	}
	return j.possible.sorted()[0].requests[id].status
}

// types says what each field may be.
var types = map[string]map[string][]string{
	"request": {"status": {"status"}, "rank": {"int", "null"}, "queued": {"bool", "null"}},
	"cluster": {
		"request": {"string", "status", "null"}, "complete": {"bool"},
		"last_submitted": {"int", "null"}, "conf_ok": {"bool", "null"},
	},
}

func (rec *recorded) check(kind string, fields map[string]any) {
	for name, v := range fields {
		t := "other"
		switch v := v.(type) {
		case nil:
			t = "null"
		case bool:
			t = "bool"
		case string:
			t = "string"
			if slices.Contains(statuses, v) {
				t = "status"
			}
		case float64:
			if v == math.Trunc(v) {
				t = "int"
			}
		}
		if want, known := types[kind][name]; known && !slices.Contains(want, t) {
			rec.badValue = true
		}
	}
}

// drop takes out the nulls that mean "not logged".
func (rec *recorded) drop() {
	unlogged := func(name string, v any) bool {
		return v == nil && slices.Contains([]string{"queued", "last_submitted", "conf_ok"}, name)
	}
	for _, r := range rec.requests {
		maps.DeleteFunc(r, unlogged)
	}
	maps.DeleteFunc(rec.cluster, unlogged)
}

// inferred is the possible states, with each membership of queue that no line
// says as the status allows: a valid request may have been pushed.
func (j *judging) inferred() stateSet {
	set := stateSet{}
	var each func(s oracleState, ids []string)
	each = func(s oracleState, ids []string) {
		if len(ids) == 0 {
			set.add(s)
			return
		}
		id, rest := ids[0], ids[1:]
		r := s.requests[id]
		if !j.open[id] {
			each(s, rest)
			return
		}
		for _, queued := range []bool{false, true} {
			if !queued || r.status == "valid" {
				t := s.clone()
				r.queued = queued
				t.requests[id] = r
				each(t, rest)
			}
		}
	}
	for _, s := range j.possible.sorted() {
		each(s, s.ids())
	}
	return set
}

func (r *oracleRequest) patch(fields map[string]any) {
	if v, ok := fields["status"]; ok {
		r.status = v.(string)
	}
	if v, ok := fields["rank"]; ok {
		r.rank = null
		if f, ok := v.(float64); ok {
			r.rank = int(f)
		}
	}
	if v, ok := fields["queued"]; ok {
		r.queued = v.(bool)
	}
}

func (s *oracleState) patchCluster(fields map[string]any) {
	if v, ok := fields["request"]; ok {
		s.request = "-"
		if text, ok := v.(string); ok {
			s.request = text
		}
	}
	if v, ok := fields["complete"]; ok {
		s.complete = v.(bool)
	}
	if v, ok := fields["last_submitted"]; ok {
		s.last = int(v.(float64))
	}
	if v, ok := fields["conf_ok"]; ok {
		s.conf = v.(bool)
	}
}

// matches says that the state is what the record says the new one is; base is
// the old recorded one.
func (j *judging) matches(s, base oracleState, rec recorded) bool {
	want := base.clone()
	for id, fields := range rec.requests {
		r := want.requests[id]
		r.patch(fields)
		want.requests[id] = r
	}
	want.last, want.conf = s.last, s.conf // but where they are logged
	want.patchCluster(rec.cluster)
	for id, r := range want.requests {
		if rec.free[id] {
			r.queued = s.requests[id].queued
			want.requests[id] = r
		}
	}
	return want.key() == s.key()
}

func unmarshal(line string, e *oracle.Event) error { return json.Unmarshal([]byte(line), e) }
