package e2e

import (
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/third"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestAddACloud copies this folder into the end-to-end tests of a source tree that has a third cloud: it does not compile in this one.
// There the third cloud takes the place of the others, so that every test that runs in each cloud runs in this one.

const (
	account = "third-account"
	region  = "here"
)

// memory is the third cloud. It lives as long as the tests, whatever becomes of a controller.
var memory = third.New(third.Options{
	CreateFor: durations.Create, ModifyFor: durations.Modify, DeleteFor: durations.Delete, SnapshotFor: durations.Snapshot,
})

func init() {
	system.Providers = []system.Provider{{
		Name: "third", Account: account, Region: region,
		Block: func(account string) v1alpha1.Account {
			return v1alpha1.Account{Third: &v1alpha1.ThirdAccount{Region: region, AccountID: account}}
		},
		Keys: func(_ *localcloud.Cloud, account string) map[string][]byte {
			return third.Config(driver.AccountID(account), region).Credentials
		},
		Endpoint: func(*localcloud.Cloud) string { return "" },
		Driver:   func(*localcloud.Cloud, http.RoundTripper, time.Duration) driver.Driver { return memory.Driver() },
		Key:      func(letter string) string { return "projects/third/locations/here/keyRings/ring/cryptoKeys/" + letter },
		Journal:  func(*system.Cloud) system.Journal { return recorded },
	}}
	operations := system.Operations{
		Observe: "Observe", Create: "Create", CreateMore: []string{"Create"}, Mark: "Update", Delete: "Delete", Disrupt: "Update", Password: "Update",
	}
	system.Targets = []system.Target{
		system.BucketTarget("third", "memory", newBuckets, operations, "s3"),
		system.DatabaseTarget("third", "memory", newDatabases, operations),
	}
	// It has no sizes of its own, and takes instance classes as they are.
	system.Sizes["third"], system.SizeFields["third"] = system.Sizes["aws"], system.SizeFields["aws"]
	system.SizeSetters["third"], system.MinimalVersions["third"] = system.SizeSetters["aws"], "16"
}

// TestThirdCloud: what is declared is in the third cloud's memory, and the object says where that is. It is made once, nothing is written to it
// or to Kubernetes while it is as declared, and it is deleted once.
func TestThirdCloud(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "here")
		w.create(o)
		s := w.ready(o).Status
		if s.Provider != "third" || s.AccountID != account || s.Location != region {
			w.Errorf("it is in %s, account %s, %s", s.Provider, s.AccountID, s.Location)
		}
		_, bucket := third.Buckets(memory).Get(account, s.ExternalName)
		_, database := third.Databases(memory).Get(account, s.ExternalName)
		w.equal("a bucket or a database is in memory", bucket || database, true)

		w.observedAgain(c, s.ExternalName, 2) // what was still under way is done by then
		version := func() string {
			w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
			return o.GetResourceVersion()
		}
		before := version()
		w.observedAgain(c, s.ExternalName, 3)
		w.equal("the resource's version while it is converged", version(), before)
		w.delete(o)
		w.awaitDeleted(o)
		w.equal("writes", c.Writes(s.ExternalName), []string{"Create", "Delete"})
	})
}

// TestBlocksExcludeEachOther: an account is in one cloud, whichever there are.
func TestBlocksExcludeEachOther(t *testing.T) {
	w := newFixture(t)
	for _, account := range []v1alpha1.Account{
		{},
		{Third: &v1alpha1.ThirdAccount{Region: "here"}, AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}},
		{Third: &v1alpha1.ThirdAccount{Region: "here"}, GCP: &v1alpha1.GCPAccount{Project: "shop-prod", Region: "europe-west3"}},
	} {
		if err := w.Client.Create(t.Context(), system.ClusterConfig("several", account, "")); !apierrors.IsInvalid(err) {
			t.Errorf("%+v: got %v, want a refusal", account, err)
		}
	}
}
