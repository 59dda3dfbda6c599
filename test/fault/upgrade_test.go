package fault

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// TestUpgradedInPlaceOnce goes through the writes that bring a server to another major version, one by one, as TestWrites and TestKilled do: in Google Cloud the check before it, too. Whatever becomes of one of them, the
// server has the version in the end, and nothing else differs.
func TestUpgradedInPlaceOnce(t *testing.T) {
	sweepPhase(t, upgrade)
}

// upgradeInPlace brings the lifecycle's server to another major version.
func (l *lifecycle) upgradeInPlace(t testing.TB) {
	t.Helper()
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.Version = new("17") })
	l.awaitReady(t)
	await(t, l.name+": it has version 17", func() string {
		d := l.cached(t.Context()).(*v1alpha1.Database)
		if is := d.Status.Observed.Version; is == nil || !strings.HasPrefix(*is, "17") {
			return conditions(d.Status.Conditions)
		}
		return ""
	})
}
