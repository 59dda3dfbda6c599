package fault

import (
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestRotationOfServer changes the password of a real PostgreSQL, while the cloud's answer is lost: whoever reads the
// connection Secret afterwards gets in, and the former password no longer does.
func TestRotationOfServer(t *testing.T) {
	if err := localcloud.EngineAvailable("postgres"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{})
	w.run(t, timeout)
	l := w.newLifecycle(system.TargetOf("Database", "aws"))
	defer l.logIfFailed(t)
	l.injected = &injectedFault{phase: rotation, call: call{cloud, "ModifyDBInstance", 1}, kind: localcloud.ResponseLost}
	l.prepare(t)
	l.enterPhase(creation)
	l.perform(t, creation)
	former := l.uri(t)
	if err := query(t, former); err != nil {
		t.Fatalf("before the rotation: %v", err)
	}
	l.enterPhase(rotation)
	l.perform(t, rotation)
	if l.hitCount() != 1 {
		t.Errorf("%d answers were lost", l.hitCount())
	}
	if err := query(t, l.uri(t)); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	if err := query(t, former); err == nil || !strings.Contains(err.Error(), "28P01") {
		t.Errorf("with the former password: %v, want invalid_password", err)
	}
	l.enterPhase(deletion)
	l.perform(t, deletion)
}

// uri is how the connection Secret says to connect.
func (l *lifecycle) uri(t *testing.T) string {
	t.Helper()
	return string(l.published(t)["uri"])
}

// awaitLogin waits until what a connection Secret says lets somebody in.
func (l *lifecycle) awaitLogin(t testing.TB, secret string) {
	t.Helper()
	await(t, l.name+": the login in the Secret "+secret+" is accepted", func() string {
		s := &corev1.Secret{}
		l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: secret}, s))
		at := url.URL{
			Scheme: "postgres", User: url.UserPassword(string(s.Data["username"]), string(s.Data["password"])), Path: "/" + string(s.Data["database"]),
			Host: net.JoinHostPort(string(s.Data["host"]), string(s.Data["port"])), RawQuery: "sslmode=prefer",
		}
		if err := query(t, at.String()); err != nil {
			return err.Error()
		}
		return ""
	})
}

// alterPassword sets the password of the lifecycle's database by SQL, of which Mooring does not know.
func (l *lifecycle) alterPassword(t testing.TB, password string) {
	t.Helper()
	at := l.published(t)
	port, err := strconv.Atoi(string(at["port"]))
	l.must(t, err)
	l.must(t, l.Cloud.AlterPassword(string(at["host"]), port, string(at["username"]), password))
}

func query(t testing.TB, uri string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), uri)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(t.Context()) }()
	return conn.Ping(t.Context())
}
