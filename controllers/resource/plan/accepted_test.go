package plan

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A snapshot that the cloud accepted to take is not taken again because no list shows it: a person finds out what became of it. Before the cloud accepted one, it is taken.
func TestWhatTheCloudAcceptedIsNotMadeAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*v1alpha1.DatabaseSnapshot, *Memory)
		want   Verb
	}{
		"nothing is known of it":      {func(*v1alpha1.DatabaseSnapshot, *Memory) {}, Create},
		"the answer had its id":       {func(s *v1alpha1.DatabaseSnapshot, _ *Memory) { s.Status.ExternalID = "1767225600001" }, Stall},
		"the answer had an operation": {func(s *v1alpha1.DatabaseSnapshot, _ *Memory) { s.Status.Operation = "backup-1" }, Stall},
		"the answer said nothing":     {func(_ *v1alpha1.DatabaseSnapshot, m *Memory) { m.Answered = true }, Stall},
		"it is not missing for long":  {func(s *v1alpha1.DatabaseSnapshot, m *Memory) { s.Status.ExternalID, m.Absent = "1", time.Time{} }, Wait},
		"it was taken over, and is gone": {func(s *v1alpha1.DatabaseSnapshot, _ *Memory) {
			s.Status.ExternalID, s.Status.Origin = "1", v1alpha1.OriginAdopted
		}, Stall},
	} {
		now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
		s := &v1alpha1.DatabaseSnapshot{}
		s.Status.ExternalName, s.Status.Origin = "shop-nightly", v1alpha1.OriginCreated
		m := Memory{Absent: now.Add(-time.Hour)}
		tt.change(s, &m)
		seen := driver.Observation{State: driver.Absent}
		v := Interpret(Evidence{Kind: kind.DatabaseSnapshot(), Object: s, Asks: Place{Name: "shop-nightly"}, Observation: seen, Memory: m, Now: now, Window: time.Minute}).View
		if a := Plan(v, seen, Policy{Management: v1alpha1.ManagementFull, Once: true}); a.Verb != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, a.Verb, a.Message, tt.want)
		}
	}
}
