package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse parses a module of 2,000 lines.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("---- MODULE M ----\nEXTENDS Naturals, Sequences\nVARIABLES log, state, messages\n")
	for i := range 200 {
		fmt.Fprintf(&text, `\* Node i receives message m, %[1]d.
Receive%[1]d(i, m) ==
    /\ m.type = "Append" /\ m.term >= state[i].term
    /\ \/ /\ Len(log[i]) < m.index
          /\ log' = [log EXCEPT ![i] = Append(@, [term |-> m.term, value |-> m.value])]
       \/ /\ Len(log[i]) >= m.index
          /\ UNCHANGED log
    /\ messages' = messages \ {x \in messages : x.to = i /\ x.index < m.index + 1}
    /\ LET next == CHOOSE j \in 1..Len(log[i]) : \A k \in 1..j : log[i][k].term <= m.term
       IN state' = [state EXCEPT ![i].commit = IF next > @ THEN next ELSE @]
`, i)
	}
	text.WriteString("====\n")
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("M.tla", data); err != nil {
			b.Fatal(err)
		}
	}
}
