package fault

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestUpgradedBesideOnce goes through the writes by which a server with another version takes the place of a database's server, one by one, as TestWrites and TestKilled do. Whatever becomes
// of one of them, one server is prepared, it takes over once, the object is bound to it, and the former one is deleted after approval.
func TestUpgradedBesideOnce(t *testing.T) {
	t.Parallel()
	t.Run("writes", func(t *testing.T) {
		t.Parallel()
		w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
		w.run(t, timeout)
		w.sweep(t, matrix{
			kinds:    []localcloud.FaultKind{localcloud.ResponseLost, localcloud.Conflict, localcloud.RequestLost},
			parallel: 24, manage: func(*testing.T, *lifecycle) {}, only: beside,
		})
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
		w.sweep(t, matrix{
			kinds:    []localcloud.FaultKind{killed},
			parallel: 12, manage: func(t *testing.T, l *lifecycle) { l.kill = w.process(t, nil, l.name).kill }, only: beside,
		})
	})
}

// upgradeBeside has another server take the place of the lifecycle's own, and the former one deleted.
func (l *lifecycle) upgradeBeside(t testing.TB) {
	t.Helper()
	before, published, cloud := system.StatusOf(l.get(t)), l.password(t), l.console().Databases()
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
		s.Parameters = map[string]v1alpha1.ParameterValue{"rds.logical_replication": "1"}
		s.Updates = &v1alpha1.Updates{Strategy: v1alpha1.StrategyBlueGreen}
	})
	l.awaitReady(t)
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.Version = new("17") })
	await(t, l.name+": another server took over, and the former one waits for approval", func() string {
		d := l.cached(t.Context()).(*v1alpha1.Database)
		if d.Status.FormerServer == nil || d.Status.ExternalID == before.ExternalID || d.Status.Plan == nil || d.Status.Plan.Hash == "" {
			return conditions(d.Status.Conditions)
		}
		return ""
	})
	d := l.get(t).(*v1alpha1.Database)
	if d.Status.FormerServer.ExternalID != before.ExternalID || d.Status.ExternalName != before.ExternalName {
		t.Errorf("%s (%s) is bound, and the former server is %+v, want that of %s", d.Status.ExternalName, d.Status.ExternalID, d.Status.FormerServer, before.ExternalID)
	}
	if names := cloud.Names(t); len(names) != 2 || !slices.Contains(names, d.Status.FormerServer.ExternalName) {
		t.Errorf("the servers are %q", names)
	}
	hash := d.Status.Plan.Hash
	l.patch(t, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: hash}) })
	await(t, l.name+": the former server is gone", func() string {
		d := l.cached(t.Context()).(*v1alpha1.Database)
		if d.Status.FormerServer != nil || len(d.Status.PendingChanges) > 0 {
			return conditions(d.Status.Conditions)
		}
		return unready(d)
	})
	if names := cloud.Names(t); !slices.Equal(names, []string{before.ExternalName}) {
		t.Errorf("the servers are %q once the former one is deleted, want %s", names, before.ExternalName)
	}
	if l.password(t) != published {
		t.Error("another password is published")
	}
}
