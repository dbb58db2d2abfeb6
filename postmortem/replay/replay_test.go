package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// two is a trace of two files and two streams, whose steps overlap.
const two = `
a:1 {"seq":1,"kind":"meta","object":{"format":1}}
a:2 {"seq":2,"time":"2026-11-20T10:00:00Z","kind":"node","op":"snapshot","id":"n1","object":{"state":"up","rack":7}}
a:3 {"stream":"b","time":"2026-11-20T10:00:00Z","kind":"service","op":"create","id":"s","object":{"replicas":1}}
a:4 {"seq":3,"time":"2026-11-20T10:00:01Z","tx":7,"kind":"service","op":"create","id":"web","object":{"replicas":1}}
a:5 {"stream":"b","time":"2026-11-20T10:00:03Z","kind":"service","op":"update","id":"s","object":{"replicas":2}}
b:1 {"seq":4,"time":"2026-11-20T10:00:01Z","tx":7,"kind":"task","op":"create","id":"t1","object":{"service":"web","node":null}}
b:2 {"seq":5,"time":"2026-11-20T10:00:02Z","kind":"service","op":"delete","id":"web"}
b:3 {"stream":"b","time":"2026-11-20T10:00:04Z","kind":"service","op":"delete","id":"s"}
b:4 {"kind":"service","op":"delete","id":"web","seq":5,"time":"2026-11-20T10:00:02Z"}
`

// events decodes a trace whose lines begin with their places.
func events(t *testing.T, text string) (list []trace.Event) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(text)) {
		place, raw, _ := strings.Cut(strings.TrimSpace(line), " ")
		file, number, _ := strings.Cut(place, ":")
		pos := trace.Pos{File: file}
		if _, err := fmt.Sscan(number, &pos.Line); err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(raw), pos, &ev); err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	return list
}

