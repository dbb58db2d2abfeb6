// Package foreign recognises input that is not a trace, and explains how to make a trace of
// it: other logs, other encodings, archives. It is used only after decoding has failed.
package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tracecheck/internal/files"
	"tracecheck/trace"
)

// Input is the text that could not be decoded.
type Input struct {
	Text   []byte // from the first byte of the line on, as far as it was read
	File   string // as the user named it; "-" is standard input
	Mapped bool   // rules read the lines; otherwise they should be a trace
	Module bool   // a TLA+ module reads the lines
	First  bool   // there is no event before the line
}

// Reason returns a better reason why the line cannot be decoded: what it is, and what to
// do. ok is false if nothing is recognised.
func Reason(in Input, reason string) (better string, ok bool) {
	if what := in.binary(); what != "" {
		return what, true
	}
	line, rest, _ := bytes.Cut(in.Text, []byte{'\n'})
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if !utf8.Valid(line) {
		if gjson.ValidBytes(line) {
			return in.convert(reason+". The file may be in ISO 8859-1", "iconv -f ISO-8859-1 -t UTF-8"), true
		}
		return reason, false
	}
	if in.Mapped && reason != trace.CheckJSON(line) {
		return reason, false // the error of the rule suffices
	}
	what := ""
	switch text := string(line); {
	case gjson.Valid(text):
		what = in.jsonLine(gjson.Parse(text), reason)
	case text == "" || text[0] == '{' || text[0] == '[':
		what = in.brokenJSON(reason, text, string(rest), bytes.IndexByte(in.Text, '\n') >= 0)
	default:
		what = in.plain(text, string(rest))
		switch {
		case what != "" || in.Mapped || !in.First:
		case in.Module:
			what = reason + ". " + Capture(in.File)
		default:
			what = reason + ". A trace is JSON Lines. " + in.rules("{matches: EXPRESSION}")
		}
	}
	if what == "" {
		return reason, false
	}
	return what, true
}

// oneALine says how the reader needs the lines.
func (in Input) oneALine() string {
	if in.Module {
		return ", and a TLA+ module reads one JSON value a line"
	}
	return ", and a trace has one event a line"
}

// OfModule returns a better reason why a TLA+ module cannot read the log of that name. The
// module's reason is bad: it names the log and the line, as in "app.log:3: …". "": nothing is
// recognised.
func OfModule(log, bad string) string {
	_, after, _ := strings.Cut(bad, log+":")
	number, _, _ := strings.Cut(after, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return ""
	}
	text, _ := os.ReadFile(log)
	for range line - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	why := trace.CheckJSON(bytes.TrimSuffix(first, []byte{'\r'}))
	if why == "" {
		return ""
	}
	why, _ = Reason(Input{Text: text, File: log, Module: true, First: true}, why)
	return fmt.Sprintf("%s:%d: %s", log, line, why)
}

// Capture returns the advice to make JSON Lines of a log of text, for a TLA+ module.
func Capture(log string) string {
	return Input{File: log}.convert("A TLA+ module reads JSON Lines", `jq -Rc 'capture("(?<who>\\w+) (?<what>\\w+)")'`) +
		", with your own expression: each named group is a field"
}

// Long is Reason for a line that is too long.
func Long(in Input, reason string) (better string, ok bool) {
	if what := in.binary(); what != "" {
		return what, true
	}
	if text := bytes.TrimLeft(in.Text, " \t"); len(text) > 0 && text[0] == '[' {
		return in.convert("the line is a JSON array"+in.oneALine(), "jq -c '.[]'"), true
	}
	return reason, false
}

// jsonLine returns the reason why a JSON line is not an event.
func (in Input) jsonLine(v gjson.Result, reason string) string {
	switch {
	case in.Mapped:
		return ""
	case v.IsArray():
		return in.convert("the line is a JSON array"+in.oneALine(), "jq -c '.[]'")
	case !v.IsObject():
		return ""
	case isEvent(v):
		return misnamed(v, reason)
	}
	for _, log := range jsonLogs {
		if !log.is(v) {
			continue
		}
		if log.split != "" {
			text := in.convert("the line is "+log.name+", with several records a line", "jq -c '"+log.split+"'")
			if in.Mapped {
				return text
			}
			if in.File != "-" {
				in.File = in.lines()
			}
			return text + ". " + in.rules("")
		}
		text := "the line is " + log.name + ", not an event of a trace. "
		if log.rules != "" {
			return text + in.builtIn(log.rules) + log.also
		}
		return text + in.rules("") + ". " + in.module()
	}
	var members []string
	v.ForEach(func(key, _ gjson.Result) bool {
		members = append(members, fmt.Sprintf("%q", key.Str))
		return len(members) < shownMembers
	})
	if len(members) == 0 {
		return ""
	}
	return reason + ". The line is JSON, but not an event of a trace: it has " + strings.Join(members, ", ") + ". " + in.rules("") + ". " + in.module()
}

// shownMembers bounds the members of a line that a message names.
const shownMembers = 5

// isEvent reports whether the line looks like a faulty event.
func isEvent(v gjson.Result) bool {
	for _, kind := range []string{"kind", "Kind"} {
		if trace.ParseKind(v.Get(kind).Str) != trace.KindNone {
			return true
		}
	}
	return v.Get("op").Exists() && v.Get("id").Exists()
}

