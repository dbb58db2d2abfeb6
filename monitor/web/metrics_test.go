package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// scraped is what Prometheus reads of the board, without the metrics of Go and of the process.
func scraped(t *testing.T, b *fakeBoard, open bool) (string, map[string]*dto.MetricFamily) {
	t.Helper()
	e := exposition{}
	at(b, Options{}).collect(e)
	var text, plain bytes.Buffer
	e.write(&text, open)
	e.write(&plain, false)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&plain)
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), families
}

// The names are as Prometheus wants them.
func TestMetricsLint(t *testing.T) {
	text, _ := scraped(t, troubled(t, 50, night), false)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// Both formats are as Prometheus' own library writes them.
func TestMetricsFormats(t *testing.T) {
	b := troubled(t, 50, night)
	b.overview.Parts[0].Name, b.overview.Parts[1].Lag = "a\\b\"\nc", 1<<40
	for open, write := range map[bool]func(io.Writer, *dto.MetricFamily) (int, error){
		false: expfmt.MetricFamilyToText,
		true: func(w io.Writer, f *dto.MetricFamily) (int, error) {
			return expfmt.MetricFamilyToOpenMetrics(w, f)
		},
	} {
		text, families := scraped(t, b, open)
		var want strings.Builder
		for _, name := range slices.Sorted(maps.Keys(families)) {
			if _, err := write(&want, families[name]); err != nil {
				t.Fatal(err)
			}
		}
		whole := regexp.MustCompile(`(?m)\.0$`) // numbers may have it in OpenMetrics
		if got := whole.ReplaceAllString(text, ""); got != whole.ReplaceAllString(want.String(), "") {
			t.Errorf("OpenMetrics %t:\n%s\nwant:\n%s", open, got, want.String())
		}
	}
}

// Go and the process have the metrics that Prometheus' own library has.
func TestMetricsOfTheProcess(t *testing.T) {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	want, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	e := exposition{}
	e.addGo()
	e.addProcess()
	var text bytes.Buffer
	e.write(&text, false)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	got, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		t.Fatal(err)
	}
	steady := regexp.MustCompile("gomaxprocs|gogc|gomemlimit|_max_|start_time|go_info")
	for _, w := range want {
		g := got[w.GetName()]
		delete(got, w.GetName())
		same := g.GetType() == w.GetType() && len(g.GetMetric()) == len(w.GetMetric()) && len(g.GetMetric()[0].GetSummary().GetQuantile()) == len(w.GetMetric()[0].GetSummary().GetQuantile())
		if !same || steady.MatchString(w.GetName()) && g.GetMetric()[0].String() != w.GetMetric()[0].String() {
			t.Errorf("%s: %v, want %v", w.GetName(), g, w)
		}
	}
	for name := range got {
		t.Errorf("%s is not one of them", name)
	}
}

// What a scraper accepts decides the format and the compression.
func TestMetricsAccepted(t *testing.T) {
	h := at(quiet(1, night), Options{}).handler()
	for _, accept := range []string{"", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"} {
		for _, encoding := range []string{"", "gzip, zstd"} {
			r := httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil)
			r.Header.Set("Accept", accept)
			r.Header.Set("Accept-Encoding", encoding)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			var body io.Reader = w.Body
			if encoding != "" {
				var err error
				if body, err = gzip.NewReader(w.Body); err != nil {
					t.Fatal(err)
				}
			}
			text, err := io.ReadAll(body)
			kind, open := w.Header().Get("Content-Type"), accept != ""
			if err != nil || !bytes.Contains(text, []byte("tracecheck_streams 1\n")) || bytes.HasSuffix(text, []byte("\n# EOF\n")) != open ||
				strings.HasPrefix(kind, "application/openmetrics-text; version=1.0.0") != open || strings.HasPrefix(kind, "text/plain; version=0.0.4") == open {
				t.Errorf("%s, %s: %s (%v)\n%s", accept, encoding, kind, err, text)
			}
		}
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
	series := func(b *fakeBoard) (n int) {
		_, families := scraped(t, b, false)
		for _, f := range families {
			n += len(f.GetMetric())
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
		_, families := scraped(t, b, false)
		if f := families["tracecheck_oldest_obligation_age_seconds"]; f != nil {
			return fmt.Sprint(f.GetMetric()[0].GetGauge().GetValue())
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

// docs/monitor-web.md has each metric with its labels and its help, and no other.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/monitor-web.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(tracecheck_\\w+)(?:\\{([\\w,]+)\\})?` \\| (counter|gauge) \\| (.+) \\|$")
	markup := regexp.MustCompile("\\]\\([^)]*\\)|[\\[`]")
	documented, meaning := map[string]string{}, map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = m[3] + " " + m[2]
		text := markup.ReplaceAllString(m[4], "")
		meaning[m[1]] = strings.ToUpper(text[:1]) + text[1:] + "."
	}
	_, families := scraped(t, troubled(t, 50, night), false)
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
	for name, f := range families {
		if f.GetHelp() != meaning[name] {
			t.Errorf("%s: the help is %q; the document states %q", name, f.GetHelp(), meaning[name])
		}
	}
	for name := range documented {
		t.Errorf("%s is only documented", name)
	}
	for _, name := range regexp.MustCompile(`tracecheck_\w+`).FindAllString(string(text), -1) {
		if families[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}
