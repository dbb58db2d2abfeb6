package deploy_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// step is the time between samples, and between evaluations of rules.
const step = time.Minute

// series has samples in memory, as a database for Prometheus' engine.
type series []*storage.SeriesEntry

// load reads series as promtool writes them, such as `up{job="a"} 1x5 0x5`, from
// time 0 on, a step apart.
func load(t *testing.T, lines string) (list series) {
	t.Helper()
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, values, err := parser.ParseSeriesDesc(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		var samples []chunks.Sample
		for i, v := range values {
			if !v.Omitted {
				samples = append(samples, sample{at(time.Duration(i) * step).UnixMilli(), v.Value})
			}
		}
		list = append(list, storage.NewListSeries(name, samples))
	}
	return list
}

// at is the moment so long after the first sample.
func at(d time.Duration) time.Time { return time.Unix(1_700_000_000, 0).Add(d) }

// results are the label sets that the query has at each step until the end.
func (s series) results(t *testing.T, query string, end time.Duration) []map[string]labels.Labels {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	defer engine.Close()
	q, err := engine.NewRangeQuery(t.Context(), s, nil, query, at(0), at(end), step)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	matrix, err := q.Exec(t.Context()).Matrix()
	if err != nil {
		t.Fatal(err)
	}
	steps := make([]map[string]labels.Labels, int(end/step)+1)
	for i := range steps {
		steps[i] = map[string]labels.Labels{}
	}
	for _, one := range matrix {
		for _, p := range one.Floats {
			i := time.UnixMilli(p.T).Sub(at(0)) / step
			steps[i][one.Metric.String()] = one.Metric
		}
	}
	return steps
}

func (s series) Querier(int64, int64) (storage.Querier, error) { return querier{s}, nil }

type querier struct{ series }

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
next:
	for _, s := range q.series {
		for _, m := range matchers {
			if !m.Matches(s.Labels().Get(m.Name)) {
				continue next
			}
		}
		found = append(found, s)
	}
	return &seriesSet{found: found}
}

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }

type seriesSet struct {
	found []storage.Series
	now   storage.Series
}

func (s *seriesSet) Next() bool {
	if len(s.found) == 0 {
		return false
	}
	s.now, s.found = s.found[0], s.found[1:]
	return true
}

func (s *seriesSet) At() storage.Series                { return s.now }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

type sample struct {
	t int64
	v float64
}

func (s sample) ST() int64                     { return 0 }
func (s sample) T() int64                      { return s.t }
func (s sample) F() float64                    { return s.v }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
