//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/russross/blackfriday/v2"
)

// A parser of Markdown finds in each report the parts in their order, and nothing else. The
// commands that the report shows lead to its violation again.
func TestReportIsMarkdown(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const deletes = `{"stream":"a","kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"stream":"a","kind":"service","op":"delete","id":"web"}
{"stream":"b","kind":"service","op":"create","id":"db","object":{"replicas":1,"remove":false}}
{"stream":"b","kind":"service","op":"delete","id":"db"}
`
	for _, c := range []struct {
		args     string
		commands int
	}{
		{"--spec swarmkit testdata/traces/jobbug.jsonl.gz", 6},
		{"--spec swarmkit --profile spec --constant max_terminated=2 testdata/traces/scale.jsonl", 6},
		{"--line 4 deletes.jsonl", 6},
		{"created.jsonl deleted.jsonl", 6},
		{"'odd `<b>`.jsonl'", 6},
		{"--map rules.yaml app.log", 6},
		{"--bind testdata/tracespecs/lock.yaml testdata/tracespecs/lock-overtaken.ndjson", 5},
		{"--module testdata/tracespecs/LockTrace.tla testdata/tracespecs/lock-overtaken.ndjson", 2},
		{"testdata/traces/scale.jsonl", 0}, // conforms
		{"lost.jsonl", 0},                  // cannot be judged
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			created, deleted, _ := strings.Cut(deletes, "\n")
			d.write("deletes.jsonl", deletes)
			d.write("created.jsonl", created+"\n")
			d.write("deleted.jsonl", deleted)
			long := strings.Repeat("long", 25) // a line of its own
			d.write("odd `<b>`.jsonl", strings.ReplaceAll(deletes, `"web"`, `"</details>|*_[x](y)\n# Violation `+long+" ``` "+long+`"`))
			d.write("rules.yaml", `rules: [{when: {msg: up}, kind: node, op: create, id: "{node}", object: {state: up}}]`)
			d.write("app.log", strings.Repeat(`{"msg":"up","node":"n1"}`+"\n", 2))
			d.write("lost.jsonl", `{"seq":1,"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`+"\n"+`{"seq":3,"kind":"node","op":"delete","id":"n1"}`+"\n")
			if err := os.Symlink(root+"/testdata", d.path("testdata")); err != nil {
				t.Fatal(err)
			}
			d.shell("tracecheck report -o incident.md " + c.args)
			commands, rule := readMarkdown(t, d.read("incident.md"))
			if len(commands) != c.commands {
				t.Errorf("the commands are %q, want %d", commands, c.commands)
			}
			for _, command := range commands {
				status, said := d.shell(command)
				finds := strings.HasPrefix(command, "tracecheck validate ") || strings.HasPrefix(command, "tracecheck explain ")
				if want := map[bool]int{true: 1}[finds]; status != want || finds && !strings.Contains(said, rule) {
					t.Errorf("%s: exit status %d, want %d, and %s in\n%s", command, status, want, rule, said)
				}
			}
		})
	}
}

// shell runs a line in the desk's folder.
func (d *desk) shell(line string) (status int, said string) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = d.dir
	out, _ := cmd.CombinedOutput() // the status says how it ended
	return cmd.ProcessState.ExitCode(), string(out)
}

// readMarkdown returns the commands of a report, and the rule that is broken, as it is named in results.
func readMarkdown(t *testing.T, text string) (commands []string, rule string) {
	t.Helper()
	var titles, tags []string
	blocks := 0
	blackfriday.New(blackfriday.WithExtensions(blackfriday.CommonExtensions)).Parse([]byte(text)).Walk(func(n *blackfriday.Node, in bool) blackfriday.WalkStatus {
		if !in {
			return blackfriday.GoToNext
		}
		content := string(n.Literal)
		switch n.Type {
		case blackfriday.Heading:
			titles = append(titles, fmt.Sprint(n.HeadingData.Level, " ", string(n.FirstChild.Literal)))
		case blackfriday.HTMLSpan:
			tags = append(tags, content)
		case blackfriday.CodeBlock:
			if blocks++; blocks == 1 {
				rule = regexp.MustCompile(`\[\w+ .*\]`).FindString(content)
			}
			switch info := string(n.Info); info {
			case "sh":
				commands = append(commands, strings.Split(strings.TrimSpace(content), "\n")...)
			case "json":
				for line := range strings.Lines(content) {
					if !json.Valid([]byte(line)) {
						t.Errorf("the block of JSON has %q", line)
					}
				}
			case "text":
			default:
				t.Errorf("a block of %q: %s", info, content)
			}
		case blackfriday.Text:
			if strings.ContainsAny(content, "`|<>") {
				t.Errorf("the text has code or HTML: %q", content)
			}
		case blackfriday.Document, blackfriday.Paragraph, blackfriday.List, blackfriday.Item, blackfriday.Strong, blackfriday.Code:
		default:
			t.Errorf("the report has a %s: %s", n.Type, content)
		}
		return blackfriday.GoToNext
	})
	fold := []string{"<details>", "<summary>", "</summary>", "</details>"}
	if !slices.Equal(tags, slices.Repeat(fold, len(tags)/len(fold))) {
		t.Errorf("the tags are %q", tags)
	}
	want := []string{"1 Violation of ", "2 The step", "2 Timeline", "2 A minimal trace that shows it", "2 The steps of the trace that show it", "2 To reproduce it", "2 Versions"}
	if len(commands) == 0 {
		want = []string{"1 Verdict: ", "2 Versions"}
	}
	for i, title := range titles {
		switch {
		case len(want) > 0 && strings.HasPrefix(title, want[0]):
			want = want[1:]
		case i == 0 || !strings.HasPrefix(title, "2 "):
			t.Errorf("the heading %d is %q", i+1, title)
		}
	}
	if len(want) > 0 {
		t.Errorf("the headings are %q: %q is not in its place", titles, want[0])
	}
	return commands, rule
}
