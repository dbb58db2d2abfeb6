package swarm

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
	"tracecheck/trace"
)

// FuzzWatch: whatever a manager's lists and messages say, the recording's lines
// are events that go on in seq, or it warns of them.
func FuzzWatch(f *testing.F) {
	marshal := func(m interface{ Marshal() ([]byte, error) }) []byte {
		data, err := m.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
	message := func(version uint64, events ...*api.WatchMessage_Event) []byte {
		return marshal(&api.WatchMessage{Events: events, Version: &api.Version{Index: version}})
	}
	event := func(action api.WatchActionKind, version uint64, o api.StoreObject) *api.WatchMessage_Event {
		meta := o.GetMeta()
		meta.Version.Index = version
		o.SetMeta(meta)
		return &api.WatchMessage_Event{Action: action, Object: swarmtest.Wrap(o)}
	}
	lists := message(0, event(api.WatchActionKindCreate, 0, swarmtest.Node("n1", api.NodeStatus_READY)),
		event(api.WatchActionKindCreate, 0, swarmtest.Service("s", 2)), event(api.WatchActionKindCreate, 0, swarmtest.Task("t1", "s", 1, api.TaskStateNew)))
	f.Add(lists, message(12, event(api.WatchActionKindCreate, 12, swarmtest.Task("t2", "s", 2, api.TaskStateNew)), event(api.WatchActionKindUpdate, 12, swarmtest.Service("s", 3))),
		message(0, event(api.WatchActionKindRemove, 3, swarmtest.Task("t2", "s", 2, api.TaskStateNew))))
	f.Add(lists, message(math.MaxUint64, event(api.WatchActionKindUpdate, math.MaxUint64, swarmtest.Node("n1", 7))),
		message(1, event(api.WatchActionKindCreate, 1<<63, swarmtest.Node("n\xff", api.NodeStatus_DOWN))))
	f.Add([]byte{}, message(1, &api.WatchMessage_Event{Action: 99}, &api.WatchMessage_Event{Action: 1, Object: &api.Object{}}), []byte{})
	f.Fuzz(func(t *testing.T, lists, first, second []byte) {
		c := cut{}
		var stored wire.Message // its events' objects
		if wire.Decode(lists, &stored) != nil {
			return
		}
		for _, e := range stored.Events {
			if o := objectOf(e); o != nil {
				c[object.KeyOf(o)] = o
			}
		}
		core, logs := observer.New(zap.WarnLevel)
		s := &Source{state: newMirror(c), opts: Options{Log: zap.New(core)}, scribe: scribe{log: zap.New(core)}}
		s.resume = s.state.index
		now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		list := s.state.snapshot()
		checkLines(t, s.scribe.snapshot(nil, now, list, true), len(list), 2, logs)
		var since []changes
		for _, data := range [][]byte{first, second} {
			var msg wire.Message
			if wire.Decode(data, &msg) != nil {
				return
			}
			one := changes{events: msg.Events, at: now}
			if msg.Version != nil {
				one.version = msg.Version.Index
			}
			since = append(since, one)
		}
		end := cut{}
		for k, o := range c {
			end[k] = o
		}
		for _, one := range since {
			end.replay(one)
		}
		steps, err := s.catchUp(end, since, func() ([]changes, error) { return nil, nil })
		if err != nil {
			return // it begins again
		}
		next := s.scribe.seq + 1
		for _, one := range steps {
			if one.at.After(now) {
				t.Errorf("a change is of %s, after it came", one.at)
			}
			if len(one.list) > 0 {
				checkLines(t, s.scribe.transaction(nil, one.tx, one.at, one.list), len(one.list), next, logs)
				next += int64(len(one.list))
			}
		}
	})
}

// checkLines reads lines that were just written.
func checkLines(t *testing.T, lines []byte, want int, next int64, logs *observer.ObservedLogs) {
	t.Helper()
	n := 0
	warned := logs.TakeAll()
	for text := range bytes.Lines(lines) {
		var d trace.Decoder
		var ev trace.Event
		err := d.Decode(bytes.TrimSuffix(text, []byte("\n")), trace.Pos{}, &ev)
		if n++; err != nil {
			if len(warned) == 0 {
				t.Fatalf("%q: %v, and it was not warned of", text, err)
			}
			warned = warned[1:]
		} else if ev.Seq != next {
			t.Errorf("%q: seq is not %d", text, next)
		}
		next++
	}
	if n != want || len(warned) > 0 {
		t.Errorf("%d lines of %d, and warned of %v", n, want, warned)
	}
}
