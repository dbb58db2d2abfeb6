package config

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/specs"
	"tracecheck/validators"
)

// Each file of testdata is a case: lines that begin with "$ " are flags;
// monitor.yaml, where there is one, is the configuration; the other lines are the
// error, or else there is a file named printed, which is what --dry-run prints.
func TestMonitorConfigurations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			monitorCase(t, archive)
		})
	}
}

func monitorCase(t *testing.T, archive *txtar.Archive) {
	printed := ""
	var args, errors []string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		if flags, ok := strings.CutPrefix(line, "$ "); ok {
			args = append(args, strings.Fields(flags)...)
		} else if line != "" {
			errors = append(errors, line)
		}
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "printed":
			printed = string(f.Data)
			continue
		case "monitor.yaml":
			args = append(args, "--config", f.Name)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := loadForTest(args...)
	if err != nil || printed == "" {
		if got, want := fmt.Sprint(err), strings.Join(errors, "\n"); got != want {
			t.Errorf("got the error\n%s\nwant\n%s", got, want)
		}
		return
	}
	out, err := s.Given.Print()
	if err != nil || string(out) != printed {
		t.Errorf("printed\n%s\nwant\n%s\nerror %v", out, printed, err)
	}
	if !bytes.Contains(out, []byte(mask)) {
		roundTrip(t, s, out)
	}
}

func loadForTest(args ...string) (*Settings, error) {
	env := console.Environment{Stderr: io.Discard, Getenv: func(string) string { return "" }}
	return Load(env, specs.All(), args)
}

// roundTrip: what was printed, read again, gives the same.
func roundTrip(t *testing.T, s *Settings, printed []byte) {
	if err := os.WriteFile("printed.yaml", printed, 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := loadForTest("--config", "printed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out, err := again.Given.Print()
	if err != nil || withoutComments(out) != withoutComments(printed) {
		t.Errorf("printed\n%s\nread again, it is\n%s\nerror %v", printed, out, err)
	}
	a, b := *s, *again
	for _, x := range []*Settings{&a, &b} {
		x.Given, x.Judging.OnStep, x.Lines, x.DryRun = nil, nil, nil, false // a function is never the same
		if x.Kafka != nil {
			x.Kafka.Log, x.Kafka.Lines = nil, nil
		}
		if s := x.Judging.Specs[0]; len(s.Sources) > 0 {
			x.Judging.Specs = []*validators.Spec{{Name: s.Name, Sources: s.Sources}}
		}
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the settings were %+v\nand are %+v", a, b)
	}
}

var comment = regexp.MustCompile(`(?m) # [^\n]*$`)

func withoutComments(out []byte) string { return comment.ReplaceAllString(string(out), "") }

// sample is a text that the flag takes and that is not its default.
func sample(t *testing.T, name string) string {
	for _, text := range []string{"7", "7m", "c=7", console.LogJSON, "batched", "plain", "true"} {
		m := NewFlags(specs.All())
		before, _ := m.Print()
		if m.set.Set(name, text) != nil {
			continue
		}
		if after, _ := m.Print(); !bytes.Equal(before, after) {
			return text
		}
	}
	t.Fatalf("--%s: no sample", name)
	return ""
}

// Every flag is a key of the file, but for those of the command line alone; and
// what it states there is what it states here.
func TestEveryFlagIsAKey(t *testing.T) {
	all := specs.All()
	count := 0
	for _, f := range NewFlags(all).List {
		name := f.Names()[0]
		if name == "config" || name == "dry-run" {
			continue
		}
		count++
		text := sample(t, name)
		line := NewFlags(all)
		flags := []string{"--" + name, text}
		if _, ok := f.(*cli.BoolFlag); ok {
			flags = flags[:1]
		}
		if err := line.parse(flags); err != nil {
			t.Fatal(err)
		}
		want, err := line.Print()
		if err != nil || !strings.Contains(string(want), " # command line\n") {
			t.Fatalf("--%s: printed\n%s\nerror %v", name, want, err)
		}
		if key, value, ok := strings.Cut(text, "="); ok {
			text = "{" + key + ": " + value + "}"
		}
		values, err := Parse("m.yaml", []byte("\n"+name+": "+text+"\n"), NewFlags(all))
		if err != nil {
			t.Error(err)
			continue
		}
		file := NewFlags(all)
		if err := file.take("m.yaml", values); err != nil {
			t.Fatal(err)
		}
		got, err := file.Print()
		if withoutComments(got) != withoutComments(want) || !strings.Contains(string(got), " # m.yaml:2\n") || err != nil {
			t.Errorf("--%s is\n%s\nthe key is\n%s\nerror %v", name, want, got, err)
		}
	}
	if count < 40 {
		t.Errorf("%d flags, want 40 at least", count)
	}
}

// Names that requests may have for the page are given where a user could lead
// others to it by a name of his own, and where they were asked for.
func TestMonitorHosts(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ flags, want string }{
		{"", ""},
		{"--public-url https://m.example.org:8443/x/", "m.example.org"},
		{"--listen-host a,b --public-url https://c", "a b c"},
		{"--listen 0.0.0.0:9464 --listen-remote --public-url https://c", ""},
		{"--listen 0.0.0.0:9464 --listen-remote --listen-host a --public-url https://c", "a c"},
		{"--listen none", ""},
	} {
		s, err := loadForTest(strings.Fields("--follow a --no-checkpoint " + c.flags)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Hosts, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.flags, got, c.want)
		}
	}
}

