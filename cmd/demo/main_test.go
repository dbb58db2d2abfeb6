package main

import (
	"testing"
	"time"
)

// An event happens when it is sent, by its own time; a line without one gets none.
func TestDated(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 5000, time.FixedZone("", 3600))
	for line, want := range map[string]string{
		`{"stream":"a","seq":2,"time":"2026-11-20T10:00:00.5Z","kind":"node","op":"delete","id":"n"}`: `{"stream":"a","seq":2,"time":"2026-11-20T11:00:00.000005Z","kind":"node","op":"delete","id":"n"}`,
		`{"stream":"a","kind":"meta","object":{"format":1}}`:                                          `{"stream":"a","kind":"meta","object":{"format":1}}`,
	} {
		if got := string(dated([]byte(line), now)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
