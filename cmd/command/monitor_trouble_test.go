//go:build linux

package command

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka/kafkatest"
)

// What goes wrong in the soak: each leaves all as it should be, and returns the
// monitor that runs then.

// again kills the monitor, and starts the next.
func (s *soak) again(p *process) *process {
	s.kill(p)
	s.kills++
	return s.start(s.flags...)
}

// until watches the process until it is as it must come to be.
func (s *soak) until(p *process, what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(2 * rightWithin); !holds(); time.Sleep(500 * time.Millisecond) {
		if s.lookAt(p); time.Now().After(end) {
			s.t.Fatalf("it does not come: %s", what)
		}
	}
}

// notReady watches it until it states that it is not, and why.
func (s *soak) notReady(p *process, why string) {
	s.t.Helper()
	s.until(p, why, func() bool {
		ready, reasons, err := p.ready()
		return err == nil && !ready && strings.Contains(strings.Join(reasons, "; "), why)
	})
}

// isReady watches it until it is.
func (s *soak) isReady(p *process) {
	s.t.Helper()
	s.until(p, "it is ready", func() bool {
		ready, _, err := p.ready()
		return err == nil && ready
	})
}

// killBroker has the broker gone until the monitor has said so.
func (s *soak) killBroker(p *process) *process {
	k := real{s.t, os.Getenv("TRACECHECK_KAFKA_DIR")}
	text, err := os.ReadFile(filepath.Join(k.dir, "pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.brokerKills++
	s.truth.down = true
	s.truth.ends = nil
	s.notReady(p, ": no answer for")
	k.restart()
	s.until(p, "the broker answers", func() bool { _, err := s.truth.highs(); return err == nil })
	s.truth.down = false
	s.isReady(p)
	return p
}

// leaveOpen leaves a transaction open, with messages behind it.
func (s *soak) leaveOpen(p *process) *process {
	const partition = 3
	client := kafkatest.Client(s.t, s.brokers, kgo.TransactionalID(s.topic+strconv.Itoa(s.transactions)), kgo.TransactionTimeout(10*time.Minute))
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		s.t.Fatal(err)
	}
	none := kafkatest.Message(s.topic, partition, "nobody", "")
	kafkatest.Produce(s.t, client, none)
	s.truth.open[partition] = none.Offset
	s.notReady(p, "blocked for")
	s.watch(p, 5*time.Second)
	end := kgo.TransactionEndTry(s.transactions%2 == 0)
	s.transactions++
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := client.EndTransaction(ctx, end); err != nil {
		s.t.Fatal(err)
	}
	delete(s.truth.open, partition)
	s.marks[partition] += 2 // the message, and how the transaction ended
	s.isReady(p)
	return p
}

// breakReceiver has alerts not taken until the judging waits, over restarts.
func (s *soak) breakReceiver(p *process) *process {
	s.breaks++
	s.hook.breakDown(true)
	s.truth.deaf = true
	for range 3 {
		if time.Now().Before(s.end.Add(-time.Minute)) { // else too little may come
			s.notReady(p, "too many alerts are pending")
		}
		s.watch(p, 5*time.Second)
		p = s.again(p)
	}
	s.hook.breakDown(false)
	s.truth.deaf = false
	s.isReady(p)
	if most := s.truth.most + oneEvent; s.truth.pending > most {
		s.t.Errorf("%d alerts were pending, and %d may be", s.truth.pending, s.truth.most)
	}
	return p
}

// oneEvent is more alerts than one event makes here.
const oneEvent = 10

// createAgain deletes the topic and creates it again, of which the monitor must
// know; what runs and what comes after it must say so, and one that starts over
// must not.
func (s *soak) createAgain() {
	p := s.start(s.flags...)
	s.caughtUp(p)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TimeoutMillis = 30_000
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = &s.topic
	req.Topics, req.TopicNames = append(req.Topics, topic), []string{s.topic}
	res, err := req.RequestWith(ctx, s.client)
	if err == nil {
		err = kerr.ErrorForCode(res.Topics[0].ErrorCode)
	}
	if err != nil {
		s.t.Fatalf("cannot delete the topic: %v", err)
	}
	s.client = kafkatest.Client(s.t, s.brokers, kgo.RequestRetries(1000)) // the old one knows the topic by its id
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if err = s.create(ctx); err == nil {
			break
		}
		if !errors.Is(err, kerr.TopicAlreadyExists) || time.Now().After(end) {
			s.t.Fatalf("cannot create the topic: %v", err)
		}
	}
	s.ends = make([]int64, s.partitions)
	s.rig.produce(topicLines(s.t, 64, 1000), 0)
	for range 2 {
		select {
		case err := <-p.ended:
			if said := p.stderr.String(); err == nil || !strings.Contains(said, "--start-over") {
				s.t.Errorf("with the topic created again it ended with %v: %s", err, said)
			}
		case <-time.After(rightWithin):
			s.t.Fatalf("%s takes the topic for the one that was deleted", p.name)
		}
		p = s.start(s.flags...)
	}
	s.kill(p)
	p = s.start(append(slices.Clone(s.flags), "--start-over")...)
	s.caughtUp(p)
	s.stop(p)
}

func (s *soak) create(ctx context.Context) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = s.topic, int32(s.partitions), 1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 30_000
	req.Topics = append(req.Topics, topic)
	res, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

// hook is a receiver that takes what Alertmanager takes.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	broken bool
	ids    map[string]bool // of the violations that it has
}

func newHook(t *testing.T) *hook {
	h := &hook{ids: map[string]bool{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var alerts []struct{ Labels map[string]string }
		err := json.NewDecoder(r.Body).Decode(&alerts)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.broken || err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		for _, a := range alerts {
			if a.Labels["alertname"] == "TracecheckViolation" {
				h.ids[a.Labels["id"]] = true
			}
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) breakDown(broken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = broken
}

// same holds what it has against the alerts of the files.
func (h *hook) same(r *rig) {
	r.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	ids, _ := r.alerted()
	for _, id := range ids {
		if !h.ids[id] {
			r.t.Errorf("the webhook does not have %s", id)
		}
	}
	if len(h.ids) != len(ids) {
		r.t.Errorf("the webhook has %d violations, and the files %d", len(h.ids), len(ids))
	}
}
