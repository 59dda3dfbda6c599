// Package third runs the controllers with a third cloud, against a real API server. TestAddACloud copies it into a source tree that has
// such a cloud: it does not compile in this one.
package third

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/third"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

const account = "third-account"

// An environment has an API server, the third cloud, and a controller that knows no other.
type environment struct {
	*testing.T
	client.Client
	cloud   *third.Cloud
	control *cluster.Cluster
}

func start(t *testing.T) *environment {
	control, cloud := cluster.ForTest(t, cluster.Options{}), third.New(third.Options{})
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(control.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	e := &environment{t, c, cloud, control}
	m, err := system.Start(t.Context(), control.Config(), nil, controllers.Options{
		Drivers:    map[string]driver.Driver{"third": cloud.Driver()},
		SyncPeriod: time.Second, Settle: 50 * time.Millisecond, Workers: 4,
	}, controllers.ManagerOptions{})
	e.must(err)
	t.Cleanup(m.Kill)

	e.must(system.EnsureNamespace(t.Context(), c, "shop"))
	e.must(c.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "third"}, StringData: map[string]string{
		v1alpha1.SecretKeyAWSAccessKeyID: account, v1alpha1.SecretKeyAWSSecretAccessKey: "secret",
	}}))
	e.must(c.Create(t.Context(), system.ClusterConfig("third", v1alpha1.Account{Third: &v1alpha1.ThirdAccount{Region: "here", AccountID: account}}, "")))
	return e
}

func (e *environment) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// eventually waits for something.
func (e *environment) eventually(what string, done func() bool) {
	e.Helper()
	system.Eventually(e, what, done)
}

func (e *environment) ready(o v1alpha1.ResourceObject) *v1alpha1.ResourceStatus {
	e.Helper()
	e.eventually("it becomes Ready", func() bool {
		e.must(e.Get(e.Context(), client.ObjectKeyFromObject(o), o))
		c := meta.FindStatusCondition(o.GetConditions(), v1alpha1.ConditionReady)
		return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == o.GetGeneration()
	})
	status := o.GetResourceStatus()
	if status.Provider != "third" || status.AccountID != account || status.Location != "here" {
		e.Errorf("%T is in %s, account %s, %s", o, status.Provider, status.AccountID, status.Location)
	}
	return status
}

func (e *environment) delete(o client.Object) {
	e.Helper()
	e.must(e.Delete(e.Context(), o))
	e.eventually("it is deleted", func() bool {
		err := e.Get(e.Context(), client.ObjectKeyFromObject(o), o)
		e.must(client.IgnoreNotFound(err))
		return apierrors.IsNotFound(err)
	})
}

func (e *environment) secret(name string) map[string][]byte {
	s := &corev1.Secret{}
	e.must(e.Get(e.Context(), client.ObjectKey{Namespace: "shop", Name: name}, s))
	return s.Data
}

// TestThirdCloud leads a bucket and a database through their lives: created, edited, drifted and put right, deleted.
func TestThirdCloud(t *testing.T) {
	e := start(t)
	ref := &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "third"}

	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	b.Spec.ProviderConfigRef, b.Spec.Versioning = ref, new(v1alpha1.VersioningEnabled)
	b.Spec.Connection = &v1alpha1.Connection{SecretName: "photos"}
	e.must(e.Create(t.Context(), b))
	bucket := e.ready(b).ExternalName
	if got := string(e.secret("photos")["provider"]); got != "third" {
		t.Errorf("the connection Secret names provider %q", got)
	}
	if there, _ := third.Buckets(e.cloud).Get(account, bucket); there.Spec.Versioning == nil || *there.Spec.Versioning != v1alpha1.VersioningEnabled {
		t.Errorf("versioning of the bucket is %v", there.Spec.Versioning)
	}
	before := b.DeepCopy()
	b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"}
	e.must(e.Patch(t.Context(), b, client.MergeFrom(before)))
	e.ready(b)
	if there, _ := third.Buckets(e.cloud).Get(account, bucket); there.Labels["team"] != "shop" {
		t.Errorf("labels %v", there.Labels)
	}
	third.Buckets(e.cloud).Edit(account, bucket, func(there *third.Bucket) { there.Labels["team"] = "another" })
	e.eventually("drift is corrected", func() bool {
		there, _ := third.Buckets(e.cloud).Get(account, bucket)
		return there.Labels["team"] == "shop"
	})

	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ProviderConfigRef, d.Spec.Engine, d.Spec.Version = ref, new(v1alpha1.EnginePostgres), new("16")
	d.Spec.Connection, d.Spec.DeletionPolicy = &v1alpha1.Connection{SecretName: "orders"}, v1alpha1.DeletionDelete
	e.must(e.Create(t.Context(), d))
	database := e.ready(d).ExternalName
	if login := e.secret("orders"); len(login["password"]) == 0 || string(login["provider"]) != "third" {
		t.Error("the connection Secret has no login of the third cloud")
	}

	e.delete(b)
	e.delete(d)
	if _, there := third.Buckets(e.cloud).Get(account, bucket); there {
		t.Error("the bucket is still there")
	}
	if _, there := third.Databases(e.cloud).Get(account, database); there {
		t.Error("the database is still there")
	}
}

// TestBlocksExcludeEachOther: an account is in one cloud, whichever there are.
func TestBlocksExcludeEachOther(t *testing.T) {
	e := start(t)
	for _, account := range []v1alpha1.Account{
		{},
		{Third: &v1alpha1.ThirdAccount{Region: "here"}, AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}},
		{Third: &v1alpha1.ThirdAccount{Region: "here"}, GCP: &v1alpha1.GCPAccount{Project: "shop-prod", Region: "europe-west3"}},
	} {
		if err := e.Create(t.Context(), system.ClusterConfig("several", account, "")); !apierrors.IsInvalid(err) {
			t.Errorf("%+v: got %v, want a refusal", account, err)
		}
	}
}
