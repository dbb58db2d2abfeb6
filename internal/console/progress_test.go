package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	p := NewProgress(&screen, "judging", "", 10<<20)
	p.Set(1 << 20)
	if screen.Len() > 0 {
		t.Errorf("a run that has just begun shows %q", screen.String())
	}
	p.start = p.start.Add(-time.Second)
	p.Found(5000, 2)
	p.Set(5 << 20)
	if got := screen.String(); !strings.HasPrefix(got, "\r\x1b[Kjudging  [==========          ]  50%  5.0 MiB of 10.0 MiB  ") || !strings.Contains(got, "  2 violations  ") {
		t.Errorf("the screen has %q", got)
	}
	p.Done()
	if !strings.HasSuffix(screen.String(), "\r\x1b[K") {
		t.Errorf("the line stays: %q", screen.String())
	}
	var none *Progress // no terminal
	none.Found(1, 1)
	none.Set(1)
	none.Done()
}

// The line has one row at any width, and what matters most.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		unit          string
		total         int64
		events, found int
		room          int
		want          string
	}{
		{"", 4 << 20, 3000, 1, 0, "judging  [=====               ]  25%  1.0 MiB of 4.0 MiB  512.0 KiB/s  1,500 events/s  1 violation  6s left"},
		{"", 4 << 20, 3000, 1, 99, "judging  25%  1.0 MiB of 4.0 MiB  512.0 KiB/s  1,500 events/s  1 violation  6s left"},
		{"", 4 << 20, 3000, 1, 71, "judging  25%  512.0 KiB/s  1,500 events/s  1 violation  6s left"},
		{"", 4 << 20, 3000, 1, 56, "judging  25%  512.0 KiB/s  1,500 events/s  1 violation"},
		{"", 4 << 20, 3000, 1, 30, "judging  25%  1 violation"},
		{"", 4 << 20, 3000, 1, 22, "judging  1 violation"},
		{"", 0, 3000, 0, 0, "judging  1.0 MiB  512.0 KiB/s  1,500 events/s"},
		{"messages", 2 << 20, 0, 0, 0, "judging  [==========          ]  50%  1,048,576 of 2,097,152 messages  524,288 messages/s  2s left"},
		{"", 1 << 19, 0, 0, 20, "judging  99%"}, // a file that grows
	} {
		p := NewProgress(nil, "judging", c.unit, c.total)
		p.Found(c.events, c.found)
		if got := p.text(1<<20, 2*time.Second, c.room); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.room, got, c.want)
		}
	}
	p := NewProgress(nil, "judging", "", 4<<20)
	p.Found(3000, 1)
	for room := 20; room < 120; room++ {
		if n := utf8.RuneCountInString(p.text(1<<20, 2*time.Second, room)); n > room {
			t.Errorf("%d characters in a room for %d", n, room)
		}
	}
}
