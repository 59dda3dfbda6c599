package alerts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type dashboard struct {
	UID, Title    string
	SchemaVersion int
	Panels        []panel
	Templating    struct {
		List []struct{ Name, Type string }
	}
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ UID string }
	FieldConfig              struct {
		Defaults struct{ Unit string }
	}
	Targets []struct{ Expr, RefID string }
}

// The dashboard is one that Grafana takes, asks of metrics that there are, and says of each panel what it shows.
func TestDashboard(t *testing.T) {
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "charts", "mooring", "files", "dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || d.Title == "" || d.SchemaVersion < 41 {
		t.Errorf("uid %q, title %q, schema version %d", d.UID, d.Title, d.SchemaVersion)
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if !slices.Equal(variables, []string{"datasource", "cluster", "namespace", "job"}) {
		t.Errorf("variables are %v", variables)
	}
	page := metricsPage(t)
	ids, taken := map[int]string{}, map[[2]int]string{}
	var queries []string
	for _, p := range d.Panels {
		if ids[p.ID] != "" {
			t.Errorf("%q and %q have the same id", p.Title, ids[p.ID])
		}
		ids[p.ID] = p.Title
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%q lies on %q", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %d, %q: it lacks title, description, unit, data source or query", p.ID, p.Title)
		}
		for _, target := range p.Targets {
			for _, metric := range metricsIn(target.Expr) {
				if page[metric] == nil {
					t.Errorf("%q: no page of the reference shows %s", p.Title, metric)
				}
			}
			const chosen = `{cluster=~"$cluster",namespace=~"$namespace",job=~"$job"`
			if n := strings.Count(target.Expr, chosen); (n == 0 || n != strings.Count(target.Expr, "{")) && !strings.Contains(target.Expr, "ALERTS") {
				t.Errorf("%q is about others, too: %s", p.Title, target.Expr)
			}
			queries = append(queries, strings.NewReplacer("$__rate_interval", "5m", "$cluster", ".*", "$namespace", ".*", "$job", ".*").Replace(target.Expr))
		}
	}
	check(t, queries)
}

// What Mooring itself shows is asked for somewhere: by an alert or on the dashboard.
func TestNothingIsShownInVain(t *testing.T) {
	asked := append(metricsIn(read(t, "charts", "mooring", "files", "dashboard.json")), inRules()...)
	for name := range metricsPage(t) {
		if strings.HasPrefix(name, "mooring_") && !slices.Contains(asked, name) {
			t.Error(fmt.Sprint(name, " is on no panel and in no alert"))
		}
	}
}
