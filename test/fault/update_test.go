package fault

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// The phases of updates that take more than one call, a restart, or a person.
const (
	// settings makes a server the first parameters of its own and TLS, and then takes one of the parameters out and sets one that restarts the server. RDS has a
	// DB parameter group for them: it is made, filled, attached and taken into force by a restart.
	settings phase = "settings"
	// restart grows the disk, adds a second zone and sets a parameter that restarts the server, which a person approves.
	restart phase = "restart"
	// act asks for a restart, a failover and another password, by annotations.
	act phase = "act"
	// snapshot takes a snapshot by an object of its own, and deletes it again.
	snapshot phase = "snapshot"
	// recovery makes another database of this one at the latest time, and deletes it again.
	recovery phase = "recovery"
	// revival makes another database, deletes it, and makes it again of the automated backups that stay.
	revival phase = "revival"
	// loss deletes the server in the cloud, and has it restored.
	loss phase = "loss"
	// following makes a read replica of the database, promotes it, and deletes it again.
	following phase = "following"
	// beside has a server with another version take the place of the database's, and the former one deleted.
	beside phase = "beside"
	// upgrade brings the database's server to another major version, in place.
	upgrade phase = "upgrade"
	// handOver has the cloud manage the administrator's password, and takes that back.
	handOver phase = "hand over"
	// edition moves a server of Cloud SQL to Enterprise Plus and back.
	edition phase = "edition"
	// retention keeps the objects of a bucket for some days, then for longer, and then locks that, which a person approves. S3 gets Object Lock for it,
	// which needs versions; Cloud Storage takes no versions beside it.
	retention phase = "retention"
)

// updates are those phases.
var updates = []phase{settings, restart, act, snapshot, recovery, handOver, edition, retention}

// comesWith says which phase a write of another phase needs to have been before it: a lifecycle goes through no more phases than it needs.
var comesWith = map[string]phase{"DeleteDBParameterGroup": settings}

// update does what a person does in one of these phases.
func (l *lifecycle) update(t testing.TB, p phase) {
	t.Helper()
	switch p {
	case loss:
		l.lose(t)
	case revival:
		l.revive(t)
	case settings:
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.TLS, s.Parameters = new(v1alpha1.TLSOptional), map[string]v1alpha1.ParameterValue{"work_mem": "8192", "deadlock_timeout": "700"}
		})
		l.awaitReady(t)
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Parameters = map[string]v1alpha1.ParameterValue{"work_mem": "8192", "max_connections": "50"}
		})
		l.awaitReady(t)
	case restart:
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			s.Storage.SizeGiB, s.Availability = new(int32(40)), new(v1alpha1.AvailabilityMultiZone)
			s.Parameters = map[string]v1alpha1.ParameterValue{"work_mem": "8192", "max_connections": "60"}
		})
		l.approve(t)
	case act:
		former := l.password(t)
		for _, annotation := range []string{v1alpha1.AnnotationRestart, v1alpha1.AnnotationFailover, v1alpha1.AnnotationRotatePassword} {
			l.ask(t, annotation)
			l.awaitReady(t)
		}
		await(t, l.name+": the connection Secret has another password", func() string {
			if l.password(t) == former {
				return "it has the former one"
			}
			return ""
		})
		l.awaitReady(t)
		l.secrets = append(l.secrets, l.password(t))
	case snapshot:
		l.takeSnapshot(t)
	case beside:
		l.upgradeBeside(t)
	case upgrade:
		l.upgradeInPlace(t)
	case following:
		l.follow(t)
	case recovery:
		l.recover(t)
	case handOver:
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsCloudManaged}
		})
		l.awaitReady(t)
		former := l.verifyHandedOver(t)
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsGenerated}
		})
		l.awaitReady(t)
		l.verifyTakenBack(t, former)
	case retention:
		l.retain(t, 7, false)
		l.awaitReady(t)
		l.retain(t, 30, false)
		l.awaitReady(t)
		l.patch(t, func(o client.Object) {
			system.SpecOf(o).Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		})
		l.retain(t, 30, true)
		l.approve(t)
	case edition:
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.Updates, s.GCP.Tier = nil, new("db-perf-optimized-N-2") })
		l.awaitReady(t)
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.GCP.Tier = new("db-custom-2-7680") })
		l.awaitReady(t)
	default:
		t.Fatalf("nobody says what is done in the phase %q", p)
	}
}

// retain has the objects of a bucket retained for some days.
func (l *lifecycle) retain(t testing.TB, days int32, locked bool) {
	t.Helper()
	l.patch(t, func(o client.Object) {
		s := &o.(*v1alpha1.Bucket).Spec
		s.Retention = &v1alpha1.BucketRetention{Days: &days, Locked: &locked}
		if s.AWS != nil {
			s.AWS.ObjectLock = new(true)
		} else {
			s.Versioning = new(v1alpha1.VersioningSuspended)
		}
	})
}

func (l *lifecycle) patchDatabase(t testing.TB, change func(*v1alpha1.DatabaseSpec)) {
	t.Helper()
	l.patch(t, func(o client.Object) { change(&o.(*v1alpha1.Database).Spec) })
}

