package tracespec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReasons: one value of a real log is changed. The decisive clause is the one that
// reads it, and docs/trace-specs.md shows what the command says.
func TestReasons(t *testing.T) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	page, err := os.ReadFile("../../docs/trace-specs.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(strings.Fields(string(page)), " ")
	for _, c := range []struct {
		module, log, config string
		line                int // of the file
		is, becomes         string
		at                  int // the line of the violation, as the spec orders them
		want                string
	}{
		{"etcd-raft/Traceetcdraft", "first1000", "", 318, `"commit":6}`, `"commit":7}`, 318,
			"commitIndex[i] = logline.event.state.commit (Traceetcdraft.tla:196:24) but commitIndex[i] = 6, logline.event.state.commit = 7"},
		{"twophase/TwoPhaseTrace", "4RM.VEA", "conf.4RM.ndjson", 5, `"args": ["rm-1"]`, `"args": ["rm-3"]`, 5,
			`tmPrepared' = tmPrepared \cup {r} (TwoPhase.tla:86:6) but tmPrepared' = {"rm-0", "rm-3"}, tmPrepared = {"rm-0"}, r = "rm-0"`},
		{"ewd998/EWD998ChanTrace", "EWD998ChanTrace", "", 5, `"q":6`, `"q":7`, 184,
			"inbox'[rcv][idx].q = msg.q (EWD998ChanTrace.tla:99:16) but inbox'[rcv][idx].q = 6, msg.q = 7"},
	} {
		dir := filepath.Join(material, "traces", filepath.Dir(c.module))
		data, err := os.ReadFile(filepath.Join(dir, "logs", c.log+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		if strings.Count(lines[c.line-1], c.is) != 1 {
			t.Fatalf("%s:%d has %s not once", c.log, c.line, c.is)
		}
		lines[c.line-1] = strings.Replace(lines[c.line-1], c.is, c.becomes, 1)
		log := filepath.Join(t.TempDir(), "log.ndjson")
		if err := os.WriteFile(log, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Judge(t.Context(), Options{Module: filepath.Join(material, "traces", c.module+".tla"), Env: map[string]string{
			"JSON": log, "TRACE_PATH": log, "CONFIG_PATH": filepath.Join(dir, c.config),
		}})
		if err != nil || r.Line != c.at || len(r.Nearest) == 0 {
			t.Errorf("%s: %v, %+v", c.module, err, r)
			continue
		}
		f := r.Nearest[0].Failed
		if got := fmt.Sprintf("%s (%s) but %s", f.Text, f.Place, f.Values); got != c.want {
			t.Errorf("%s: %s, want %s", c.module, got, c.want)
		}
		if !strings.Contains(shown, c.want) {
			t.Errorf("%s: docs/trace-specs.md does not show %s", c.module, c.want)
		}
	}
}
