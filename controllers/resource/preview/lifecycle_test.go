package preview

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// newLifecycle returns a preview for which every object is in one cloud of this process.
func newLifecycle(t *testing.T, k *kind.Kind) *Preview {
	t.Helper()
	return &Preview{
		Kind: k, Drivers: map[string]driver.Driver{"mem": mem.New(mem.Options{}).Driver()},
		Provider: func(context.Context, identity.Key) (string, error) { return "mem", nil },
		Observed: func(client.ObjectKey) (time.Time, bool) { return time.Time{}, false }, Now: func() time.Time { return previewTime },
	}
}

var itsConfig = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}

// created is the metadata of an object that has something in the cloud.
func created() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "12345678-0000-0000-0000-000000000000", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource}}
}

func working(secret string) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{
		ExternalName: "shop-orders", ExternalID: "db-1", Provider: "mem", AppliedGeneration: 1, Origin: v1alpha1.OriginCreated,
		FirstReadyTime: &metav1.Time{Time: time.Unix(1, 0)}, Binding: &v1alpha1.Binding{Name: secret},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue, Reason: string(v1alpha1.ReasonReady)}},
	}
}

func stalled(reason v1alpha1.Reason, message string) metav1.Condition {
	return metav1.Condition{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(reason), Message: message}
}

