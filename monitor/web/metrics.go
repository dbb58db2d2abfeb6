package web

import (
	"net/http"
	"runtime"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"tracecheck/monitor/board"
	"tracecheck/report"
)

// metrics answers Prometheus, from a separate registry.
func (s *server) metrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &collector{s})
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorLog:            zap.NewStdLog(s.opts.Log),
		ErrorHandling:       promhttp.ContinueOnError, // serve the other metrics
		MaxRequestsInFlight: 5,
		EnableOpenMetrics:   true,
	})
}

// collector reads the board at each scrape.
type collector struct{ s *server }

// desc describes a metric. None has the stream as a label: there may be thousands
// of streams, and Prometheus would keep a series for each.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tracecheck_"+name, help, labels, nil)
}

var (
	metricBuild        = desc("build_info", "The version that runs. Always 1.", "version", "goversion")
	metricEvents       = desc("events_total", "Events that this process has read. Each was judged or skipped.")
	metricSteps        = desc("steps_total", "Steps that this process has judged.")
	metricDuplicates   = desc("duplicates_total", "Duplicates that this process has skipped: lines that repeat an earlier line with the same seq.")
	metricSkipped      = desc("skipped_total", "Events that this process has skipped between a gap and the next snapshot of the stream, and late events of a gap.")
	metricViolations   = desc("violations_total", "Violations that this process has found, by spec and rule.", "spec", "rule")
	metricKnown        = desc("known_violations_total", "Violations that this process has found and the baseline has, or that were acknowledged before. No alert was sent.")
	metricAcked        = desc("acknowledged_violations", "Violations that are acknowledged, each once.")
	metricBad          = desc("bad_inputs_total", "Malformed records that this process has read.")
	metricStreams      = desc("streams", "Streams that this process judges.")
	metricUnusable     = desc("streams_unusable", "Streams that are not judged now.")
	metricUndesired    = desc("streams_undesired", "Streams that are not in their desired state.")
	metricObjects      = desc("live_objects", "Objects that exist, in all streams.")
	metricOpen         = desc("open_obligations", "Open obligations, in all streams.")
	metricOldest       = desc("oldest_obligation_age_seconds", "Age of the oldest open obligation, by its stream's clock. 0: none is open.")
	metricPrompt       = desc("oldest_prompt_obligation_age_seconds", "Age of the oldest open obligation that a swarm's managers end at once, by its stream's clock. 0: none is open.")
	metricLag          = desc("lag", "Messages, bytes or events of the part that are not judged yet. The label unit says which.", "part", "unit")
	metricUp           = desc("source_up", "1 while the part's source answers. 0 after 15 seconds without an answer.", "part")
	metricLastAnswer   = desc("source_last_answer_seconds", "Time since the part's source last answered, or since it was first polled.", "part")
	metricBlocked      = desc("source_blocked_seconds", "Time for which an open transaction has blocked the part. 0: none does.", "part")
	metricState        = desc("part_state", "1 for the current state of the part.", "part", "state")
	metricSaved        = desc("checkpoint_age_seconds", "Time since the part's last checkpoint, or since this process took the part over.", "part")
	metricTook         = desc("checkpoint_duration_seconds", "Duration of the part's last checkpoint.", "part")
	metricPause        = desc("checkpoint_pause_seconds", "The longest pause of judging for the part's last checkpoint.", "part")
	metricPauseSum     = desc("checkpoint_pause_sum_seconds", "The sum of the pauses of judging for the part's last checkpoint.", "part")
	metricBytes        = desc("checkpoint_bytes", "Bytes that the part's last checkpoint wrote.", "part")
	metricFallbacks    = desc("checkpoint_fallbacks_total", "Damaged checkpoints for which this process used the previous one.")
	metricPending      = desc("alerts_pending", "Alerts that the receiver does not have yet.", "receiver")
	metricDelivered    = desc("alerts_delivered_total", "Alerts that the receiver has accepted.", "receiver")
	metricNotDelivered = desc("alert_failures_total", "Failed attempts to deliver alerts.", "receiver")
)

