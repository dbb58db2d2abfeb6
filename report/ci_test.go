package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"tracecheck/validators"
)

// documents are the results of the text cases, with the spec that they name.
func documents() map[string]*Document {
	spec := tinySpec()
	spec.Name, spec.Module = "swarmkit", "SwarmKit"
	all := map[string]*Document{}
	for name, c := range textCases() {
		all[name] = &Document{Result: c.result, Specs: []*validators.Spec{spec}, Notes: c.opts.Notes, Version: "v1.2.3"}
	}
	return all
}

func written(t testing.TB, write func(io.Writer, *Document) error, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every violation is a failure of the case of its rule, and the counts are
// those of the elements.
func TestJUnit(t *testing.T) {
	for name, d := range documents() {
		var got junitSuites
		raw := written(t, JUnit, d)
		if err := xml.Unmarshal(raw, &got); err != nil {
			t.Errorf("%s: %v\n%s", name, err, raw)
			continue
		}
		rules, failed, failures, errors, tests := map[string]bool{}, map[string]bool{}, 0, 0, 0
		for _, v := range d.Result.Violations {
			rules[v.Rule] = true
		}
		for _, s := range got.Suites {
			for _, c := range s.Cases {
				tests++
				if c.Failure != nil {
					failures++
					failed[c.Name] = true
					if c.Failure.Message == "" || !strings.Contains(c.Failure.Text, "To read the rule") {
						t.Errorf("%s: %s does not explain: %+v", name, c.Name, c.Failure)
					}
				}
				if c.Error != nil {
					errors++
				}
			}
		}
		if tests != got.Tests || failures != got.Failures || errors != got.Errors {
			t.Errorf("%s: states %d, %d, %d; has %d, %d, %d", name, got.Tests, got.Failures, got.Errors, tests, failures, errors)
		}
		if unusable := d.Result.Verdict == validators.Unusable; unusable != (errors == 1) {
			t.Errorf("%s: %d errors", name, errors)
		}
		for rule := range rules {
			if !failed[clean(rule)] {
				t.Errorf("%s: no case fails for rule %s", name, rule)
			}
		}
	}
}

// A result refers to its rule by id and by index, and to its line.
func TestSARIF(t *testing.T) {
	for name, d := range documents() {
		var log sarifLog
		if err := json.Unmarshal(written(t, SARIF, d), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if log.Version != "2.1.0" || len(log.Runs) != 1 || len(run.Results) != len(d.Result.Violations) {
			t.Fatalf("%s: %d results for %d violations", name, len(run.Results), len(d.Result.Violations))
		}
		prints, ids := map[string]bool{}, map[string]bool{}
		for _, r := range run.Tool.Driver.Rules {
			if ids[r.ID] || r.Help.Text == "" || r.Short.Text == "" {
				t.Errorf("%s: rule %+v", name, r)
			}
			ids[r.ID] = true
		}
		for i, r := range run.Results {
			v := d.Result.Violations[i]
			region := r.Locations[0].Physical.Region
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.RuleID != v.Spec+"/"+v.Rule || region.StartLine != v.Line {
				t.Errorf("%s: result %+v", name, r)
			}
			if print := fmt.Sprint(r.Fingerprints); prints[print] {
				t.Errorf("%s: two results with one fingerprint", name)
			} else {
				prints[print] = true
			}
		}
		if ok := run.Invocations[0].Successful; ok != (d.Result.Verdict != validators.Unusable) {
			t.Errorf("%s: successful: %v", name, ok)
		}
	}
}

// A violation keeps its fingerprint when lines are put before it.
func TestFingerprint(t *testing.T) {
	v := documents()["violation"].Result.Violations[0]
	moved, other := v, v
	moved.Line, moved.FirstLine, moved.LastLine, moved.Time, moved.File = 7, 7, 7, "", "other.jsonl"
	other.Changes = []validators.Change{{Kind: "task", ID: "t2"}}
	if v.Fingerprint() != moved.Fingerprint() || v.Fingerprint() == other.Fingerprint() {
		t.Error("a fingerprint is of the place, or not of the object")
	}
}

func TestFileURI(t *testing.T) {
	for file, want := range map[string]string{
		"events.jsonl": "events.jsonl", "dir/a b%.jsonl": "dir/a%20b%25.jsonl", "/tmp/x.jsonl": "file:///tmp/x.jsonl", "a:b": "./a:b", "-": "-",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}

// Whatever a trace states, each annotation is one line, of a command of ours.
func TestGitHub(t *testing.T) {
	for name, d := range documents() {
		raw := string(written(t, GitHub, d))
		for _, line := range strings.Split(strings.TrimSuffix(raw, "\n"), "\n") {
			command, _, _ := strings.Cut(line, " ")
			if command != "::error" && command != "::warning" && command != "::notice" {
				t.Errorf("%s: %q", name, line)
			}
		}
		if n := strings.Count(raw, "::error file="); n != len(d.Result.Violations) {
			t.Errorf("%s: %d errors for %d violations", name, n, len(d.Result.Violations))
		}
	}
	var b bytes.Buffer
	command(&b, "error", "50%\nof it", "file", "a,b:c%.jsonl", "title", "x\r\ny")
	if want := "::error file=a%2Cb%3Ac%25.jsonl,title=x\\r\\ny::50%25%0Aof it\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