func TestPreviewDeletionOfDatabase(t *testing.T) {
	const (
		destroyed = "database server shop-orders is deleted; a final snapshot shop-orders-final-12345678 is taken first and stays until somebody deletes it"
		backups   = "its automatic backups stay until they expire"
		secret    = "the connection Secret orders-db is deleted with it"
		secretToo = "the connection Secret orders-db stays"
	)
	type edit = func(*v1alpha1.Database)
	policy := func(p v1alpha1.DeletionPolicy) edit {
		return func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = p }
	}
	paused := func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} }
	protected := func(d *v1alpha1.Database) { d.Status.Observed.DeletionProtection = new(true) }
	unborn := func(d *v1alpha1.Database) { d.Status.ResourceStatus = v1alpha1.ResourceStatus{} }
	young := func(d *v1alpha1.Database) { d.Status.FirstReadyTime, d.Status.Conditions = nil, nil }
	stalls := func(reason v1alpha1.Reason, message string) edit {
		return func(d *v1alpha1.Database) {
			d.Status.Conditions = append(d.Status.Conditions, stalled(reason, message))
		}
	}
	for _, tc := range []struct {
		name  string
		edits []edit
		want  []string
	}{
		{"as it is", nil, []string{destroyed, backups, secret}},
		{"Delete", []edit{policy(v1alpha1.DeletionDelete)}, []string{
			"deletionPolicy Delete: database server shop-orders is deleted without a final snapshot, and its data is lost for good",
			"its automatic backups are deleted with it", secret}},
		{"Retain", []edit{policy(v1alpha1.DeletionRetain)}, []string{
			"deletionPolicy Retain: database server shop-orders stays, marked as released, and Mooring no longer manages it", secretToo}},
		{"adopted, and never as declared", []edit{func(d *v1alpha1.Database) {
			d.Status.Origin, d.Status.AppliedGeneration = v1alpha1.OriginAdopted, 0
		}}, []string{"database server shop-orders stays: it existed before this object took it over, and was never as this object declares", secretToo}},
		{"observed", []edit{func(d *v1alpha1.Database) {
			d.Finalizers, d.Status.ResourceStatus = nil, v1alpha1.ResourceStatus{Provider: "mem"}
			d.Spec.Management, d.Spec.ExternalName = v1alpha1.ManagementObserve, "theirs"
		}}, []string{"nothing changes in the cloud: database server theirs is only observed (management Observe)"}},
		{"paused", []edit{paused}, []string{destroyed, backups, secret, "nothing happens until the annotation mooring.dev/paused is removed"}},
		{"protected", []edit{protected}, []string{"once its deletion protection is off, " + destroyed, backups, secret,
			"nothing is deleted for now: deletion protection is on; set spec.deletionProtection: false to delete it"}},
		{"protected, and paused, without a snapshot", []edit{protected, paused, policy(v1alpha1.DeletionDelete)}, []string{
			"deletionPolicy Delete: once its deletion protection is off, database server shop-orders is deleted without a final snapshot, and its data is lost for good",
			"its automatic backups are deleted with it", secret,
			"nothing is deleted for now: deletion protection is on; set spec.deletionProtection: false to delete it",
			"nothing happens until the annotation mooring.dev/paused is removed"}},
		{"protected, and retained", []edit{protected, policy(v1alpha1.DeletionRetain)}, []string{
			"deletionPolicy Retain: database server shop-orders stays, marked as released, and Mooring no longer manages it", secretToo}},
		{"protection to be lifted", []edit{protected, func(d *v1alpha1.Database) { d.Spec.DeletionProtection = new(false) }}, []string{
			"once its deletion protection is off, " + destroyed, backups, secret, "its deletion protection is lifted first, because spec.deletionProtection is false"}},
		{"never created", []edit{unborn}, []string{"nothing was created in the cloud for this object, so nothing is deleted there"}},
		{"never created, and not looked at yet", []edit{unborn, func(d *v1alpha1.Database) { d.Finalizers = nil }}, []string{"nothing was created in the cloud for this object, so nothing is deleted there"}},
		{"refused by the cloud", []edit{young, func(d *v1alpha1.Database) { d.Status.CreationRefused = true }}, []string{"nothing is in the cloud, which refused the creation, so nothing is deleted there"}},
		{"without its finalizer", []edit{func(d *v1alpha1.Database) { d.Finalizers = nil }}, []string{
			"database server shop-orders stays, and Mooring no longer manages it: this object has lost the finalizer mooring.dev/cloud-resource, so it is removed at once"}},
		{"still being created", []edit{young}, []string{
			"database server shop-orders is deleted; a final snapshot shop-orders-final-12345678 is taken first if it works by then, and stays until somebody deletes it", secret}},
		{"not known to be created", []edit{young, func(d *v1alpha1.Database) { d.Status.ExternalID, d.Status.Observed = "", nil }}, []string{
			"database server shop-orders is deleted, should its creation have come that far, which the cloud has not confirmed; a final snapshot is taken only of a server that works by then", secret}},
		{"vanished", []edit{stalls(v1alpha1.ReasonVanished, "gone")}, []string{"the cloud no longer has database server shop-orders: nothing is deleted there, and no final snapshot can be taken", secret}},
		{"another's", []edit{stalls(v1alpha1.ReasonNotOwned, "theirs")}, []string{
			"database server shop-orders did not have this object's mark when it was last observed; what belongs to another object stays in the cloud",
			"if it has lost its mark, the deletion waits for you: set spec.deletionPolicy: Retain to leave it in the cloud", secretToo}},
		{"another's, and retained", []edit{policy(v1alpha1.DeletionRetain), stalls(v1alpha1.ReasonNotOwned, "theirs")}, []string{
			"database server shop-orders did not have this object's mark when it was last observed; what belongs to another object stays in the cloud", secretToo}},
		{"in a cloud without a driver", []edit{func(d *v1alpha1.Database) { d.Status.Provider = "azure" }}, []string{
			"no driver for cloud azure is in this controller; nothing happens in the cloud until a controller with that driver runs"}},
		{"in a cloud that is not known", []edit{func(d *v1alpha1.Database) { d.Status.Provider = "" }}, []string{
			"the cloud of this object is not known; nothing happens in the cloud until its provider config exists"}},
		{"in another account", []edit{stalls(v1alpha1.ReasonAccountChanged, "it is in account 1; change the provider config back")}, []string{destroyed, backups, secret,
			"nothing happens until this is put right: it is in account 1; change the provider config back"}},
		{"two Secrets, and retained", []edit{policy(v1alpha1.DeletionRetain), func(d *v1alpha1.Database) { d.Status.FormerSecrets = []v1alpha1.FormerSecret{{Name: "former"}} }}, []string{
			"deletionPolicy Retain: database server shop-orders stays, marked as released, and Mooring no longer manages it", "the connection Secrets orders-db, former stay"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: created()}
			d.Spec.ProviderConfigRef, d.Status.ResourceStatus, d.Status.Observed = itsConfig, working("orders-db"), &v1alpha1.DatabaseParameters{}
			for _, edit := range tc.edits {
				edit(d)
			}
			got, err := linesOf(newLifecycle(t, kind.Database()).Deletion(t.Context(), d))
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}

// An edit of an object that is being deleted is previewed if the deletion then does something else.
func TestPreviewEditOfADeletion(t *testing.T) {
	const (
		destroyed = "database server shop-orders is deleted; a final snapshot shop-orders-final-12345678 is taken first and stays until somebody deletes it"
		backups   = "its automatic backups stay until they expire"
		secret    = "the connection Secret orders-db is deleted with it"
		pause     = "nothing happens until the annotation mooring.dev/paused is removed"
	)
	type edit = func(*v1alpha1.Database)
	paused := func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} }
	for _, tc := range []struct {
		name      string
		old, edit edit
		want      []string
	}{
		{"the end of a pause", paused, func(d *v1alpha1.Database) { d.Annotations = nil }, []string{destroyed, backups, secret}},
		{"a pause", func(*v1alpha1.Database) {}, paused, []string{destroyed, backups, secret, pause}},
		{"retained after all", func(*v1alpha1.Database) {}, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionRetain }, []string{
			"deletionPolicy Retain: database server shop-orders stays, marked as released, and Mooring no longer manages it", "the connection Secret orders-db stays"}},
		{"no longer retained", func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionRetain }, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = "" },
			[]string{destroyed, backups, secret}},
		{"its protection is to be lifted", func(d *v1alpha1.Database) { d.Status.Observed.DeletionProtection = new(true) },
			func(d *v1alpha1.Database) { d.Spec.DeletionProtection = new(false) }, []string{
				"once its deletion protection is off, " + destroyed, backups, secret, "its deletion protection is lifted first, because spec.deletionProtection is false"}},
		{"nothing that matters any more", func(*v1alpha1.Database) {}, func(d *v1alpha1.Database) { d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))} }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old := &v1alpha1.Database{ObjectMeta: created()}
			old.DeletionTimestamp = &metav1.Time{Time: time.Unix(2, 0)}
			old.Spec.ProviderConfigRef, old.Status.ResourceStatus, old.Status.Observed = itsConfig, working("orders-db"), &v1alpha1.DatabaseParameters{}
			tc.old(old)
			edited := old.DeepCopy()
			tc.edit(edited)
			got, err := linesOf(newLifecycle(t, kind.Database()).DeletionEdit(t.Context(), old, edited))
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}

