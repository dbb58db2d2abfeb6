package web

import (
	"io"
	"net/http"
	"time"
)

// Readers of /events.
const (
	mostReaders = 100
	leastGap    = time.Second      // between two messages to one
	mostSilence = 15 * time.Second // then the page updates without a change: ages grow
	sendTime    = 10 * time.Second // limit for a reader to accept a message
)

// events notifies a page of changes, by server-sent events.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.seats <- struct{}{}:
		defer func() { <-s.seats }()
	default:
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Too many pages are open at the moment.", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy must not buffer
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	send := func(text string) bool {
		if out.SetWriteDeadline(time.Now().Add(sendTime)) != nil {
			return false
		}
		_, err := io.WriteString(w, text)
		return err == nil && out.Flush() == nil
	}
	if !send("retry: 2000\n\n") {
		return
	}
	gap, silence := time.NewTimer(0), time.NewTimer(0)
	defer gap.Stop()
	defer silence.Stop()
	for {
		changed := s.board.Changes() // first: a change during the update is sent next
		if !send("data: look\n\n") {
			return
		}
		gap.Reset(leastGap)
		silence.Reset(mostSilence)
		select {
		case <-gap.C:
		case <-r.Context().Done():
			return
		}
		select {
		case <-changed:
		case <-silence.C:
		case <-r.Context().Done():
			return
		}
	}
}