var allMetrics = []*prometheus.Desc{metricBuild, metricEvents, metricSteps, metricDuplicates, metricSkipped, metricViolations, metricKnown, metricAcked, metricBad, metricStreams, metricUnusable,
	metricUndesired, metricObjects, metricOpen, metricOldest, metricPrompt, metricLag, metricUp, metricLastAnswer, metricBlocked, metricState, metricSaved, metricTook, metricPause, metricPauseSum, metricBytes, metricFallbacks,
	metricPending, metricDelivered, metricNotDelivered}

// stateLabels are the states of a part in one word.
var stateLabels = map[board.State]string{
	board.Loading: "loading", board.Judging: "judging", board.Waiting: "waiting", board.Stopping: "stopping", board.Failed: "failed", board.Absent: "absent",
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range allMetrics {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	o := c.s.board.Overview()
	send := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		for i := range labels {
			labels[i] = strings.ToValidUTF8(labels[i], "\uFFFD")
		}
		to <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	counter := func(d *prometheus.Desc, value int64, labels ...string) {
		send(d, prometheus.CounterValue, float64(value), labels...)
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		send(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(metricBuild, 1, o.Version, runtime.Version())
	counter(metricEvents, o.Counted.Events)
	counter(metricSteps, o.Counted.Steps)
	counter(metricDuplicates, o.Counted.Duplicates)
	counter(metricSkipped, o.Counted.Skipped)
	counter(metricKnown, o.Counted.Known)
	counter(metricBad, o.Counted.Bad)
	counter(metricFallbacks, o.Counted.Fallbacks)
	for rule, n := range c.s.byRule(o.Counted.ByRule) {
		counter(metricViolations, n, rule.Spec, rule.Rule)
	}
	t := &o.Totals
	gauge(metricAcked, float64(t.Acked))
	gauge(metricStreams, float64(t.Streams))
	gauge(metricUnusable, float64(t.Unusable))
	gauge(metricUndesired, float64(t.Undesired))
	gauge(metricObjects, float64(t.Objects))
	gauge(metricOpen, float64(t.Open))
	switch {
	case t.Open == 0:
		gauge(metricOldest, 0)
	case !t.Oldest.IsZero():
		gauge(metricOldest, max(0, c.s.now().Sub(t.Oldest).Seconds()))
	}
	prompt := 0.0
	if !t.Prompt.IsZero() {
		prompt = max(0, c.s.now().Sub(t.Prompt).Seconds())
	}
	gauge(metricPrompt, prompt)
	for i := range o.Parts {
		p := &o.Parts[i]
		if p.Lag >= 0 {
			gauge(metricLag, float64(p.Lag), p.Name, p.Unit)
		}
		if d, known := c.s.silent(p); known {
			gauge(metricUp, boolean(d <= patience && p.State != board.Absent), p.Name)
			gauge(metricLastAnswer, d.Seconds(), p.Name)
			gauge(metricBlocked, c.s.blocked(p).Seconds(), p.Name)
		}
		for state, label := range stateLabels {
			gauge(metricState, boolean(p.State == state), p.Name, label)
		}
		if age, known := c.s.unsaved(p); known {
			gauge(metricSaved, max(0, age.Seconds()), p.Name)
		}
		if !p.Saved.IsZero() {
			gauge(metricTook, p.Took.Seconds(), p.Name)
			gauge(metricPause, p.Pause.Seconds(), p.Name)
			gauge(metricPauseSum, p.PauseSum.Seconds(), p.Name)
			gauge(metricBytes, float64(p.Bytes), p.Name)
		}
	}
	for i := range o.Alerts {
		a := &o.Alerts[i]
		gauge(metricPending, float64(a.Pending), a.Name)
		counter(metricDelivered, a.Delivered, a.Name)
		counter(metricNotDelivered, a.Failures, a.Name)
	}
}

func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// ruleName names a rule of a spec.
type ruleName struct{ Spec, Rule string }

// byRule returns the counts of all rules, including those of 0.
func (s *server) byRule(counted []board.RuleCount) map[ruleName]int64 {
	counts := map[ruleName]int64{}
	for _, spec := range s.opts.Specs {
		for _, rule := range report.RuleNames(spec) {
			counts[ruleName{spec.Name, rule}] = 0
		}
	}
	for _, c := range counted {
		counts[ruleName{c.Spec, c.Rule}] += c.Count
	}
	return counts
}