func TestPreviewDeletionOfBucket(t *testing.T) {
	const kept = "storage bucket shop-orders is deleted if it is empty; while it has contents the cloud refuses that, and the deletion waits until it is empty or spec.forceDestroy is true"
	for _, tc := range []struct {
		name  string
		force *bool
		keep  v1alpha1.DeletionPolicy
		want  string
	}{
		{"as it is", nil, "", kept},
		{"not by force", new(false), v1alpha1.DeletionDelete, kept},
		{"by force", new(true), "", "storage bucket shop-orders is deleted for good with its contents (forceDestroy): all objects"},
		{"by force, and retained", new(true), v1alpha1.DeletionRetain, "deletionPolicy Retain: storage bucket shop-orders stays, marked as released, and Mooring no longer manages it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := &v1alpha1.Bucket{ObjectMeta: created()}
			b.Spec.ProviderConfigRef, b.Status.ResourceStatus = itsConfig, working("")
			b.Status.Binding, b.Spec.ForceDestroy, b.Spec.DeletionPolicy = nil, tc.force, tc.keep
			got, err := linesOf(newLifecycle(t, kind.Bucket()).Deletion(t.Context(), b))
			if diff := cmp.Diff([]string{tc.want}, got); err != nil || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
		})
	}
}

// How old what is said is, as far as this process knows.
func TestPreviewSaysHowOldItIs(t *testing.T) {
	b := &v1alpha1.Bucket{ObjectMeta: created()}
	b.Spec.ProviderConfigRef, b.Status.ResourceStatus = itsConfig, working("")
	p := newLifecycle(t, kind.Bucket())
	p.Observed = func(client.ObjectKey) (time.Time, bool) { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), true }
	got, err := linesOf(p.Deletion(t.Context(), b))
	if want := "the cloud was last observed at 2026-01-02 03:04:05 UTC"; err != nil || got[len(got)-1] != want {
		t.Errorf("%v, %q", err, got)
	}
	p.Observed = func(client.ObjectKey) (time.Time, bool) { return time.Time{}, false }
	b.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionUnknown, Reason: string(v1alpha1.ReasonNotObserved), LastTransitionTime: metav1.Unix(0, 0)}}
	got, err = linesOf(p.Deletion(t.Context(), b))
	if want := "the cloud could not be observed lately; this is said by what was stored before 1970-01-01 00:00:00 UTC"; err != nil || got[len(got)-1] != want {
		t.Errorf("%v, %q", err, got)
	}
}

