package sources

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest/swarm"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/monitor"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

type monitorPositions = map[string]monitor.Position

func TestSwarm(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	part := "swarm:" + m.Socket
	core, said := observer.New(zap.InfoLevel)
	source := OpenSwarm(m.Socket, "prod", zap.New(core))
	j := watch(t, source, nil)
	j.wait(part, "2 prod n1")
	m.Commit(swarmtest.Create(swarmtest.Service("s1", 1)), swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)))
	j.wait(part, "4 prod t1")
	j.want(part, "1 prod", "2 prod n1", "3 prod s1", "4 prod t1")
	if j.last.Unit != "events" || j.last.Lag >= 0 {
		t.Errorf("the lag is %d %s", j.last.Lag, j.last.Unit)
	}
	if err := j.stop(); err != nil {
		t.Fatalf("it ended with %v", err)
	}

	// Nothing has changed: it goes on.
	j = watch(t, source, j.next)
	for begin := time.Now(); said.FilterMessageSnippet("resumes").Len() == 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patienceOfTests {
			t.Fatalf("it does not go on: %v", said.All())
		}
	}
	m.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
	j.wait(part, "5 prod s2")
	j.want(part, "5 prod s2")
	if err := j.stop(); err != nil {
		t.Fatalf("it ended with %v", err)
	}

	// It has: a number is left out, and what exists comes again, behind its meta
	// line.
	m.Commit(swarmtest.Remove(swarmtest.Service("s2", 1)))
	j = watch(t, source, j.next)
	j.wait(part, "9 prod t1")
	j.want(part, "6 prod", "7 prod n1", "8 prod s1", "9 prod t1")
}

// A name that is not text makes its line bad, and the rest goes on.
func TestSwarmNamesAreText(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	part := "swarm:" + m.Socket
	j := watch(t, OpenSwarm(m.Socket, "prod", nil), nil)
	j.wait(part, "2 prod n1")
	m.Commit(swarmtest.Create(swarmtest.Service("s\xfe", 1)), swarmtest.Create(swarmtest.Service("s\xff", 1)), swarmtest.Create(swarmtest.Service("s", 1)))
	m.Commit(swarmtest.Create(swarmtest.Task("t", "s\xff", 1, api.TaskStateNew)))
	m.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
	j.wait(part, "7 prod last")
	const half = ` is not text: \udfff is half of a surrogate pair`
	j.want(part, "1 prod", "2 prod n1", `bad 3 ["prod"]: id`+half, `bad 4 ["prod"]: id`+half, "5 prod s",
		`bad 6 ["prod"]: object.service`+half, "7 prod last")
}

// A manager that is not there yet is waited for.
func TestSwarmIsAway(t *testing.T) {
	t.Parallel()
	core, said := observer.New(zap.WarnLevel)
	m := swarmtest.New(t)
	m.Stop()
	source := OpenSwarm(m.Socket, "", zap.New(core))
	source.part.patience = patience{time.Millisecond, 20 * time.Millisecond}
	j := watch(t, source, nil)
	for begin := time.Now(); said.FilterMessageSnippet("retrying").Len() < 2; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patienceOfTests {
			t.Fatalf("it is not tried again: %v", said.All())
		}
	}
	if got := fmt.Sprint(said.All()[0].ContextMap()["error"]); !strings.Contains(got, m.Socket) {
		t.Errorf("the error does not name the socket: %s", got)
	}
	m.Start()
	j.wait("swarm:"+m.Socket, "2 n1")
	if err := j.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestSwarmFails(t *testing.T) {
	m := swarmtest.New(t)
	j := watch(t, OpenSwarm(m.Socket, "", nil), monitorPositions{"swarm:" + m.Socket: "x"})
	j.until("the end", func() bool { return j.over })
	if !errors.Is(j.ended, swarm.ErrPosition) {
		t.Errorf("it ended with %v", j.ended)
	}
	m.Commit(swarmtest.Create(swarmtest.Node("refused", api.NodeStatus_READY)))
	j = watch(t, OpenSwarm(m.Socket, "", nil), nil)
	j.until("the end", func() bool { return j.over })
	if j.ended != errTake {
		t.Errorf("it ended with %v", j.ended)
	}
	if source := OpenSwarm("", "", nil); source.part.Name() != "swarm:"+swarm.DefaultSocket || !filepath.IsAbs(swarm.DefaultSocket) {
		t.Errorf("the part is %s", source.part.Name())
	}
}

// What comes before and after a restart is judged as one stream, gap and all.
func TestSwarmIsJudged(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	runner, err := validators.NewRunner(validators.Options{
		Specs: specs.All(), KeepGoing: true, Recover: true, OnGap: trace.ResyncOnGap,
	})
	if err != nil {
		t.Fatal(err)
	}
	var at monitor.Position
	judged := func(last string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
		defer cancel()
		seen := false
		err := OpenSwarm(m.Socket, "", nil).Run(ctx, func(ctx context.Context, p monitor.Part) error {
			return p.Follow(ctx, at, func(b *monitor.Batch) error {
				at = b.Next
				if err := runner.Push(b.Events); err != nil {
					return err
				}
				if seen = slices.ContainsFunc(b.Events, func(ev trace.Event) bool { return ev.ID == last }); seen {
					cancel()
				}
				return nil
			})
		})
		if err != nil || !seen {
			t.Fatalf("%s was seen: %v; it ended with %v", last, seen, err)
		}
	}
	judged("n1")
	m.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	judged("s1")
	m.Commit(swarmtest.Remove(swarmtest.Service("s1", 1)))
	m.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
	judged("s2")
	found, troubles := runner.Take()
	if len(found) > 0 || len(troubles) > 0 {
		t.Errorf("found %v, troubles %v", found, troubles)
	}
	runner.Status(true, func(s *validators.StreamStatus) {
		if s.Unusable != "" || s.Duplicates > 0 {
			t.Errorf("the stream is %+v", *s)
		}
	})
	if got := runner.Finish(); got.Gaps != 2 || got.Streams != 1 {
		t.Errorf("%d gaps in %d streams, want 2 in 1", got.Gaps, got.Streams)
	}
}

// A manager is heard while nothing changes, and while nobody takes what does; one
// that is away is not.
func TestSwarmIsHeard(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	source := OpenSwarm(m.Socket, "", nil)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	part := make(chan monitor.Reporter, 1)
	go func() {
		result <- source.Run(ctx, func(ctx context.Context, p monitor.Part) error {
			part <- p.(monitor.Reporter)
			return p.Follow(ctx, "", func(*monitor.Batch) error {
				<-ctx.Done()
				return ctx.Err()
			})
		})
	}()
	p := <-part
	until := func(what string, holds func(at time.Time) bool) time.Time {
		t.Helper()
		for end := time.Now().Add(patienceOfTests); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if r := p.Report(""); holds(r.Answered) {
				return r.Answered
			}
		}
		t.Fatalf("it does not come: %s; %+v", what, p.Report(""))
		return time.Time{}
	}
	first := until("it is heard", func(at time.Time) bool { return !at.IsZero() })
	until("it is heard again", func(at time.Time) bool { return at.After(first) })
	if r := p.Report(""); r.Lag >= 0 || r.Unit != "events" {
		t.Errorf("the lag is %d %s", r.Lag, r.Unit)
	}
	m.Stop()
	until("it is not heard", func(at time.Time) bool { return time.Since(at) > 2500*time.Millisecond })
	cancel()
	<-result
}
