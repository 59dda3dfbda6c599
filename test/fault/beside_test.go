package fault

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestUpgradedBesideOnce goes through the writes by which a server with another version takes the place of a database's server, one by one, as TestWrites and TestKilled do. Whatever becomes
// of one of them, one server is prepared, it takes over once, the object is bound to it, and the former one is deleted after approval.
func TestUpgradedBesideOnce(t *testing.T) {
	sweepPhase(t, beside)
}

// TestNoRowIsLostWhileTheProcessIsKilled upgrades a real PostgreSQL by another server, while a client writes all the time and the process is killed: before the switchover, in the moment in which
// it begins, and right after it. Each row that was acknowledged is there once.
func TestNoRowIsLostWhileTheProcessIsKilled(t *testing.T) {
	if err := localcloud.EngineAvailable("postgres"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{})
	for name, at := range map[string]call{
		"before": {cloud, "CreateBlueGreenDeployment", 1}, "during": {cloud, "SwitchoverBlueGreenDeployment", 1}, "after": {cloud, "AddTagsToResource", 1}, // of the former server
	} {
		t.Run(name, func(t *testing.T) {
			l := w.newLifecycle(system.TargetOf("Database", "aws"))
			l.kill = w.process(t, nil, l.name).kill
			defer l.logIfFailed(t)
			l.injected = &injectedFault{phase: beside, call: at, kind: killed}
			l.prepare(t)
			l.enterPhase(creation)
			l.perform(t, creation)
			acknowledged, stop := writeRows(t, l.uri(t))
			l.enterPhase(beside)
			l.perform(t, beside)
			stop()
			if l.hitCount() != 1 {
				t.Errorf("the process was killed %d times", l.hitCount())
			}
			conn, err := pgx.Connect(t.Context(), l.uri(t))
			l.must(t, err)
			defer func() { _ = conn.Close(t.Context()) }()
			var rows, different int
			l.must(t, conn.QueryRow(t.Context(), "SELECT count(id), count(DISTINCT id) FROM written").Scan(&rows, &different))
			if n := *acknowledged; n < 10 || rows != different || rows < n || rows > n+1 {
				t.Errorf("%d rows were acknowledged; %d are there, %d of them different", n, rows, different)
			}
			l.enterPhase(deletion)
			l.perform(t, deletion)
		})
	}
}

// writeRows writes a row ten times a second until it is stopped. It connects again when it is refused, and writes a row again of which it does not know whether it was stored, once it has looked.
// It returns how many rows were acknowledged, which is known once it is stopped.
func writeRows(t *testing.T, uri string) (acknowledged *int, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var conn *pgx.Conn
	do := func(statement string, args ...any) (n int, err error) {
		if conn == nil || conn.IsClosed() {
			if conn, err = pgx.Connect(ctx, uri); err != nil {
				return 0, err
			}
		}
		err = conn.QueryRow(ctx, statement, args...).Scan(&n)
		return n, err
	}
	if _, err := do("SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "CREATE TABLE written (id int)"); err != nil {
		t.Fatal(err)
	}
	const insert, count = "INSERT INTO written VALUES ($1) RETURNING id", "SELECT count(*) FROM written WHERE id = $1"
	var ended sync.WaitGroup
	acknowledged = new(int)
	ended.Go(func() {
		for ctx.Err() == nil {
			next := *acknowledged + 1
			_, err := do(insert, next)
			for err != nil && ctx.Err() == nil {
				time.Sleep(100 * time.Millisecond)
				var n int
				if n, err = do(count, next); err == nil && n == 0 {
					_, err = do(insert, next)
				}
			}
			if err == nil {
				*acknowledged = next
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	return acknowledged, func() { cancel(); ended.Wait() }
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
