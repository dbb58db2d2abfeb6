package command

import (
	"os"
	"strings"
	"testing"
)

// The commands of docs/bind.md print what it shows, and its bind file is the one that
// they read.
func TestBindPagePrintsThat(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/bind.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("testdata/tracespecs/lock.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if indented := "   " + strings.ReplaceAll(strings.TrimSpace(string(file)), "\n", "\n   "); !strings.Contains(string(page), indented) {
		t.Error("docs/bind.md does not show testdata/tracespecs/lock.yaml")
	}
	requests, err := os.ReadFile("testdata/tracespecs/lock-requests.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+string(requests)+"```") {
		t.Error("docs/bind.md does not show testdata/tracespecs/lock-requests.yaml")
	}
	commands := 0
	for _, part := range strings.Split(string(page), "```console\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		lines := strings.Split(strings.TrimRight(text, " \n"), "\n")
		indent := lines[0][:strings.Index(lines[0], "$")]
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], indent)
		}
		command := strings.TrimPrefix(lines[0], "$ tracecheck ")
		status, stdout, stderr := tryRun(t.Context(), strings.NewReader(""), strings.Fields(command)...)
		if stderr != "" || status > 1 {
			t.Errorf("%s: exit status %d, %s", command, status, stderr)
		}
		commands++
		prints(t, block{text: lines[1:]}, command, stdout)
	}
	if commands < 3 {
		t.Errorf("%d commands, want 3 at least", commands)
	}
}

func TestBindUsage(t *testing.T) {
	t.Chdir("../..")
	const lock = "testdata/tracespecs/lock.yaml"
	for _, c := range []struct{ args, want string }{
		{"validate --bind " + lock + " --profile moby x", "--profile cannot be used with --bind"},
		{"validate --bind " + lock + " --module M.tla x", "--module cannot be used with --bind"},
		{"validate --bind missing.yaml x", "missing.yaml"},
		{"explain --bind " + lock + " --attach x", "--attach cannot be used with --bind"},
		{"validate --bind testdata/tracespecs/lock-requests.yaml --deadline 1s x", "--deadline cannot be used with --bind"},
		{"validate --bind " + lock + " --steps batched x", "--steps cannot be used with --bind"},
		{"bind " + lock, "add --check"},
		{"bind --check", "no bind file"},
	} {
		status, _, stderr := tryRun(t.Context(), strings.NewReader(""), strings.Fields(c.args)...)
		if status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit status %d, %q, want 2 and %q", c.args, status, stderr, c.want)
		}
	}
}

// explain tries all actions at the line that breaks the rule, from standard input and
// files the verdict is one.
func TestBindExplains(t *testing.T) {
	t.Chdir("../..")
	const lock, log = "testdata/tracespecs/lock.yaml", "testdata/tracespecs/lock-overtaken.ndjson"
	status, stdout, stderr := tryRun(t.Context(), strings.NewReader(""), "explain", "--bind", lock, log)
	if status != 1 || stderr != "" {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	for _, want := range []string{"Head(queue) = c", "Lock.tla:28:8", `queue = <<"anna", "bert">>`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("explain does not say %s:\n%s", want, stdout)
		}
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, _ = tryRun(t.Context(), strings.NewReader(string(data)), "validate", "-o", "json", "--bind", lock, "-")
	if status != 1 || !strings.Contains(stdout, `"line":3,`) {
		t.Errorf("from standard input: exit status %d\n%s", status, stdout)
	}
}

// Each format has a result, of files and of standard input.
func TestBindFormats(t *testing.T) {
	t.Chdir("../..")
	const lock, log = "testdata/tracespecs/lock.yaml", "testdata/tracespecs/lock-overtaken.ndjson"
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json", "html", "junit", "sarif", "github"} {
		for _, name := range []string{log, "-"} {
			status, stdout, _ := tryRun(t.Context(), strings.NewReader(string(data)), "validate", "-o", format, "--bind", lock, name)
			if status != 1 || !strings.Contains(stdout, "Acquire") {
				t.Errorf("%s of %s: exit status %d\n%s", format, name, status, stdout)
			}
		}
	}
}
