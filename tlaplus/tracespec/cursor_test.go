package tracespec

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestCursor: the line of a violation is that of the log, however the text indexes it.
// Steps that read no line lie between the lines: x counts up to 6, and lines 1 to 3 of the
// log are ever greater; line 4 is less.
func TestCursor(t *testing.T) {
	const log = `{"x":2}` + "\n" + `{"x":3}` + "\n" + `{"x":5}` + "\n" + `{"x":1}` + "\n" + `{"x":6}` + "\n"
	for _, c := range []struct {
		name, units, line string
		first             int
	}{
		{"the variable", "", `l <= Len(Log) /\ Log[l].x = x`, 1},
		{"from zero", "", `l < Len(Log) /\ Log[l + 1].x = x`, 0},
		{"from zero, the last line, too", "", `l < Len(Log) /\ (l > 0 => Log[l].x > 0) /\ Log[1 + l].x = x`, 0},
		{"a look ahead", "", `l <= Len(Log) /\ Log[l].x = x /\ (l < Len(Log) => Log[l + 1].x > 0)`, 1},
		{"a look back", "", `l <= Len(Log) /\ Log[l].x = x /\ (l > 1 => Log[l - 1].x > 0)`, 1},
		{"the next value", "", `l < Len(Log) /\ l' = l + 1 /\ Log[l'].x = x`, 0},
		{"a step before the first line", "", `l = 0 \/ (l > 0 /\ l <= Len(Log) /\ Log[l].x = x)`, 0},
		{"an index that is the variable", "", `\E i \in DOMAIN Log : i = l /\ Log[i].x = x`, 1},
		{"a set of the variable", "", `\E i \in {l} : i <= Len(Log) /\ Log[i].x = x`, 1},
		{"LET", "", `LET i == l IN i <= Len(Log) /\ Log[i].x = x`, 1},
		{"an operator of LET", "", `LET At(i) == Log[i].x IN l <= Len(Log) /\ At(l) = x`, 1},
		{"a parameter", `Reads(i) == i <= Len(Log) /\ Log[i].x = x`, `Reads(l)`, 1},
		{"the log as a parameter", `Reads(log, i) == i <= Len(log) /\ log[i].x = x`, `Reads(Log, l)`, 1},
		{"LAMBDA", `At(F(_), i) == F(i)`, `l <= Len(Log) /\ At(LAMBDA i : Log[i].x, l) = x`, 1},
		{"a definition", `i == l + 1`, `i <= Len(Log) /\ Log[i].x = x`, 0},
		{"an instance", `R == INSTANCE Reader WITH log <- Log, at <- l`, `R!Reads(x)`, 1},
		{"a sequence in a record", `Data == [events |-> Log]`, `l <= Len(Log) /\ Data.events[l].x = x`, 1},
		{"the rest", ``, `l <= Len(Log) /\ Head(SubSeq(Log, l, Len(Log))).x = x`, 1},
	} {
		units := fmt.Sprintf(`EXTENDS Integers, Sequences, Json, TLC
VARIABLES x, l
Log == ndJsonDeserialize("log.ndjson")
%s
Init == x = 0 /\ l = %d
Line == (%s) /\ l' = l + 1 /\ x' = x
Next == Line \/ (x < 6 /\ x' = x + 1 /\ l' = l)
Most == TLCSet(1, IF l > TLCGet(1) THEN l ELSE TLCGet(1))
ASSUME TLCSet(1, 0)
All == TLCGet(1) = Len(Log) + %[2]d`, c.units, c.first, c.line)
		// Both what the spec tests and, where it tests nothing, the end of the furthest path.
		for name, test := range map[string]string{"a test": "CONSTRAINT Most\nPOSTCONDITION All", "no test": ""} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				r := judged(t, units, test, log)
				if r.Unusable != "" || r.Accepted || r.Line != 4 || r.Lines != 3 {
					t.Errorf("%+v; want a violation at line 4", r)
				}
			})
		}
	}
}

