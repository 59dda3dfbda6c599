package docs

import (
	"fmt"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// quotaCounts demands of the sample what the guide says of it: it counts objects of a kind, whatever their class, and those
// that are there already; and what is deleted makes room.
func quotaCounts(f *system.Fixture) {
	t := f.T
	f.Must(system.EnsureNamespace(t.Context(), f.Client, f.Namespace))
	database := func(i int) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: f.Meta(fmt.Sprintf("orders-%d", i))}
		d.Spec.ClassName = fmt.Sprintf("class-%d", i%2)
		return d
	}
	f.Create(database(0)) // before there is a quota
	awaitCounting(f)
	limit, used := quota(f)
	if limit != 5 || used != 1 {
		t.Fatalf("the quota says %d of %d databases, want 1 of 5", used, limit)
	}
	for i := 1; i < 5; i++ {
		f.Create(database(i))
	}
	err := f.Client.Create(t.Context(), database(5))
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "count/databases.mooring.dev=1, used: count/databases.mooring.dev=5, limited: count/databases.mooring.dev=5") {
		t.Fatalf("database 6 of 5: %v, want it Forbidden, with the numbers", err)
	}
	f.Must(f.Client.Delete(t.Context(), database(2)))
	f.Eventually("the deleted database makes room", func() bool {
		err := f.Client.Create(t.Context(), database(5))
		if !apierrors.IsForbidden(err) {
			f.Must(err)
		}
		return err == nil
	})
}

const countedDatabases = "count/databases.mooring.dev"

// awaitCounting waits until Kubernetes counts the databases that are there, by quotas of its own. kube-controller-manager begins, on a busy machine also
// after the test, with a count for all quotas, of what its cache has. A quota that it meets then is counted once more while objects are created: the lower
// number replaces that of the API server, which lets one database too many in. One that comes later is counted once.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/resourcequota/resource_quota_controller.go (Run, enqueueAll)
func awaitCounting(f *system.Fixture) {
	f.Helper()
	for counted := int64(0); counted == 0; {
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, GenerateName: "counting-"}}
		q.Spec.Hard = corev1.ResourceList{countedDatabases: resource.MustParse("100")}
		f.Create(q)
		f.Eventually("Kubernetes counts", func() bool {
			f.Must(f.Client.Get(f.Context(), client.ObjectKeyFromObject(q), q))
			n, there := q.Status.Used[countedDatabases]
			counted = n.Value()
			return there
		})
	}
}

// quota makes the sample's quota, and returns what it says of databases once Kubernetes has counted them.
func quota(f *system.Fixture) (limit, used int64) {
	f.Helper()
	sample := filepath.Join(root(f.T), "config", "samples", "tenancy", "quota.yaml")
	object := decode(f.T, files(f.T, sample, ".yaml")[sample])[0]
	f.Create(object)
	q := &corev1.ResourceQuota{}
	f.Eventually("Kubernetes counts the databases", func() bool {
		f.Must(f.Client.Get(f.Context(), client.ObjectKeyFromObject(object), q))
		n := q.Status.Used[countedDatabases]
		return n.Value() > 0
	})
	hard, taken := q.Status.Hard[countedDatabases], q.Status.Used[countedDatabases]
	return hard.Value(), taken.Value()
}