func replayed(t *testing.T, text, at string, opts replay.Options) (string, error) {
	t.Helper()
	if at != "" {
		var err error
		if opts.At, err = replay.ParsePoint(at, []string{"a", "b"}); err != nil {
			return "", err
		}
	}
	r := replay.New(opts)
	for _, ev := range events(t, text) {
		err := r.Push([]trace.Event{ev})
		if errors.Is(err, replay.ErrDone) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if err := r.Finish(); err != nil {
		return "", err
	}
	var parts []string
	for _, s := range r.Streams() {
		var ids []string
		for _, o := range s.Objects() {
			ids = append(ids, o.ID+string(o.JSON()))
		}
		parts = append(parts, fmt.Sprintf("%s@%s: %s", s.Name, s.Last, strings.Join(ids, " ")))
	}
	return strings.Join(parts, "; "), nil
}

func TestPoints(t *testing.T) {
	const n1 = `n1{"state":"up","rack":7}`
	for _, c := range []struct{ at, stream, want string }{
		{"a:1", "", `@a:1: `},
		{"a:3", "", `@a:2: ` + n1 + `; b@a:3: s{"replicas":1}`},
		// The step of line 4 ends in the next file; the other stream does not wait for it.
		{"a:4", "", `@b:1: ` + n1 + ` web{"replicas":1} t1{"service":"web"}; b@a:3: s{"replicas":1}`},
		{"a:5", "", `@b:1: ` + n1 + ` web{"replicas":1} t1{"service":"web"}; b@a:5: s{"replicas":2}`},
		{"b:2", "", `@b:2: ` + n1 + ` t1{"service":"web"}; b@a:5: s{"replicas":2}`},
		{"b:4", "", `@b:2: ` + n1 + ` t1{"service":"web"}; b@b:3: `}, // line 4 is a duplicate
		{"seq:3", "-", `@b:1: ` + n1 + ` web{"replicas":1} t1{"service":"web"}`},
		{"seq:2", "-", `@a:2: ` + n1},
		{"2026-11-20T09:59:59Z", "", `@a:1: `},
		{"2026-11-20T10:00:01Z", "", `@b:1: ` + n1 + ` web{"replicas":1} t1{"service":"web"}; b@a:3: s{"replicas":1}`},
		{"2026-11-20T11:00:01.5+01:00", "b", `b@a:3: s{"replicas":1}`},
		{"2026-11-21T00:00:00Z", "", `@b:2: ` + n1 + ` t1{"service":"web"}; b@b:3: `},
		{"", "b", `b@b:3: `},
	} {
		opts := replay.Options{Stream: strings.TrimPrefix(c.stream, "-"), Only: c.stream != ""}
		got, err := replayed(t, two, c.at, opts)
		if err != nil || got != c.want {
			t.Errorf("at %q, stream %q: got\n%s, %v\nwant\n%s", c.at, c.stream, got, err, c.want)
		}
	}
}

// A trace of two recordings, and of a third that continues with the second.
const recordings = `
a:1 {"kind":"meta","object":{"profile":"spec"}}
a:2 {"seq":1,"kind":"service","op":"create","id":"web","object":{"replicas":1}}
a:3 {"seq":2,"kind":"service","op":"create","id":"db","object":{"replicas":1}}
a:4 {"kind":"meta","object":{"profile":"spec"}}
a:5 {"kind":"node","op":"snapshot","id":"n","object":{"state":"up"}}
a:6 {"seq":1,"kind":"service","op":"create","id":"web","object":{"replicas":1}}
b:1 {"kind":"meta","object":{"profile":"spec","constants":{"max_terminated":1}}}
b:2 {"kind":"node","op":"snapshot","id":"n","object":{"state":"down"}}
b:3 {"seq":2,"kind":"service","op":"update","id":"web","object":{"replicas":2}}
`

func TestRecordings(t *testing.T) {
	const web, up, down = `web{"replicas":1}`, `n{"state":"up"}`, `n{"state":"down"}`
	for at, want := range map[string]string{
		"a:3": `@a:3: db{"replicas":1} ` + web,
		"a:4": `@a:4: `, // what comes behind it tells that a recording begins there
		"a:5": `@a:5: ` + up,
		"a:6": `@a:6: ` + up + ` ` + web,
		"b:1": `@b:1: ` + up + ` ` + web,
		"b:2": `@b:2: ` + down + ` ` + web,
		"b:3": `@b:3: ` + down + ` web{"replicas":2}`,
		"":    `@b:3: ` + down + ` web{"replicas":2}`,
	} {
		if got, err := replayed(t, recordings, at, replay.Options{}); err != nil || got != want {
			t.Errorf("at %q: got\n%s, %v\nwant\n%s", at, got, err, want)
		}
	}
}

func TestNoSuchPoint(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"3", "the name fits 2 files"},
		{"c:3", `it has no file "c"`},
		{"a:0", "expected LINE"},
		{"a:", "expected LINE"},
		{"seq:x", "a seq is an integer"},
		{"noon", "expected LINE"},
		{"0001-01-01T00:00:00Z", "the year 1"},
		{"a:9", "its last event there is at a:5"},
		{"b:9", "its last event there is at b:4"},
		{"seq:3", `such as "" and "b"`},
	} {
		if _, err := replayed(t, two, c.at, replay.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("at %q: %v, want an error with %q", c.at, err, c.want)
		}
	}
	for _, c := range []struct{ at, stream, want string }{
		{"seq:9", "", "it ends with seq 5"},
		{"seq:9", "b", "no event with seq:9"},
		{"", "c", `nothing of stream "c"`},
		{"a:2", "b", `nothing of stream "b" up to a:2`},
	} {
		_, err := replayed(t, two, c.at, replay.Options{Stream: c.stream, Only: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("at %q, stream %q: %v, want an error with %q", c.at, c.stream, err, c.want)
		}
	}
}

// Without times or events, nothing is at a point.
func TestNoPlaceForAPoint(t *testing.T) {
	const untimed = `
a:1 {"kind":"node","op":"create","id":"n1","object":{"state":"up"}}
`
	for _, c := range []struct{ trace, at, want string }{
		{untimed, "2026-11-20T10:00:00Z", "no event there has a time"},
		{"", "a:3", "it has no events"},
	} {
		if _, err := replayed(t, c.trace, c.at, replay.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("at %q: %v, want an error with %q", c.at, err, c.want)
		}
	}
}

