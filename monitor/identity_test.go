package monitor_test

import (
	"context"
	"strings"
	"testing"

	"tracecheck/monitor"
)

// placed is a part that knows what it is of.
type placed struct {
	*listed
	id monitor.Identity
}

func (p placed) Identity() monitor.Identity { return p.id }

// only is a source of one part.
type only struct{ part monitor.Part }

func (s only) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	return judge(ctx, s.part)
}

// A checkpoint of another cluster, or of a topic that was since created again, is
// not gone on from. What is not known fits anything, and is completed.
func TestCheckpointOfAnother(t *testing.T) {
	west, old := monitor.Identity{Cluster: "west", Topic: "1"}, monitor.Identity{Cluster: "west"}
	for _, c := range []struct {
		made []monitor.Identity
		now  monitor.Identity
		want string // "": it resumes
	}{
		{[]monitor.Identity{west}, west, ""},
		{[]monitor.Identity{{}}, west, ""},
		{[]monitor.Identity{west}, monitor.Identity{}, ""},
		{[]monitor.Identity{old}, west, ""},
		{[]monitor.Identity{west}, monitor.Identity{Cluster: "east", Topic: "1"}, "it belongs to the cluster west, but this is the cluster east"},
		{[]monitor.Identity{west}, monitor.Identity{Cluster: "west", Topic: "2"}, "the topic was deleted and recreated (its id was 1, and is 2 now)"},
		{[]monitor.Identity{west, old}, monitor.Identity{Cluster: "west", Topic: "2"}, "it belongs to another topic of that name"},
		{[]monitor.Identity{{}, west}, monitor.Identity{Cluster: "east"}, "it belongs to the cluster west"},
	} {
		kept := newMemory()
		p := &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "b"), begins("s", "c"), begins("s", "d")}}
		for i, id := range c.made {
			p.stop = i + 1
			start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Source: only{placed{p, id}}}, p).judged().end()
		}
		p.stop = 4
		r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Source: only{placed{p, c.now}}}, p)
		if c.want == "" {
			r.judged().end()
			continue
		}
		if err := <-r.result; err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--start-over") {
			t.Errorf("made of %+v, now %+v: got %v, want %q", c.made, c.now, err, c.want)
		}
		start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Source: only{placed{p, c.now}}, StartOver: true}, p).judged().end()
	}
}
