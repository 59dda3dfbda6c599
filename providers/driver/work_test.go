package driver

import (
	"testing"
	"time"
)

// What a message says of the work is the same for as long as the work is.
func TestWork(t *testing.T) {
	since := time.Date(2026, 1, 2, 4, 12, 33, 0, time.FixedZone("CET", 3600))
	for want, w := range map[string]Work{
		"":              {Since: since, Usually: "some hours"},
		"restarting it": {What: "restarting it"},
		"applying a change, since 2026-01-02 03:12 UTC":                      {What: "applying a change", Since: since},
		"optimizing its storage (usually some hours)":                        {What: "optimizing its storage", Usually: "some hours"},
		"taking a backup, since 2026-01-02 03:12 UTC (usually some minutes)": {What: "taking a backup", Since: since, Usually: "some minutes"},
	} {
		if got := w.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
