package chart

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A youngObject has fields that the release before does not know.
type youngObject struct {
	v1alpha1.ResourceObject
	// declare sets them, and field is one of them.
	declare func()
	field   string
}

func objectsIn(young []youngObject) (all []client.Object) {
	for _, y := range young {
		all = append(all, y.ResourceObject)
	}
	return all
}

// noted reports whether the status says that the field is applied.
func (y youngObject) noted() bool {
	_, noted := y.GetResourceStatus().Applied[y.field]
	return noted
}

// bucketIn returns a bucket in a cloud, directly in its account.
func bucketIn(c *system.Cloud, name string) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: c.Name + "-" + name}}
	b.Spec.ProviderConfigRef = c.Ref()
	return b
}

// makeFullBuckets makes a bucket in each cloud that sets every field of the first release, and one that says {} of its encryption, which asked for
// nothing then, in a class that gives it a key.
func (w *fixture) makeFullBuckets() (all []client.Object) {
	w.Helper()
	for _, c := range w.clouds() {
		full := bucketIn(c, "full")
		whole := system.FullBucket(c)
		full.Spec.BucketParameters = v1alpha1.BucketParameters{
			Location: whole.Location, Versioning: whole.Versioning, PublicAccess: whole.PublicAccess, Tags: whole.Tags, ForceDestroy: whole.ForceDestroy,
		}
		class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: c.Name + "-keyed"}}
		class.Spec.ProviderConfigRef, class.Spec.AllowedNamespaces = v1alpha1.ClusterProviderConfigReference{Name: c.Config}, &metav1.LabelSelector{}
		class.Spec.Defaults = &v1alpha1.BucketParameters{Encryption: whole.Encryption}
		w.Must(w.Client.Create(w.Context(), class))
		keyed := bucketIn(c, "keyed")
		keyed.Spec.ProviderConfigRef, keyed.Spec.ClassName, keyed.Spec.Encryption = nil, class.Name, &v1alpha1.Encryption{}
		all = append(all, full, keyed)
	}
	w.create(all)
	w.ready(all)
	return all
}

// makeYoung makes a bucket and, unless the release before knows its fields, a database in each cloud with fields that the release before does not know.
func (w *fixture) makeYoung(before base) (all []youngObject) {
	w.Helper()
	for _, c := range w.clouds() {
		d, b := databaseIn(c, "young"), bucketIn(c, "young")
		system.Connect(d, d.Name)
		if !before.databases {
			all = append(all, youngObject{d, func() { youngSpec(d) }, "network.publicAccess"})
		}
		all = append(all, youngObject{b, func() {
			b.Spec.BucketParameters = system.OtherBucket(c)
			b.Spec.Encryption, b.Spec.Logging = nil, nil // what names another cloud object, or lets others in, needs a class
			if b.Spec.AWS != nil {
				b.Spec.AWS.Policy, b.Spec.AWS.Replication, b.Spec.AWS.Notifications = nil, nil, &v1alpha1.BucketNotificationsAWS{EventBridge: new(true)}
				b.Spec.AWS.Analytics, b.Spec.AWS.Inventory = nil, nil
			}
			if b.Spec.GCP != nil {
				b.Spec.GCP.IAMBindings, b.Spec.GCP.Notifications = nil, nil
				b.Spec.GCP.IPFilter.Networks = nil
				b.Spec.RequesterPays = nil // docs/upgrade.md says why it is taken out before a rollback
			}
		}, "cors"})
	}
	for _, y := range all {
		y.declare()
	}
	w.create(objectsIn(all))
	w.ready(objectsIn(all))
	return all
}

// youngSpec sets fields that the release before does not know.
func youngSpec(d *v1alpha1.Database) {
	s := &d.Spec
	s.Version, s.Parameters, s.TLS = new("16"), map[string]v1alpha1.ParameterValue{"work_mem": "8192"}, new(v1alpha1.TLSRequired)
	s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20)), MaxSizeGiB: new(int32(100))}
	s.Availability, s.PowerState, s.IAMAuthentication = new(v1alpha1.AvailabilityMultiZone), new(v1alpha1.PowerStateRunning), new(true)
	s.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed)}
	s.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(5)), StartTime: new("01:00"), PointInTimeRecovery: new(true)}
	s.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("03:00")}}
	s.Updates = &v1alpha1.Updates{Timing: v1alpha1.TimingMaintenanceWindow}
	s.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsGenerated, RotationPeriod: "720h"}
}

// goesBackAndForth takes the chart back and installs it again, while the newer controller runs on. What the API server then no longer has of the young
// objects nobody took out. Fields of a database count as taken out once they are known again; so do those of a bucket, of which each stays as it is.
func (w *fixture) goesBackAndForth(young []youngObject) {
	w.Helper()
	w.run(w, "rollback", w.release, "1", "--namespace", w.namespace)
	w.holds(young)
	w.apply(chartDir(w), often)
	for _, y := range young {
		w.await(y.ResourceObject, "Synced again, and without its fields", func() bool {
			return isReady(y) && meta.FindStatusCondition(y.GetResourceStatus().Conditions, v1alpha1.ConditionReconciling) == nil && !y.noted()
		})
		w.Eventually("the API server keeps its fields", func() bool { // by the definition before the one that was just applied it drops them
			w.edit(y.ResourceObject, y.declare)
			return w.has(y)
		})
		w.await(y.ResourceObject, "as its YAML says", func() bool { return isReady(y) && y.noted() })
	}
}

// has reports whether the API server kept the field of a young object.
func (w *fixture) has(y youngObject) bool {
	w.Helper()
	kind, err := w.Client.GroupVersionKindFor(y.ResourceObject)
	w.Must(err)
	stored := &unstructured.Unstructured{} // a typed one would keep what an answer lacks
	stored.SetGroupVersionKind(kind)
	w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(y.ResourceObject), stored))
	_, has, err := unstructured.NestedFieldNoCopy(stored.Object, strings.Split("spec."+y.field, ".")...)
	w.Must(err)
	return has
}

// holds waits until the controller says of objects that the API server hides a part of them: from then on it has seen that.
func (w *fixture) holds(young []youngObject) {
	w.Helper()
	for _, y := range young {
		w.await(y.ResourceObject, "left as it is, because a part of it is hidden", func() bool {
			c := meta.FindStatusCondition(y.GetResourceStatus().Conditions, v1alpha1.ConditionReconciling)
			return c != nil && c.Status == metav1.ConditionTrue && strings.Contains(c.Message, "the API server hides a part of the spec") && isReady(y) && y.noted()
		})
	}
}

// comesBack upgrades again, and applies the YAML again of which the release before dropped fields: nothing of it is lost, neither in the cloud nor
// the password.
func (w *fixture) comesBack(young []youngObject) {
	w.Helper()
	passwords := func() (all []string) {
		for _, y := range young {
			s := &corev1.Secret{}
			if _, has := y.ResourceObject.(*v1alpha1.Database); has {
				w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(y), s))
			}
			all = append(all, string(s.Data["password"]))
		}
		return all
	}
	before, calls := passwords(), w.calls()
	w.install(chartDir(w), build(w, root(w)), often)
	w.awaitObserved(objectsIn(young))
	for _, y := range young {
		w.edit(y.ResourceObject, y.declare)
	}
	w.ready(objectsIn(young))
	w.awaitObserved(objectsIn(young))
	if writes := w.writes(calls); len(writes) > 0 {
		w.Errorf("an upgrade after the rollback, and the same YAML, wrote to the cloud: %q", writes)
	}
	if after := passwords(); !slices.Equal(before, after) {
		w.Error("passwords changed by the upgrade after the rollback")
	}
}
