package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace/codec"
)

// What a spec outside this module has, and a few more.
var (
	kindMachine = NewKind("machine")
	kindLedger  = NewSingleton("ledger")
	fieldVotes  = NewField("votes")
)

func TestRegistered(t *testing.T) {
	if NewKind("machine") != kindMachine || NewField("votes") != fieldVotes || NewKind("task") != kindTask || NewField("state") != fieldState {
		t.Error("the same name has two numbers")
	}
	ev := mustDecode(t, `{"kind":"machine","op":"create","id":"m","object":{"votes":3,"state":"up","other":1}}`)
	if ev.Kind != kindMachine || ev.Kind.String() != "machine" || ev.Fields.Get(fieldVotes).Int != 3 || len(ev.Fields) != 2 {
		t.Errorf("read as %+v", ev)
	}
	mustDecode(t, `{"kind":"ledger","op":"update","object":{}}`)
	var d Decoder
	if err := d.Decode([]byte(`{"kind":"machine","op":"update","object":{}}`), Pos{}, &ev); err == nil || !strings.Contains(err.Error(), `has no "id"`) {
		t.Errorf("without an id: %v", err)
	}
}

// Each name is found, and others are not, whatever their hashes.
func TestNamesAreFound(t *testing.T) {
	n := newNames(200)
	for i := 1; i < 200; i++ {
		if got, isNew := registerBefore(&n, fmt.Sprintf("name_%d", i)); got != i || !isNew {
			t.Fatalf("name %d has the number %d", i, got)
		}
	}
	for i := 1; i < 200; i++ {
		if got := n.find(fmt.Sprintf("name_%d", i)); int(got) != i {
			t.Errorf("name %d is found as %d", i, got)
		}
		if got := n.find(fmt.Sprintf("nome_%d", i)); got != 0 {
			t.Errorf("a name that is none is found as %d", got)
		}
	}
}

// registerBefore is register before any line is decoded.
func registerBefore(n *names, name string) (int, bool) {
	was := decoded.Swap(false)
	defer decoded.Store(was)
	return n.register("kind", name)
}

func TestRegisterPanics(t *testing.T) {
	mustDecode(t, `{"kind":"task","op":"create","id":"t","object":{"state":"new"}}`)
	full := newNames(2, "a")
	for want, register := range map[string]func(){
		"lines have been decoded":  func() { NewKind("late") },
		"the field \"late\" comes": func() { NewField("late") },
		"a single object":          func() { NewSingleton("machine") },
		"invalid name":             func() { registerBefore(&full, "two words") },
		"there are 1 already":      func() { registerBefore(&full, "b") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%s; want %s", got, want)
				}
			}()
			register()
		}()
	}
}

// A checkpoint of a program in which the kinds have other numbers is read by their
// names; and a line has the same fingerprint there, whether the field is known or
// not.
func TestRegisteredByName(t *testing.T) {
	w := codec.Writer(nil)
	set := KindSet(1<<kindTask | 1<<kindLedger)
	for _, k := range []Kind{KindNone, kindTask, kindLedger} {
		k.Code(w)
	}
	set.Code(w)
	data := w.Data()
	a, b := &kinds.slots[slotOf(&kinds, "machine")], &kinds.slots[slotOf(&kinds, "ledger")]
	swap := func() {
		kinds.list[kindMachine], kinds.list[kindLedger] = kinds.list[kindLedger], kinds.list[kindMachine]
		*a, *b = *b, *a
	}
	swap()
	defer swap()
	r := codec.Reader(data)
	var got [3]Kind
	for i := range got {
		got[i].Code(r)
	}
	set = 0
	set.Code(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if want := [3]Kind{KindNone, kindTask, kindMachine}; got != want || set != 1<<kindTask|1<<kindMachine {
		t.Errorf("read as %v, %b", got, set)
	}
}

func slotOf(n *names, name string) uint {
	at := hashName(name)
	for n.slots[at] != n.find(name) {
		at = (at + 1) % nameSlots
	}
	return at
}

func TestFingerprintIsOfTheName(t *testing.T) {
	line := `{"seq":1,"kind":"machine","op":"create","id":"m","object":{"votes":3}}`
	known := mustDecode(t, line).Print
	slot := &fields.slots[slotOf(&fields, "votes")]
	defer func(was uint8) { *slot = was }(*slot)
	if *slot = 0; mustDecode(t, line).Print != known {
		t.Error("a line has another fingerprint where its field is not registered")
	}
}

func TestUnknownKindIsReported(t *testing.T) {
	if names := KindNames(); !slices.Contains(names, "machine") || slices.Contains(names, "service") || !slices.Contains(names, "meta") {
		t.Errorf("the kinds of this program are %q: those that are registered, and meta", names)
	}
	var d Decoder
	var ev Event
	err := d.Decode([]byte(`{"kind":"machines","op":"create","id":"m"}`), Pos{}, &ev)
	if err == nil || !strings.Contains(err.Error(), `unknown kind "machines"; did you mean "machine"? Known are meta, `) {
		t.Error(err)
	}
}
