package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"

	"tracecheck/internal/console"
	"tracecheck/report"
)

// steering is what moves a terminal's cursor, or turns the direction of its
// text: C0, DEL, C1, and marks, overrides and isolates of bidirectional text.
const steering = "\x1b[31m\x07\x7f\u0085\u009b2J\u061c\u200e\u200f\u202a\u202e\u2066\u2069"

// steers returns the first character that a terminal would obey; "" is none.
func steers(text string) string {
	for i, r := range text {
		if r == '\n' || r == '\t' {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError && size == 1 {
			return text[max(0, i-40):i] + "»" + text[i:i+size] + "«"
		}
	}
	return ""
}

// hostileFiles writes a trace that breaks a rule, with names that steer, a log
// with rules for it, and what is neither. Also the files' names do.
func hostileFiles(t *testing.T) (trace, rules, log, broken string) {
	t.Helper()
	dir := t.TempDir()
	name := func(base string) string {
		return filepath.Join(dir, strings.ReplaceAll(steering, "\x1b[31m\x07", "\x1b")+base)
	}
	write := func(base, text string) string {
		if err := os.WriteFile(name(base), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name(base)
	}
	text, err := os.ReadFile("testdata/traces/skip.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	// As a writer puts them that escapes what JSON wants escaped, and no more.
	evil := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`).Replace(steering)
	hostile := strings.NewReplacer(`"web"`, `"web`+evil+`"`, `"t1"`, `"t1`+evil+`"`, `"n1"`, `"n1`+evil+`"`, `"op":`, `"stream":"s`+evil+`","actor":"a`+evil+`","op":`, `"running"}`, `"running","err":"`+evil+`"}`).Replace(string(text))
	trace = write("trace.jsonl", hostile)
	rules = write("rules.yaml", "rules:\n  - {name: "+strconv.QuoteToASCII("gone"+steering)+", when: {msg: gone}, kind: node, op: delete, id: \"{name}\"}\n")
	log = write("app.log", `{"msg":"gone","name":"n`+evil+`"}`+"\n"+`{"msg":"`+evil+`"}`+"\n")
	broken = write("broken.jsonl", hostile+`{"kind":"`+evil+`","op":"create"}`+"\n")
	return trace, rules, log, broken
}

// Nothing that a trace, a log or the name of a file states steers the terminal
// that shows what tracecheck writes.
func TestSteersNoTerminal(t *testing.T) {
	trace, rules, log, broken := hostileFiles(t)
	for _, args := range [][]string{
		{"validate", trace}, {"validate", "--color", "always", trace}, {"validate", "-v", trace}, {"validate", broken}, {"validate", trace + "x"},
		{"validate", "-o", "json", trace}, {"validate", "-o", "github", trace}, {"validate", "-o", "junit", trace}, {"validate", "-o", "sarif", trace}, {"validate", "-o", "html", trace},
		{"validate", "-o", "junit", broken}, {"validate", "-o", "github", broken}, {"validate", "-o", "sarif", broken}, {"validate", "-o", "json", broken},
		{"explain", trace}, {"explain", "-o", "json", trace}, {"state", trace}, {"state", "-o", "jsonl", trace}, {"state", "--stream", steering, trace},
		{"diff", trace}, {"diff", "-o", "json", trace}, {"coverage", trace}, {"coverage", "-o", "json", trace},
		{"converge", trace}, {"converge", "-o", "json", trace}, {"converge", "--service", steering, trace},
		{"map", rules, log}, {"map", "--verbose", rules, log}, {"map", "-o", "jsonl", rules, log}, {"map", "--check", rules}, {"map", log, rules}, {"map", "--verbose", rules, broken},
		{"specs", steering}, {steering}, {"specs", "swarmkit", steering}, {"validate", "--" + steering, trace}, {"validate", "--spec", steering, trace},
		{"monitor", "--follow", trace, "--spec", steering}, {"monitor", "--follow", trace, "--config", rules}, {"monitor", "--follow", trace, "--no-checkpoint", "--dry-run"},
		{"health", "http://" + steering}, {"slice", trace + "x"}, {"shrink", "-o", trace, trace},
	} {
		_, stdout, stderr := tryRun(context.Background(), nil, args...)
		for stream, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
			if strings.Contains(strings.Join(args, " "), "--color always") {
				text = strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[1;31m", "").Replace(text)
			}
			if found := steers(text); found != "" {
				t.Errorf("%q: %s has %q", args, stream, found)
			}
		}
		if stdout == "" && stderr == "" {
			t.Errorf("%q states nothing", args)
		}
	}
}

// What is escaped in JSON means what it meant.
func TestEscapedMeansTheSame(t *testing.T) {
	trace, _, _, _ := hostileFiles(t)
	_, stdout, _ := tryRun(t.Context(), nil, "validate", "-o", "json", trace)
	var result struct {
		Violations []struct {
			Stream, File string
			Events       []struct {
				Event struct{ ID, Actor string }
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	v := result.Violations[0]
	if v.Stream != "s"+steering || v.File != trace || v.Events[0].Event.ID != "web"+steering || v.Events[0].Event.Actor != "a"+steering {
		t.Errorf("got %+q", v)
	}
}

// A log's lines are one entry each, steer nothing, and say in JSON what they
// were given.
func TestLogsSteerNothing(t *testing.T) {
	for _, format := range []string{console.LogText, console.LogJSON} {
		var out bytes.Buffer
		env := console.Environment{Stderr: report.Visible(&out)}
		const evil = "a" + steering + "\U000e0001\nb"
		console.NewServiceLogger(env.Stderr, false, format).Warn("is "+steering, zap.String("name", evil))
		if found := steers(out.String()); found != "" {
			t.Errorf("%s: %q", format, found)
		}
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: %q", format, out.String())
		}
		fields := out.Bytes()
		if format == console.LogText {
			fields = fields[bytes.IndexByte(fields, '{'):]
		}
		var got struct{ Name string }
		if err := json.Unmarshal(fields, &got); err != nil || got.Name != evil {
			t.Errorf("%s: %q (%v), from %s", format, got.Name, err, out.String())
		}
	}
}
