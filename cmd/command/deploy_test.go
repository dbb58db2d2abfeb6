package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/monitor/config"
	"tracecheck/specs"
)

// The example configurations are read by what reads them, and what can be checked of
// them on any machine is in order.
func TestDeployedConfigurations(t *testing.T) {
	all := specs.All()
	for _, file := range []string{"monitor.yaml", "compose-monitor.yaml"} {
		m, err := config.Read(all, []string{"--config", "../../deploy/" + file})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if out, err := m.Print(); err != nil || !strings.Contains(string(out), file+":") {
			t.Errorf("%s: printed as %s, error %v", file, out, err)
		}
	}
	// So are the lines that are there to be uncommented, each by itself.
	data, err := os.ReadFile("../../deploy/monitor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^#([a-z-]+: .*)$`).FindAllStringSubmatch(string(data), -1)
	if len(commented) < 8 {
		t.Errorf("%d lines are there to be uncommented, want 8 at least", len(commented))
	}
	for _, line := range commented {
		if _, err := config.Parse("monitor.yaml", []byte(line[1]), config.NewFlags(all)); err != nil {
			t.Errorf("%s: %v", line[0], err)
		}
	}
}

// The commands of the unit, the image and the compose file are ones that there
// are.
func TestDeployedCommands(t *testing.T) {
	all := specs.All()
	app := newApp(console.Environment{Specs: specs.All()})
	commands := deployedCommands(t)
	if len(commands) < 5 {
		t.Errorf("%q: want 5 commands at least", commands)
	}
	for _, words := range commands {
		cmd := &cli.Command{Name: "monitor", Flags: config.NewFlags(all).List}
		if words[0] != "monitor" {
			cmd = app.Command(words[0])
		}
		if cmd == nil {
			t.Errorf("%q: there is no command %s", words, words[0])
			continue
		}
		flags, rest, err := cmdline.Split(cmd, words[1:])
		if err != nil || len(rest) > 0 {
			t.Errorf("%q: unexpected arguments %q, error %v", words, rest, err)
			continue
		}
		if err := cmdline.FlagSet(cmd.Flags).Parse(flags); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// deployedCommands follow the program's name.
func deployedCommands(t *testing.T) (list [][]string) {
	t.Helper()
	text := func(name string) string {
		data, err := os.ReadFile("../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, m := range regexp.MustCompile(`(?m)^Exec\w+=/usr/local/bin/tracecheck (.*)$`).FindAllStringSubmatch(text("tracecheck-monitor.service"), -1) {
		list = append(list, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?m)CMD (\[.*\])$`).FindAllStringSubmatch(text("Dockerfile"), -1) {
		var words []string
		if err := json.Unmarshal([]byte(m[1]), &words); err != nil {
			t.Fatal(err)
		}
		list = append(list, slices.DeleteFunc(words, func(w string) bool { return w == "/usr/local/bin/tracecheck" }))
	}
	for _, s := range composeServices(t) {
		if s.Image == "tracecheck" && len(s.Command) > 0 {
			list = append(list, s.Command)
		}
	}
	return list
}

type composeService struct {
	Image   string
	Command []string
}

func composeServices(t *testing.T) map[string]composeService {
	t.Helper()
	data, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct{ Services map[string]composeService }
	if err := yaml.Load(data, &compose); err != nil {
		t.Fatal(err)
	}
	return compose.Services
}

// The demo is a trace with one violation, and each of its messages has its stream
// as the key.
func TestDeployedDemo(t *testing.T) {
	t.Parallel()
	services := composeServices(t)
	words := services["make-events"].Command
	file := filepath.Join(t.TempDir(), "events.jsonl")
	words[len(words)-1] = file
	if status, _, stderr := tryRun(t.Context(), strings.NewReader(""), words...); status != 0 {
		t.Fatal(stderr)
	}
	if status, _, stderr := tryRun(t.Context(), strings.NewReader(""), "validate", "-q", file); status != 1 {
		t.Errorf("the demo's verdict is exit status %d, want a violation: %s", status, stderr)
	}
	program := regexp.MustCompile(`sed -n '([^']+)'`).FindStringSubmatch(strings.Join(services["demo"].Command, " "))
	if program == nil {
		t.Fatal("the demo's keys are made by another means than sed")
	}
	sed, err := exec.LookPath("sed")
	if err != nil {
		t.Skip(err)
	}
	sent, err := exec.Command(sed, "-n", program[1], file).Output()
	if err != nil {
		t.Fatal(err)
	}
	events, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var values strings.Builder
	for line := range strings.Lines(string(sent)) {
		key, value, _ := strings.Cut(line, "\t")
		var event struct{ Stream string }
		if err := json.Unmarshal([]byte(value), &event); err != nil || event.Stream != key || key == "" {
			t.Fatalf("the key is %q of %s", key, value)
		}
		values.WriteString(value)
	}
	if values.String() != string(events) {
		t.Error("what is sent is not what was made")
	}
}

// The table of docs/monitor-config.md has each flag, with its default, and
// nothing else.
func TestMonitorConfigDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/monitor-config.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|[^|]*\\| ?([^|]*?) ?\\|$").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			documented[name[1]] = row[2]
		}
	}
	for _, f := range config.NewFlags(specs.All()).List {
		name := f.Names()[0]
		if slices.Contains(config.LineOnly, name) {
			continue
		}
		row, is := documented[name]
		if !is {
			t.Errorf("there is no row for %s", name)
		}
		if delete(documented, name); strings.HasPrefix(name, "kafka-") {
			continue
		}
		value := "`false`"
		if _, ok := f.(*cli.BoolFlag); !ok {
			if value = ""; config.FlagNode(f) != nil {
				value = "`" + strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(config.FlagNode(f).Value) + "`"
			}
		}
		if strings.Contains(row, "`") != (value != "") && name != "listen-host" || value != "" && row != value {
			t.Errorf("%s: the documented default is %q, and the default is %q", name, row, value)
		}
	}
	for name := range documented {
		t.Errorf("there is no flag %s", name)
	}
}
