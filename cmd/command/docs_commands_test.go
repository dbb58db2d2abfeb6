package command

import (
	"errors"
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

// TestPrintedCommands runs each command that a page prints, in a folder with the files that
// pages name. It must print a verdict or a result. What needs a live system is only parsed,
// as a monitor's command that is a dry run.
func TestPrintedCommands(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
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
	ran, parsed := 0, 0
	for _, page := range append(documents, root+"/README.md") {
		dir := ""
		for _, b := range blocks(t, page) {
			for _, line := range printedCommands(b.text) {
				if err := parses(line); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(page), line, err)
				}
				parsed++
				if needsMore.MatchString(line) || filepath.Base(page) == "findings.md" { // TestFindingsAreScripts
					continue
				}
				if dir == "" {
					dir = namedFiles(t, root, filepath.Base(page))
				}
				if strings.HasPrefix(line, "tracecheck monitor ") {
					line = strings.TrimSuffix(line, " --dry-run") + " --dry-run"
				}
				line = strings.ReplaceAll(line, "/var/log/app/", "")
				cmd := exec.Command(sh, "-c", line)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				status := cmd.ProcessState.ExitCode()
				if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || status > 1 {
					t.Errorf("%s: %s: exit status %d\n%s", filepath.Base(page), line, status, out)
				}
				ran++
			}
		}
	}
	if ran < 80 || parsed < 120 {
		t.Errorf("%d commands were run, and %d parsed: want 80 and 120 at least", ran, parsed)
	}
}

// needsMore matches a command that needs a live system or a large file, or has a placeholder.
var needsMore = regexp.MustCompile(`validate .*--kafka|--swarm |tracecheck (record|import|top|health|checkpoint)( |$)|--events 2000000|/etc/|/run/|incident\.jsonl$|\[`)

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
		if strings.HasPrefix(line, "tracecheck ") || strings.Contains(line, "| tracecheck ") {
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
		if words[0] != "tracecheck" {
			continue
		}
		cmd := newApp(console.Environment{Specs: all}).Command(words[1])
		if words[1] == "monitor" {
			cmd = &cli.Command{Name: "monitor", Flags: config.NewFlags(all).List}
		}
		if cmd == nil {
			return fmt.Errorf("there is no command %s", words[1])
		}
		flags, _, err := cmdline.Split(cmd, slices.DeleteFunc(words[2:], func(w string) bool { return w == "[--ready]" }))
		if err != nil {
			return err
		}
		if err := cmdline.Parse(cmdline.FlagSet(cmd.Flags), flags, nil); err != nil {
			return err
		}
	}
	return nil
}

// namedFiles is a folder with the files that the pages name.
func namedFiles(t *testing.T, root, page string) string {
	t.Helper()
	dir := t.TempDir()
	script := `
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
sed 's/MODULE LockTrace/MODULE Trace/' LockTrace.tla >Trace.tla
cp LockTrace.cfg Trace.cfg
cp lock.yaml bind.yaml
cp lock.yaml app.yaml
cp lock.ndjson app.ndjson
tracecheck generate --spec updatecluster --events 9 --objects 1 | tracecheck export itf - >kcp.itf.json
cp kcp.itf.json behaviour.itf.json
[ "$PAGE" != README.md ] || tracecheck validate -qk --write-baseline known.yaml events.jsonl || [ $? = 1 ]
`
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ROOT="+root, "PAGE="+page)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// The report that the README shows is that of its first command.
func TestReadmePrintsThat(t *testing.T) {
	t.Chdir("../..")
	for _, b := range blocks(t, "README.md") {
		if strings.HasPrefix(b.text[0], "VIOLATION") {
			_, stdout, _ := tryRun(t.Context(), strings.NewReader(""), "validate", "--spec", "swarmkit", "--profile", "spec", "testdata/traces/scale.jsonl")
			prints(t, b, "the first command", stdout)
			return
		}
	}
	t.Error("the README shows no report")
}
