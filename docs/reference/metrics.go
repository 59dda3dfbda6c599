package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

const aboutMetrics = `# Metrics

Every replica serves metrics at ` + "`--metrics-address`" + `, path ` + "`/metrics`" + `. Only the leader exposes metrics of objects, accounts and clouds, so a sum
over replicas counts nothing twice. The metrics that every replica exposes say so below. A counter or a histogram has no series before its
first event, so PromQL's rate() and increase() miss that event. Only the counters of drift begin at 0, for every kind and provider and on
every replica.

Labels are bounded:

- ` + "`kind`" + ` is ` + "`Bucket`" + `, ` + "`Database`" + ` or a kind of provider config.
- ` + "`provider`" + ` is ` + "`aws`" + ` or ` + "`gcp`" + `. It is empty until the object is bound to an account.
- ` + "`condition`" + `, ` + "`status`" + ` and ` + "`reason`" + ` are from the [closed lists](reasons.md).
- ` + "`class`" + ` has as many values as there are classes, and ` + "`account`" + ` as many as there are accounts.
- ` + "`namespace`" + ` and ` + "`name`" + ` of objects are labels of metrics about single objects only. The flag ` + "`--metrics-object-limit`" + ` bounds the number of these
  objects. 0 switches these metrics off.

No label holds a message or a value of a Secret.

In most installations the scrape target has a label ` + "`namespace`" + `, too. With ` + "`honorLabels: true`" + `, which the chart's ServiceMonitor sets, the label
` + "`namespace`" + ` of a metric keeps its value. Otherwise Prometheus renames it to ` + "`exported_namespace`" + `. The alerts work with both.

The alerts are in [charts/mooring/files/rules.yaml](../../charts/mooring/files/rules.yaml). Each alert has a [runbook](../runbooks/README.md).
`

// metricsPage lists all metrics.
func metricsPage() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(aboutMetrics)
	for _, s := range telemetry.Sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, m := range s.Metrics {
			fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n%s\n\n%s\n\n```promql\n%s\n```\n", m.Name, shape(m), m.Help, m.Question, m.Query)
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
