// Package deploy_test reads what lies in deploy/ as those do who use it.
package deploy_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"tracecheck/monitor/board"
	"tracecheck/monitor/web"
)

// busy is a board that has something of everything.
type busy struct{ board.Board }

func (busy) Overview() board.Overview {
	now := time.Now()
	return board.Overview{
		Parts:   []board.Part{{Name: "kafka:events/0", State: board.Judging, Unit: "messages", Began: now, Saved: now, Answered: now}},
		Totals:  board.Totals{Open: 1, Oldest: now},
		Counted: board.Counters{ByRule: []board.RuleCount{{Spec: "swarmkit", Rule: "Inv", Count: 1}}},
		Alerts:  []board.Receiver{{Name: "webhook:h"}},
	}
}

// metrics are the names of the labels of each metric that Prometheus has of a
// monitor.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	answer := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil)
	web.Handler(busy{}, web.Options{}).ServeHTTP(answer, request)
	text := expfmt.NewTextParser(model.UTF8Validation)
	families, err := text.TextToMetricFamilies(answer.Body)
	if err != nil || len(families) == 0 {
		t.Fatal("no metrics: ", err)
	}
	known := map[string][]string{"up": {"job", "instance"}}
	for name, family := range families {
		labels := []string{"job", "instance"}
		for _, m := range family.Metric {
			for _, l := range m.Label {
				if !slices.Contains(labels, l.GetName()) {
					labels = append(labels, l.GetName())
				}
			}
		}
		known[name] = labels
	}
	return known
}

// checkQuery parses a query. The metrics in it are a monitor's, and their labels
// are theirs. It returns the labels that a result may have.
func checkQuery(t *testing.T, known map[string][]string, query string) []string {
	t.Helper()
	expr, err := parser.ParseExpr(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return nil
	}
	// have are the labels that every series below the node has.
	var have func(parser.Node) []string
	have = func(node parser.Node) (labels []string) {
		if v, ok := node.(*parser.VectorSelector); ok {
			labels, ok := known[v.Name]
			if !ok {
				t.Errorf("%s: there is no metric %s", query, v.Name)
			}
			for _, m := range v.LabelMatchers {
				if m.Name != "__name__" && !slices.Contains(labels, m.Name) {
					t.Errorf("%s: %s has no label %s", query, v.Name, m.Name)
				}
			}
			return labels
		}
		for child := range parser.ChildrenIter(node) {
			labels = append(labels, have(child)...)
		}
		if a, ok := node.(*parser.AggregateExpr); ok {
			for _, by := range a.Grouping {
				if !slices.Contains(labels, by) {
					t.Errorf("%s: there is no label %s to group by", query, by)
				}
			}
			return a.Grouping
		}
		return labels
	}
	return have(expr)
}
