// Package tracecheck_test holds what concerns the module as a whole.
package tracecheck_test

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mayImport says what of the module each of its packages may import: data
// flows one way, ingest → trace → validators (with specs) → report.
var mayImport = map[string][]string{
	"trace":                           {"trace/codec", "internal/nearest", "internal/words"},
	"trace/codec":                     {},
	"ingest":                          {"trace", "ingest/foreign", "internal/nearest"},
	"ingest/foreign":                  {"internal/files", "trace"},
	"ingest/mapping":                  {"internal/amount", "trace", "internal/files", "internal/yamldoc"},
	"internal/amount":                 {},
	"internal/files":                  {},
	"internal/nearest":                {},
	"internal/yamldoc":                {"internal/nearest"},
	"internal/flagvalue":              {"internal/files", "internal/nearest", "trace"},
	"internal/console":                {"internal/amount", "report", "trace", "validators"},
	"internal/cmdline":                {"internal/console", "internal/files", "internal/nearest", "report"},
	"internal/remind":                 {},
	"internal/pages":                  {},
	"internal/prose":                  {},
	"internal/exhaustive":             {},
	"internal/garbage":                {},
	"internal/version":                {},
	"internal/waits":                  {},
	"internal/words":                  {},
	"ingest/kafka":                    {"ingest", "internal/files", "internal/remind", "trace"},
	"ingest/kafka/kafkatest":          {},
	"ingest/follow":                   {"ingest", "ingest/foreign", "internal/remind", "trace"},
	"ingest/swarm":                    {"ingest/swarm/object", "ingest/swarm/wire", "internal/remind", "trace"},
	"ingest/swarm/object":             {"ingest/swarm/wire", "trace"},
	"ingest/swarm/swarmtest":          {"ingest/swarm/wire"},
	"ingest/swarm/wire":               {},
	"validators":                      {"trace", "trace/codec", "internal/nearest"},
	"validators/baseline":             {"validators", "internal/files", "internal/yamldoc"},
	"validators/model":                {"trace", "trace/codec", "internal/nearest", "validators"},
	"validators/tracetest":            {"trace", "validators", "report"},
	"validators/validatorstest":       {"trace", "validators", "internal/exhaustive"},
	"specs":                           {"validators", "specs/swarmkit", "specs/workerimpl", "specs/portallocator", "specs/updatecluster", "specs/kcpstorage"},
	"specs/internal/oracle":           {},
	"specs/internal/swarm":            {"trace", "trace/codec", "validators", "validators/model"},
	"specs/swarmkit":                  {"internal/amount", "trace", "trace/codec", "validators", "validators/model", "specs/internal/swarm"},
	"specs/workerimpl":                {"internal/amount", "trace", "trace/codec", "validators", "validators/model", "specs/internal/swarm"},
	"specs/portallocator":             {"internal/words", "trace", "trace/codec", "validators", "validators/model", "specs/internal/swarm"},
	"specs/updatecluster":             {"trace", "trace/codec", "validators", "validators/model"},
	"specs/kcpstorage":                {"trace", "trace/codec", "validators", "validators/model"},
	"postmortem/converge":             {"internal/kinds", "trace"},
	"postmortem/anonymize":            {"ingest", "internal/kinds", "internal/nearest", "trace", "validators"},
	"postmortem/replay":               {"internal/kinds", "trace", "validators"},
	"postmortem/shrink":               {"ingest", "internal/kinds", "trace", "validators", "postmortem/replay"},
	"tlaplus/export":                  {"internal/files", "internal/kinds", "trace", "postmortem/replay", "tlaplus/bind", "tlaplus/value", "validators"},
	"postmortem/explain":              {"trace", "validators", "postmortem/past", "postmortem/replay"},
	"postmortem/coverage":             {"validators"},
	"postmortem/incident":             {"internal/amount", "ingest", "internal/files", "postmortem/explain", "postmortem/past", "postmortem/shrink", "report", "trace", "validators"},
	"report":                          {"internal/amount", "internal/kinds", "postmortem/converge", "postmortem/coverage", "postmortem/explain", "postmortem/replay", "trace", "validators"},
	"internal/format1":                {"trace"},
	"internal/kinds":                  {"trace"},
	"internal/generate":               {"trace", "internal/nearest", "internal/generate/walk", "internal/generate/swarmkit", "internal/generate/workerimpl", "internal/generate/portallocator", "internal/generate/updatecluster", "internal/generate/kcpstorage"},
	"internal/generate/walk":          {"trace"},
	"internal/generate/swarmkit":      {"internal/kinds", "trace", "internal/generate/walk"},
	"internal/generate/workerimpl":    {"internal/kinds", "trace", "internal/generate/walk"},
	"internal/generate/portallocator": {"internal/kinds", "trace", "internal/generate/walk"},
	"internal/generate/updatecluster": {"internal/kinds", "trace", "internal/generate/walk"},
	"internal/generate/kcpstorage":    {"internal/kinds", "trace", "internal/generate/walk"},
	"monitor":                         {"ingest", "ingest/history", "monitor/alert", "monitor/board", "monitor/checkpoint", "trace", "validators"},
	"monitor/monitortest":             {"internal/generate"},
	"monitor/alert":                   {"report", "trace", "validators", "internal/files", "monitor/lines", "monitor/topic"},
	"monitor/deadletter":              {"monitor/lines", "monitor/topic"},
	"monitor/lines":                   {},
	"monitor/topic":                   {"ingest/kafka"},
	"monitor/checkpoint":              {"trace/codec"},
	"monitor/checkpoint/local":        {"ingest/foreign", "monitor/checkpoint"},
	"monitor/checkpoint/topic":        {"monitor/checkpoint", "monitor/topic", "ingest/kafka", "trace/codec"},
	"monitor/board":                   {"trace", "validators"},
	"monitor/web":                     {"internal/amount", "trace", "validators", "report", "monitor/board", "internal/files", "internal/yamldoc"},
	"tlaplus/syntax":                  {},
	"tlaplus/config":                  {"tlaplus/syntax"},
	"tlaplus/value":                   {},
	"tlaplus/eval":                    {"internal/files", "tlaplus/syntax", "tlaplus/config", "tlaplus/value"},
	"tlaplus/tracespec":               {"internal/files", "tlaplus/config", "tlaplus/eval", "tlaplus/value", "validators", "postmortem/explain"},
	"tlaplus/bind":                    {"ingest/foreign", "internal/files", "internal/yamldoc", "tlaplus/config", "tlaplus/eval", "tlaplus/syntax", "tlaplus/tracespec", "tlaplus/value", "trace", "trace/codec", "validators"},
	"internal/tlaexplore":             {"tlaplus/config", "tlaplus/eval", "tlaplus/value"},
	"monitor/config":                  {"ingest", "ingest/kafka", "ingest/kafka/kafkaflags", "ingest/mapping", "ingest/swarm", "internal/cmdline", "internal/console", "internal/files", "internal/flagvalue", "internal/nearest", "internal/yamldoc", "monitor/alert", "monitor/checkpoint/local", "monitor/web", "report", "tlaplus/moduleflags", "validators", "validators/judgeflags"},
	"monitor/service":                 {"ingest", "ingest/kafka", "ingest/mapping", "internal/console", "internal/flagvalue", "monitor", "monitor/alert", "monitor/board", "monitor/checkpoint", "monitor/checkpoint/local", "monitor/checkpoint/topic", "monitor/config", "monitor/deadletter", "monitor/sources", "monitor/sources/kafkasource", "monitor/topic", "monitor/web", "report", "trace", "validators"},
	"validators/judgeflags":           {"ingest/mapping", "ingest/mapping/ready", "internal/nearest", "internal/flagvalue", "trace", "validators", "validators/baseline"},
	"ingest/kafka/kafkaflags":         {"ingest/kafka", "internal/files", "internal/flagvalue"},
	"ingest/mapping/preview":          {"internal/amount", "ingest", "ingest/foreign", "ingest/mapping", "report", "trace"},
	"ingest/mapping/ready":            {"ingest/mapping"},
	"internal/tracefile":              {"internal/console", "internal/files", "internal/flagvalue"},
	"postmortem/converge/live":        {"ingest/swarm", "internal/console", "postmortem/converge", "report"},
	"monitor/checkpoint/show":         {"internal/amount", "monitor", "monitor/alert", "monitor/board", "monitor/checkpoint/local", "report"},
	"ingest/history":                  {"ingest", "trace"},
	"postmortem/past":                 {"postmortem/replay", "trace", "validators"},
	"ingest/input":                    {"ingest", "ingest/history", "ingest/kafka", "ingest/mapping", "ingest/swarm", "internal/console", "internal/flagvalue", "trace"},
	"monitor/client":                  {"internal/files", "monitor/web"},
	"monitor/health":                  {"monitor/client"},
	"monitor/top":                     {"internal/amount", "internal/console", "monitor/client", "monitor/web", "report"},
	"tlaplus/moduleflags":             {"ingest", "ingest/foreign", "ingest/input", "internal/cmdline", "internal/flagvalue", "tlaplus/bind", "tlaplus/tracespec", "validators"},
	"cmd/command":                     {"internal/amount", "ingest", "ingest/history", "ingest/input", "ingest/kafka/kafkaflags", "ingest/mapping", "ingest/mapping/preview", "ingest/mapping/ready", "ingest/swarm", "internal/cmdline", "internal/console", "internal/files", "internal/flagvalue", "internal/garbage", "internal/generate", "internal/nearest", "internal/tracefile", "internal/version", "monitor/checkpoint/local", "monitor/checkpoint/show", "monitor/client", "monitor/config", "monitor/health", "monitor/service", "monitor/top", "postmortem/anonymize", "postmortem/converge", "postmortem/converge/live", "postmortem/coverage", "postmortem/explain", "postmortem/incident", "postmortem/past", "postmortem/replay", "postmortem/shrink", "report", "tlaplus/bind", "tlaplus/export", "tlaplus/moduleflags", "tlaplus/tracespec", "trace", "validators", "validators/judgeflags"},
	"cmd/tracecheck":                  {"cmd/command", "specs"},
	"cmd/bench":                       {},
	"cmd/demo":                        {"internal/generate"},
	"internal/chromium":               {},
	"monitor/sources/kafkasource":     {"ingest", "ingest/kafka", "monitor", "trace"},
	"monitor/sources":                 {"ingest", "ingest/follow", "ingest/swarm", "monitor", "trace"},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const module = "tracecheck/"
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, imports, _ := strings.Cut(line, ":")
		name := strings.TrimPrefix(path, module)
		if path == "tracecheck" {
			continue // this test's own folder
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s: a package that this test does not know: say what it may import", path)
		}
	next:
		for _, imported := range strings.Fields(imports) {
			own, ok := strings.CutPrefix(imported, module)
			if !ok {
				continue
			}
			for _, a := range allowed {
				if a == own {
					continue next
				}
			}
			t.Errorf("%s imports %s; it may import %v", path, imported, allowed)
		}
	}
}

// mostOfCommands is how many lines the commands have at most, without their tests: they
// are flags and wiring, and what is more than that has a package of its own.
const mostOfCommands = 3500

func TestCommandsAreWiring(t *testing.T) {
	files, err := filepath.Glob("cmd/command/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no commands: %v", err)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines > mostOfCommands {
		t.Errorf("cmd/command has %d lines, want at most %d", lines, mostOfCommands)
	}
}

// registries are hosts that packages come from. Their names are of the settings of Go,
// Maven and Docker, and not of the tree.
var registries = []string{"repo.maven.", "repo1.maven.", "maven.apache.org/maven2", "proxy.golang.", "registry.npmjs", "registry-1.docker", "//ghcr.", "//quay."}

func TestNoRegistry(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" || path == "layout_test.go" {
			if d != nil && d.IsDir() {
				return cmp.Or(err, fs.SkipDir)
			}
			return err
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, host := range registries {
			if bytes.Contains(text, []byte(host)) {
				t.Errorf("%s names the host of a registry: %s", path, host)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