// misnamed suggests the correct name of the member that the line lacks, or shows its empty value.
func misnamed(v gjson.Result, reason string) (what string) {
	for _, name := range []string{"kind", "op", "id"} {
		if !strings.Contains(reason, `has no "`+name+`"`) {
			continue
		}
		v.ForEach(func(key, value gjson.Result) bool {
			if key.Str == name {
				what = reason + ": it is " + value.Raw
			} else if strings.EqualFold(key.Str, name) || name == "kind" && trace.ParseKind(value.Str) != trace.KindNone {
				what = fmt.Sprintf(`%s: is it in %q? It is named %q`, reason, key.Str, name)
			}
			return what == ""
		})
	}
	return what
}

// brokenJSON returns the reason for a line that begins like JSON. more reports whether it
// has a line end.
func (in Input) brokenJSON(reason, line, rest string, more bool) string {
	if line == "" {
		return ""
	}
	next := strings.TrimRight(rest, "\r\n")
	last := ""
	if trimmed := strings.TrimRight(line, " \t"); trimmed != "" {
		last = trimmed[len(trimmed)-1:]
	}
	continues := next == "" && len(strings.TrimSpace(line)) == 1 ||
		next != "" && strings.IndexByte(" \t\"{[", next[0]) >= 0 && (next[0] != '{' || line[0] == '[')
	switch {
	case strings.HasPrefix(line, "{'"):
		return "the line has single quotes, as Python prints them, and is not JSON: write it with json.dumps"
	case strings.Contains(line, "}\r{"):
		return in.convert("the lines end with a carriage return alone", `tr '\r' '\n' <`)
	}
	first := json.NewDecoder(strings.NewReader(line))
	if err := first.Decode(new(json.RawMessage)); err != nil {
		if more && continues && strings.Contains("{[,", last) {
			return in.convert("the line is part of pretty-printed JSON"+in.oneALine(), "jq -c '"+split(line[0], in.Text)+"'")
		}
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Sprintf("%s: %v, at byte %d of the line", reason, wrong, wrong.Offset)
		}
		return ""
	}
	switch after := strings.TrimSpace(line[first.InputOffset():]); {
	case after == ",":
		return in.convert("a comma follows the event, as between the elements of an array", "sed 's/,$//'")
	case after != "" && after[0] == '{':
		return in.convert("the line has several JSON objects"+in.oneALine(), "jq -c .")
	}
	return ""
}

// split returns the jq filter that puts each value of pretty-printed JSON on one line.
func split(open byte, text []byte) string {
	if open == '[' {
		return ".[]"
	}
	for _, log := range jsonLogs {
		if member, _, _ := strings.Cut(strings.TrimPrefix(log.split, "."), "["); log.split != "" && bytes.Contains(text, []byte(`"`+member+`":`)) {
			return log.split
		}
	}
	return "."
}

// convert returns the message that names the input, and the command that converts it.
func (in Input) convert(what, command string) string {
	if in.File == "-" {
		return fmt.Sprintf("%s. Pipe it through `%s` first", what, strings.TrimSuffix(command, " <"))
	}
	if unpack := in.unpack(); unpack != "" && !strings.HasPrefix(command, unpack) && !strings.HasPrefix(command, "tar ") {
		return fmt.Sprintf("%s. Convert it with `%s %s | %s > %s`", what, unpack, files.Quoted(in.File), strings.TrimSuffix(command, " <"), files.Quoted(in.lines()))
	}
	return fmt.Sprintf("%s. Convert it with `%s %s > %s`", what, command, files.Quoted(in.File), files.Quoted(in.lines()))
}

// unpack returns the command that decompresses the file, "" if its name is not that of a
// compressed file.
func (in Input) unpack() string {
	switch filepath.Ext(in.File) {
	case ".gz", ".tgz":
		return "gzip -dc"
	case ".zst":
		return "zstd -dc"
	}
	return ""
}

// lines returns the name of a new file for the input's lines.
func (in Input) lines() string {
	base := filepath.Base(in.File)
	if name, _, _ := strings.Cut(base, "."); name != "" {
		base = name
	}
	return filepath.Join(filepath.Dir(in.File), base+"-lines.jsonl")
}

// rules returns the advice to map the log with rules. lines is their section lines, "" for
// JSON.
func (in Input) rules(lines string) string {
	switch {
	case in.Module:
		return Capture(in.File)
	case in.Mapped:
		return fmt.Sprintf("Say `lines: %s` in the rules", lines)
	}
	if lines != "" {
		lines = " with `lines: " + lines + "`"
	}
	return fmt.Sprintf("Rules%s turn it into a trace (`tracecheck help map`). Begin with `tracecheck map rules.yaml %s`, and then judge it with `--map rules.yaml`", lines, files.Quoted(in.File))
}

// builtIn returns the advice to map the log with built-in rules.
func (in Input) builtIn(name string) string {
	return fmt.Sprintf("tracecheck has built-in rules for it: begin with `tracecheck map %s %s`, and then judge it with `--map %s`. ", name, files.Quoted(in.File), name) +
		"For other rules, see `tracecheck help map`"
}

// module says how a module of TLA+ judges the log.
func (in Input) module() string {
	return fmt.Sprintf("To judge it by your own TLA+ module instead, begin with `tracecheck bind --check bind.yaml %s`, and then judge it with `--bind bind.yaml`", files.Quoted(in.File))
}
