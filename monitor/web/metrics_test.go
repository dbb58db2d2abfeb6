package web

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// The names are as Prometheus wants them.
func TestMetricsLint(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(&collector{at(troubled(t, 50, night), Options{})})
	problems, err := testutil.GatherAndLint(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if n, err := testutil.GatherAndCount(r); err != nil || n < len(allMetrics) {
		t.Errorf("%d series of %d metrics (%v)", n, len(allMetrics), err)
	}
}

func TestMetrics(t *testing.T) {
	b := troubled(t, 10_000, night)
	b.overview.Parts[1].Lag, b.overview.Parts[1].State, b.overview.Parts[1].Saved = -1, board.Waiting, time.Time{}
	b.overview.Parts[1].Answered, b.overview.Parts[1].Blocked = night.Add(-16*time.Second), night.Add(-70*time.Second)
	b.overview.Counted.Fallbacks, b.overview.Parts[0].Fallback = 3, "it was cut off"
	if page := get(at(b, Options{}).handler(), "").Body.String(); !strings.Contains(page, "it was cut off") {
		t.Error("the page does not show which checkpoint was damaged")
	}
	b.overview.Totals.Oldest, b.overview.Totals.Prompt = night.Add(-90*time.Second), night.Add(-70*time.Second)
	tiny := &validators.Spec{Name: "tiny", Rules: []validators.RuleDoc{{Name: "Small"}}}
	text := get(at(b, Options{Specs: []*validators.Spec{tiny}}).handler(), "metrics").Body.String()
	for _, want := range []string{
		"tracecheck_events_total 61500", "tracecheck_steps_total 60000", "tracecheck_bad_inputs_total 2",
		`tracecheck_violations_total{rule="Inv",spec="swarmkit"} 1`,
		`tracecheck_violations_total{rule="Small",spec="tiny"} 0`, // before any was found
		`tracecheck_violations_total{rule="Next",spec="tiny"} 0`,
		"tracecheck_streams 10000", "tracecheck_streams_unusable 1", "tracecheck_streams_undesired 1",
		"tracecheck_live_objects 120000", "tracecheck_open_obligations 25", "tracecheck_oldest_obligation_age_seconds 90", "tracecheck_oldest_prompt_obligation_age_seconds 70",
		`tracecheck_lag{part="kafka:events/0",unit="messages"} 0`,
		`tracecheck_source_up{part="kafka:events/0"} 1`, `tracecheck_source_last_answer_seconds{part="kafka:events/0"} 0`, `tracecheck_source_blocked_seconds{part="kafka:events/0"} 0`,
		`tracecheck_source_up{part="kafka:events/1"} 0`, `tracecheck_source_last_answer_seconds{part="kafka:events/1"} 16`, `tracecheck_source_blocked_seconds{part="kafka:events/1"} 70`,
		`tracecheck_part_state{part="kafka:events/0",state="judging"} 1`, `tracecheck_part_state{part="kafka:events/0",state="waiting"} 0`,
		`tracecheck_part_state{part="kafka:events/1",state="waiting"} 1`,
		`tracecheck_checkpoint_age_seconds{part="kafka:events/0"} 4`, "tracecheck_checkpoint_fallbacks_total 3",
		`tracecheck_checkpoint_age_seconds{part="kafka:events/1"} 93600`, // since it was taken, 26 hours ago
		`tracecheck_checkpoint_duration_seconds{part="kafka:events/0"} 0.041`, `tracecheck_checkpoint_pause_seconds{part="kafka:events/0"} 0.003`,
		`tracecheck_checkpoint_pause_sum_seconds{part="kafka:events/0"} 0.009`, `tracecheck_checkpoint_bytes{part="kafka:events/0"} 150000`,
		`tracecheck_alerts_pending{receiver="alertmanager"} 2`, `tracecheck_alerts_delivered_total{receiver="alertmanager"} 41`,
		`tracecheck_alert_failures_total{receiver="alertmanager"} 7`,
		`tracecheck_build_info{goversion="go`, "go_goroutines ", "process_start_time_seconds ",
	} {
		if !strings.Contains("\n"+text, "\n"+want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, unwanted := range []string{`tracecheck_lag{part="kafka:events/1"`, `tracecheck_checkpoint_bytes{part="kafka:events/1"`, "cluster-0"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("there is a %s", unwanted)
		}
	}
}

// How many series there are does not grow with the streams; a name that is no
// UTF-8 spoils nothing.
func TestMetricsBounded(t *testing.T) {
	series := func(b *fakeBoard) int {
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(&collector{at(b, Options{})})
		n, err := testutil.GatherAndCount(r)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	few, many := series(quiet(1, night)), series(quiet(10_000, night))
	if few != many || few == 0 {
		t.Errorf("%d series, and %d of more streams", few, many)
	}
	b := quiet(1, night)
	b.overview.Parts[0].Name, b.overview.Alerts[0].Name = "a\xff", "\"}\n\xff"
	if n := series(b); n != few {
		t.Errorf("%d series, want %d", n, few)
	}
}

// Where nothing is open, the oldest is of age 0; where its age is not known,
// there is none.
func TestMetricsOldest(t *testing.T) {
	oldest := func(open int, since time.Time) string {
		b := quiet(1, night)
		b.overview.Totals.Open, b.overview.Totals.Oldest = open, since
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(&collector{at(b, Options{})})
		families, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "tracecheck_oldest_obligation_age_seconds" {
				return fmt.Sprint(f.GetMetric()[0].GetGauge().GetValue())
			}
		}
		return "none"
	}
	for _, c := range []struct {
		open  int
		since time.Time
		want  string
	}{{0, time.Time{}, "0"}, {1, time.Time{}, "none"}, {1, night.Add(-time.Minute), "60"}, {1, night.Add(time.Minute), "0"}} {
		if got := oldest(c.open, c.since); got != c.want {
			t.Errorf("%d open since %v: %s, want %s", c.open, c.since, got, c.want)
		}
	}
}

// docs/monitor-web.md has each metric with its labels, and no other.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/monitor-web.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(tracecheck_\\w+)(?:\\{([\\w,]+)\\})?` \\| (counter|gauge) \\|")
	documented := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = m[3] + " " + m[2]
	}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(&collector{at(troubled(t, 50, night), Options{})})
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		got := strings.Split(documented[f.GetName()], " ")
		delete(documented, f.GetName())
		names := strings.Split(got[len(got)-1], ",")
		slices.Sort(names)
		if kind := strings.ToLower(f.GetType().String()); kind != got[0] || strings.Join(names, ",") != strings.Join(labels, ",") {
			t.Errorf("%s is a %s with the labels %v; the document states %v", f.GetName(), kind, labels, got)
		}
	}
	for name := range documented {
		t.Errorf("%s is only documented", name)
	}
	for _, name := range regexp.MustCompile(`tracecheck_\w+`).FindAllString(string(text), -1) {
		if !slices.ContainsFunc(allMetrics, func(d *prometheus.Desc) bool { return strings.Contains(d.String(), `"`+name+`"`) }) {
			t.Errorf("there is no %s", name)
		}
	}
}
