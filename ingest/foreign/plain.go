package foreign

import (
	"regexp"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"tracecheck/internal/files"
)

var (
	klogLine   = expression(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^ \]]+\]`)
	logfmtLine = expression(`^[\w.\-/]+=("(?:[^"\\]|\\.)*"|[^ "]*) +[\w.\-/]+=`)
	syslogLine = expression(`^(<\d+>|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )`)
	moduleLine = expression(`^-{4,} *MODULE (\w+)`)
	configLine = expression(`^(SPECIFICATION|INIT|NEXT|CONSTANTS?|INVARIANTS?|PROPERT(Y|IES))\b`)
	yamlLine   = expression(`^(---|[\w.\-]+:)( |$)`)
	column     = expression(`^"?[A-Za-z_@][\w .\-/()]*"?$`)
)

// expression compiles an expression at its first use: few files need it.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// plain returns the reason for a line of text that is not JSON. rest is the text after it.
func (in Input) plain(line, rest string) string {
	const notJSON = ", not JSON. "
	switch {
	case line[0] == '\x1e':
		return in.convert("the line begins with a record separator (RFC 7464)", `tr -d '\036' <`)
	case klogLine().MatchString(line):
		return "the line is in klog's format" + notJSON + in.rules("klog")
	case logfmtLine().MatchString(line):
		return "the line is logfmt" + notJSON + in.rules("logfmt")
	case strings.HasPrefix(line, "version https://git-lfs.github.com/spec/"):
		return "the file is a pointer of Git LFS: run `git lfs pull`"
	case moduleLine().MatchString(line):
		return "the file is a TLA+ module, not a trace: to judge a log by it, run `tracecheck validate --module " + files.Quoted(in.File) + " LOG`"
	case configLine().MatchString(line):
		return "the file is TLC's configuration of a module: to judge a log by that, run `tracecheck validate --module MODULE.tla --config " + files.Quoted(in.File) + " LOG`"
	case strings.HasPrefix(strings.ToLower(line), "<!doctype html") || strings.HasPrefix(strings.ToLower(line), "<html"):
		return "the file is a web page: download the file itself, not the page that shows it"
	case syslogLine().MatchString(line):
		return "the line is syslog" + notJSON + in.rules(`{matches: '(?P<program>\w+)\[\d+\]: (?P<msg>.*)'}`)
	case line[0] == '<':
		return "the file is XML, not a trace. Convert it to JSON Lines first"
	}
	columns, first := csvColumns(line, rest)
	switch {
	case columns != "" && in.Module:
		return "the file is CSV" + notJSON + in.rules(columns)
	case columns != "":
		return "the file is CSV" + notJSON + in.rules(columns) + ". Its header is a line, too: let the first rule be `{when: {" + first + "}, ignore: true}`"
	}
	if at := strings.IndexByte(line, '{'); at > 0 && gjson.Valid(line[at:]) {
		return in.convert("there is text before the JSON of the line", "sed 's/^[^{]*//'")
	}
	if yamlLine().MatchString(line) {
		if strings.Contains("\n"+line+"\n"+rest, "\nrules:") {
			return "the file has rules, and is not a trace: give it with --map, as in `tracecheck map " + files.Quoted(in.File) + " LOG`"
		}
		return "the file is YAML, not a trace. kubectl writes JSON with `-o json`"
	}
	return ""
}

// csvColumns is the section lines for a CSV file that begins with its header, and the
// condition that only the header meets; "" where it is none.
func csvColumns(header, rest string) (lines, first string) {
	second, _, _ := strings.Cut(rest, "\n")
	for _, sep := range []string{",", ";", "\t"} {
		columns := strings.Split(header, sep)
		if len(columns) < 2 || len(columns) == 2 && strings.Count(second, sep) != 1 || second != "" && strings.Count(second, sep) < len(columns)-1 {
			continue
		}
		names := true
		for i, c := range columns {
			names = names && column().MatchString(c)
			columns[i] = strings.Trim(c, `"`)
		}
		if !names {
			continue
		}
		lines = "{csv: [" + strings.Join(columns, ", ") + "]"
		switch sep {
		case "\t":
			lines += `, separator: "\t"`
		case ";":
			lines += `, separator: ";"`
		}
		return lines + "}", columns[0] + ": " + columns[0]
	}
	return "", ""
}
