package tracespec

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTraces: TLC's verdict and furthest line, on the logs that are at hand.
func TestTraces(t *testing.T) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	f, err := os.Open(filepath.Join(material, "traces/expect.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c struct {
			Case, Dir, Module, Config, Log, Verdict, Source string
			Env                                             map[string]string
			Furthest                                        *int
			CPU                                             *float64 `json:"tlc_cpu_s"` // TLC's; nil: it did not end
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Case, func(t *testing.T) {
			dir := filepath.Join(material, "traces", c.Dir)
			log := filepath.Join(dir, c.Log)
			env := map[string]string{"JSON": log, "TRACE_PATH": log}
			for k, v := range c.Env {
				env[k] = v
			}
			r, err := Judge(t.Context(), Options{Module: filepath.Join(dir, c.Module), Config: filepath.Join(dir, c.Config), Env: env})
			if err != nil {
				t.Fatal(err)
			}
			got := map[bool]string{true: "accepted", false: "rejected"}[r.Accepted]
			if r.Unusable != "" {
				if c.CPU != nil && *c.CPU < 20 || !strings.Contains(r.Unusable, "--max-states") {
					t.Errorf("unusable: %s", r.Unusable)
				}
				t.Logf("no verdict, as TLC needs long: %s", r.Unusable)
				return
			}
			if got != c.Verdict || c.Furthest != nil && r.Lines != *c.Furthest {
				t.Errorf("%s after %d lines, want %s after %v: %+v", got, r.Lines, c.Verdict, *c.Furthest, r)
				for _, a := range r.Nearest {
					t.Logf("%s: %d held, not %+v", a.Action, len(a.Held), a.Failed)
				}
			}
		})
	}
}