// A warning reports a secret that crosses the network in clear text, and does not show it.
func TestMonitorWarnsOfOpenSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	for url, want := range map[string]bool{
		"http://h:9093/": false, "http://u:very-secret@h/": true, "https://u:very-secret@h/": false, "http://u:very-secret@127.0.0.1:1/": false,
	} {
		var log bytes.Buffer
		env := console.Environment{Stderr: &log, Getenv: func(string) string { return "" }}
		if _, err := Load(env, specs.All(), []string{"--follow", "a", "--no-checkpoint", "--webhook", url}); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); strings.Contains(got, "secret crosses") != want || strings.Contains(got, "very-secret") {
			t.Errorf("%s: logged %q", url, got)
		}
	}
}

// A login on the command line is seen by all users of the machine; one in a file
// is not.
func TestMonitorWarnsOfLoginsOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, url := range []string{"https://u:very-secret@h/", "https://very-secret@h/", "https://h/"} {
		if err := os.WriteFile("m.yaml", []byte("webhook: "+url), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--webhook", url}, {"--config", "m.yaml"}} {
			var log bytes.Buffer
			env := console.Environment{Stderr: &log, Getenv: func(string) string { return "" }}
			if _, err := Load(env, specs.All(), append([]string{"--follow", "a", "--no-checkpoint"}, args...)); err != nil {
				t.Fatal(err)
			}
			want := args[0] == "--webhook" && strings.Contains(url, "@")
			if got := log.String(); strings.Contains(got, "all users of this machine") != want || strings.Contains(got, "very-secret") || want && !strings.Contains(got, "--config") {
				t.Errorf("%s: logged %q", args, got)
			}
		}
	}
}

// What is read is printed such that it is read again as it was.
func FuzzMonitorFile(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			for _, part := range archive.Files {
				f.Add(part.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, ok := printedOf(t, data)
		if !ok {
			return
		}
		if again, ok := printedOf(t, first); !ok || withoutComments(again) != withoutComments(first) {
			t.Errorf("%q\nis printed as\n%q\nand that as\n%q", data, first, again)
		}
	})
}

func printedOf(t *testing.T, data []byte) (printed []byte, ok bool) {
	all := specs.All()
	values, err := Parse("f.yaml", data, NewFlags(all))
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "f.yaml") && !strings.HasPrefix(line, "and ") {
				t.Errorf("an error without a place: %s", line)
			}
		}
		return nil, false
	}
	m := NewFlags(all)
	if err := m.take("f.yaml", values); err != nil {
		t.Fatal(err)
	}
	printed, err = m.Print()
	if err != nil {
		t.Fatal(err)
	}
	return printed, true
}
