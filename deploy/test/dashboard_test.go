package deploy_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// dashboard is what Grafana reads of its file.
type dashboard struct {
	Title, UID string
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
	Panels []panel
}

type panel struct {
	ID          int
	Title, Type string
	GridPos     struct{ H, W, X, Y int }
	Datasource  source
	Targets     []target
	FieldConfig struct{ Defaults struct{ Unit string } }
}

type source struct{ Type, UID string }

type target struct {
	Datasource         source
	Expr, LegendFormat string
	RefID              string
}

// filled has Grafana's variables as it would fill them.
var filled = strings.NewReplacer("$__rate_interval", "1m", "$instance", "a|b", "${datasource}", "prometheus")

func TestDashboard(t *testing.T) {
	data, err := os.ReadFile("../grafana/tracecheck.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	known := metrics(t)
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
		if q, ok := v.Query.(map[string]any); ok {
			metric, label, _ := strings.Cut(strings.Trim(strings.TrimPrefix(q["query"].(string), "label_values"), "()"), ", ")
			if !slices.Contains(known[metric], label) {
				t.Errorf("variable %s: there is no %s of %s", v.Name, label, metric)
			}
		}
	}
	if d.Title == "" || d.UID == "" || !slices.Equal(variables, []string{"datasource", "instance"}) {
		t.Errorf("title %q, uid %q, variables %v", d.Title, d.UID, variables)
	}
	taken, ids, shown := map[[2]int]string{}, map[int]bool{}, map[string]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" {
			t.Errorf("panel %d %q: each has an id and a title", p.ID, p.Title)
		}
		ids[p.ID] = true
		g := p.GridPos
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other, is := taken[[2]int{x, y}]; is || x >= 24 {
					t.Fatalf("%q lies on %q, or beyond the right edge", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if len(p.Targets) == 0 {
			t.Errorf("%q shows nothing", p.Title)
		}
		refs := map[string]bool{}
		for _, q := range p.Targets {
			if q.Datasource.UID != "${datasource}" || p.Datasource.UID != "${datasource}" || refs[q.RefID] {
				t.Errorf("%q: a query has a letter of its own, and the chosen data source", p.Title)
			}
			refs[q.RefID] = true
			query := filled.Replace(q.Expr)
			if strings.Contains(query, "$") {
				t.Errorf("%q: an unknown variable in %s", p.Title, query)
			}
			checkQuery(t, known, query)
			for name := range known {
				if strings.Contains(query, name+"{") {
					shown[name] = true
				}
			}
			if strings.HasSuffix(metricOf(query), "_seconds") != (p.FieldConfig.Defaults.Unit == "s") {
				t.Errorf("%q: seconds have the unit s, and nothing else has it: %s", p.Title, query)
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "tracecheck_") && name != "tracecheck_build_info" && !shown[name] {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// metricOf is the name of the query's metric.
func metricOf(query string) string {
	name, _, _ := strings.Cut(query, "{")
	return name[strings.LastIndexAny(name, "( ")+1:]
}
