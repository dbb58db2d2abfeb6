package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// logfmt reads lines of key=value. A key alone has the value "true".
type logfmt struct{}

func (logfmt) append(out []byte, line string) ([]byte, string) {
	out = append(out, '{')
	if !strings.Contains(line, "=") { // such as a line of a stack trace
		return append(appendMember(out, wholeLine, line), '}'), ""
	}
	return append(appendPairs(out, line), '}'), ""
}

// appendPairs appends a member for each key=value of the text.
func appendPairs(out []byte, text string) []byte {
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return out
		}
		end := strings.IndexAny(text, "= \t")
		switch {
		case end < 0:
			return appendMember(out, text, "true")
		case text[end] != '=':
			out, text = appendMember(out, text[:end], "true"), text[end:]
		default:
			key := text[:end]
			var value string
			value, text = cutValue(text[end+1:])
			out = appendMember(out, key, value)
		}
	}
}

// cutValue cuts off a value, which may be in double quotes.
func cutValue(text string) (value, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && quoted[0] == '"' {
		value, _ = strconv.Unquote(quoted) // it is always a quoted string
		return value, text[len(quoted):]
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// klog reads lines as Kubernetes' logging library writes them:
// Lmmdd hh:mm:ss.uuuuuu threadid file:line] message, where a message in quotes may
// be followed by key=value.
type klog struct{}

var klogHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([IWEF])(\d{4} \d\d:\d\d:\d\d\.\d+) +(\d+) ([^ \]]+)\] ?(.*)$`)
})

func (klog) append(out []byte, line string) ([]byte, string) {
	out = append(out, '{')
	m := klogHead().FindStringSubmatch(line)
	if m == nil { // such as the second line of a message
		return append(appendMember(out, wholeLine, line), '}'), ""
	}
	for i, key := range []string{"severity", "time", "thread", "source"} {
		out = appendMember(out, key, m[i+1])
	}
	message, rest := m[5], ""
	if quoted, err := strconv.QuotedPrefix(message); err == nil && quoted[0] == '"' {
		rest = message[len(quoted):]
		message, _ = strconv.Unquote(quoted)
	}
	return append(appendPairs(appendMember(out, "msg", message), rest), '}'), ""
}
