package bind

import (
	"fmt"
	"testing"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// ofTasks is a world of tasks on nodes, with so many of each.
func ofTasks(t *testing.T, n int) (*world, func(op, kind, id, object string)) {
	t.Helper()
	b := loaded(t, lockModule+"objects: {thing: {on: 'FALSE', state: 'FALSE'}, place: {up: 'TRUE'}}\nobserve: {count: '0'}\n", "", Options{})
	p, err := b.load("{}", true)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(p, b.file, b.shapes)
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	do := func(op, kind, id, object string) {
		var ev trace.Event
		line := fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q,"object":%s}`, kind, op, id, object)
		if err := d.Decode([]byte(line), trace.Pos{}, &ev); err != nil {
			t.Fatal(err)
		}
		w.begin()
		if wrong := w.take(&ev); wrong != "" {
			t.Fatal(wrong)
		}
		w.renewShown()
		if err := w.renew(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		var ev trace.Event
		if err := d.Decode(fmt.Appendf(nil, `{"kind":"thing","op":"snapshot","id":"t%d","object":{"on":"p","state":"new"}}`, i), trace.Pos{}, &ev); err != nil {
			t.Fatal(err)
		}
		w.take(&ev)
	}
	if err := w.renew(); err != nil {
		t.Fatal(err)
	}
	return w, do
}

func ids(t *testing.T, w *world, kind string) string {
	t.Helper()
	return value.Show(value.Apply(w.shown, w.p.json.space.String(kind)))
}

// An event takes as many allocations with 50,000 objects as with 1,000.
func TestWorldAllocations(t *testing.T) {
	var took []float64
	for _, n := range []int{1000, 50_000} {
		_, do := ofTasks(t, n)
		took = append(took, testing.AllocsPerRun(50, func() {
			do("update", "thing", "t7", `{"state":"ready"}`)
			do("create", "thing", "u", `{"on":"p","state":"new"}`)
			do("delete", "thing", "u", `{}`)
		}))
	}
	if took[1] > took[0]+3 {
		t.Errorf("with 1,000 objects %v allocations, with 50,000 %v", took[0], took[1])
	}
}

// What is kept is of the objects that are there: of deleted ones, the ids that others
// have in a field.
func TestWorldForgets(t *testing.T) {
	w, do := ofTasks(t, 3)
	do("create", "place", "p", `{"up":true}`)
	for i := range 1000 {
		id := fmt.Sprint("u", i)
		do("create", "thing", id, fmt.Sprintf(`{"on":"q","state":"s%d"}`, i))
		do("delete", "thing", id, `{}`)
	}
	if got, want := ids(t, w, "thing"), `{"t0", "t1", "t2", "u999"}`; got != want {
		t.Errorf("shown are %s, want %s", got, want)
	}
	do("delete", "place", "p", `{}`)
	do("create", "place", "q", `{"up":true}`)
	if got, want := ids(t, w, "place"), `{"p", "q"}`; got != want { // the things are on p
		t.Errorf("shown are %s, want %s", got, want)
	}
	do("delete", "place", "q", `{}`)
	for i := range 3 {
		do("update", "thing", fmt.Sprint("t", i), `{"on":null}`)
	}
	do("update", "thing", "t1", `{"state":"last"}`)
	if got := ids(t, w, "place"); got != "{}" {
		t.Errorf("shown are %s, want {}", got)
	}
	if n := len(w.references) + len(w.unreferenced); n > 4 {
		t.Errorf("%d texts are kept: %v %v", n, w.references, w.unreferenced)
	}
	for i := range w.kinds {
		s := &w.kinds[i]
		if n := len(s.current) + len(s.dangling) + len(s.changedIDs) + len(s.logged) + len(s.previous) + len(s.stale) + len(s.deleted) + len(s.external); n > 5 {
			t.Errorf("%d ids are kept of %s", n, s.name)
		}
	}
}

// What is evaluated once for a time is evaluated again whenever a name of the world has
// another value.
func TestWorldMoments(t *testing.T) {
	w, do := ofTasks(t, 3)
	for name, change := range map[string]func(){
		"objects": func() { do("update", "thing", "t0", `{"state":"ready"}`) },
		"shown":   func() { w.shown = w.byKind([]value.Value{value.NoElements, value.NoElements}) },
		"line":    func() { w.line = w.byKind([]value.Value{value.Empty, value.Empty}) },
		"refused": func() { w.refused = w.byKind([]value.Value{value.Empty, value.Empty}) },
		"stream":  func() { w.p.world, _ = ofTasks(t, 1) },
	} {
		w.p.world = w // the changes come in any order
		last := w.p.version()
		if change(); w.p.version() == last {
			t.Errorf("%s has changed, and it is still the same time", name)
		}
		if last = w.p.version(); w.p.version() != last {
			t.Errorf("nothing has changed after %s, and it is another time", name)
		}
	}
}
