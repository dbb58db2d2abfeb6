package specs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// large is a stream of very many objects: of how many lines, and which.
var large = map[string]func(n int, line func(format string, args ...any)){
	"swarmkit": func(n int, line func(format string, args ...any)) {
		line(`{"kind":"service","op":"snapshot","id":"s","object":{"replicas":%d,"remove":false}}`, n)
		manyTasks(n, "preparing", line)
		line(`{"kind":"task","op":"update","id":"t1","object":{"state":"ready"}}`)
		line(`{"kind":"task","op":"update","id":"t1","object":{"state":"starting"}}`)
	},
	"workerimpl": func(n int, line func(format string, args ...any)) {
		manyTasks(n, "running", line)
		for i := range n {
			line(`{"kind":"container","op":"snapshot","id":"t%d","object":{"node":"n%d","state":"terminating"}}`, i, i%1000)
		}
		line(`{"kind":"container","op":"update","id":"t1","object":{"state":"complete"}}`)
		line(`{"kind":"container","op":"update","id":"t2","object":{"state":"complete"}}`)
	},
	"portallocator": func(n int, line func(format string, args ...any)) {
		endpoint := func(op string, i int, name string) {
			port := fmt.Sprintf(`[{"name":%q,"protocol":"tcp","mode":"host","published_port":%d}]`, name, 1+i%60000)
			if i < 60000 {
				port = fmt.Sprintf(`[{"name":%q,"protocol":"udp","mode":"ingress","published_port":%d}]`, name, 1+i)
			}
			line(`{"kind":"endpoint","op":%q,"id":"e%d","object":{"spec":%s,"ports":%s}}`, op, i, port, port)
		}
		for i := range n {
			endpoint("snapshot", i, fmt.Sprint("p", i%100))
		}
		endpoint("update", 1, "other")
		endpoint("update", n-1, "other")
	},
	"updatecluster": func(n int, line func(format string, args ...any)) {
		line(`{"kind":"cluster","op":"snapshot","object":{"request":null,"complete":true,"conf_ok":true,"last_submitted":%d}}`, n)
		for i := range n {
			line(`{"kind":"request","op":"snapshot","id":"r%d","object":{"status":"valid","rank":%d,"queued":true}}`, i, i)
		}
		line(`{"kind":"request","op":"update","id":"r1","object":{"status":"processing","queued":false}}`)
		line(`{"kind":"request","op":"update","id":"r2","object":{"status":"processing","queued":false}}`)
	},
	"kcpstorage": func(n int, line func(format string, args ...any)) {
		for i := range n / 2 {
			line(`{"kind":"namespace","op":"snapshot","id":"ns%d","object":{"clusters":{"c%d":"Sync"}}}`, i, i%3)
			line(`{"kind":"pvc","op":"snapshot","id":"disk%d","object":{"namespace":"ns%d","clusters":{"c%d":"Sync"}}}`, i, i, i%3)
		}
		line(`{"kind":"syncer","op":"snapshot","id":"c1","object":{"namespace":"ns1","pvc_state":"Sync"}}`)
		line(`{"kind":"namespace","op":"update","id":"ns1","object":{"clusters":{}}}`)
		line(`{"kind":"pvc","op":"update","id":"disk1","object":{"namespace":"ns1","clusters":{}}}`)
	},
}

func manyTasks(n int, state string, line func(format string, args ...any)) {
	for i := range 1000 {
		line(`{"kind":"node","op":"snapshot","id":"n%d","object":{"state":"up"}}`, i)
	}
	for i := range n {
		line(`{"kind":"task","op":"snapshot","id":"t%d","object":{"service":"s","slot":%d,"node":"n%d","state":%q,"desired_state":"running"}}`, i, i+1, i%1000, state)
	}
}

// BenchmarkSaveLarge: the longest time for which judging stops while a large
// stream is saved does not follow its size. Steps are judged between the shares.
func BenchmarkSaveLarge(b *testing.B) {
	for _, spec := range specs.All() {
		for _, n := range []int{300_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", spec.Name, n), func(b *testing.B) {
				r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{spec.Name}, KeepGoing: true, Recover: true})
				if err != nil {
					b.Fatal(err)
				}
				var steps []trace.Event
				var d trace.Decoder
				lines := 0
				large[spec.Name](n, func(format string, args ...any) {
					var ev trace.Event
					lines++
					if err := d.Decode(fmt.Appendf(nil, format, args...), trace.Pos{File: "f", Line: lines}, &ev); err != nil {
						b.Fatal(err)
					}
					if ev.Op != trace.OpSnapshot {
						steps = append(steps, ev)
					} else if err := r.Push([]trace.Event{ev}); err != nil {
						b.Fatal(err)
					}
				})
				if found, troubles := r.Take(); len(found)+len(troubles) > 0 {
					b.Fatal(found, troubles)
				}
				if err := r.Push(steps[:1]); err != nil {
					b.Fatal(err)
				}
				var stops []time.Duration // the longest of each saving
				size := 0
				for b.Loop() {
					var longest time.Duration
					stop := func(f func()) {
						start := time.Now()
						f()
						longest = max(longest, time.Since(start))
					}
					var s *validators.Saving
					stop(func() { s = r.BeginSave(true) })
					for done := false; !done; {
						var saved validators.State
						stop(func() {
							done = s.Share(10*time.Millisecond, func(_ string, state validators.State) { saved = state })
						})
						size = len(saved.Bytes())
						if err := r.Push(steps[1:]); err != nil {
							b.Fatal(err)
						}
					}
					alone, _ := s.Waits()
					stops = append(stops, max(longest, alone))
				}
				slices.Sort(stops)
				b.ReportMetric(float64(stops[0].Microseconds())/1000, "ms-stop-least")
				b.ReportMetric(float64(stops[len(stops)/2].Microseconds())/1000, "ms-stop-median")
				b.ReportMetric(float64(size)/float64(n), "B/object")
			})
		}
	}
}