// A gap ends the replay or, resynchronised, forgets the state.
func TestGap(t *testing.T) {
	const gap = `
a:1 {"seq":1,"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
a:2 {"seq":3,"kind":"node","op":"create","id":"n2","object":{"state":"up"}}
a:3 {"seq":4,"kind":"node","op":"snapshot","id":"n3","object":{"state":"up"}}
a:4 {"seq":5,"kind":"node","op":"update","id":"n4","object":{"rack":1}}
`
	if _, err := replayed(t, gap, "", replay.Options{}); err == nil || !strings.Contains(err.Error(), "a:2: gap in the default stream") {
		t.Errorf("%v, want a gap at line 2", err)
	}
	got, err := replayed(t, gap, "", replay.Options{OnGap: trace.ResyncOnGap})
	if want := `@a:4: n3{"state":"up"} n4{"rack":1}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// What exists from the start in a stream without snapshots shows itself by an
// update, with what Init has it.
func TestInit(t *testing.T) {
	got, err := replayed(t, `
a:1 {"kind":"node","op":"update","id":"n1","object":{"rack":1}}
a:2 {"kind":"cluster","op":"update","object":{"request":"r"}}
a:3 {"kind":"request","op":"update","id":"r","object":{"rank":1}}
`, "", replay.Options{})
	if want := `@a:3: n1{"state":"up","rack":1} {"complete":true,"request":"r"} r{"status":"waiting","rank":1}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	// Snapshots after other events leave the rest as it was, in Init.
	got, err = replayed(t, `
a:1 {"kind":"node","op":"update","id":"n1","object":{"rack":1}}
a:2 {"kind":"node","op":"snapshot","id":"n2","object":{"state":"down"}}
a:3 {"kind":"node","op":"update","id":"n3","object":{"rack":1}}
`, "", replay.Options{})
	if want := `@a:3: n1{"state":"up","rack":1} n2{"state":"down"} n3{"state":"up","rack":1}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	// Requests and their cluster exist from the start in any stream, but not in
	// one whose state was lost.
	const more = `
a:1 {"seq":1,"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
a:2 {"seq":2,"kind":"node","op":"update","id":"n1","object":{"rack":1}}
a:3 {"seq":3,"kind":"cluster","op":"update","object":{"request":"r"}}
a:4 {"seq":4,"kind":"request","op":"update","id":"r","object":{"rank":1}}
`
	got, err = replayed(t, more, "", replay.Options{})
	if want := `@a:4: n1{"rack":1} {"complete":true,"request":"r"} a{"status":"valid"} r{"status":"waiting","rank":1}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	got, err = replayed(t, more+`a:5 {"seq":6,"kind":"request","op":"snapshot","id":"a","object":{"status":"valid"}}
a:6 {"seq":7,"kind":"request","op":"update","id":"r","object":{"rank":1}}
`, "", replay.Options{OnGap: trace.ResyncOnGap})
	if want := `@a:6: a{"status":"valid"} r{"rank":1}`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// The lines have what the format asks for, and go on from the seq.
func TestWrite(t *testing.T) {
	r := replay.New(replay.Options{})
	err := r.Push(events(t, `
a:1 {"kind":"meta","object":{"format":1}}
a:2 {"seq":7,"time":"2026-11-20T10:00:00Z","kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
a:3 {"seq":8,"kind":"node","op":"snapshot","id":"n<2>","object":{"state":"up"}}
a:4 {"seq":9,"time":"2026-11-20T10:00:02Z","kind":"task","op":"create","id":"t","object":{"node":"n1"}}
a:5 {"seq":10,"kind":"node","op":"delete","id":"n1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := replay.Write(&out, r.Streams(), nil); err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"meta","object":{"format":1}}
{"time":"2026-11-20T10:00:02Z","kind":"node","op":"snapshot","id":"n1","object":{"state":"down"}}
{"time":"2026-11-20T10:00:02Z","kind":"node","op":"snapshot","id":"n<2>","object":{"state":"up"}}
{"seq":10,"time":"2026-11-20T10:00:02Z","kind":"task","op":"snapshot","id":"t","object":{"node":"n1"}}
{"time":"2026-11-20T10:00:02Z","kind":"node","op":"delete","id":"n1"}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// OnStep sees each step in the state before it.
func TestOnStep(t *testing.T) {
	var seen []string
	_, err := replayed(t, two, "b:2", replay.Options{Only: true, OnStep: func(s *replay.Stream, step *trace.Step) {
		seen = append(seen, fmt.Sprintf("%s to %s: %d exist", step.First(), step.Last(), len(s.Objects())))
	}})
	if want := "a:4 to b:1: 1 exist; b:2 to b:2: 3 exist"; err != nil || strings.Join(seen, "; ") != want {
		t.Errorf("saw %q, %v, want %s", seen, err, want)
	}
}
