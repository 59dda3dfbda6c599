package store_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/store"
	"github.com/mooring-dev/mooring/test/system"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	os.Exit(cluster.Run(m))
}

// A fixture is a cluster with a controller, and a ClusterProviderConfig named store that leads to a store.
type fixture struct {
	*system.Fixture
	store *store.Store
	front *store.Front
}

const namespace = "shop"

func newFixture(t *testing.T, o store.Options, sync time.Duration) *fixture {
	t.Helper()
	s := store.Start(t, o)
	f := &fixture{Fixture: &system.Fixture{T: t, Environment: system.NewEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true, InstanceQuota: -1})},
		store: s, front: store.NewFront(t, s)}
	f.Create(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "store"}, Data: s.Keys(store.Tenant)},
		system.ClusterConfig("store", s.Account(), f.front.Endpoint),
	)
	f.StartManager(t, controllers.Options{SyncPeriod: sync}, nil)
	return f
}

func (f *fixture) bucket(name string, spec v1alpha1.BucketParameters) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "store"}
	b.Spec.BucketParameters = spec
	return b
}

// message returns what the conditions say.
func (f *fixture) message(b *v1alpha1.Bucket) string { return system.Told(f.Refresh(b).Conditions) }

func (f *fixture) tags(name string) map[string]string {
	return (&backdoor{s3: f.store.Client(store.Tenant)}).labels(f.T, name)
}

// A plain bucket in a store is Ready and marked. One with all that the store has is as declared, and its connection Secret leads to the store.
func TestBucketInAStore(t *testing.T) {
	f := newFixture(t, store.Options{}, 2*time.Second)
	plain := f.bucket("plain", v1alpha1.BucketParameters{})
	full := f.bucket("full", v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"CostCenter": "Team Shop"},
		CORS:      []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://shop.example.com"}, AllowedMethods: []string{"GET"}}},
		Website:   &v1alpha1.BucketWebsite{IndexDocument: new("index.html")},
		Retention: &v1alpha1.BucketRetention{Days: new(int32(1)), Locked: new(false)},
	})
	full.Spec.Connection = &v1alpha1.Connection{SecretName: "full-store"}
	f.Create(plain, full)
	for _, b := range []*v1alpha1.Bucket{plain, full} {
		status := f.AwaitReady(b)
		if want := store.AccountOf(f.front.Endpoint, store.Tenant); status.AccountID != want {
			t.Errorf("%s is in account %q, want %q", b.Name, status.AccountID, want)
		}
		if mark := driver.MarkFrom(f.tags(status.ExternalName)); mark.Namespace != namespace || mark.Name != b.Name || mark.UID != string(b.UID) {
			t.Errorf("%s has the mark %+v", b.Name, mark)
		}
	}
	name, client := full.Status.ExternalName, f.store.Client(store.Tenant)
	if lock := store.Do(t, client.GetObjectLockConfiguration, &s3.GetObjectLockConfigurationInput{Bucket: &name}).ObjectLockConfiguration; *lock.Rule.DefaultRetention.Days != 1 {
		t.Errorf("retention: %+v", lock)
	}
	if site := store.Do(t, client.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &name}); *site.IndexDocument.Suffix != "index.html" {
		t.Errorf("website: %+v", site)
	}
	f.AwaitSecret("full-store", "the connection", func(data map[string][]byte) bool {
		return string(data["endpoint"]) == f.front.Endpoint && string(data["bucket"]) == name && string(data["type"]) == "s3"
	})
	for _, b := range []*v1alpha1.Bucket{plain, full} {
		f.Must(f.Client.Delete(t.Context(), b))
		f.AwaitDeleted(b)
	}
	if left := store.Do(t, client.ListBuckets, &s3.ListBucketsInput{}).Buckets; len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A store has no databases, which is said at once, and such an object can be deleted.
func TestDatabaseInAStore(t *testing.T) {
	f := newFixture(t, store.Options{}, time.Second)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "orders"}}
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "store"}
	d.Spec.Engine, d.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
	d.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}
	f.Create(d)
	f.AwaitCondition(d, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotSupported)
	f.Must(f.Client.Delete(t.Context(), d))
	f.AwaitDeleted(d)
}

// The samples of the guide are a store and a bucket in it, apart from where the store is and who one is there.
func TestSamplesOfTheGuide(t *testing.T) {
	f := newFixture(t, store.Options{}, time.Second)
	f.Must(f.Client.Delete(t.Context(), &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "store"}}))
	f.Must(f.Client.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "store"}}))
	f.Apply("samples", "stores", "account.yaml")
	system.Edit(f.Fixture, &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "store"}}, func(c *v1alpha1.ClusterProviderConfig) { c.Spec.Endpoint = f.front.Endpoint })
	system.Edit(f.Fixture, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "store"}}, func(s *corev1.Secret) { s.Data = f.store.Keys(store.Tenant) })
	f.Apply("samples", "stores", "bucket.yaml")
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pictures"}}
	f.AwaitReady(b)
	f.Must(f.Client.Delete(t.Context(), b))
	f.AwaitDeleted(b)
}

