package converge

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
)

// TestCases follows testdata/*.txt: lines of a trace, one transaction per run of
// lines with the same tx, and between them comments that say what holds then:
//
//	# options services=a,b stable=10s timeout=1m grace=20s failures=3 since=TIME stream=NAME
//	# now TIME                  time passes, and nothing happens
//	# listed                    all that exists was reported
//	# end                       the recording ends
//	# open                      there is no decision
//	# waits OBJECT ACTION TEXT  an open end: of a task, or a node, or - for none
//	# holds N/M                 the first service is as asked for, with N of M tasks
//	# converged TIME            the decision, and when it came
//	# not converged TIME CAUSE: TEXT
//	# cannot tell TIME CAUSE: TEXT
//
// A TIME is of the day 2026-01-01, such as 00:00:10 or 00:00:10.5. Every other comment explains.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := caseRun{t: t}
			for i, line := range strings.Split(string(text), "\n") {
				c.pos = trace.Pos{File: file, Line: i + 1}
				c.line(strings.TrimSpace(line))
			}
			if !c.decided {
				t.Error("the case checks nothing")
			}
		})
	}
}

type caseRun struct {
	t       *testing.T
	gate    *Gate
	pos     trace.Pos
	decided bool // something was checked
}

func (c *caseRun) line(line string) {
	switch {
	case line == "":
	case !strings.HasPrefix(line, "#"):
		var decoder trace.Decoder
		var ev trace.Event
		if err := decoder.Decode([]byte(line), c.pos, &ev); err != nil {
			c.t.Fatal(err)
		}
		c.gate.Push([]trace.Event{ev}) // its error is a decision
	default:
		c.directive(strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
}

func (c *caseRun) directive(text string) {
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case word == "options":
		gate, err := New(caseOptions(c.t, rest))
		if err != nil {
			c.t.Fatal(err)
		}
		c.gate = gate
		return
	case word == "now":
		c.gate.Flush()
		c.gate.Advance(caseTime(c.t, rest))
		return
	case word == "listed":
		c.gate.Flush()
		c.gate.Listed()
		return
	case word == "end":
		c.gate.Finish()
		return
	case word == "open", word == "waits", word == "holds":
		c.gate.Flush()
		c.existing(word, rest)
	case strings.HasPrefix(text, "converged "):
		c.decision(Converged, rest)
	case strings.HasPrefix(text, "not converged "):
		c.decision(NotConverged, strings.TrimPrefix(text, "not converged "))
	case strings.HasPrefix(text, "cannot tell "):
		c.decision(CannotTell, strings.TrimPrefix(text, "cannot tell "))
	default:
		return
	}
	c.decided = true
}

func (c *caseRun) existing(word, rest string) {
	services := c.gate.Progress()
	if word == "open" {
		if r := c.gate.Result(); r != nil {
			c.t.Fatalf("%s: decided at %v: %s %s: %s", c.pos, r.At, r.Verdict, r.Cause, r.Reason)
		}
		return
	}
	if word == "holds" {
		s := services[0]
		if got := strconv.Itoa(s.Running) + "/" + strconv.Itoa(s.Wanted); !s.Converged || got != rest {
			c.t.Errorf("%s: converged %t with %s, want %s; %+v", c.pos, s.Converged, got, rest, s.Waiting)
		}
		return
	}
	parts := strings.SplitN(rest, " ", 3)
	object := strings.Trim(parts[0], "-")
	found := slices.ContainsFunc(services, func(s Service) bool {
		return slices.ContainsFunc(s.Waiting, func(w Waiting) bool {
			about := w.Task == object || w.Task == "" && w.Node == object
			return about && w.Action == strings.Trim(parts[1], "-") && strings.Contains(w.Why+"; "+w.Err+"; "+w.Message, parts[2])
		})
	})
	if !found {
		c.t.Errorf("%s: no such open end: %+v", c.pos, services)
	}
}

func (c *caseRun) decision(verdict Verdict, rest string) {
	at, rest, _ := strings.Cut(rest, " ")
	cause, text, _ := strings.Cut(rest, ": ")
	r := c.gate.Result()
	if r == nil {
		c.t.Fatalf("%s: no decision: %+v", c.pos, c.gate.Progress())
	}
	if r.Verdict != verdict || string(r.Cause) != cause || !strings.Contains(r.Reason, text) {
		c.t.Errorf("%s: %s, %s: %s", c.pos, r.Verdict, r.Cause, r.Reason)
	}
	if at == "-" {
		if r.At != nil {
			c.t.Errorf("%s: at %s", c.pos, r.At)
		}
		return
	}
	if want := caseTime(c.t, at); r.At == nil || !r.At.Equal(want) {
		c.t.Errorf("%s: at %v, want %s", c.pos, r.At, want)
	}
}

func caseOptions(t *testing.T, text string) Options {
	o := Options{Stable: 10 * time.Second, Timeout: time.Minute, Grace: 20 * time.Second, MaxFailures: 3}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "services":
			o.Services = strings.Split(value, ",")
		case "stable":
			o.Stable, err = time.ParseDuration(value)
		case "timeout":
			o.Timeout, err = time.ParseDuration(value)
		case "grace":
			o.Grace, err = time.ParseDuration(value)
		case "failures":
			o.MaxFailures, err = strconv.Atoi(value)
		case "since":
			o.Since = caseTime(t, value)
		case "stream":
			o.Stream = value
		default:
			t.Fatalf("no option %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func caseTime(t *testing.T, text string) time.Time {
	at, err := time.Parse(time.RFC3339, "2026-01-01T"+text+"Z")
	if err != nil {
		t.Fatal(err)
	}
	return at
}
