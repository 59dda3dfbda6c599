package gather

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Where a mark is final, what the answer to a creation named is the object's own, however the cloud shows its mark. What was taken over or is only observed is not.
func TestWhatTheAnswerToACreationNamedIsOurs(t *testing.T) {
	labelled := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-2", Released: true} // the Database's, of which the backup is
	for name, tt := range map[string]struct {
		change func(*v1alpha1.DatabaseSnapshot, *gathering)
		shown  driver.Mark
		ours   bool
	}{
		"without a mark":           {func(*v1alpha1.DatabaseSnapshot, *gathering) {}, driver.Mark{}, true},
		"with the mark of another": {func(*v1alpha1.DatabaseSnapshot, *gathering) {}, labelled, true},
		"another backup":           {func(s *v1alpha1.DatabaseSnapshot, _ *gathering) { s.Status.ExternalID = "8" }, driver.Mark{}, false},
		"its id is not known":      {func(s *v1alpha1.DatabaseSnapshot, _ *gathering) { s.Status.ExternalID = "" }, driver.Mark{}, false},
		"it was taken over":        {func(s *v1alpha1.DatabaseSnapshot, _ *gathering) { s.Status.Origin = v1alpha1.OriginAdopted }, labelled, false},
		"it is only observed":      {func(s *v1alpha1.DatabaseSnapshot, _ *gathering) { s.Status.Origin = "" }, driver.Mark{}, false},
		"marks are not final":      {func(_ *v1alpha1.DatabaseSnapshot, g *gathering) { g.Described.MarkIsFinal = false }, driver.Mark{}, false},
	} {
		s := &v1alpha1.DatabaseSnapshot{}
		s.Namespace, s.Name, s.UID = "shop", "nightly", "uid-1"
		s.Status.ExternalName, s.Status.ExternalID, s.Status.Origin = "shop-nightly", "7", v1alpha1.OriginCreated
		g := (&Gatherer{Kind: kind.DatabaseSnapshot(), Sync: time.Minute}).begin(reconciliation.Begin(s, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
		g.Described.MarkIsFinal = true
		g.Request.Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly", UID: "uid-1"}
		tt.change(g.Object.(*v1alpha1.DatabaseSnapshot), g)
		g.observed(t.Context(), driver.Observation{State: driver.Ready, ID: "7", Mark: tt.shown})
		if ours := g.Observation.Mark == g.Request.Mark; ours != tt.ours {
			t.Errorf("%s: it is the object's own: %t, want %t", name, ours, tt.ours)
		}
	}
}
