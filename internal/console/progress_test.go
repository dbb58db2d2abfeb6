package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	const total = 10 << 20
	for _, c := range []struct {
		name  string
		unit  string
		total int64
		want  []string
	}{
		{"known", "", total, []string{"judging", "50%", "5.0/10 MiB", "iB/s"}},
		{"unknown", "", -1, []string{"judging", "5.0 MiB", "iB/s"}},
		{"messages", "messages", total, []string{"judging", "50%", "5242880/10485760", "messages/s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var screen bytes.Buffer
			p := NewProgress(&screen, "judging", c.unit, c.total)
			p.Set(1 << 20)
			if screen.Len() > 0 {
				t.Errorf("a run that has just begun shows %q", screen.String())
			}
			p.start = p.start.Add(-time.Second)
			time.Sleep(time.Millisecond) // the rate of no time is infinite
			p.Set(total / 2)
			for _, part := range c.want {
				if !strings.Contains(screen.String(), part) {
					t.Errorf("the screen %q lacks %q", screen.String(), part)
				}
			}
			screen.Reset()
			p.Set(2 * total) // a file that grows
			p.Done()
			if !strings.HasSuffix(screen.String(), "\r") {
				t.Errorf("the bar stays: %q", screen.String())
			}
		})
	}
	var none *Progress // no terminal
	none.Set(1)
	none.Done()
}