func TestPreviewCreation(t *testing.T) {
	const (
		noSecret  = "spec.connection is not set: no Secret with host, user and password is written, and nobody learns the password; set spec.connection.secretName"
		noVersion = "spec.version is not set: nothing is created without a version: set spec.version"
		noDays    = "spec.backup.retentionDays is not set: automatic backups are kept as long as the cloud likes: set spec.backup.retentionDays"
	)
	connected := func(s *v1alpha1.DatabaseSpec) { s.Connection = &v1alpha1.Connection{SecretName: "orders-db"} }
	whole := func(s *v1alpha1.DatabaseSpec) {
		connected(s)
		s.Version, s.Backup = new("16"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))}
	}
	for _, tc := range []struct {
		name  string
		edits []func(*v1alpha1.DatabaseSpec)
		want  []string
	}{
		{"nothing said", nil, []string{noVersion, noSecret, noDays}},
		{"all said", []func(*v1alpha1.DatabaseSpec){whole}, nil},
		{"connected", []func(*v1alpha1.DatabaseSpec){connected}, []string{noVersion, noDays}},
		{"with a password of one's own", []func(*v1alpha1.DatabaseSpec){func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "mine"}}
		}}, []string{noVersion, noDays}},
		{"three, and how many more", []func(*v1alpha1.DatabaseSpec){func(s *v1alpha1.DatabaseSpec) { s.DeletionPolicy = v1alpha1.DeletionDelete }}, []string{
			noVersion, "deletionPolicy Delete: when this object is deleted no final snapshot is taken, and the data is lost for good", noSecret, "and 1 more"}},
		{"without backups", []func(*v1alpha1.DatabaseSpec){whole, func(s *v1alpha1.DatabaseSpec) { *s.Backup.RetentionDays = 0 }}, []string{
			"backup.retentionDays is 0: there are no automatic backups, and no restore to a point in time"}},
		{"adopts", []func(*v1alpha1.DatabaseSpec){func(s *v1alpha1.DatabaseSpec) { s.Adoption = v1alpha1.AdoptionIfExists }}, nil},
		{"observes", []func(*v1alpha1.DatabaseSpec){func(s *v1alpha1.DatabaseSpec) { s.Management = v1alpha1.ManagementObserve }}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
			d.Spec.ProviderConfigRef = itsConfig
			for _, edit := range tc.edits {
				edit(&d.Spec)
			}
			got, err := linesOf(newLifecycle(t, kind.Database()).Creation(t.Context(), d))
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%v, -want +got:\n%s", err, cmp.Diff(tc.want, got))
			}
		})
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	b.Spec.ProviderConfigRef = itsConfig
	if got, err := linesOf(newLifecycle(t, kind.Bucket()).Creation(t.Context(), b)); err != nil || len(got) > 0 {
		t.Errorf("of a bucket with the defaults: %q, %v", got, err)
	}
	allowed := v1alpha1.PublicAccessAllowed
	b.Spec.ForceDestroy, b.Spec.PublicAccess = new(true), &allowed
	if got, err := linesOf(newLifecycle(t, kind.Bucket()).Creation(t.Context(), b)); err != nil || len(got) != 2 {
		t.Errorf("of a bucket that is public and goes with its contents: %q, %v", got, err)
	}
}

