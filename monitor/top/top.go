// Package top shows the state of a running monitor in a terminal.
package top

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"tracecheck/internal/console"
	"tracecheck/monitor/client"
	"tracecheck/monitor/web"
	"tracecheck/report"
)

// Options are the settings of Run.
type Options struct {
	Client *client.Client
	Every  time.Duration // between two updates; more than 0
	Within time.Duration // the longest wait for an answer; 0: ten seconds
	Once   bool          // show the state once
	In     io.Reader
	Out    io.Writer
}

// Control sequences for a terminal.
const (
	enter = "\x1b[?1049h\x1b[?25l" // another screen, without a cursor
	leave = "\x1b[?25h\x1b[?1049l"
	home  = "\x1b[H"
	rest  = "\x1b[K" // of the line is cleared
	below = "\x1b[J" // all is cleared
)

// fileWidth and fileHeight are the size of the output that is not for a terminal: unlimited.
const (
	fileWidth  = 120
	fileHeight = 1000
)

// Run shows the monitor until ctx ends or the user presses q. If Out is not a terminal, it
// shows the monitor once. While the monitor does not answer, a terminal shows the reason.
func Run(ctx context.Context, o Options) error {
	if o.Once || !console.IsTerminal(o.Out) {
		s, err := o.look(ctx)
		if err != nil {
			return err
		}
		_, err = io.WriteString(o.Out, strings.Join(s.lines(fileWidth, fileHeight), "\n")+"\n")
		return err
	}
	keys, restore := keysOf(o.In)
	defer restore()
	if _, err := io.WriteString(o.Out, enter); err != nil {
		return err
	}
	defer io.WriteString(o.Out, leave)
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	var s *state
	for {
		next, err := o.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			s = next
		}
		if _, err := io.WriteString(o.Out, frame(o.Out, s, err, o.Client.Address())); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case key := <-keys:
			if strings.ContainsRune("qQ\x03\x04", key) { // also Ctrl-C and Ctrl-D
				return nil
			}
		}
	}
}

// keysOf returns a channel of pressed keys, if in is a terminal.
func keysOf(in io.Reader) (keys <-chan rune, restore func()) {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, func() {}
	}
	pressed := make(chan rune)
	go func() { // a read of a terminal cannot be interrupted: it ends with the process
		var key [1]byte
		for {
			if n, err := f.Read(key[:]); n == 0 || err != nil {
				return
			}
			pressed <- rune(key[0])
		}
	}()
	return pressed, func() { term.Restore(int(f.Fd()), before) }
}

// frame returns one full output. failed is why there is no newer state. s may be nil.
func frame(out io.Writer, s *state, failed error, addr string) string {
	width, height := fileWidth, 24
	if f, ok := out.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			width, height = w, h
		}
	}
	foot := "q quits, any other key looks again"
	if failed != nil {
		foot = fmt.Sprintf("%s: %v; trying again", addr, failed)
	}
	lines := []string{addr}
	if s != nil {
		lines = s.lines(width, height-2)
	}
	lines = append(lines[:min(len(lines), max(height-2, 0))], "", report.Fit(foot, width))
	return home + strings.Join(lines, rest+"\r\n") + rest + below
}

// look requests all data that is shown. Meanwhile no key is read, so it has a bound.
func (o *Options) look(ctx context.Context) (*state, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(o.Within, 10*time.Second))
	defer cancel()
	s := &state{addr: o.Client.Address()}
	for _, ask := range []struct {
		path, query string
		into        any
	}{
		{"api/overview", "", &s.overview}, {"api/streams", "order=fault&limit=50", &s.streams},
		{"api/violations", "limit=10", &s.violations}, {"api/past", "", &s.past},
	} {
		err := o.Client.Get(ctx, ask.path, ask.query, "overview", func(body []byte) error { return json.Unmarshal(body, ask.into) })
		if err != nil {
			return nil, err
		}
	}
	if s.overview.Status == "" {
		return nil, fmt.Errorf("%s is not a monitor", s.addr)
	}
	s.at = time.Now()
	return s, nil
}

// state has the answers of a monitor.
type state struct {
	addr       string
	at         time.Time
	overview   web.Overview
	streams    web.Streams
	violations web.Violations
	past       web.Past
}
