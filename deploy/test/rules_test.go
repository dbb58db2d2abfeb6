package deploy_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
)

func rules(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	file, errs := rulefmt.ParseFile("../prometheus/rules.yml", false, model.UTF8Validation)
	for _, err := range errs {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	named := map[string]rulefmt.Rule{}
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			if _, twice := named[r.Alert]; twice || r.Alert == "" {
				t.Errorf("%q: a rule has one name of its own", r.Alert)
			}
			named[r.Alert] = r
		}
	}
	return named
}

// shown is a label that a text of a rule shows.
var shown = regexp.MustCompile(`\$labels\.(\w+)`)

// The rules are right, and are those of the docs.
func TestRules(t *testing.T) {
	known := metrics(t)
	docs, err := os.ReadFile("../../docs/monitor-web.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range rules(t) {
		wait := ""
		if r.For > 0 {
			wait = r.For.String()
		}
		if row := "| `" + name + "` | `" + strings.ReplaceAll(r.Expr, "|", `\|`) + "` | " + wait; !strings.Contains(string(docs), row) {
			t.Errorf("%s: docs/monitor-web.md has no row that begins %s", name, row)
		}
		have := checkQuery(t, known, r.Expr)
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s: severity %q, want critical or warning", name, s)
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s: an alert has a summary and a description", name)
		}
		for _, text := range r.Annotations {
			for _, m := range shown.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(have, m[1]) {
					t.Errorf("%s: the text shows the label %s, and the alert has %v", name, m[1], have)
				}
			}
		}
	}
}

