package specs_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/kinds"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// shows is what a snapshot shows of an object of the kind; some break an
// invariant, and PVCs and syncers are in the next namespace every second round.
var shows = map[trace.Kind]string{
	kinds.Node:      `{"state":"up"}`,
	kinds.Service:   `{"replicas":1,"remove":false}`,
	kinds.Task:      `{"service":"x0","slot":1,"node":"","state":"running","desired_state":"running"}`,
	kinds.Container: `{"state":"running"}`,
	kinds.Endpoint:  `{"spec":[{"protocol":"tcp","port":80}],"ports":[]}`,
	kinds.Allocator: `{"allocated":[]}`,
	kinds.Request:   `{"status":"Partial","queued":false,"rank":1}`,
	kinds.Cluster:   `{"last_submitted":1,"conf_ok":true}`,
	kinds.Namespace: `{"clusters":{"a":"Sync","b":"Sync"}}`,
	kinds.PVC:       `{"namespace":"x%d","clusters":{"a":"Sync","b":"Sync"}}`,
	kinds.Syncer:    `{"namespace":"x%d","pvc_state":"Bound"}`,
}

// shown is how many objects of each kind a round shows.
const shown = 20

// quiet is a stream where nothing happens: each round shows the same objects, the
// first one as many others, too.
type quiet struct {
	spec *validators.Spec
	run  *validators.Runner
	line int
}

func newQuiet(t *testing.T, spec *validators.Spec, profile string) *quiet {
	t.Helper()
	run, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{spec.Name}, Profile: profile, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	return &quiet{spec: spec, run: run}
}

// show shows the objects so many times, and returns the bytes in use.
func (q *quiet) show(t *testing.T, times int) uint64 {
	t.Helper()
	var d trace.Decoder
	objects := shown
	if q.line == 0 {
		objects *= 2
	}
	for round := range times {
		for _, kind := range q.spec.Kinds {
			for id := range objects {
				object := shows[kind]
				if object == "" {
					t.Fatalf("no %s line", kind)
				}
				if kind == kinds.PVC || kind == kinds.Syncer {
					object = fmt.Sprintf(object, (id+round%2)%shown)
				}
				q.line++
				d.Reset()
				var ev trace.Event
				raw := fmt.Appendf(nil, `{"kind":%q,"op":"snapshot","id":"x%d","object":%s}`, kind.String(), id, object)
				if err := d.Decode(raw, trace.Pos{File: "f", Line: q.line}, &ev); err != nil {
					t.Fatal(err)
				}
				if err := q.run.Push([]trace.Event{ev}); err != nil {
					t.Fatal(err)
				}
			}
		}
		objects = shown
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// found is what the end of the stream says, but for the lines, and how much
// that is.
func (q *quiet) found(t *testing.T) (text string, n int) {
	t.Helper()
	result := q.run.Finish()
	for _, v := range result.Violations {
		text, n = text+v.Rule+"\n", n+1
	}
	for _, l := range result.Liveness {
		l.SinceLine, l.SinceFile = 0, ""
		for i := range l.Waiting {
			l.Waiting[i].SinceLine = 0
		}
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		text, n = text+string(raw)+"\n", n+l.Open
	}
	return text, n
}

// However often the same is shown, memory does not grow with it, and what it
// says in the end is what it says at first.
func TestSnapshotsAgain(t *testing.T) {
	for _, spec := range specs.All() {
		for _, profile := range []string{validators.ProfileSpec, swarm.Moby} {
			t.Run(spec.Name+" "+profile, func(t *testing.T) {
				rounds := exhaustive.Or(400, 2000)
				few, many := newQuiet(t, spec, profile), newQuiet(t, spec, profile)
				few.show(t, 2)
				before := many.show(t, 40)
				after := many.show(t, rounds)
				const most = 100 << 10
				if after > before+most {
					t.Errorf("%d kB are held after 40 rounds, and %d kB after %d more", before>>10, after>>10, rounds)
				}
				want, n := few.found(t)
				if got, _ := many.found(t); got != want {
					t.Errorf("after %d rounds\n%s\nafter two\n%s", 40+rounds, got, want)
				}
				if n == 0 {
					t.Error("there is nothing to find")
				}
			})
		}
	}
}
