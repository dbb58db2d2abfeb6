package tracespec

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShownLine: a report shows the line that the spec reads, not what has the same number
// in the file.
func TestShownLine(t *testing.T) {
	for _, c := range []struct{ name, log, file, want string }{
		{"as in the file", "J", `{"x":1}` + "\n" + `{"x":9, "ts":"<"}`, `{"x":9, "ts":"<"}`},
		{"reversed", "Reverse(J)", `{"x":9,"ts":"<"}` + "\n" + `{"x":1}`, `"Log[2] = [x |-> 9, ts |-> \"<\"]"`},
		{"sorted", "SortSeq(J, LAMBDA a, b : a.x < b.x)", `{"x":9}` + "\n" + `{"x":1}`, `"Log[2] = [x |-> 9]"`},
		{"without a header", "Tail(J)", `{"N":1}` + "\n" + `{"x":1}` + "\n" + `{"x":9}`, `"Log[2] = [x |-> 9]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log.ndjson")
			if err := os.WriteFile(file, []byte(c.file+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := judged(t, `EXTENDS Integers, Sequences, SequencesExt, Json, TLC
VARIABLES x, l
J == ndJsonDeserialize("log.ndjson")
Log == `+c.log+`
Init == x = 0 /\ l = 1
Next == l <= Len(Log) /\ Log[l].x = x + 1 /\ x' = x + 1 /\ l' = l + 1`, "", c.file)
			v := r.Judged(file, false).Violations
			if len(v) != 1 || len(v[0].Events) != 1 || string(v[0].Events[0].Raw) != c.want {
				t.Errorf("%+v; want %s", v, c.want)
			}
		})
	}
}
