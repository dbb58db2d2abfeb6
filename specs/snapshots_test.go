package specs_test

import (
	"fmt"
	"runtime"
	"testing"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// A stream of a system where nothing happens shows the same objects again and
// again. However often, memory does not grow with it.
func TestSnapshotsAgain(t *testing.T) {
	const objects = 20
	line := map[trace.Kind]string{ // some break an invariant
		trace.KindNode:      `{"state":"up"}`,
		trace.KindService:   `{"replicas":1,"remove":false}`,
		trace.KindTask:      `{"service":"x0","slot":1,"node":"","state":"running","desired_state":"running"}`,
		trace.KindContainer: `{"state":"running"}`,
		trace.KindEndpoint:  `{"spec":[{"protocol":"tcp","port":80}],"ports":[]}`,
		trace.KindAllocator: `{"allocated":[]}`,
		trace.KindRequest:   `{"status":"Partial","queued":false,"rank":1}`,
		trace.KindCluster:   `{"last_submitted":1,"conf_ok":true}`,
		trace.KindNamespace: `{"clusters":{"a":"Sync","b":"Sync"}}`,
		trace.KindPVC:       `{"namespace":"x%d","clusters":{"a":"Sync","b":"Sync"}}`,
		trace.KindSyncer:    `{"namespace":"x%d","pvc_state":"Bound"}`,
	}
	var kinds [][]trace.Kind
	for _, s := range specs.All() {
		kinds = append(kinds, s.Kinds)
	}
	for i, spec := range specs.All() {
		for _, profile := range []string{validators.ProfileSpec, validators.ProfileMoby} {
			t.Run(spec.Name+" "+profile, func(t *testing.T) {
				run, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{spec.Name}, Profile: profile})
				if err != nil {
					t.Fatal(err)
				}
				var d trace.Decoder
				at := 0
				show := func(times int) uint64 {
					for n := range times {
						for _, kind := range kinds[i] {
							for id := range objects {
								object := line[kind]
								if object == "" {
									t.Fatalf("no %s line", kind)
								}
								if kind == trace.KindPVC || kind == trace.KindSyncer {
									object = fmt.Sprintf(object, (id+n)%objects)
								}
								at++
								d.Reset()
								var ev trace.Event
								raw := fmt.Appendf(nil, `{"kind":%q,"op":"snapshot","id":"x%d","object":%s}`, kind.String(), id, object)
								if err := d.Decode(raw, trace.Pos{File: "f", Line: at}, &ev); err != nil {
									t.Fatal(err)
								}
								if err := run.Push([]trace.Event{ev}); err != nil {
									t.Fatal(err)
								}
							}
						}
					}
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					return m.HeapAlloc
				}
				before := show(50)
				after := show(2000)
				const most = 100 << 10
				if after > before+most {
					t.Errorf("%d kB are held after 50 rounds, and %d kB after 2050", before>>10, after>>10)
				}
				if result := run.Finish(); result.Events != at || result.Verdict == validators.Conforming {
					t.Errorf("%d events of %d, %s", result.Events, at, result.Verdict)
				}
			})
		}
	}
}
