package raftlog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of docs/import-raft.md work as printed, and so does that of the README. Only
// systemctl is left out, and the manager's directory is another one.
func TestPage(t *testing.T) {
	m := long(t, 50)
	m.stop()
	dir := t.TempDir()
	environment := append(os.Environ(), "GOBIN="+dir, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, page := range []string{"docs/import-raft.md", "README.md"} {
		text, err := os.ReadFile("../../" + page)
		m.must(err)
		ran := 0
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
			switch {
			case strings.HasPrefix(line, "go ") && page != "README.md", strings.HasPrefix(line, "cp "),
				strings.HasPrefix(line, "tracecheck import "), line == "tracecheck validate incident.jsonl":
			default:
				continue
			}
			cmd := exec.Command("sh", "-c", strings.NewReplacer("/var/lib/docker/swarm", m.dir, "DIR", "copy").Replace(line))
			if cmd.Env, cmd.Dir = environment, dir; strings.HasPrefix(line, "go ") {
				cmd.Dir = "../.."
			}
			if page == "README.md" {
				m.must(os.Remove(filepath.Join(dir, "incident.jsonl"))) // the page's command has written it
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", page, line, err, out)
			}
			if strings.HasPrefix(line, "tracecheck validate ") && !strings.Contains(string(out), "51 steps judged") { // of long
				t.Errorf("%s printed\n%s", line, out)
			}
			ran++
		}
		if want := map[string]int{"docs/import-raft.md": 5, "README.md": 1}[page]; ran != want {
			t.Errorf("%s: %d commands were run, want %d", page, ran, want)
		}
	}
}
