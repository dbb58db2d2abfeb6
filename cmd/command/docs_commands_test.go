//go:build unix

package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/monitor/config"
	"tracecheck/specs"
)

// TestPrintedCommands runs each command that a page prints, in a folder with the files that pages
// name, and with a cluster, a swarm and monitors. Only standIns differ from what is printed.
func TestPrintedCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob(root + "/docs/*.md")
	if err != nil || len(documents) < 20 {
		t.Fatal(documents, err)
	}
	s := newSystems(t)
	common := s.commonFiles(t, root)
	printed, elsewhere := 0, map[string]bool{}
	for _, page := range append([]string{root + "/README.md"}, documents...) { // the longest first
		name := filepath.Base(page)
		var lines []string
		for _, b := range blocks(t, page) {
			for _, line := range printedCommands(b.text) {
				if printed++; runElsewhere[name+": "+line] != "" || runElsewhere[name] != "" {
					elsewhere[name+": "+line], elsewhere[name] = true, true
					if err := parses(line); err != nil {
						t.Errorf("%s: %s: %v", name, line, err)
					}
					continue
				}
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := s.namedFiles(t, root, common, name)
			for _, line := range lines {
				s.run(t, dir, line)
			}
		})
	}
	if printed < 140 {
		t.Errorf("the pages print %d commands, want 140 at least", printed)
	}
	for line := range runElsewhere {
		if !elsewhere[line] {
			t.Errorf("no page prints %s", line)
		}
	}
}

// runElsewhere are the pages and commands that other tests run.
var runElsewhere = map[string]string{
	"findings.md": "TestFindingsAreScripts",
	"import-raft.md: tracecheck import raft copy -o incident.jsonl": "TestPage of ingest/raftlog",
	"import-raft.md: tracecheck validate incident.jsonl":            "TestPage of ingest/raftlog",
	"README.md: tracecheck import raft DIR -o incident.jsonl":       "TestPage of ingest/raftlog",
}

var (
	fenced = regexp.MustCompile("(?s)```.*?```")
	inline = regexp.MustCompile("`[^`]+`")
)

// Each command that a sentence of a page names parses, and each flag is one of the command, or of
// any command.
func TestInlineCommands(t *testing.T) {
	known := map[string][]string{} // flags by command, of all under ""
	for _, cmd := range newApp(console.Environment{Specs: specs.All()}).Commands {
		known[cmd.Name] = cmdline.FlagNames(cmd)
	}
	known["monitor"] = cmdline.FlagNames(&cli.Command{Flags: config.NewFlags(specs.All()).List})
	for _, flags := range known {
		known[""] = append(known[""], flags...)
	}
	commands, flags := 0, 0
	for _, page := range allPages(t) {
		for _, code := range inline.FindAllString(fenced.ReplaceAllString(readText(t, page), ""), -1) {
			words := strings.Fields(strings.Trim(code, "`")) // code may go over a line's end
			for _, line := range printedCommands([]string{strings.Join(words, " ")}) {
				commands++
				if err := parses(line); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(page), line, err)
				}
			}
			of := ""
			if known[words[0]] != nil {
				of, words = words[0], words[1:]
			}
			if len(words) == 0 || !strings.HasPrefix(words[0], "--") {
				continue
			}
			flags++
			if name, _, _ := strings.Cut(words[0], "="); !slices.Contains(known[of], name) && name != "--version" {
				t.Errorf("%s: %s: there is no flag %s", filepath.Base(page), code, name)
			}
		}
	}
	if commands < 50 || flags < 150 {
		t.Errorf("the pages name %d commands and %d flags, want 50 and 150 at least", commands, flags)
	}
}

var beforeCommand = regexp.MustCompile(`^(\$ |- run: |sudo |go run \./cmd/|/\S+/)+`)

// printedCommands are the commands of a block: those behind "$", where it has one.
func printedCommands(lines []string) (list []string) {
	prompted := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "$ ") })
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if prompted && !strings.HasPrefix(line, "$ ") {
			continue
		}
		line, _, _ = strings.Cut(beforeCommand.ReplaceAllString(line, ""), " # ")
		if strings.HasPrefix(line, "tracecheck ") || strings.Contains(line, "| tracecheck ") || strings.HasPrefix(line, "curl ") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// parses reports what is wrong with the words of a command.
func parses(line string) error {
	all := specs.All()
	for _, part := range strings.Split(line, "|") {
		words := strings.Fields(part)
		if words[0] != "tracecheck" || words[1] == "--version" {
			continue
		}
		cmd := newApp(console.Environment{Specs: all}).Command(words[1])
		if words[1] == "monitor" {
			cmd = &cli.Command{Name: "monitor", Flags: config.NewFlags(all).List}
		}
		if cmd == nil {
			return fmt.Errorf("there is no command %s", words[1])
		}
		flags, _, err := cmdline.Split(cmd, slices.DeleteFunc(words[2:], func(w string) bool { return w == "[--ready]" || w == "--help" }))
		if err != nil {
			return err
		}
		if err := cmdline.Parse(cmdline.FlagSet(cmd.Flags), flags, nil); err != nil {
			return err
		}
	}
	return nil
}

// namedFiles is a folder with the files that the pages name: a copy of those of
// commonFiles, and the page's own.
func (s *systems) namedFiles(t *testing.T, root, common, page string) string {
	t.Helper()
	dir := t.TempDir()
	s.script(t, dir, root, `
cp -a "$COMMON/." .
case $PAGE in
monitor-config.md) awk '/^...$/ {is = 0} is {print} /^...yaml$/ {is = !n++}' "$ROOT/docs/$PAGE" | sed "s,localhost:9092,$BROKER," >monitor.yaml ;;
esac
[ "$PAGE" != README.md ] || tracecheck validate -qk --write-baseline known.yaml events.jsonl || [ $? = 1 ]
`, "COMMON="+common, "PAGE="+page)
	return dir
}

