package web

import (
	"runtime"

	"tracecheck/monitor/board"
	"tracecheck/report"
)

// desc describes a metric. None has the stream as a label: there may be thousands
// of streams, and Prometheus would keep a series for each.
func desc(kind, name, help string, labels ...string) *metric {
	return &metric{kind, "tracecheck_" + name, help, labels}
}

var (
	metricBuild        = desc(gauge, "build_info", "The version that runs. Always 1.", "goversion", "version")
	metricEvents       = desc(counter, "events_total", "Events that this process has read. Each was judged or skipped.")
	metricSteps        = desc(counter, "steps_total", "Steps that this process has judged.")
	metricDuplicates   = desc(counter, "duplicates_total", "Duplicates that this process has skipped: lines that repeat an earlier line with the same seq.")
	metricSkipped      = desc(counter, "skipped_total", "Events that this process has skipped between a gap and the next snapshot of the stream. Missing events of a gap that arrive later count, too.")
	metricViolations   = desc(counter, "violations_total", "Violations that this process has found, by spec and rule. Each rule of the configured specs begins at 0.", "rule", "spec")
	metricKnown        = desc(counter, "known_violations_total", "Known violations that this process has found: the baseline lists them, or they were acknowledged before. No alert was sent.")
	metricAcked        = desc(gauge, "acknowledged_violations", "Violations that are acknowledged, each once.")
	metricBad          = desc(counter, "bad_inputs_total", "Malformed records that this process has read.")
	metricStreams      = desc(gauge, "streams", "Streams that this process judges.")
	metricUnusable     = desc(gauge, "streams_unusable", "Streams that are not judged now.")
	metricUndesired    = desc(gauge, "streams_undesired", "Streams that are not in their desired state.")
	metricObjects      = desc(gauge, "live_objects", "Objects that exist, in all streams.")
	metricOpen         = desc(gauge, "open_obligations", "Open obligations, in all streams.")
	metricOldest       = desc(gauge, "oldest_obligation_age_seconds", "Age of the oldest open obligation: the time since its event. 0: none is open. Absent: the events of its stream have no times.")
	metricPrompt       = desc(gauge, "oldest_prompt_obligation_age_seconds", "Age of the oldest open obligation that a swarm's managers end at once: the time since its event. 0: none is open.")
	metricLag          = desc(gauge, "lag", "Messages or bytes of the part that are not judged yet. The label unit says which. Absent: the lag is not known, as for a swarm.", "part", "unit")
	metricUp           = desc(gauge, "source_up", "1 while the part's source answers. 0 after 15 seconds without an answer, or while its file does not exist.", "part")
	metricLastAnswer   = desc(gauge, "source_last_answer_seconds", "Time since the part's source last answered, or since it was first polled.", "part")
	metricBlocked      = desc(gauge, "source_blocked_seconds", "Time for which an open transaction has blocked the unread messages of the part. 0: no transaction blocks them.", "part")
	metricState        = desc(gauge, "part_state", "1 for the current state of the part, 0 for the others. States: loading, judging, waiting (for receivers of alerts), absent (its file does not exist), stopping, failed.", "part", "state")
	metricSaved        = desc(gauge, "checkpoint_age_seconds", "Time since the part's last checkpoint, or since this process took the part.", "part")
	metricTook         = desc(gauge, "checkpoint_duration_seconds", "Duration of the part's last checkpoint.", "part")
	metricPause        = desc(gauge, "checkpoint_pause_seconds", "The longest pause of judging for the part's last checkpoint.", "part")
	metricPauseSum     = desc(gauge, "checkpoint_pause_sum_seconds", "The sum of the pauses of judging for the part's last checkpoint.", "part")
	metricBytes        = desc(gauge, "checkpoint_bytes", "Bytes that the part's last checkpoint wrote.", "part")
	metricFallbacks    = desc(counter, "checkpoint_fallbacks_total", "Damaged checkpoints for which this process used the previous one.")
	metricPending      = desc(gauge, "alerts_pending", "Alerts that the receiver does not have yet.", "receiver")
	metricDelivered    = desc(counter, "alerts_delivered_total", "Alerts that the receiver has accepted.", "receiver")
	metricNotDelivered = desc(counter, "alert_failures_total", "Failed attempts to deliver alerts to the receiver.", "receiver")
)

// stateLabels are the states of a part in one word.
var stateLabels = map[board.State]string{
	board.Loading: "loading", board.Judging: "judging", board.Waiting: "waiting", board.Stopping: "stopping", board.Failed: "failed", board.Absent: "absent",
}

// collect adds the metrics of the board, as it is now.
func (s *server) collect(e exposition) {
	o := s.board.Overview()
	e.add(metricBuild, 1, runtime.Version(), o.Version)
	e.add(metricEvents, float64(o.Counted.Events))
	e.add(metricSteps, float64(o.Counted.Steps))
	e.add(metricDuplicates, float64(o.Counted.Duplicates))
	e.add(metricSkipped, float64(o.Counted.Skipped))
	e.add(metricKnown, float64(o.Counted.Known))
	e.add(metricBad, float64(o.Counted.Bad))
	e.add(metricFallbacks, float64(o.Counted.Fallbacks))
	for rule, n := range s.byRule(o.Counted.ByRule) {
		e.add(metricViolations, float64(n), rule.Rule, rule.Spec)
	}
	t := &o.Totals
	e.add(metricAcked, float64(t.Acked))
	e.add(metricStreams, float64(t.Streams))
	e.add(metricUnusable, float64(t.Unusable))
	e.add(metricUndesired, float64(t.Undesired))
	e.add(metricObjects, float64(t.Objects))
	e.add(metricOpen, float64(t.Open))
	switch {
	case t.Open == 0:
		e.add(metricOldest, 0)
	case !t.Oldest.IsZero():
		e.add(metricOldest, max(0, s.now().Sub(t.Oldest).Seconds()))
	}
	prompt := 0.0
	if !t.Prompt.IsZero() {
		prompt = max(0, s.now().Sub(t.Prompt).Seconds())
	}
	e.add(metricPrompt, prompt)
	for i := range o.Parts {
		p := &o.Parts[i]
		if p.Lag >= 0 {
			e.add(metricLag, float64(p.Lag), p.Name, p.Unit)
		}
		if d, known := s.silent(p); known {
			e.add(metricUp, boolean(d <= patience && p.State != board.Absent), p.Name)
			e.add(metricLastAnswer, d.Seconds(), p.Name)
			e.add(metricBlocked, s.blocked(p).Seconds(), p.Name)
		}
		for state, label := range stateLabels {
			e.add(metricState, boolean(p.State == state), p.Name, label)
		}
		if age, known := s.unsaved(p); known {
			e.add(metricSaved, max(0, age.Seconds()), p.Name)
		}
		if !p.Saved.IsZero() {
			e.add(metricTook, p.Took.Seconds(), p.Name)
			e.add(metricPause, p.Pause.Seconds(), p.Name)
			e.add(metricPauseSum, p.PauseSum.Seconds(), p.Name)
			e.add(metricBytes, float64(p.Bytes), p.Name)
		}
	}
	for i := range o.Alerts {
		a := &o.Alerts[i]
		e.add(metricPending, float64(a.Pending), a.Name)
		e.add(metricDelivered, float64(a.Delivered), a.Name)
		e.add(metricNotDelivered, float64(a.Failures), a.Name)
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
