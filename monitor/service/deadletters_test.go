package service

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/internal/console"
	"tracecheck/monitor/config"
	"tracecheck/trace"
)

// While one of two places for dead letters is away, the other does not get the
// same ones at each attempt; what comes instead it does get.
func TestDeadLettersOfTwoPlaces(t *testing.T) {
	t.Parallel()
	brokers := kafkatest.Start(t).ListenAddrs()
	path := filepath.Join(t.TempDir(), "dead")
	s := &service{Settings: &config.Settings{DeadLetters: path, DeadLetterTopic: kafkatest.Topic(t), Kafka: &kafka.Options{Brokers: brokers}}}
	a := &assembled{}
	take, err := s.deadLetters(console.Environment{}, a)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, c := range a.closers {
			c()
		}
	}()
	bad := func(lines ...int) (list []ingest.Malformed) {
		for _, n := range lines {
			list = append(list, ingest.Malformed{Err: &trace.Error{Pos: trace.Pos{File: "f", Line: n}, Reason: "it is bad"}, Raw: []byte("{")})
		}
		return list
	}
	attempt := func(part string, fails bool, lines ...int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := take(ctx, part, bad(lines...))
		for !fails && err != nil && ctx.Err() == nil { // the topic is not known everywhere yet
			err = take(ctx, part, bad(lines...))
		}
		if (err != nil) != fails {
			t.Fatalf("%s %v: error %v", part, lines, err)
		}
	}
	attempt("p", true, 1, 2)
	attempt("q", true, 1, 2)
	attempt("p", true, 1, 2)
	attempt("q", true, 1, 2, 3) // it was given up, and comes back
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), s.DeadLetterTopic, 1)
	attempt("p", false, 1, 2)
	attempt("p", false, 1, 2) // it was given up behind that
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), "\n"); got != 2+2+3+2 {
		t.Errorf("the file has %d letters, want 9:\n%s", got, data)
	}
}