// commonFiles is a folder with the files that more than one page names.
func (s *systems) commonFiles(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	s.script(t, dir, root, `
ln -s "$ROOT/testdata" testdata
cp testdata/tracespecs/* .
cp testdata/map/updates/rules.yaml testdata/map/updates/app.log .
sed 's,/var/lib/tracecheck/,,' "$ROOT/deploy/monitor.yaml" >monitor.yaml
cp testdata/traces/scale.jsonl recording.jsonl
sed 's/"profile":"moby"/"profile":"spec"/' recording.jsonl >events.jsonl
cp events.jsonl events.jsonl.zst # content decides
cp events.jsonl trace.jsonl
cp recording.jsonl swarm.jsonl
gzip -k swarm.jsonl
cp swarm.jsonl.gz swarm-000001.jsonl.gz
mkdir traces
cp recording.jsonl traces/
mkdir run && cp swarm.jsonl.gz run/rec.jsonl.gz
cp events.jsonl a.jsonl
tracecheck generate --spec swarmkit --events 100 -o b.jsonl
cp "$KEYS/cert.pem" ca.pem
cp "$KEYS/password" .
echo fail >.curlrc
sed 's/MODULE LockTrace/MODULE Trace/' LockTrace.tla >Trace.tla
cp LockTrace.cfg Trace.cfg
cp lock.yaml bind.yaml
cp lock.yaml app.yaml
cp lock.ndjson app.ndjson
tracecheck generate --spec updatecluster --events 9 --objects 1 | tracecheck export itf - >kcp.itf.json
cp kcp.itf.json behaviour.itf.json
`)
	return dir
}

// script runs lines of the shell in the folder.
func (s *systems) script(t *testing.T, dir, root, lines string, env ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", lines)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "ROOT="+root, "KEYS="+s.keys, "BROKER="+s.broker), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The parts of pages that readers look for are there: each with what it must have.
func TestPartsOfPages(t *testing.T) {
	t.Chdir("../..")
	ends := regexp.MustCompile(`\n(## |\*\*)`)
	for _, c := range []struct {
		page, part string
		has        []string
	}{
		{"README.md", "**You operate", []string{"`tracecheck monitor`", "(docs/monitor.md)"}},
		{"README.md", "**You have a TLA+ spec", []string{"`tracecheck validate --module Trace.tla app.ndjson`", "(docs/bind.md)"}},
		{"README.md", "**You write tests", []string{"`tracecheck validate`", "(docs/library.md)"}},
		{"CONTRIBUTING.md", "## Run the checks", []string{"\ngo test -p 4 ./...\n", "`.ci/run`", "`TRACECHECK_EXHAUSTIVE=1`", "`-update`"}},
		{"CONTRIBUTING.md", "## Add a case", []string{"(docs/writing-a-case.md)"}},
		{"CONTRIBUTING.md", "## Add an allowance", []string{"(docs/detection.md)"}},
		{"CONTRIBUTING.md", "## Add a spec", []string{"(docs/writing-a-spec.md)"}},
		{"CONTRIBUTING.md", "## Style", []string{"20 words", "(docs/glossary.md)"}},
		{"SECURITY.md", "## What the program reads", []string{"The program trusts"}},
		{"SECURITY.md", "## What the monitor serves", []string{"loopback", "(docs/monitor-web.md#tls-and-a-login)"}},
		{"SECURITY.md", "## Report a vulnerability", []string{"privately", "`tracecheck --version`"}},
	} {
		_, part, ok := strings.Cut(readText(t, c.page), "\n"+c.part)
		if end := ends.FindStringIndex(part); end != nil {
			part = part[:end[0]]
		}
		for _, want := range c.has {
			if !strings.Contains(part, want) {
				t.Errorf("%s: the part %q, which is there: %t, has no %q", c.page, c.part, ok, want)
			}
			if page, _, _ := strings.Cut(strings.Trim(want, "()"), "#"); want[0] == '(' {
				readText(t, page) // it is there
			}
		}
	}
	versions := strings.Split(readText(t, "CHANGELOG.md"), "\n## ")[1:]
	if len(versions) == 0 {
		t.Error("the changelog has no version")
	}
	for _, text := range versions {
		if !regexp.MustCompile(`^\d+\.\d+\.\d+.*\n`).MatchString(text) || !strings.Contains(text, "\n- `") {
			t.Errorf("a part of the changelog is no version with a list of changes: %s", text)
		}
	}
}

// The first command of the README prints the report that the README shows. It and the second end with
// the statuses that the text states.
func TestReadmePrintsThat(t *testing.T) {
	t.Chdir("../..")
	shown := blocks(t, "README.md")
	between := strings.Split(readText(t, "README.md"), "```")[2]
	var reports []string
	for i, want := range []int{1, 0} {
		command, ok := strings.CutPrefix(shown[i].text[0], "go run ./cmd/tracecheck ")
		status, stdout, _ := tryRun(t.Context(), strings.NewReader(""), strings.Fields(command)...)
		if !ok || status != want {
			t.Errorf("%s: exit status %d, want %d", shown[i].text[0], status, want)
		}
		if says := fmt.Sprintf(`exit status (is )?%d\b`, want); !regexp.MustCompile(says).MatchString(between) {
			t.Errorf("between its first commands, the README does not state %s", says)
		}
		reports = append(reports, stdout)
	}
	for _, b := range shown {
		if strings.HasPrefix(b.text[0], "VIOLATION") {
			prints(t, b, "the first command", reports[0])
			return
		}
	}
	t.Error("the README shows no report")
}
