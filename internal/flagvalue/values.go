// Package flagvalue has the values of flags. Each checks its text.
package flagvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
)

// None disables a flag that has a default.
const None = "none"

// Choice is one of a few words.
type Choice struct {
	Value   string
	Allowed []string
	Output  bool // a format of standard output: the value - is allowed, too
}

const dash = "-"

func (c *Choice) String() string { return c.Value }

func (c *Choice) Set(s string) error {
	if s == dash && c.Output {
		return nil
	}
	if !slices.Contains(c.Allowed, s) {
		hint := nearest.Hint(s, c.Allowed)
		if hint == "" && c.Output {
			hint = "; to write a file, add > FILE"
		}
		return errors.New("expected " + strings.Join(c.Allowed, " or ") + hint)
	}
	c.Value = s
	return nil
}

func (c *Choice) Candidates() []string { return c.Allowed }

// Words is a list: repeated, or separated by commas. Its user checks the words.
type Words struct {
	Values []string
	Known  []string // for completion
}

func (w *Words) String() string { return strings.Join(w.Values, ",") }

func (w *Words) Set(s string) error {
	w.Values = append(w.Values, strings.Split(s, ",")...)
	return nil
}

func (w *Words) Candidates() []string { return w.Known }

// Unexpected is the error for an argument of a command that takes none: it may be a word of
// the list --spec, or the name of the output.
func (w *Words) Unexpected(arg string) error {
	if slices.Contains(w.Known, arg) {
		return fmt.Errorf("unexpected argument %q: to take this spec, add --spec %s", arg, arg)
	}
	return fmt.Errorf("unexpected argument %q: name the file with --output", arg)
}

// Repeated is a list: each time the flag is given, one more. Commas do not
// separate values, since names of files may have some.
type Repeated []string

func (r *Repeated) String() string { return strings.Join(*r, " ") }

// List has each of them.
func (r *Repeated) List() []string { return *r }

func (r *Repeated) Set(s string) error {
	if s == "" {
		return errors.New("expected a name")
	}
	*r = append(*r, s)
	return nil
}

// Duration is more than 0.
type Duration time.Duration

func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *Duration) Set(s string) error {
	parsed, err := time.ParseDuration(s)
	if err != nil || parsed <= 0 {
		return errors.New("expected a duration such as 90s, 5m or 1h30m")
	}
	*d = Duration(parsed)
	return nil
}

// Deadline is a duration for all obligations, or a word: none; or prompt, which means
// validators.DefaultPrompt for what a system does at once.
type Deadline struct {
	Duration
	Word string
}

const Prompt = "prompt"

func (d *Deadline) String() string {
	if d.Word != "" {
		return d.Word
	}
	return d.Duration.String()
}

func (d *Deadline) Set(s string) error {
	if s == None || s == Prompt {
		*d = Deadline{Word: s}
		return nil
	}
	d.Word = ""
	if err := d.Duration.Set(s); err != nil {
		return fmt.Errorf("%w, or %s, or %s", err, Prompt, None)
	}
	return nil
}

func (d *Deadline) Candidates() []string { return []string{Prompt, None} }

// Moment is a point in time.
type Moment time.Time

func (m *Moment) String() string {
	if time.Time(*m).IsZero() {
		return ""
	}
	return time.Time(*m).Format(time.RFC3339Nano)
}

func (m *Moment) Set(s string) error {
	parsed, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("expected a time such as 2026-11-20T10:00:00Z")
	}
	*m = Moment(parsed)
	return nil
}

// Number is an integer from least.
type Number struct {
	Value, Least int
}

func (n *Number) String() string {
	if n.Value == 0 {
		return ""
	}
	return strconv.Itoa(n.Value)
}

func (n *Number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < n.Least {
		return fmt.Errorf("expected an integer from %d", n.Least)
	}
	n.Value = v
	return nil
}

// Size is a number of bytes, at least one.
type Size int

func (z *Size) String() string {
	if *z == 0 {
		return ""
	}
	return strconv.Itoa(int(*z))
}

func (z *Size) Set(s string) error {
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
		return errors.New("expected a number of bytes from 1, such as 4194304, 4MiB or 4MB")
	}
	*z = Size(n * factor)
	return nil
}

// Constants has the values of constants by name, as raw JSON.
type Constants map[string]string

func (c Constants) String() string { return "" }

// List has NAME=VALUE of each, by name.
func (c Constants) List() []string {
	list := make([]string, 0, len(c))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		list = append(list, name+"="+c[name])
	}
	return list
}

func (c Constants) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	value = strings.TrimSpace(value)
	switch {
	case !ok || name == "":
		return errors.New("expected name=value")
	case c[name] != "":
		return errors.New(name + " is given twice")
	case !utf8.ValidString(value) || json.Valid([]byte(value)) && trace.HalfPair(value) >= 0:
		return errors.New("the value is not valid text")
	case json.Valid([]byte(value)):
		c[name] = value
	case isWord(value):
		c[name] = strconv.Quote(value)
	default:
		return errors.New("the value is neither JSON nor a word")
	}
	return nil
}

// Labels are texts by name.
type Labels map[string]string

func (l Labels) String() string { return "" }

func (l Labels) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	switch _, twice := l[name]; {
	case !ok || name == "":
		return errors.New("expected name=value")
	case twice:
		return errors.New(name + " is given twice")
	}
	l[name] = value
	return nil
}

// isWord reports whether s is a bare word, which means a JSON string.
func isWord(s string) bool {
	for _, r := range s {
		if r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}

// Shift is a duration, which may be negative.
type Shift time.Duration

func (d *Shift) String() string { return time.Duration(*d).String() }

func (d *Shift) Set(s string) error {
	parsed, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("expected a duration such as 1000h or -90m")
	}
	*d = Shift(parsed)
	return nil
}

// StartAt is where to begin a partition; the zero value is its first offset.
type StartAt struct {
	Text   string
	Offset int64
	Time   time.Time // if it is set, the offset does not count
}

func (a *StartAt) String() string {
	if a.Text == "" {
		return "earliest"
	}
	return a.Text
}

func (a *StartAt) Set(s string) error {
	if s == "earliest" {
		*a = StartAt{}
		return nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		*a = StartAt{Text: s, Offset: n}
		return nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("expected earliest, an offset from 0, or a time such as 2026-11-20T10:00:00Z")
	}
	*a = StartAt{Text: s, Time: t}
	return nil
}

func (a *StartAt) Candidates() []string { return []string{"earliest"} }
