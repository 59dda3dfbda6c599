package alerts

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/test/cluster"
)

// A scrape is all series that were shown at a time: by name and labels, as PromQL writes them.
type scrape struct {
	at     time.Time
	series map[string]sample
}

type sample struct {
	metric string
	value  float64
	grows  bool // a counter
}

// target are the labels that Prometheus adds.
var target = []string{`instance="10.0.0.1:8080"`, `job="mooring"`, `pod="mooring-0"`}

func newScrape(at time.Time, families []*dto.MetricFamily) scrape {
	s := scrape{at, map[string]sample{}}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			s.add(f.GetName(), m)
		}
	}
	return s
}

func (s scrape) add(name string, m *dto.Metric) {
	labels := slices.Clone(target)
	for _, l := range m.GetLabel() {
		labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	put := func(name string, value float64, grows bool, more ...string) {
		s.series[name+"{"+strings.Join(append(labels, more...), ",")+"}"] = sample{name, value, grows}
	}
	switch {
	case m.GetGauge() != nil:
		put(name, m.GetGauge().GetValue(), false)
	case m.GetCounter() != nil:
		put(name, m.GetCounter().GetValue(), true)
	case m.GetHistogram() != nil:
		h := m.GetHistogram()
		put(name+"_count", float64(h.GetSampleCount()), true)
		put(name+"_sum", h.GetSampleSum(), true)
		for _, b := range h.GetBucket() {
			put(name+"_bucket", float64(b.GetCumulativeCount()), true, fmt.Sprintf("le=%q", number(b.GetUpperBound())))
		}
	}
}

// has reports whether a metric is shown.
func (s scrape) has(metric string) bool {
	for _, sample := range s.series {
		if whole(sample.metric) == metric {
			return true
		}
	}
	return false
}

// shows reports whether there is a series of a metric whose labels contain a text.
func (s scrape) shows(metric, with string) bool {
	for name, sample := range s.series {
		if sample.metric == metric && strings.Contains(name, with) {
			return true
		}
	}
	return false
}

// sum adds up the series of a metric whose labels contain a text.
func (s scrape) sum(metric, with string) (sum float64) {
	for name, sample := range s.series {
		if sample.metric == metric && strings.Contains(name, with) {
			sum += sample.value
		}
	}
	return sum
}

func number(v float64) string {
	if math.IsInf(v, 0) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// A timeline is what Prometheus sees: a scrape, and then for a long time what was so at another.
type timeline struct {
	before, after scrape
	// every is how often what happened between the two happens again.
	every time.Duration
	// skew is how far Prometheus's clock is ahead of the scrapes'.
	skew   time.Duration
	length time.Duration
}

type inputSeries struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

// series returns the timeline for promtool, as far as the rules look at it. Its clock begins at zero.
func (f timeline) series() (list []inputSeries) {
	for name, now := range f.after.series {
		if !watched(now.metric) {
			continue
		}
		first, step := now.value, 0.0
		if now.grows {
			first = f.before.series[name].value
			step = max(0, now.value-first) * time.Minute.Seconds() / f.every.Seconds()
		}
		if strings.HasSuffix(now.metric, "_timestamp_seconds") {
			first -= float64(f.after.at.Add(f.skew).Unix())
		}
		list = append(list, inputSeries{name, fmt.Sprintf("%s+%sx%d", number(first), number(step), int(f.length.Minutes())+1)})
	}
	slices.SortFunc(list, func(a, b inputSeries) int { return strings.Compare(a.Series, b.Series) })
	return list
}

// An expectation is PromQL, and whether there is an answer to it.
type expectation struct {
	expr string
	yes  bool
}

func firing(alert, labels string) expectation {
	return expectation{fmt.Sprintf(`count(ALERTS{alertname=%q,alertstate="firing"%s}) > bool 0`, alert, and(labels)), true}
}

func notFiring(alert string) expectation {
	return expectation{fmt.Sprintf(`ALERTS{alertname=%q,alertstate="firing"}`, alert), false}
}

func and(labels string) string {
	if labels == "" {
		return ""
	}
	return "," + labels
}

type (
	testFile struct {
		RuleFiles []string   `json:"rule_files"`
		Every     string     `json:"evaluation_interval"`
		Tests     []testCase `json:"tests"`
	}
	testCase struct {
		Interval string        `json:"interval"`
		Series   []inputSeries `json:"input_series"`
		Exprs    []exprCase    `json:"promql_expr_test"`
	}
	exprCase struct {
		Expr    string       `json:"expr"`
		At      string       `json:"eval_time"`
		Samples []exprSample `json:"exp_samples"`
	}
	exprSample struct {
		Labels string  `json:"labels"`
		Value  float64 `json:"value"`
	}
)

// evaluated is how often promtool evaluates the rules. Nothing changes in a timeline from one evaluation to the next, so that a day
// needs 150 of them and not 1500, which took most of the time of these tests. When an alert begins, to the minute, is for
// rules_test.yaml.
const evaluated = "10m"

// evaluate shows a timeline to the rules and asks at its end. It returns what promtool has to object.
func (f timeline) evaluate(t *testing.T, questions ...expectation) error {
	t.Helper()
	end := fmt.Sprintf("%ds", int(f.length.Seconds()))
	c := testCase{Interval: "1m", Series: f.series()}
	for _, q := range questions {
		e := exprCase{Expr: q.expr, At: end, Samples: []exprSample{}}
		if q.yes {
			e.Samples = append(e.Samples, exprSample{"{}", 1})
		}
		c.Exprs = append(c.Exprs, e)
	}
	content, err := yaml.Marshal(testFile{[]string{rulesFile(t)}, evaluated, []testCase{c}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "timeline.yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return promtool(t, "test", "rules", file)
}

// promtool runs promtool. Where it was not built the test is skipped, and fails under CI.
func promtool(t *testing.T, args ...string) error {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), cluster.ProgramForTest(t, "promtool"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("promtool %s: %w\n%s", args[0], err, out)
	}
	return nil
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{root(t)}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func rulesFile(t *testing.T) string {
	return filepath.Join(root(t), "charts", "mooring", "files", "rules.yaml")
}

// metricName finds the metrics in PromQL that are Mooring's or of what it is built from.
var metricName = regexp.MustCompile(`\b(?:mooring|workqueue|controller_runtime|leader_election|rest_client)_[a-z_]+\b`)

// whole returns the metric that a series is a part of, as a histogram's are.
func whole(series string) string {
	for _, ending := range []string{"_bucket", "_count", "_sum"} {
		series = strings.TrimSuffix(series, ending)
	}
	return series
}

// metricsIn returns the metrics that a text names, without the endings of histograms' series.
func metricsIn(text string) []string {
	var names []string
	for _, name := range metricName.FindAllString(text, -1) {
		names = append(names, whole(name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
