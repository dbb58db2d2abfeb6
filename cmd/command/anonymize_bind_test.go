package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// With other names, the logs of the examples have the same verdict, at the same lines and by the same
// rules. Each log is also judged without one of its lines, which most modules cannot explain.
func TestAnonymizedLogsOfBindFiles(t *testing.T) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	dir := t.TempDir()
	for _, folder := range []string{"../../examples/bind", material + "/seeds/swarmkit", material + "/seeds/portallocator", material + "/seeds/updatecluster",
		material + "/traces/etcd-raft", material + "/traces/ewd998", material + "/traces/keyvaluestore", material + "/traces/twophase"} {
		files, err := filepath.Glob(folder + "/*.*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(readText(t, file)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The header is in the log, so that its names are those of the log.
	for _, name := range []string{"keyvaluestore", "twophase"} {
		text := strings.Replace(readText(t, filepath.Join(dir, name+".yaml")), "header: header.json", "header: first line", 1)
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	traces := material + "/traces/"
	headed := func(header, log string) string {
		line, _, _ := strings.Cut(readText(t, traces+header), "\n")
		return line + "\n" + readText(t, traces+log)
	}
	generated := func(spec, flags string) string {
		status, stdout, stderr := tryRun(t.Context(), nil, append([]string{"generate", "--spec", spec, "--seed", "3"}, strings.Fields(flags)...)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		return stdout
	}
	for _, c := range []struct {
		bind, log string
		without   int    // this line; 0: it is only judged whole
		gone      string // a name in the log that may not be in the other one; "": none
	}{
		{"etcd-raft", readText(t, traces+"etcd-raft/logs/first1000.ndjson"), 400, "rafttest"},
		{"keyvaluestore", headed("keyvaluestore/conf.10-20-5.ndjson", "keyvaluestore/logs/4C.VEA.ndjson"), 5, `"V8"`},
		{"twophase", strings.ReplaceAll(headed("twophase/conf.4RM.ndjson", "twophase/logs/4RM.VEA.ndjson"), "rm-", "berlin-"), 2, "berlin-0"},
		{"swarmkit", generated("swarmkit", "--events 120"), 60, `"n1"`},
		{"swarmkit", generated("swarmkit", "--events 120 --snapshot"), 60, `"n1"`},
		{"ewd998", readText(t, traces+"ewd998/logs/EWD998ChanTrace.ndjson"), 0, ""}, // its nodes are numbers
		{"updatecluster", generated("updatecluster", "--events 120"), 40, `"r1"`},
		{"portallocator", generated("portallocator", "--events 20"), 0, `"e1"`},
	} {
		for _, without := range slices.Compact([]int{0, c.without}) {
			t.Run(fmt.Sprintf("%s without %d", c.bind, without), func(t *testing.T) {
				t.Parallel()
				lines := strings.SplitAfter(c.log, "\n")
				log, other := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "other")
				if without > 0 {
					lines[without-1] = ""
				}
				text := regexp.MustCompile(`"seq":\d+,`).ReplaceAllString(strings.Join(lines, ""), "")
				if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				bind := filepath.Join(dir, c.bind+".yaml")
				if status, _, stderr := tryRun(t.Context(), nil, "anonymize", "--bind", bind, "-o", other, log); status != 0 {
					t.Fatalf("exit status %d: %s", status, stderr)
				}
				was, is := found(t, bind, log), found(t, bind, other)
				if was != is || without == 0 && !strings.HasPrefix(was, "conforming ") {
					t.Errorf("it was %s, and is %s", was, is)
				}
				t.Log(was)
				if c.gone != "" && (!strings.Contains(text, c.gone) || strings.Contains(readText(t, other), c.gone)) {
					t.Errorf("the log had the name %s, or has it now:\n%s", c.gone, readText(t, other)[:300])
				}
			})
		}
	}
}

// found is what validate finds: the verdict, the steps, the violations.
func found(t *testing.T, bind, log string) string {
	t.Helper()
	_, stdout, stderr := tryRun(t.Context(), nil, "validate", "--bind", bind, "-o", "json", log)
	var r struct {
		Verdict    string
		Steps      int
		Violations []struct {
			Spec, Kind, Rule string
			Line             int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return fmt.Sprint(r.Verdict, " ", r.Steps, r.Violations)
}
