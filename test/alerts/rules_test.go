package alerts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// An alert is one of the rules; those that record something for alerts are none.
type alert struct {
	Name        string            `json:"alert"`
	Record      string            `json:"record"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []alert `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "charts", "mooring", "files", "rules.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Record == "" {
				all = append(all, r)
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("there are no alerts")
	}
	return all
}

// inRules are the metrics that the rules look at. There are thousands of series to be asked about.
var inRules = sync.OnceValue(func() []string {
	content, err := os.ReadFile("../../charts/mooring/files/rules.yaml")
	if err != nil {
		panic(err)
	}
	return metricsIn(string(content))
})

// watched reports whether the rules look at a series' metric.
func watched(metric string) bool {
	_, found := slices.BinarySearch(inRules(), whole(metric))
	return found
}

// shownOn are the metrics of the page, and their labels.
func shownOn(t *testing.T, page string) map[string][]string {
	t.Helper()
	shown := map[string][]string{}
	for _, section := range strings.Split(page, "\n### `")[1:] {
		name, rest, _ := strings.Cut(section, "`")
		shape, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		labels := []string{}
		for _, label := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(shape, -1) {
			labels = append(labels, label[1])
		}
		slices.Sort(labels)
		shown[name] = labels
	}
	if len(shown) == 0 {
		t.Fatal("the page shows no metrics")
	}
	return shown
}

func metricsPage(t *testing.T) map[string][]string {
	t.Helper()
	return shownOn(t, read(t, "docs", "reference", "metrics.md"))
}

func TestRules(t *testing.T) {
	if err := promtool(t, "check", "rules", "--lint=all", "--lint-fatal", rulesFile(t)); err != nil {
		t.Error(err)
	}
	if err := promtool(t, "test", "rules", "rules_test.yaml", "days_test.yaml"); err != nil {
		t.Error(err)
	}
}

// Every alert says what happened, how bad it is, and where it is written what to do; and has unit tests and a cause.
func TestAlertsAreComplete(t *testing.T) {
	tests := read(t, "test", "alerts", "rules_test.yaml") + read(t, "test", "alerts", "days_test.yaml")
	index := read(t, "docs", "runbooks", "README.md")
	page := metricsPage(t)
	caused := map[string]bool{}
	for _, c := range causes {
		for name := range c.alerts {
			caused[name] = true
		}
	}
	for _, a := range alerts(t) {
		if !regexp.MustCompile(`^Mooring[A-Z][A-Za-z]+$`).MatchString(a.Name) {
			t.Errorf("%q is no name for an alert", a.Name)
		}
		if !slices.Contains([]string{"critical", "warning", "info"}, a.Labels["severity"]) {
			t.Errorf("%s: severity %q", a.Name, a.Labels["severity"])
		}
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s: it does not say what happened", a.Name)
		}
		if want := "https://github.com/mooring-dev/mooring/blob/main/docs/runbooks/" + a.Name + ".md"; a.Annotations["runbook_url"] != want {
			t.Errorf("%s: the runbook is %q, want %q", a.Name, a.Annotations["runbook_url"], want)
		}
		runbook := read(t, "docs", "runbooks", a.Name+".md")
		for _, part := range []string{"# " + a.Name + "\n", "\nSeverity: " + a.Labels["severity"], "\n## What it means\n", "\n## See it\n", "\n## Do\n", "\n## It clears\n"} {
			if !strings.Contains("\n"+runbook, part) {
				t.Errorf("%s: the runbook lacks %q", a.Name, part)
			}
		}
		if line := fmt.Sprintf("| [%s](%s.md) | %s |", a.Name, a.Name, a.Labels["severity"]); !strings.Contains(index, line) {
			t.Errorf("%s: the list of runbooks lacks %q", a.Name, line)
		}
		if !strings.Contains(tests, "- name: "+a.Name) {
			t.Errorf("%s has no unit test in rules_test.yaml or days_test.yaml", a.Name)
		}
		if !caused[a.Name] {
			t.Errorf("%s: no test produces its cause", a.Name)
		}
		delete(caused, a.Name)
		for _, metric := range metricsIn(a.Expr) {
			if page[metric] == nil {
				t.Errorf("%s: no page of the reference shows %s", a.Name, metric)
			}
		}
	}
	for name := range caused {
		t.Errorf("a cause is of the alert %s, which is not there", name)
	}
}

// A runbook is of an alert that there is, and speaks of metrics that there are.
func TestRunbooks(t *testing.T) {
	page := metricsPage(t)
	known := map[string]bool{"README": true}
	for _, a := range alerts(t) {
		known[a.Name] = true
	}
	entries, err := os.ReadDir(filepath.Join(root(t), "docs", "runbooks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[strings.TrimSuffix(e.Name(), ".md")] {
			t.Errorf("%s is of no alert", e.Name())
		}
		for _, metric := range metricsIn(read(t, "docs", "runbooks", e.Name())) {
			if page[metric] == nil {
				t.Errorf("%s: no page of the reference shows %s", e.Name(), metric)
			}
		}
	}
}

// What the page gives as PromQL can be asked.
func TestQueriesOfThePage(t *testing.T) {
	var queries []string
	for _, q := range regexp.MustCompile("(?ms)^```promql\n(.*?)^```$").FindAllStringSubmatch(read(t, "docs", "reference", "metrics.md"), -1) {
		queries = append(queries, q[1])
	}
	check(t, queries)
}

// check has promtool parse PromQL, as rules that record it.
func check(t *testing.T, queries []string) {
	t.Helper()
	type rule struct {
		Record string            `json:"record"`
		Expr   string            `json:"expr"`
		Labels map[string]string `json:"labels"`
	}
	var rules []rule
	for i, q := range queries {
		rules = append(rules, rule{"query", q, map[string]string{"number": fmt.Sprint(i)}})
	}
	content, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "queries", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := promtool(t, "check", "rules", file); err != nil || len(queries) == 0 {
		t.Errorf("%d queries: %v", len(queries), err)
	}
}
