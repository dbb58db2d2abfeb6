package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/board"
)

func TestHealth(t *testing.T) {
	for _, c := range []struct {
		name           string
		change         func(b *fakeBoard)
		healthy, ready string // a part of the reason; "": yes
	}{
		{"well", func(*fakeBoard) {}, "", ""},
		{"violations", func(b *fakeBoard) { b.violations = []board.Violation{{Found: night}} }, "", ""},
		{"no part", func(b *fakeBoard) { b.overview.Parts = nil }, "", "no part of the source"},
		{"loading", func(b *fakeBoard) { b.overview.Parts[1].State = board.Loading }, "", "kafka:events/1 is reading its checkpoint"},
		{"stopping", func(b *fakeBoard) { b.overview.Parts[1].State = board.Stopping }, "", "kafka:events/1 is stopping"},
		{"the outbox full", func(b *fakeBoard) {
			b.overview.Parts[1].State, b.overview.Alerts[1].Pending = board.Waiting, 5000
		}, "", "too many alerts are pending; 5,000 for file /var/lib"},
		{"failed", func(b *fakeBoard) {
			b.overview.Parts[0].State, b.overview.Parts[0].Reason = board.Failed, "no such file"
		}, "kafka:events/0 has failed: no such file", "kafka:events/0 has failed: no such file"},
		{"three intervals", func(b *fakeBoard) { b.overview.Parts[0].Saved = night.Add(-30 * time.Second) }, "", ""},
		{"more", func(b *fakeBoard) { b.overview.Parts[0].Saved = night.Add(-31 * time.Second) }, "", "no checkpoint for 31s; one is due every 10s"},
		{"just taken over", func(b *fakeBoard) {
			b.overview.Parts[0].Saved, b.overview.Parts[0].Began = night.Add(-time.Hour), night.Add(-time.Second)
		}, "", ""},
		{"taken, never saved", func(b *fakeBoard) {
			b.overview.Parts[0].Saved, b.overview.Parts[0].Began = time.Time{}, night.Add(-time.Minute)
		}, "", "no checkpoint for 1m 0s"},
		{"not heard for 15 seconds", func(b *fakeBoard) { b.overview.Parts[1].Answered = night.Add(-15 * time.Second) }, "", ""},
		{"not heard for longer", func(b *fakeBoard) { b.overview.Parts[1].Answered = night.Add(-16 * time.Second) }, "", "kafka:events/1: no answer for 16s"},
		{"not heard, and it waits", func(b *fakeBoard) {
			b.overview.Parts[1].Answered, b.overview.Parts[1].State = night.Add(-time.Minute), board.Waiting
		}, "", "kafka:events/1: no answer for 1m 0s"},
		{"loading for long", func(b *fakeBoard) {
			b.overview.Parts[1].Answered, b.overview.Parts[1].State = time.Time{}, board.Loading
		}, "", "kafka:events/1 is reading its checkpoint"},
		{"nobody can say when it was heard", func(b *fakeBoard) { b.overview.Parts[1].Answered = time.Time{} }, "", ""},
		{"a transaction", func(b *fakeBoard) { b.overview.Parts[1].Blocked = night.Add(-15 * time.Second) }, "", ""},
		{"a long transaction", func(b *fakeBoard) {
			b.overview.Parts[1].Blocked, b.overview.Parts[1].Lag = night.Add(-61*time.Second), 400
		}, "", "kafka:events/1 has been blocked for 1m 1s by an open transaction, with 400 messages not judged yet"},
		{"no clock", func(b *fakeBoard) { b.overview.Parts[0].Saved, b.overview.Parts[0].Began = time.Time{}, time.Time{} }, "", ""},
	} {
		b := quiet(3, night)
		c.change(b)
		h := at(b, Options{Interval: 10 * time.Second}).handler()
		for path, want := range map[string]string{"healthz": c.healthy, "readyz": c.ready} {
			w := get(h, path)
			var got health
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			status := http.StatusOK
			if want != "" {
				status = http.StatusServiceUnavailable
			}
			if text := strings.Join(got.Reasons, "\n"); w.Code != status || got.OK != (want == "") || !strings.Contains(text, want) || want == "" && text != "" {
				t.Errorf("%s: /%s is %d, %+v; want %q", c.name, path, w.Code, got, want)
			}
		}
	}
	// With short intervals a checkpoint is not late as soon as one takes its time.
	for age, want := range map[time.Duration]int{9 * time.Second: http.StatusOK, time.Minute: http.StatusServiceUnavailable} {
		b := quiet(3, night)
		b.overview.Parts[0].Saved = night.Add(-age)
		if w := get(at(b, Options{Interval: 100 * time.Millisecond}).handler(), "readyz"); w.Code != want {
			t.Errorf("with checkpoints 100ms apart, one of %s is %d: %s", age, w.Code, w.Body)
		}
	}
	b := quiet(3, night)
	b.overview.Parts[0].Saved = night.Add(-time.Hour)
	if w := get(at(b, Options{}).handler(), "readyz"); w.Code != http.StatusOK {
		t.Errorf("with no interval known, an old checkpoint is %d", w.Code)
	}
}