func TestPreviewEditOfBucket(t *testing.T) {
	const last = "Compared with what Mooring last observed, at a time that this replica of Mooring does not know"
	for _, tc := range []struct {
		name string
		edit func(*v1alpha1.Bucket)
		want []string
	}{
		{"nothing", func(*v1alpha1.Bucket) {}, nil},
		{"versions", func(b *v1alpha1.Bucket) { b.Spec.Versioning = new(v1alpha1.VersioningEnabled) }, []string{"Online, at once: versioning (none) -> Enabled", last}},
		{"another location", func(b *v1alpha1.Bucket) { b.Spec.Location = new("b") }, []string{"Impossible: location a -> b, not done: ", last}},
		{"by force, and no longer retained", func(b *v1alpha1.Bucket) {
			b.Spec.ForceDestroy, b.Spec.DeletionPolicy = new(true), v1alpha1.DeletionDelete
		}, []string{
			"forceDestroy false -> true: a deletion of this object deletes the cloud object with all its contents, for good",
			"deletionPolicy Retain -> Delete: a deletion of this object deletes the cloud object"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old := &v1alpha1.Bucket{ObjectMeta: created()}
			old.Spec.ProviderConfigRef, old.Status.ResourceStatus = itsConfig, working("")
			old.Status.Binding, old.Spec.DeletionPolicy, old.Spec.Location = nil, v1alpha1.DeletionRetain, new("a")
			old.Status.Observed, old.Status.Applied = old.Spec.BucketParameters.DeepCopy(), map[string][]string{"location": {"a"}}
			edited := old.DeepCopy()
			tc.edit(edited)
			p := newLifecycle(t, kind.Bucket())
			got, err := linesOf(p.Edit(t.Context(), old, edited))
			if err != nil || !slices.EqualFunc(tc.want, got, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("%v, -want +got:\n%s", err, cmp.Diff(tc.want, got))
			}
		})
	}
}

// A snapshot has no final snapshot, and the Secret of a Bucket no password.
func TestPreviewSaysNothingOfWhatAKindLacks(t *testing.T) {
	snapshot := &v1alpha1.DatabaseSnapshot{ObjectMeta: created()}
	snapshot.Spec.Source.DatabaseRef, snapshot.Spec.DeletionPolicy, snapshot.Status.ResourceStatus = &v1alpha1.DatabaseReference{Name: "orders"}, v1alpha1.DeletionDelete, working("")
	snapshot.Status.Binding = nil
	lines, err := linesOf(newLifecycle(t, kind.DatabaseSnapshot()).Deletion(t.Context(), snapshot))
	if text := strings.Join(lines, "\n"); err != nil || !strings.Contains(text, "is deleted, and its data is lost for good") || strings.Contains(text, "final snapshot") {
		t.Errorf("of a snapshot: %q, %v", text, err)
	}
	old := &v1alpha1.Bucket{ObjectMeta: created()}
	old.Spec.ProviderConfigRef, old.Status.ResourceStatus, old.Spec.Connection = itsConfig, working("photos-bucket"), &v1alpha1.Connection{SecretName: "photos-bucket"}
	edited := old.DeepCopy()
	edited.Spec.Connection = nil
	lines, err = linesOf(newLifecycle(t, kind.Bucket()).Edit(t.Context(), old, edited))
	if text := strings.Join(lines, "\n"); err != nil || !strings.Contains(text, "no longer learns the name and the address") {
		t.Errorf("of a Bucket: %q, %v", text, err)
	}
}