// When does which rule fire? Samples and evaluations are a minute apart. fires is
// minutes at which the alert is there, quiet those at which it is not.
func TestRulesFire(t *testing.T) {
	for _, c := range []struct {
		rule, series string
		fires, quiet []int
		label        string // that the alert has, NAME=VALUE
	}{
		{"TracecheckViolations", `tracecheck_violations_total{job="j", instance="a", spec="swarmkit", rule="Inv"} 0x20 1x30`,
			[]int{22, 30}, []int{0, 20, 45}, "rule=Inv"},
		// A restarted process counts from 0 again: no violation is new.
		{"TracecheckViolations", `tracecheck_violations_total{job="j", instance="a", spec="s", rule="r"} 5x20 0x20`, nil, []int{10, 21, 30}, ""},
		{"TracecheckStreamsUnusable", `tracecheck_streams_unusable{instance="a"} 0x5 2x20 0x10`, []int{17, 25}, []int{5, 14, 27}, "instance=a"},
		{"TracecheckBadInputs", `tracecheck_bad_inputs_total{instance="a"} 3x20 4x30`, []int{22, 30}, []int{10, 45}, "instance=a"},
		// It grows, and goes on to.
		{"TracecheckLagGrows", `tracecheck_lag{instance="a", part="p", unit="messages"} 10+5x60`, []int{40, 60}, []int{10}, "part=p"},
		// It is worked off, it comes and goes, it stays.
		{"TracecheckLagGrows", `tracecheck_lag{part="p"} 1000-10x60`, nil, []int{10, 30, 60}, ""},
		{"TracecheckLagGrows", `tracecheck_lag{part="p"} 0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 9 0 10 0 11 0 12 0 13 0 14 0 15 0 16 0 17 0 18 0 19 0 20 0 21`, nil, []int{15, 30, 40}, ""},
		{"TracecheckLagGrows", `tracecheck_lag{part="p"} 500x60`, nil, []int{30, 60}, ""},
		{"TracecheckCheckpointOld", `tracecheck_checkpoint_age_seconds{instance="a", part="p"} 10x5 30+30x20`, []int{10, 20}, []int{5, 7}, "part=p"},
		{"TracecheckCheckpointDamaged", `tracecheck_checkpoint_fallbacks_total{instance="a"} 0x5 1x20 0x10`, []int{6, 20}, []int{5, 30}, "instance=a"},
		{"TracecheckObligationOld", `tracecheck_oldest_obligation_age_seconds{instance="a"} 0+600x30`, []int{13, 30}, []int{6, 10}, "instance=a"},
		{"TracecheckManagersLate", `tracecheck_oldest_prompt_obligation_age_seconds{instance="a"} 0+60x30`, []int{12, 30}, []int{4, 8}, "instance=a"},
		{"TracecheckPartHalted", "tracecheck_part_state{job=\"j\", instance=\"a\", part=\"p\", state=\"waiting\"} 0x5 1x20\n" +
			`tracecheck_part_state{job="j", instance="a", part="p", state="judging"} 1x5 0x20`, []int{8, 20}, []int{5, 6}, "part=p"},
		// First it waits, then it has failed: that is one alert.
		{"TracecheckPartHalted", "tracecheck_part_state{job=\"j\", instance=\"a\", part=\"p\", state=\"waiting\"} 1x3 0x20\n" +
			`tracecheck_part_state{job="j", instance="a", part="p", state="failed"} 0x3 1x20`, []int{2, 4, 6}, []int{0}, "part=p"},
		{"TracecheckPartNotJudged", `tracecheck_part_state{job="j", instance="a", part="p", state="judging"} 0x20`, []int{5, 20}, []int{4}, "part=p"},
		// Another monitor has it by now.
		{"TracecheckPartNotJudged", "tracecheck_part_state{job=\"j\", instance=\"a\", part=\"p\", state=\"judging\"} 0x20\n" +
			`tracecheck_part_state{job="j", instance="b", part="p", state="judging"} 1x20`, nil, []int{5, 20}, ""},
		{"TracecheckNothingJudged", `tracecheck_build_info{job="j", instance="a"} 1x20`, []int{5, 20}, []int{4}, "job=j"},
		// A spare monitor of a group; another job.
		{"TracecheckNothingJudged", "tracecheck_build_info{job=\"j\", instance=\"a\"} 1x20\ntracecheck_build_info{job=\"j\", instance=\"b\"} 1x20\n" +
			`tracecheck_part_state{job="j", instance="b", part="p", state="loading"} 1x20`, nil, []int{5, 20}, ""},
		{"TracecheckNothingJudged", "tracecheck_build_info{job=\"j\", instance=\"a\"} 1x20\n" +
			`tracecheck_part_state{job="k", instance="a", part="p", state="judging"} 1x20`, []int{5, 20}, nil, "job=j"},
		{"TracecheckSourceSilent", `tracecheck_source_up{job="j", instance="a", part="p"} 1x5 0x10 1x10`, []int{7, 15}, []int{5, 6, 17, 20}, "part=p"},
		{"TracecheckTransactionOpen", `tracecheck_source_blocked_seconds{job="j", instance="a", part="p"} 0x5 60+60x10 0x10`, []int{12, 15}, []int{5, 10, 11, 17}, "part=p"},
		// One transaction after the other.
		{"TracecheckTransactionOpen", `tracecheck_source_blocked_seconds{part="p"} 0 60 120 0 60 120 0 60 120 0 60 120 0 60 120`, nil, []int{5, 10, 14}, ""},
		{"TracecheckNoEvents", `tracecheck_events_total{job="j", instance="a"} 0+9x5 45x50`, []int{36, 50}, []int{5, 20, 30}, "job=j"},
		{"TracecheckNoEvents", "tracecheck_events_total{job=\"j\", instance=\"a\"} 45x50\n" +
			`tracecheck_events_total{job="j", instance="b"} 0+9x50`, nil, []int{30, 50}, ""},
		{"TracecheckAllSkipped", "tracecheck_duplicates_total{job=\"j\", instance=\"a\"} 0x10 0+9x40\ntracecheck_skipped_total{job=\"j\", instance=\"a\"} 0x50\n" +
			`tracecheck_steps_total{job="j", instance="a"} 0+9x10 90x40`, []int{35, 45}, []int{5, 15, 25}, "instance=a"},
		{"TracecheckAllSkipped", "tracecheck_duplicates_total{job=\"j\", instance=\"a\"} 0x50\ntracecheck_skipped_total{job=\"j\", instance=\"a\"} 0+1x50\n" +
			`tracecheck_steps_total{job="j", instance="a"} 7x50`, []int{15, 45}, []int{5}, "instance=a"},
		// Some steps are judged, or nothing comes.
		{"TracecheckAllSkipped", "tracecheck_duplicates_total{job=\"j\", instance=\"a\"} 0+9x50\ntracecheck_skipped_total{job=\"j\", instance=\"a\"} 0+9x50\n" +
			`tracecheck_steps_total{job="j", instance="a"} 0+1x50`, nil, []int{15, 45}, ""},
		{"TracecheckAllSkipped", "tracecheck_duplicates_total{job=\"j\", instance=\"a\"} 9x50\ntracecheck_skipped_total{job=\"j\", instance=\"a\"} 9x50\n" +
			`tracecheck_steps_total{job="j", instance="a"} 7x50`, nil, []int{15, 45}, ""},
		{"TracecheckAlertsNotDelivered", "tracecheck_alerts_pending{instance=\"a\", receiver=\"r\"} 0x5 3x30\n" +
			`tracecheck_alert_failures_total{instance="a", receiver="r"} 0x5 1+1x30`, []int{18, 30}, []int{5, 12}, "receiver=r"},
		// Another receiver's failures are not this one's.
		{"TracecheckAlertsNotDelivered", "tracecheck_alerts_pending{receiver=\"r\"} 3x30\n" +
			`tracecheck_alert_failures_total{receiver="other"} 1+1x30`, nil, []int{15, 30}, ""},
		{"TracecheckDown", `up{job="tracecheck", instance="a"} 1x10 0x10`, []int{13, 20}, []int{5, 11}, "instance=a"},
		{"TracecheckDown", `up{job="other", instance="a"} 0x20`, nil, []int{2, 20}, ""},
		{"TracecheckGone", `up{job="other"} 1x20`, []int{5, 20}, []int{4}, "job=tracecheck"},
		{"TracecheckGone", `up{job="tracecheck"} 0x60`, nil, []int{5, 20}, ""},
	} {
		r, ok := rules(t)[c.rule]
		if !ok {
			t.Errorf("there is no rule %s", c.rule)
			continue
		}
		alerts := firing(load(t, c.series).results(t, r.Expr, time.Hour), time.Duration(r.For))
		for _, minute := range c.fires {
			if len(alerts[minute]) != 1 {
				t.Errorf("%s: %d alerts at minute %d of %s, want 1", c.rule, len(alerts[minute]), minute, c.series)
				continue
			}
			name, value, _ := strings.Cut(c.label, "=")
			for _, have := range alerts[minute] {
				if have.Get(name) != value {
					t.Errorf("%s: at minute %d the alert is %s, want %s", c.rule, minute, have, c.label)
				}
			}
		}
		for _, minute := range c.quiet {
			if len(alerts[minute]) != 0 {
				t.Errorf("%s: %v at minute %d of %s, want no alert", c.rule, alerts[minute], minute, c.series)
			}
		}
	}
}

// firing are the alerts at each step: what has been there for so long.
func firing(steps []map[string]labels.Labels, wait time.Duration) []map[string]labels.Labels {
	since := map[string]int{}
	out := make([]map[string]labels.Labels, len(steps))
	for i, now := range steps {
		for key := range since {
			if _, still := now[key]; !still {
				delete(since, key)
			}
		}
		out[i] = map[string]labels.Labels{}
		for key, have := range now {
			if _, known := since[key]; !known {
				since[key] = i
			}
			if time.Duration(i-since[key])*step >= wait {
				out[i][key] = have
			}
		}
	}
	return out
}
