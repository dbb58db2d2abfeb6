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

// metrics answers Prometheus, from a registry of its own.
func (s *server) metrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &collector{s})
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{
		ErrorLog:            zap.NewStdLog(s.opts.Log),
		ErrorHandling:       promhttp.ContinueOnError, // what can be told is
		MaxRequestsInFlight: 5,
		EnableOpenMetrics:   true,
	})
}

// collector reads the board at each scrape.
type collector struct{ s *server }

// desc describes a metric. None has a stream as a label: there may be many
// thousands, and Prometheus keeps each it has ever seen.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tracecheck_"+name, help, labels, nil)
}

var (
	metricBuild        = desc("build_info", "What runs: always 1.", "version", "goversion")
	metricEvents       = desc("events_total", "Events read by this process: judged, or skipped.")
	metricSteps        = desc("steps_total", "Steps judged by this process.")
	metricDuplicates   = desc("duplicates_total", "Events that this process skipped because their streams had said the same under their seq.")
	metricSkipped      = desc("skipped_total", "Events that this process skipped between a gap and their streams' next snapshots, and late ones of a gap.")
	metricViolations   = desc("violations_total", "Violations found by this process, by spec and rule.", "spec", "rule")
	metricBad          = desc("bad_inputs_total", "Inputs that this process found to be no events.")
	metricStreams      = desc("streams", "Streams under judgement.")
	metricUnusable     = desc("streams_unusable", "Streams that are not judged now.")
	metricUndesired    = desc("streams_undesired", "Streams that are not in their desired state.")
	metricObjects      = desc("live_objects", "Objects that stand, in all streams.")
	metricOpen         = desc("open_obligations", "What is still to come about, in all streams.")
	metricOldest       = desc("oldest_obligation_age_seconds", "Since when the oldest open obligation has been open, by its stream's clock; 0 where none is.")
	metricPrompt       = desc("oldest_prompt_obligation_age_seconds", "Since when the oldest is open of what the managers of a swarm do at once, by its stream's clock; 0 where none is.")
	metricLag          = desc("lag", "How much of the part is still to be read, in the unit that the label names.", "part", "unit")
	metricUp           = desc("source_up", "1 while the part's source answers, 0 once it has not for 15 seconds.", "part")
	metricSilent       = desc("source_last_heard_seconds", "Since when the part's source was last heard; since it was first asked, where it was not yet.", "part")
	metricHeld         = desc("source_held_seconds", "For how long all that is still to be read of the part has waited for the end of a transaction; 0 where it does not.", "part")
	metricState        = desc("part_state", "1 for the state that the part is in.", "part", "state")
	metricSaved        = desc("checkpoint_age_seconds", "Since when the part has had no checkpoint: its last, or when this process took it.", "part")
	metricTook         = desc("checkpoint_duration_seconds", "How long the part's last checkpoint took.", "part")
	metricPause        = desc("checkpoint_pause_seconds", "The longest time for which the part's last checkpoint stopped its judging.", "part")
	metricNoting       = desc("checkpoint_noting_seconds", "For how long the part's last checkpoint stopped its judging, all such times together.", "part")
	metricBytes        = desc("checkpoint_bytes", "How much the part's last checkpoint wrote.", "part")
	metricFallbacks    = desc("checkpoint_fallbacks_total", "Checkpoints that this process found damaged, and went on from the one before.")
	metricPending      = desc("alerts_pending", "Alerts that the receiver does not have yet.", "receiver")
	metricDelivered    = desc("alerts_delivered_total", "Alerts that the receiver took.", "receiver")
	metricNotDelivered = desc("alert_failures_total", "Attempts to deliver alerts that failed.", "receiver")
)

var allMetrics = []*prometheus.Desc{metricBuild, metricEvents, metricSteps, metricDuplicates, metricSkipped, metricViolations, metricBad, metricStreams, metricUnusable,
	metricUndesired, metricObjects, metricOpen, metricOldest, metricPrompt, metricLag, metricUp, metricSilent, metricHeld, metricState, metricSaved, metricTook, metricPause, metricNoting, metricBytes, metricFallbacks,
	metricPending, metricDelivered, metricNotDelivered}

// stateLabels are the states of a part in one word.
var stateLabels = map[board.State]string{
	board.Loading: "loading", board.Judging: "judging", board.Waiting: "waiting", board.Stopping: "stopping", board.Failed: "failed",
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
	counter(metricBad, o.Counted.Bad)
	counter(metricFallbacks, o.Counted.Fallbacks)
	for rule, n := range c.s.byRule(o.Counted.ByRule) {
		counter(metricViolations, n, rule.Spec, rule.Rule)
	}
	t := &o.Totals
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
			gauge(metricUp, boolean(d <= patience), p.Name)
			gauge(metricSilent, d.Seconds(), p.Name)
			gauge(metricHeld, c.s.held(p).Seconds(), p.Name)
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
			gauge(metricNoting, p.Noting.Seconds(), p.Name)
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

// byRule are the counts of the rules, those too that nothing has violated.
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
