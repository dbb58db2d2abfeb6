package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tracecheck/trace"
	"tracecheck/validators"
)

// The values of flags. Each refuses what it does not know: no flag falls back
// to a default in silence.

// choice is one of a few words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return errors.New("want " + strings.Join(c.allowed, " or "))
	}
	c.value = s
	return nil
}

func (c *choice) candidates() []string { return c.allowed }

// words is a list: repeated, and separated by commas. Who uses it knows which
// words there are.
type words struct {
	values []string
	known  []string // for completion
}

func (w *words) String() string { return strings.Join(w.values, ",") }

func (w *words) Set(s string) error {
	w.values = append(w.values, strings.Split(s, ",")...)
	return nil
}

func (w *words) candidates() []string { return w.known }

// repeated is a list: each time the flag is given, one more. What stands between
// commas stays together, since names of files may have some.
type repeated []string

func (r *repeated) String() string { return strings.Join(*r, " ") }

func (r *repeated) Set(s string) error {
	if s == "" {
		return errors.New("want a name")
	}
	*r = append(*r, s)
	return nil
}

// duration is more than 0.
type duration time.Duration

func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Set(s string) error {
	parsed, err := time.ParseDuration(s)
	if err != nil || parsed <= 0 {
		return errors.New("want a duration such as 90s, 5m or 1h30m")
	}
	*d = duration(parsed)
	return nil
}

// deadline is a duration for all that waits, or a word: none, or prompt, which is
// validators.DefaultPrompt for what a system does at once.
type deadline struct {
	duration
	word string
}

const prompt = "prompt"

func (d *deadline) String() string {
	if d.word != "" {
		return d.word
	}
	return d.duration.String()
}

func (d *deadline) Set(s string) error {
	if s == none || s == prompt {
		*d = deadline{word: s}
		return nil
	}
	d.word = ""
	if err := d.duration.Set(s); err != nil {
		return fmt.Errorf("%w, or %s, or %s", err, prompt, none)
	}
	return nil
}

func (d *deadline) candidates() []string { return []string{prompt, none} }

// set sets the options to it.
func (d *deadline) set(o *validators.Options) {
	o.Deadline = time.Duration(d.duration)
	if d.word == prompt {
		o.Prompt = validators.DefaultPrompt
	}
}

// moment is a point in time.
type moment time.Time

func (m *moment) String() string { return time.Time(*m).Format(time.RFC3339Nano) }

func (m *moment) Set(s string) error {
	parsed, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("want a time in RFC 3339, such as 2026-11-20T10:00:00Z")
	}
	*m = moment(parsed)
	return nil
}

// number is an integer from least.
type number struct {
	value, least int
}

func (n *number) String() string {
	if n.value == 0 {
		return ""
	}
	return strconv.Itoa(n.value)
}

func (n *number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < n.least {
		return fmt.Errorf("want an integer from %d", n.least)
	}
	n.value = v
	return nil
}

// size is a number of bytes, at least one.
type size int

func (z *size) String() string {
	if *z == 0 {
		return ""
	}
	return strconv.Itoa(int(*z))
}

func (z *size) Set(s string) error {
	unit := strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseInt(s[:len(s)-len(unit)], 10, 0)
	factor := int64(0)
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "", "b":
		factor = 1
	case "kb":
		factor = 1e3
	case "mb":
		factor = 1e6
	case "gb":
		factor = 1e9
	case "kib":
		factor = 1 << 10
	case "mib":
		factor = 1 << 20
	case "gib":
		factor = 1 << 30
	}
	if err != nil || n < 1 || factor == 0 || n > math.MaxInt/factor {
		return errors.New("want a number of bytes from 1, such as 4194304, 4MiB or 4MB")
	}
	*z = size(n * factor)
	return nil
}

// constants are values of a spec's constants, as raw JSON by name.
type constants map[string]string

func (c constants) String() string { return "" }

func (c constants) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	value = strings.TrimSpace(value)
	switch {
	case !ok || name == "":
		return errors.New("want name=value")
	case c[name] != "":
		return errors.New(name + " is given twice")
	case !utf8.ValidString(value) || json.Valid([]byte(value)) && trace.HalfPair(value) >= 0:
		return errors.New("the value is no text: names that are none would become one")
	case json.Valid([]byte(value)):
		c[name] = value
	case isWord(value):
		c[name] = strconv.Quote(value)
	default:
		return errors.New("the value is neither JSON nor a word")
	}
	return nil
}

// labels are texts by name.
type labels map[string]string

func (l labels) String() string { return "" }

func (l labels) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	switch _, twice := l[name]; {
	case !ok || name == "":
		return errors.New("want name=value")
	case twice:
		return errors.New(name + " is given twice")
	}
	l[name] = value
	return nil
}

// isWord reports whether s is a bare word, which stands for a JSON string.
func isWord(s string) bool {
	for _, r := range s {
		if r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}