// approve waits until a person is waited for, approves as one, and waits until that is done.
func (l *lifecycle) approve(t testing.TB) {
	t.Helper()
	hash := l.awaitApproval(t)
	l.patch(t, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: hash}) })
	l.awaitReady(t)
}

// awaitApproval waits until nothing but a person is waited for, and returns the hash that approves.
func (l *lifecycle) awaitApproval(t testing.TB) (hash string) {
	t.Helper()
	await(t, l.name+" waits for approval", func() string {
		o := l.cached(t.Context())
		status := system.StatusOf(o)
		c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled)
		if c == nil || c.Reason != string(v1alpha1.ReasonApprovalRequired) || c.ObservedGeneration != o.GetGeneration() || status.Plan == nil {
			return conditions(status.Conditions)
		}
		hash = status.Plan.Hash
		return ""
	})
	return hash
}

// verifyHandedOver checks that the cloud manages the password, and nobody else has one: the connection Secret says where it is, and Mooring's own
// Secret is gone. It returns where the cloud has it.
func (l *lifecycle) verifyHandedOver(t testing.TB) (secret string) {
	t.Helper()
	d := l.get(t).(*v1alpha1.Database)
	secret = l.console().ManagedPasswords().ARN(t, d.Status.ExternalName)
	published := l.published(t)
	if secret == "" || secret != d.Status.PasswordSecret || secret != string(published["password-secret"]) || len(published["password"])+len(published["uri"]) > 0 {
		t.Errorf("the cloud has the password in %q, the status says %q, and the connection Secret says %q with a password of %d bytes",
			secret, d.Status.PasswordSecret, published["password-secret"], len(published["password"]))
	}
	if err := l.Client.Get(t.Context(), l.passwordSecret(d), &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("Mooring's own Secret: %v, want none", err)
	}
	return secret
}

// verifyTakenBack checks that the cloud no longer manages the password, and that the connection Secret has one again.
func (l *lifecycle) verifyTakenBack(t testing.TB, former string) {
	t.Helper()
	d, published := l.get(t).(*v1alpha1.Database), l.published(t)
	if now := l.console().ManagedPasswords().ARN(t, d.Status.ExternalName); now != "" || d.Status.PasswordSecret != "" || len(published["password-secret"]) > 0 {
		t.Errorf("the cloud has the password in %q, the status says %q, and the connection Secret says %q", now, d.Status.PasswordSecret, published["password-secret"])
	}
	if former == "" || len(published["password"]) == 0 {
		t.Errorf("the connection Secret has a password of %d bytes", len(published["password"]))
	}
	l.secrets = append(l.secrets, string(published["password"]))
}

// passwordSecret is the name of Mooring's own Secret.
func (l *lifecycle) passwordSecret(o client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(o.GetUID())}
}

// published returns what the connection Secret has.
func (l *lifecycle) published(t testing.TB) map[string][]byte {
	t.Helper()
	s := &corev1.Secret{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: connection}, s))
	return s.Data
}

// verifyGroups checks that a server has one DB parameter group of its own at most, and that none outlives it.
func (l *lifecycle) verifyGroups(t testing.TB, server string) {
	t.Helper()
	if l.target.String() != "aws/Database" {
		return
	}
	all := l.console().Groups().Names(t) // a server has one, which another one may have taken the place of
	others := slices.DeleteFunc(slices.Clone(all), func(group string) bool { return server != "" && (group == server+"-a" || group == server+"-b") })
	if len(others) > 0 || len(all) > 1 {
		t.Errorf("the account has the DB parameter groups %q, want one of the server %q at most", all, server)
	}
}

// ask asks for an action, and waits until the status says what became of it.
func (l *lifecycle) ask(t testing.TB, annotation string) {
	t.Helper()
	l.patch(t, func(o client.Object) {
		annotations := maps.Clone(o.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotation] = "one"
		o.SetAnnotations(annotations)
	})
	await(t, l.name+": "+annotation+" is answered", func() string {
		o := l.cached(t.Context()).(*v1alpha1.Database)
		for _, s := range o.Status.Actions {
			final := s.Outcome == v1alpha1.ActionSucceeded || s.Outcome == v1alpha1.ActionUnknown || s.Outcome == v1alpha1.ActionFailed
			if "mooring.dev/"+s.Name == annotation && s.Value == "one" && final {
				return ""
			}
		}
		return fmt.Sprintf("%+v, %s", o.Status.Actions, conditions(o.Status.Conditions))
	})
}

// actionCalls are the calls of restarts and failovers. Nothing is an excuse for one more of them.
var actionCalls = []string{"RebootDBInstance", "instances.restart", "instances.failover"}

// verifyActions checks that an action was done once at most, whatever went wrong.
func verifyActions(t testing.TB, p phase, committed, plain map[string]int) {
	t.Helper()
	for _, op := range actionCalls {
		if p == act && committed[op] > plain[op] {
			t.Errorf("%s: %s %d times, and %d without the fault", p, op, committed[op], plain[op])
		}
	}
}
