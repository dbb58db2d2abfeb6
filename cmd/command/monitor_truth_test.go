//go:build linux

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/monitor/board"
)

// truth is what the soak knows of the world. What a monitor states of itself is held
// against it each half a second: what is wrong must be right before long.
type truth struct {
	*rig
	asks *kgo.Client
	most int // alerts that may be pending

	down bool          // the broker is
	open map[int]int64 // by partition, the first message of a transaction that is open
	deaf bool          // the receiver takes nothing

	ends    []seenEnds
	wrong   map[string]time.Time     // since when it is
	longest map[string]time.Duration // for how long something was, at most, until it was right
	looks   int
	pending int // at most
}

type seenEnds struct {
	at   time.Time
	ends []int64
}

const (
	// rightWithin is how long what a monitor states may be wrong. It is far more than
	// it takes: what else runs on the machine is not known.
	rightWithin = 3 * time.Minute
	// endsWithin is how old an end of a partition may be that a monitor goes by.
	endsWithin = 20 * time.Second
)

func newTruth(r *rig, most int) *truth {
	client, err := kgo.NewClient(kgo.SeedBrokers(r.brokers...), kgo.RequestRetries(0), kgo.RequestTimeoutOverhead(5*time.Second))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(client.Close)
	return &truth{rig: r, asks: client, most: most, open: map[int]int64{}, wrong: map[string]time.Time{}, longest: map[string]time.Duration{}}
}

// highs are the partitions' high watermarks.
func (w *truth) highs() ([]int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic = w.topic
	for i := range w.partitions {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = int32(i), -1
		topic.Partitions = append(topic.Partitions, p)
	}
	req := kmsg.NewPtrListOffsetsRequest()
	req.Topics = append(req.Topics, topic)
	res, err := req.RequestWith(ctx, w.asks)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, w.partitions)
	n := 0
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, err
			}
			ends[p.Partition] = p.Offset
			n++
		}
	}
	if n != w.partitions {
		return nil, fmt.Errorf("it tells of %d partitions", n)
	}
	return ends, nil
}

// is notes whether what a monitor states is wrong.
func (w *truth) is(wrong bool, what, format string, args ...any) {
	since, was := w.wrong[what]
	switch {
	case !wrong:
		if was {
			w.longest[what] = max(w.longest[what], time.Since(since))
		}
		delete(w.wrong, what)
	case !was:
		w.wrong[what] = time.Now()
	case time.Since(since) > rightWithin:
		w.t.Fatalf("for %s %s has been wrong: %s", time.Since(since).Round(time.Second), what, fmt.Sprintf(format, args...))
	}
}

// check holds what the process states against what is so. It states nothing before it
// judges all partitions.
func (w *truth) check(p *process) {
	var old []int64
	if !w.down {
		now, err := w.highs()
		if err != nil {
			return // the next look will tell
		}
		w.ends = append(w.ends, seenEnds{time.Now(), now})
		for len(w.ends) > 1 && time.Since(w.ends[1].at) > endsWithin {
			w.ends = w.ends[1:]
		}
		if time.Since(w.ends[0].at) > endsWithin {
			old = w.ends[0].ends
		}
	}
	o, err := p.overview()
	if err != nil || len(o.Parts) < w.partitions || slices.ContainsFunc(o.Parts, func(p shownPart) bool { return p.State == board.Loading }) {
		return
	}
	ready, reasons, err := p.ready()
	if err != nil {
		return
	}
	metrics, err := p.metrics()
	if err != nil {
		return
	}
	w.looks++
	held := false
	for i := range o.Parts {
		held = w.checkPart(&o.Parts[i], metrics, old) || held
	}
	pending := pendingFor(metrics, "webhook")
	w.pending = max(w.pending, pending)
	want := ""
	switch {
	case w.down:
		want = ": no answer for"
	case held:
		want = "blocked for"
	case w.deaf && pending >= w.most:
		want = "too many alerts are pending"
	}
	said := strings.Join(reasons, "; ")
	late := len(reasons) > 0 && !slices.ContainsFunc(reasons, func(r string) bool { return !strings.Contains(r, "no checkpoint for") })
	w.is((ready || late) != (want == "") || !strings.Contains(said, want), "/readyz", "ready %t, %q; want %q", ready, said, want)
	page := strings.Join(o.Reasons, "; ")
	w.is(!strings.Contains(page, want) || want == "" && strings.Contains(page, "been heard"), "the page", "%q; want %q", page, want)
}

// checkPart reports whether an open transaction is all that keeps the part from
// being judged on.
func (w *truth) checkPart(part *shownPart, metrics map[string]float64, old []int64) (held bool) {
	var i int
	fmt.Sscanf(part.Name, "kafka:"+w.topic+"/%d", &i)
	at, _ := strconv.ParseInt(part.Position, 10, 64) // "": 0
	first, open := w.open[i]
	held = open && at >= first && !w.down
	gauge := func(name string) float64 { return metrics[name+`{part="`+part.Name+`"}`] }
	up := gauge("tracecheck_source_up")
	w.is((up == 1) == w.down, "source_up of "+part.Name, "it is %v, and was heard %.0f s ago", up, gauge("tracecheck_source_last_answer_seconds"))
	if w.down {
		return false
	}
	since := gauge("tracecheck_source_blocked_seconds")
	w.is(held && since == 0 || !open && since > 0 && old != nil, "source_held of "+part.Name, "it is %v; a transaction is open: %t", since, open)
	if old == nil || part.Lag == nil {
		w.is(old != nil, "the lag of "+part.Name, "it is not known")
		return held
	}
	end := at + *part.Lag
	highs, err := w.highs()
	if err == nil {
		w.is(end < old[i] || end > highs[i], "the lag of "+part.Name, "%d of offset %d; it ended at %d before, and at %d now", *part.Lag, at, old[i], highs[i])
	}
	return held
}

// ready asks /readyz.
func (p *process) ready() (bool, []string, error) {
	resp, err := http.Get(p.url + "/readyz")
	if err != nil {
		return false, nil, err
	}
	defer resp.Body.Close()
	var said struct {
		OK      bool
		Reasons []string
	}
	err = json.NewDecoder(resp.Body).Decode(&said)
	return said.OK, said.Reasons, err
}

var labelled = regexp.MustCompile(`(?m)^(tracecheck_\w+\{[^}]*\}) (\S+)$`)

// metrics are those that have labels.
func (p *process) metrics() (map[string]float64, error) {
	resp, err := http.Get(p.url + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	all := map[string]float64{}
	for _, m := range labelled.FindAllStringSubmatch(string(text), -1) {
		all[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	return all, err
}

// pendingFor is how many alerts the receiver of that kind lacks.
func pendingFor(metrics map[string]float64, kind string) int {
	for name, n := range metrics {
		if strings.HasPrefix(name, `tracecheck_alerts_pending{receiver="`+kind) {
			return int(n)
		}
	}
	return 0
}

// figures are for the log.
func (w *truth) figures() string {
	text := fmt.Sprintf("%d looks at its health, each held against the truth; at most %d alerts were pending, and %d may be", w.looks, w.pending, w.most)
	kinds := map[string]time.Duration{}
	for what, d := range w.longest {
		kind, _, _ := strings.Cut(what, " of ")
		kinds[kind] = max(kinds[kind], d)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		text += fmt.Sprintf("; %s was right again within %s", kind, kinds[kind].Round(100*time.Millisecond))
	}
	return text
}
