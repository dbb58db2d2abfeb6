package bind

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/trace"
)

// Lines that wait take bounded memory: where it is used up, the first of them is named.
func TestOrderIsBounded(t *testing.T) {
	b := loaded(t, lockModule+"event: e.event\norder: {clock: e.vc, node: e.node}\n", "", Options{})
	o := b.Order()
	o.most = 100 * heldBytes
	var log strings.Builder
	for i := range 200 {
		fmt.Fprintf(&log, `{"event":"x","node":1,"vc":{"1":%d,"2":1}}`+"\n", i+1)
	}
	out := 0
	err := o.Each(events(t, b, log.String()), func(list []trace.Event) error {
		out += len(list)
		return nil
	})
	if err == nil || out > 0 || !strings.Contains(err.Error(), "log:1") || !strings.Contains(err.Error(), "after time 1 of node 2") {
		t.Errorf("%d lines are out, %v", out, err)
	}
	if o.held > o.most+2*heldBytes {
		t.Errorf("%d bytes wait, want at most about %d", o.held, o.most)
	}
}

// The order is that of the log where the clocks leave it open, also for lines that come
// later than those they are before; nothing is held at the end. Cut anywhere, it is the same.
func TestOrder(t *testing.T) {
	const log = `{"id":"c1","node":"c","vc":{"a":2,"c":1}}
{"id":"b1","node":"b","vc":{"a":1,"b":1}}
{"id":"a1","node":"a","vc":{"a":1}}
{"id":"b2","node":"b","vc":{"a":1,"b":2}}
{"id":"a2","node":"a","vc":{"a":2}}
{"id":"c2","node":"c","vc":{"a":2,"b":2,"c":2}}`
	const want = "a1 b1 b2 a2 c1 c2"
	b := loaded(t, lockModule+"event: e.event\norder: {clock: e.vc, node: e.node}\n", "", Options{})
	all := events(t, b, log)
	for cut := range all {
		o := b.Order()
		var got []string
		do := func(list []trace.Event) error {
			for i := range list {
				got = append(got, list[i].Raw[7:9])
			}
			return nil
		}
		for _, part := range [][]trace.Event{all[:cut], all[cut:]} {
			if err := o.Each(part, do); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.End(); err != nil || o.held != 0 || strings.Join(got, " ") != want {
			t.Errorf("cut at %d: %v, %v, %d bytes wait; want %s", cut, got, err, o.held, want)
		}
	}
}