// What the store lacks is NotSupported by its field, all else is applied, and the store is not asked again at each sync. Without the fields the bucket is Ready.
func TestFieldsThatAStoreLacks(t *testing.T) {
	f := newFixture(t, store.Options{}, time.Second)
	b := f.bucket("rich", v1alpha1.BucketParameters{
		PublicAccess: new(v1alpha1.PublicAccessBlocked), Lifecycle: []v1alpha1.LifecycleRule{{Name: "old", ExpireAfterDays: new(int32(30))}},
		Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"},
		CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://shop.example.com"}, AllowedMethods: []string{"GET"}}},
	})
	f.Create(b)
	status := f.AwaitCondition(b, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotSupported)
	for _, part := range []string{"publicAccess: ", "lifecycle: ", "remove the field from the spec", "NotImplemented"} {
		if message := f.message(b); !strings.Contains(message, part) {
			t.Errorf("the condition does not say %q: %s", part, message)
		}
	}
	name, client := status.ExternalName, f.store.Client(store.Tenant)
	f.Eventually("all else is applied", func() bool {
		cors, err := client.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: &name})
		return err == nil && len(cors.CORSRules) == 1 && f.tags(name)["team"] == "shop" &&
			store.Do(t, client.GetBucketVersioning, &s3.GetBucketVersioningInput{Bucket: &name}).Status == "Enabled"
	})
	before := len(f.front.Calls())
	f.Eventually("some syncs pass", func() bool {
		return count(f.front.Calls()[before:], func(c store.Call) bool { return c.About == "tagging" }) >= 4
	})
	if asked := count(f.front.Calls()[before:], func(c store.Call) bool { return c.About == "publicAccessBlock" || c.About == "lifecycle" || c.Write() }); asked > 0 {
		t.Errorf("%d calls about what the store lacks, or that write", asked)
	}
	system.Edit(f.Fixture, b, func(b *v1alpha1.Bucket) { b.Spec.PublicAccess, b.Spec.Lifecycle = nil, nil })
	f.AwaitReady(b)
}

func count(calls []store.Call, is func(store.Call) bool) (n int) {
	for _, c := range calls {
		if is(c) {
			n++
		}
	}
	return n
}

// forceDestroy empties a bucket of a store: objects, their versions, delete markers and unfinished uploads.
func TestForceDestroyInAStore(t *testing.T) {
	f := newFixture(t, store.Options{}, time.Second)
	b := f.bucket("doomed", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	f.Create(b)
	name, client := f.AwaitReady(b).ExternalName, f.store.Client(store.Tenant)
	for i := range 30 {
		key := []string{"a", "b/c", "d"}[i%3]
		store.Do(t, client.PutObject, &s3.PutObjectInput{Bucket: &name, Key: &key, Body: strings.NewReader(key)})
	}
	store.Do(t, client.DeleteObject, &s3.DeleteObjectInput{Bucket: &name, Key: new("a")})
	store.Do(t, client.CreateMultipartUpload, &s3.CreateMultipartUploadInput{Bucket: &name, Key: new("begun")})
	f.Must(f.Client.Delete(t.Context(), b))
	f.AwaitCondition(b, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotEmpty)
	system.Edit(f.Fixture, b, func(b *v1alpha1.Bucket) { b.Spec.ForceDestroy = new(true) })
	f.AwaitDeleted(b)
	if left := store.Do(t, client.ListBuckets, &s3.ListBucketsInput{}).Buckets; len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A store without tags has no place for the mark. Nothing is created there, and what others made can be observed.
func TestStoreWithoutTags(t *testing.T) {
	f := newFixture(t, store.Options{}, time.Second)
	lift := f.front.Fail(store.Fault{Reads: true, Writes: true, About: "tagging", Status: 501, Code: "NotImplemented"})
	defer lift()
	b := f.bucket("unmarked", v1alpha1.BucketParameters{})
	f.Create(b)
	f.AwaitCondition(b, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotSupported)
	if message := f.message(b); !strings.Contains(message, "keeps no tags of buckets") || !strings.Contains(message, "set spec.management to Observe") {
		t.Errorf("the condition says: %s", message)
	}
	client := f.store.Client(store.Tenant)
	if made := store.Do(t, client.ListBuckets, &s3.ListBucketsInput{}).Buckets; len(made) > 0 {
		t.Errorf("a bucket without a mark was made: %v", made)
	}
	store.Do(t, client.CreateBucket, &s3.CreateBucketInput{Bucket: new("theirs-2026")})
	seen := f.bucket("theirs", v1alpha1.BucketParameters{})
	seen.Spec.ExternalName, seen.Spec.Management = "theirs-2026", v1alpha1.ManagementObserve
	f.Create(seen)
	f.AwaitCondition(seen, v1alpha1.ConditionReady, metav1.ConditionTrue, "")
	taken := f.bucket("taken", v1alpha1.BucketParameters{})
	taken.Spec.ExternalName = "theirs-2026"
	f.Create(taken)
	f.AwaitCondition(taken, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotOwned)
	for _, o := range []*v1alpha1.Bucket{b, seen, taken} {
		f.Must(f.Client.Delete(t.Context(), o))
		f.AwaitDeleted(o)
	}
	if left := store.Do(t, client.ListBuckets, &s3.ListBucketsInput{}).Buckets; len(left) != 1 {
		t.Errorf("there are %v, want the bucket of others", left)
	}
}
