package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/trace"
)

// hasty is the pace of tests: what is there is there at once.
var hasty = pace{
	poll: 50 * time.Millisecond, answer: 5 * time.Second,
	retry: 10 * time.Millisecond, retryMax: 50 * time.Millisecond, metadata: 100 * time.Millisecond,
}

// bytesRead bounds what is read at once; 0: the default.
type bytesRead struct{ answer, batch int32 }

// sizes are answers of these sizes, whole, and each divided at all bundles.
func sizes(answers ...int32) (list []bytesRead) {
	for _, n := range answers {
		list = append(list, bytesRead{n, 0}, bytesRead{n, 1})
	}
	return list
}

func open(t testing.TB, opts Options) *Source {
	t.Helper()
	if opts.pace == (pace{}) {
		opts.pace = hasty
	}
	s, err := Open(opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// spans are all that the topics have now.
func spans(t testing.TB, s *Source) []Span {
	t.Helper()
	parts, err := s.Partitions(bounded(t))
	if err != nil {
		t.Fatalf("partitions: %v", err)
	}
	var all []Span
	for i := range parts {
		all = append(all, parts[i].Span())
	}
	return all
}

// seen is what a Drain gave.
type seen struct {
	events  []string // each as its position, stream and id
	bad     []string
	lost    []Lost
	empty   int
	aborted int
	next    map[string]int64 // by file
}

func (s *seen) take(b *Batch) error {
	if s.next == nil {
		s.next = map[string]int64{}
	}
	for i := range b.Events {
		s.events = append(s.events, text(&b.Events[i]))
	}
	for _, x := range b.Bad {
		s.bad = append(s.bad, fmt.Sprintf("%q %v", x.Streams, x.Err))
	}
	if b.Lost != (Lost{}) {
		s.lost = append(s.lost, b.Lost)
	}
	s.empty += b.Empty
	s.aborted += b.Aborted
	s.next[b.File] = b.Next
	return nil
}

func text(ev *trace.Event) string {
	return fmt.Sprintf("%v %q %s", ev.Pos, ev.Stream, ev.ID)
}

func drain(t testing.TB, s *Source, spans []Span) seen {
	t.Helper()
	var got seen
	if err := s.Drain(bounded(t), spans, got.take); err != nil {
		t.Fatalf("drain: %v", err)
	}
	return got
}

// node is a line about a node.
func node(id string) string {
	return fmt.Sprintf(`{"kind":"node","op":"create","id":%q,"object":{"state":"up"}}`, id)
}

// cluster is a fake one with a topic "t" of so many partitions.
func cluster(t testing.TB, partitions int32, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	return kafkatest.Start(t, append([]kfake.Opt{kfake.SeedTopics(partitions, "t")}, opts...)...)
}
