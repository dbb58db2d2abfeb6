package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/syntax"
)

// model is a line of models.jsonl, with TLC's counts, or of graphs.jsonl, with the
// size of the state graph: that has neither generated nor depth.
type model struct {
	Module, Config             string
	Distinct, Generated, Depth *int
	Initial, Edges             *int
}

// TestModels counts the states of each model and each state graph as TLC does.
// What is not supported is refused by name; nothing may differ.
func TestModels(t *testing.T) {
	base := os.Getenv("TRACECHECK_TLA")
	if base == "" {
		t.Skip("TRACECHECK_TLA names no folder of TLA+ modules")
	}
	base = filepath.Join(base, "examples")
	for _, group := range []struct {
		list string
		part float64 // that has to agree
	}{{"models.jsonl", 0.95}, {"graphs.jsonl", 0.92}} {
		t.Run(strings.TrimSuffix(group.list, ".jsonl"), func(t *testing.T) {
			models := read(t, filepath.Join(base, group.list))
			agree, run := 0, 0
			for _, m := range models {
				t.Run(strings.TrimSuffix(m.Config, ".cfg"), func(t *testing.T) {
					run++
					got, err := explore(filepath.Join(base, m.Module), filepath.Join(base, m.Config), 1_000_000)
					if err != nil {
						refusal(t, err)
						return
					}
					same(t, "distinct", got.Distinct, m.Distinct)
					same(t, "generated", got.Generated, m.Generated)
					same(t, "depth", got.Depth, m.Depth)
					same(t, "initial", got.initial, m.Initial)
					same(t, "edges", got.Edges, m.Edges)
					if got.Violated != nil { // TLC completes each model without an error
						t.Errorf("violated: %v, TLC has none", got.Violated)
					}
					if !t.Failed() {
						agree++
					}
				})
			}
			t.Logf("%d of %d agree", agree, run)
			if float64(agree) < group.part*float64(run) {
				t.Errorf("less than %.0f %% agree", 100*group.part)
			}
		})
	}
}

// TestSpecs counts the states of small models of the five specs, as TLC does
// (TLC's counts are those of the README beside the texts).
func TestSpecs(t *testing.T) {
	base := os.Getenv("TRACECHECK_TLA")
	if base == "" {
		t.Skip("TRACECHECK_TLA names no folder of TLA+ modules")
	}
	for _, m := range []struct {
		name                       string
		distinct, generated, depth int
	}{
		{"swarmkit/SwarmKit", 5190, 33593, 24}, {"swarmkit/WorkerImpl", 1490, 13319, 27},
		{"portallocator/PortAllocator", 1372, 98789, 3}, {"kcpstorage/kcpStorage", 128, 705, 11},
		{"updatecluster/UpdateCluster", 250, 464, 15},
	} {
		t.Run(m.name, func(t *testing.T) {
			file := filepath.Join(base, "seeds", m.name)
			got, err := explore(file+".tla", file+".cfg", 1_000_000)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "distinct", got.Distinct, &m.distinct)
			same(t, "generated", got.Generated, &m.generated)
			same(t, "depth", got.Depth, &m.depth)
			if got.Violated != nil {
				t.Errorf("violated: %v, TLC has none", got.Violated)
			}
		})
	}
}

func same(t *testing.T, what string, got int, want *int) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s: %d, TLC has %d", what, got, *want)
	}
}

// refusal is what a model may end with: an error with its place in the text that
// says what is not supported.
func refusal(t *testing.T, err error) {
	t.Helper()
	var errs syntax.Errors
	var at *eval.Error
	placed := errors.As(err, &errs) || errors.As(err, &at) && at.Place != ""
	if !placed && strings.Count(strings.SplitN(err.Error(), " ", 2)[0], ":") < 3 || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("no refusal by name: %v", err)
		return
	}
	t.Skip(err)
}

func read(t *testing.T, file string) (list []model) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var m model
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d models, %v", file, len(list), err)
	}
	return list
}
