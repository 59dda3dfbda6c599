package report

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/telemetry"
)

func TestDriftCountsOnce(t *testing.T) {
	type look struct {
		differs  []string
		inWindow bool
		sent     []string
		after    time.Duration
		want     telemetry.Drift
	}
	tags, both := []string{"tags"}, []string{"tags", "versioning"}
	found, corrected := telemetry.Drift{Detected: true}, telemetry.Drift{Corrected: true}
	for name, looks := range map[string][]look{
		"nothing":             {{}, {}},
		"found and put right": {{differs: tags, sent: tags, want: found}, {want: corrected}, {}},
		"not shown at once":   {{differs: tags, sent: tags, want: found}, {inWindow: true}, {inWindow: true}, {want: corrected}},
		"sent in vain":        {{differs: tags, sent: tags, want: found}, {inWindow: true}, {differs: tags, sent: tags}, {differs: tags}},
		"it waits":            {{differs: tags, want: found}, {differs: tags}, {differs: tags}},
		"it went by itself":   {{differs: tags, want: found}, {}, {differs: tags, want: found}},
		"two at once":         {{differs: both, sent: both, want: found}, {want: corrected}},
		"another one":         {{differs: tags, want: found}, {differs: both, want: found}},
		"it returns": {{differs: tags, sent: tags, want: found}, {want: corrected},
			{differs: tags, sent: tags, after: time.Hour, want: telemetry.Drift{Detected: true, Recurred: true}}, {want: corrected}},
		"another field does not return": {{differs: tags, sent: tags, want: found}, {want: corrected}, {differs: []string{"versioning"}, want: found}},
		"it returns after a week": {{differs: tags, sent: tags, want: found}, {want: corrected}, {after: 7 * 24 * time.Hour},
			{differs: tags, want: found}},
	} {
		t.Run(name, func(t *testing.T) {
			var d Drifts
			now := time.Unix(0, 0)
			for i, look := range looks {
				now = now.Add(look.after)
				if got := d.look(look.differs, look.inWindow, look.sent, now); got != look.want {
					t.Errorf("look %d: %+v, want %+v", i+1, got, look.want)
				}
			}
		})
	}
}
