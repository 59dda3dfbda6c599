package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Objects are retained for as long as the spec says, and {} ends that.
func TestRetention(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		b := w.retained(c)
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Retention.Days = new(int32(30)) })
		w.mirrors(b, "retention.days", "30")
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Retention = &v1alpha1.BucketRetention{} })
		w.mirrors(b, "retention.days", "")
		w.delete(b)
		w.awaitDeleted(b)
	})
}

// A lock, which both real clouds keep for good, waits for consent, and an edit that takes it back makes the bucket Ready. Through a shared account it is the class's
// to allow, and for how long.
func TestRetentionIsLockedWithConsent(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		b := w.retained(c)
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Retention.Locked = new(true) })
		s := w.stalled(b, v1alpha1.ReasonProviderConfigNotAllowed, "spec.retention.locked", "without a class")
		w.equal("lock", s.Value("retention.locked"), "false")
		w.delete(b)
		w.awaitDeleted(b)

		class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
		class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = c.Config, &metav1.LabelSelector{}
		class.Spec.Defaults = &v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: new(int32(30)), Locked: new(true)}}
		w.create(class)
		b = w.bucket(c, "ours", v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: new(int32(7)), Locked: new(false)}})
		b.Spec.ProviderConfigRef, b.Spec.ClassName = nil, class.Name
		w.create(b)
		w.ready(b)
		edit(w, b, func(b *v1alpha1.Bucket) {
			b.Spec.Retention = &v1alpha1.BucketRetention{Days: new(int32(36_500)), Locked: new(true)}
		})
		s = w.stalled(b, v1alpha1.ReasonClassViolated, "36500 is more than the 30 of class")
		w.equal("days", s.Value("retention.days"), "7")
		edit(w, b, func(b *v1alpha1.Bucket) {
			b.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			b.Spec.Retention = &v1alpha1.BucketRetention{Days: new(int32(7)), Locked: new(true)}
		})
		s = w.stalled(b, v1alpha1.ReasonApprovalRequired, "retention.locked", "Irreversible")
		w.equal("lock", s.Value("retention.locked"), "false")
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Retention.Locked = new(false) })
		w.ready(b)
		w.delete(b)
		w.awaitDeleted(b)
	})
}

// retained returns a new bucket that keeps its objects for 7 days, unlocked.
func (w *fixture) retained(c *system.Cloud) *v1alpha1.Bucket {
	b := w.bucket(c, "kept", v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: new(int32(7)), Locked: new(false)}})
	w.create(b)
	w.ready(b)
	w.mirrors(b, "retention.days", "7")
	return b
}

// Object Lock is there from the creation on, with versions, and without a period; an existing bucket gets it as soon as it keeps versions. Nobody takes it back.
func TestObjectLock(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	b := w.bucket(c, "lockable", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(true)}})
	w.create(b)
	name := w.ready(b).Status.ExternalName
	w.mirrors(b, "aws.objectLock", "true")
	w.equal("writes of Object Lock", c.Ledger.Count(localcloud.Filter{Operation: "PutBucketVersioning", Resource: name}), 0)

	later := w.bucket(c, "locked-later", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectLock: new(false)}})
	w.create(later)
	w.ready(later)
	edit(w, later, func(b *v1alpha1.Bucket) { b.Spec.AWS.ObjectLock = new(true) })
	w.stalled(later, v1alpha1.ReasonInvalid, "aws.objectLock", "set spec.versioning to Enabled")
	edit(w, later, func(b *v1alpha1.Bucket) { b.Spec.Versioning = new(v1alpha1.VersioningEnabled) })
	w.ready(later)
	w.mirrors(later, "aws.objectLock", "true")
	edit(w, later, func(b *v1alpha1.Bucket) { b.Spec.AWS.ObjectLock = new(false) })
	w.stalled(later, v1alpha1.ReasonImmutable, "aws.objectLock", "can't switch Object Lock off")
	edit(w, later, func(b *v1alpha1.Bucket) { b.Spec.AWS.ObjectLock = nil })
	w.ready(later)
}