// TestCursorIsNoNumber: an expression that is no variable may index the log, or one may have
// the unread lines. The cfg has no other test; a deadlock at the log's end is success.
func TestCursorIsNoNumber(t *testing.T) {
	const log = `{"x":1}` + "\n" + `{"x":2}` + "\n" + `{"x":4}` + "\n" + `{"x":3}` + "\n"
	const bad, rest = "Log[4] = [x |-> 3]", "Head(%s) = [x |-> 3]"
	for _, c := range []struct{ name, units, init, line, reads string }{
		{"a record's field", "", `[at |-> 1]`, `l.at <= Len(Log) /\ Log[l.at].x = x /\ l' = [at |-> l.at + 1]`, bad},
		{"a tuple's element", "", `<<0, 0>>`, `l[2] < Len(Log) /\ Log[l[2] + 1].x = x /\ l' = <<0, l[2] + 1>>`, bad},
		{"what was read", "", `<<>>`, `Len(l) < Len(Log) /\ Log[Len(l) + 1].x = x /\ l' = Append(l, x)`, bad},
		{"backwards", "", `Len(Log)`, `l > 0 /\ Log[Len(Log) - l + 1].x = x /\ l' = l - 1`, bad},
		{"Tail", "", `Log`, `l # <<>> /\ Head(l).x = x /\ l' = Tail(l)`, fmt.Sprintf(rest, "l")},
		{"SubSeq", "", `Log`, `l # <<>> /\ l[1].x = x /\ l' = SubSeq(l, 2, Len(l))`, fmt.Sprintf(rest, "l")},
		{"a definition", `Rest == Tail(l)`, `Log`, `l # <<>> /\ l[1].x = x /\ l' = Rest`, fmt.Sprintf(rest, "l")},
		{"a parameter", `Reads(s) == s # <<>> /\ Head(s).x = x /\ l' = Tail(s)`, `Log`, `Reads(l)`, fmt.Sprintf(rest, "l")},
		{"a field with the rest", "", `[rest |-> Log]`, `l.rest # <<>> /\ Head(l.rest).x = x /\ l' = [l EXCEPT !.rest = Tail(@)]`, fmt.Sprintf(rest, "l.rest")},
		{"beside a queue", "", `Log`, `l # <<>> /\ Head(l).x = x /\ l' = Tail(l) /\ Tail(queue) # <<>>`, fmt.Sprintf(rest, "l")},
	} {
		units := fmt.Sprintf(`EXTENDS Integers, Sequences, Json
VARIABLES x, queue, l
Log == ndJsonDeserialize("log.ndjson")
%s
Init == x = 0 /\ queue = <<7, 8>> /\ l = %s
Line == (%s) /\ x' = x /\ queue' = queue
Next == Line \/ (x < 6 /\ x' = x + 1 /\ UNCHANGED <<l, queue>>)`, c.units, c.init, c.line)
		t.Run(c.name, func(t *testing.T) {
			if r := judged(t, units, "", log); r.Unusable != "" || r.Accepted || r.Line != 4 || r.Lines != 3 || r.Reads != c.reads {
				t.Errorf("%+v; want a violation at line 4, %s", r, c.reads)
			}
			if r := judged(t, units, "", log[:len(log)*3/4]); !r.Accepted || r.Lines != 3 || r.Total != 3 {
				t.Errorf("%+v; want three lines accepted", r)
			}
		})
	}
}

// TestNoCursor: where nothing shows how far a path has come in the log, and the cfg has no
// test, it is not known whether the log conforms.
func TestNoCursor(t *testing.T) {
	const log = `{"x":1}` + "\n" + `{"x":2}` + "\n"
	units := `EXTENDS Integers, Sequences, Json
VARIABLES x, left
Init == x = 0 /\ left = {ndJsonDeserialize("log.ndjson")[i].x : i \in 1 .. 2}
Next == x + 1 \in left /\ left' = left \ {x + 1} /\ x' = x + 1`
	if r := judged(t, units, "", log); r.Unusable != errUntested.Error() {
		t.Errorf("%+v; want %v", r, errUntested)
	}
	bound := `EXTENDS Integers, Sequences, Json
VARIABLES x, l
Log == ndJsonDeserialize("log.ndjson")
Init == x = 0 /\ l = [n \in {"a"} |-> 1]
Next == \E n \in {"a"} : l[n] <= Len(Log) /\ Log[l[n]].x = x + 1 /\ l' = [l EXCEPT ![n] = @ + 1] /\ x' = x + 1`
	if r := judged(t, bound, "", log); r.Unusable != errUntested.Error() {
		t.Errorf("%+v; want %v", r, errUntested)
	}
	if r := judged(t, units+"\nInv == x < 2", "INVARIANT Inv", log); r.Unusable != "" || r.Rule != "Inv" {
		t.Errorf("%+v; want a violation of Inv", r)
	}
}

// judged judges a log by a module T, and other modules beside it.
func judged(t *testing.T, units, cfg, log string) *Result {
	t.Helper()
	file := module(t, units, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"+cfg)
	for name, text := range map[string]string{"log.ndjson": log, "Reader.tla": "---- MODULE Reader ----\nEXTENDS Naturals, Sequences\nCONSTANT log\nVARIABLE at\nReads(x) == at <= Len(log) /\\ log[at].x = x\n====\n"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Judge(t.Context(), Options{Module: file})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
