package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

const aboutMetrics = `# Metrics

Every replica serves them at ` + "`--metrics-address`" + `, path ` + "`/metrics`" + `. What is said of objects, accounts and clouds only the leader
shows, so a sum over replicas counts nothing twice; what every replica shows says so below. A counter or a histogram has
no series before something was counted, and so the first of a series is lost to PromQL's rate() and increase(). The counters of
drift alone begin at 0, for every kind and provider and on every replica.

Labels are bounded. ` + "`kind`" + ` is ` + "`Bucket`" + ` or ` + "`Database`" + `, or of a provider config; ` + "`provider`" + ` is ` + "`aws`" + ` or ` + "`gcp`" + `, and empty before an object has a
place in a cloud; ` + "`condition`" + `, ` + "`status`" + ` and ` + "`reason`" + ` are those of the [closed lists](reasons.md); ` + "`class`" + ` takes as many values as
there are classes, ` + "`account`" + ` as there are accounts that provider configs lead to. ` + "`namespace`" + ` and ` + "`name`" + ` of objects are labels of one
metric only, which shows the objects that are not fine. The flag ` + "`--metrics-object-limit`" + ` bounds how many objects that is; 0 switches the metric
off. No label holds a message or a value of a Secret.

The target of a scrape has a label ` + "`namespace`" + ` of its own in most installations. With ` + "`honorLabels: true`" + `, which the chart's ServiceMonitor
sets, ` + "`namespace`" + ` of a metric stays what it is; otherwise Prometheus calls it ` + "`exported_namespace`" + `. The alerts take either.

The alerts over these metrics are in [charts/mooring/files/rules.yaml](../../charts/mooring/files/rules.yaml), and each has a
[runbook](../runbooks/README.md).
`

// metricsPage lists all metrics.
func metricsPage() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(aboutMetrics)
	for _, s := range telemetry.Sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, m := range s.Metrics {
			fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n%s\n\n%s\n\n```promql\n%s\n```\n", m.Name, shape(m), m.Help, m.Asks, m.Query)
		}
	}
	return b.Bytes(), nil
}

// shape says a metric's type, its labels and who shows it, in a line.
func shape(m *telemetry.Metric) string {
	parts := []string{m.Type}
	if len(m.Labels) > 0 {
		parts = append(parts, "labels `"+strings.Join(m.Labels, "`, `")+"`")
	}
	if m.Replicas {
		parts = append(parts, "shown by every replica")
	}
	return strings.ToUpper(parts[0][:1]) + strings.Join(parts, "; ")[1:] + "."
}
