package trace

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func printOf(t *testing.T, line string) uint64 {
	t.Helper()
	ev := mustDecode(t, line)
	return ev.Print
}

const printLine = `{"stream":"s","seq":7,"time":"2026-11-20T10:00:00.5Z","tx":"4711","kind":"endpoint","op":"update","id":"web-1","actor":"user","action":"Allocate",` +
	`"object":{"spec":[{"name":"a","published_port":80},{"name":"b","published_port":0}],"ports":[],"labels":{"x":"1","y":{"z":[1,2.5,null,true]}},"mode":"host","replicas":3,"remove":false}}`

// The fingerprint of a line does not depend on its spelling.
func TestPrintOfTheSame(t *testing.T) {
	want := printOf(t, printLine)
	var parsed any
	if err := json.Unmarshal([]byte(printLine), &parsed); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		if line := rewritten(rng, parsed); printOf(t, line) != want {
			t.Fatalf("%s has another fingerprint than %s", line, printLine)
		}
	}
	for _, same := range []string{
		strings.Replace(printLine, `"stream":"s","seq":7`, `"stream":"other","seq":8`, 1),
		strings.Replace(printLine, `"replicas":3`, `"replicas":3.0`, 1),
		strings.Replace(printLine, `2.5`, `25e-1`, 1),
		strings.Replace(printLine, `"seq":7`, `"seq":7,"received":"today"`, 1), // no member of format 1
	} {
		if printOf(t, same) != want {
			t.Errorf("%s has another fingerprint than %s", same, printLine)
		}
	}
}

// rewritten is the JSON value with its members in any order, white space, and
// escapes.
func rewritten(rng *rand.Rand, v any) string {
	space := func() string { return strings.Repeat(" ", rng.IntN(2)) }
	switch v := v.(type) {
	case map[string]any:
		var list []string
		for key, value := range v { // in any order
			list = append(list, space()+rewritten(rng, key)+space()+":"+space()+rewritten(rng, value)+space())
		}
		return "{" + strings.Join(list, ",") + "}"
	case []any:
		var list []string
		for _, value := range v {
			list = append(list, space()+rewritten(rng, value)+space())
		}
		return "[" + strings.Join(list, ",") + "]"
	case string:
		if rng.IntN(4) == 0 && v != "" {
			return fmt.Sprintf(`"\u%04x%s"`, v[0], v[1:])
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Lines with other content have other fingerprints, also in the 16 bits that
// are remembered of them.
func TestPrintOfOthers(t *testing.T) {
	seen := map[uint16]string{short(printOf(t, printLine)): printLine}
	for _, c := range [][2]string{
		{`"time":"2026-11-20T10:00:00.5Z"`, `"time":"2026-11-20T10:00:00.6Z"`}, {`"time":"2026-11-20T10:00:00.5Z",`, ``},
		{`"tx":"4711"`, `"tx":4711`}, {`"tx":"4711"`, `"tx":"4712"`}, {`"tx":"4711",`, ``},
		{`"kind":"endpoint"`, `"kind":"service"`}, {`"op":"update"`, `"op":"create"`}, {`"web-1"`, `"web-2"`}, {`"web-1"`, `"wbe-1"`},
		{`"actor":"user","action":"Allocate"`, `"actor":"Allocate","action":"user"`}, {`"actor":"user",`, ``},
		{`{"name":"a","published_port":80},{"name":"b","published_port":0}`, `{"name":"b","published_port":0},{"name":"a","published_port":80}`},
		{`{"name":"a","published_port":80},{"name":"b","published_port":0}`, `{"name":"b","published_port":80},{"name":"a","published_port":0}`},
		{`"ports":[]`, `"ports":{}`}, {`"ports":[]`, `"ports":null`}, {`"ports":[],`, ``}, {`"x":"1"`, `"x":1`}, {`"x":"1"`, `"1":"x"`}, {`"x":"1",`, ``},
		{`[1,2.5,null,true]`, `[2.5,1,null,true]`}, {`[1,2.5,null,true]`, `[1,2.5,null,false]`}, {`2.5`, `2.25`}, {`[1,2.5,null,true]`, `[[1,2.5,null,true]]`},
		{`"mode":"host"`, `"mode":"ingress"`}, {`"replicas":3`, `"replicas":"3"`}, {`"replicas":3`, `"replicas":4`}, {`"remove":false`, `"remove":true`},
		{`"remove":false`, `"remove":0`}, {`"spec":[`, `"constraints":[`}, {`"labels"`, `"label"`},
	} {
		line := strings.Replace(printLine, c[0], c[1], 1)
		print := short(printOf(t, line))
		if before := seen[print]; before != "" || line == printLine {
			t.Errorf("%s has the fingerprint of %s", line, before)
		}
		seen[print] = line
	}
}

// Fingerprints are spread: of many lines that differ in one short value, no more
// share 16 bits than chance has it.
func TestPrintsAreSpread(t *testing.T) {
	for _, form := range []string{
		`{"seq":1,"kind":"task","op":"update","id":"%d","object":{"state":"pending"}}`,
		`{"seq":1,"kind":"task","op":"update","id":"t","tx":%d,"object":{"state":"pending"}}`,
		`{"seq":1,"kind":"task","op":"update","id":"t","object":{"slot":%d}}`,
		`{"seq":1,"kind":"task","op":"update","id":"t","object":{"state":"%d"}}`,
		`{"seq":1,"kind":"service","op":"update","id":"t","object":{"other":{"a":[%d]}}}`,
	} {
		const lines = 2000
		seen, again := map[uint16]bool{}, 0
		for i := range lines {
			print := short(printOf(t, fmt.Sprintf(form, i)))
			if seen[print] {
				again++
			}
			seen[print] = true
		}
		// 2000 of 65536: 30 are to be expected, and 60 in one case of 10^6.
		if again > 60 {
			t.Errorf("%s: %d of %d lines have the fingerprint of another", form, again, lines)
		}
	}
}

// Names that count get each share equally often, whatever surrounds the number.
func TestShare(t *testing.T) {
	for _, format := range []string{"s%04d", "s%d", "prod-%d", "a-long-name-of-cluster-%d-in-eu"} {
		for _, n := range []int{1, 2, 3, 16} {
			got := make([]int, n)
			for i := range 1000 * n {
				got[Share(fmt.Sprintf(format, i), n)]++
			}
			for _, names := range got {
				if names < 850 || names > 1150 {
					t.Errorf("%s: of %d names for each, the shares get %v", format, 1000, got)
					break
				}
			}
		}
	}
}
