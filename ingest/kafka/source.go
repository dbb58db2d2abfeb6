// Package kafka reads the messages of Kafka topics as events of a trace. The key is the
// stream, and the value is the line. For a log in another format, a LineDecoder makes the
// events; if it names no stream, the key does. Messages of aborted transactions are left
// out.
//
// The user of a Source sets the partitions and offsets to read, and gets batches of
// events. Each batch has the next offset, so that the user can save it with its state.
package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/internal/remind"
)

// Options are the settings of a Source.
type Options struct {
	Brokers  []string // host:port, at least one
	Topics   []string // at least one
	Security Security
	MaxLine  int                                                                  // the longest value, in bytes; 0: ingest.DefaultMaxLine
	Timeout  time.Duration                                                        // how long to wait for unreachable brokers; 0: DefaultTimeout; or Forever
	Budget   int                                                                  // bytes to request at once, for all partitions together; 0: 32 MiB
	Lines    func() ingest.LineDecoder                                            // returns a decoder for the messages; nil: they have format 1
	Raw      bool                                                                 // do not decode: batches have raw messages
	Dial     func(ctx context.Context, network, address string) (net.Conn, error) // nil: a net.Dialer's
	Log      *zap.Logger

	pace pace  // the zero value: defaultPace
	most int32 // bytes to request at once for one partition; 0: its share of Budget
	part int32 // decompressed bytes of a batch; 0: partBytes
}

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = time.Minute

// Forever is a Timeout without a limit.
const Forever time.Duration = math.MaxInt64

// defaultBudget is the default of Options.Budget, in bytes.
const defaultBudget = 32 << 20

// pace has the timeouts and intervals.
type pace struct {
	poll     time.Duration // for new messages
	answer   time.Duration // for any answer, beyond poll
	retry    time.Duration // between the first attempts
	retryMax time.Duration // between later ones
	metadata time.Duration // the longest time before the leaders are requested again
}

var defaultPace = pace{
	poll: 500 * time.Millisecond, answer: 20 * time.Second,
	retry: 100 * time.Millisecond, retryMax: 2 * time.Second, metadata: 2 * time.Second,
}

// CheckTopic returns an error for an invalid topic name. Kafka allows 249 characters.
func CheckTopic(name string) error {
	if name == "" || len(name) > 249 || strings.ContainsFunc(name, notInTopics) {
		return fmt.Errorf("%q is not a topic name: expected letters, digits, dots, underscores and hyphens", name)
	}
	return nil
}

// notInTopics reports whether topic names must not have the character.
func notInTopics(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
}

// clientID identifies this program in the brokers' logs and quotas.
const clientID = "tracecheck"

// Source reads from one Kafka cluster. Its methods may be called from several
// goroutines.
type Source struct {
	opts      Options
	transport *kafkago.Transport
	client    *kafkago.Client
	reached   atomic.Bool  // a broker has answered
	active    atomic.Int32 // number of partitions that are read now
}

// Open checks the options. An error means a wrong configuration. It does not connect yet.
// The caller closes the Source.
func Open(opts Options) (*Source, error) {
	if err := Check(opts.Brokers, opts.Topics); err != nil {
		return nil, err
	}
	opts.MaxLine = cmp.Or(opts.MaxLine, ingest.DefaultMaxLine)
	opts.Timeout = cmp.Or(opts.Timeout, DefaultTimeout)
	opts.Budget = cmp.Or(opts.Budget, defaultBudget)
	opts.part = cmp.Or(opts.part, partBytes)
	opts.Log = cmp.Or(opts.Log, zap.NewNop())
	if opts.pace == (pace{}) {
		opts.pace = defaultPace
	}
	opts.pace.answer = min(opts.pace.answer, opts.Timeout)
	transport, err := opts.transport()
	if err != nil {
		return nil, err
	}
	return &Source{
		opts: opts, transport: transport,
		client: &kafkago.Client{Addr: kafkago.TCP(opts.Brokers...), Transport: transport},
	}, nil
}

// Check checks the addresses of brokers and the names of topics, without a request.
func Check(brokers, topics []string) error {
	if len(brokers) == 0 || len(topics) == 0 {
		return errors.New("name at least one broker and one topic")
	}
	for _, b := range brokers {
		_, port, err := net.SplitHostPort(b)
		if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
			return fmt.Errorf("%q is not the address of a broker: expected host:port, such as localhost:9092", b)
		}
	}
	for i, t := range topics {
		if err := CheckTopic(t); err != nil {
			return err
		}
		if slices.Contains(topics[:i], t) {
			return fmt.Errorf("the topic %q is named twice", t)
		}
	}
	return nil
}

// Close ends the connections.
func (s *Source) Close() { s.transport.CloseIdleConnections() }

// Client returns a client for other requests to the same brokers.
func (s *Source) Client() *kafkago.Client { return s.client }

// Span is a range of offsets of one partition.
type Span struct {
	Topic     string
	Partition int
	From      int64 // the first offset
	End       int64 // the offset after the last one; Endless: no end
}

// Endless is the End of a Span that includes future messages.
const Endless = math.MaxInt64

// Attempt calls do until it succeeds, fails permanently, or has failed for Timeout. deed
// names it for errors, such as "read events/3".
func (s *Source) Attempt(ctx context.Context, deed string, do func(context.Context) error) error {
	var away remind.Reminder
	pause := s.opts.pace.retry
	for {
		one, cancel := context.WithTimeout(ctx, s.opts.pace.answer+s.opts.pace.poll)
		err := do(one)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			s.reached.Store(true)
			if away.Over() {
				s.opts.Log.Warn("Kafka is back", zap.String("to", deed))
			}
			return nil
		case !passing(err, s.reached.Load()):
			return s.explain(deed, err)
		}
		if now := time.Now(); away.Due(now) {
			fields := []zap.Field{zap.String("to", deed), zap.String("error", s.hint(err)), zap.Stringer("for", now.Sub(away.Since()).Round(time.Second))}
			if s.opts.Timeout != Forever {
				fields = append(fields, zap.Stringer("at most", s.opts.Timeout))
			}
			s.opts.Log.Warn("Kafka does not answer; waiting for it", fields...)
		}
		left := s.patience(err) - time.Since(away.Since())
		if left <= 0 {
			return s.away(deed, err)
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, s.opts.pace.retryMax)
	}
}
