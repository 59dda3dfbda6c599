package docs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// TestQuota demands of the sample what the guide says of it: it counts objects of a kind, whatever their class, and those
// that are there already; and what is deleted makes room.
func TestQuota(t *testing.T) {
	c, err := client.New(cluster.ForTest(t, cluster.Options{ControllerManager: true}).Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(v1alpha1.AddToScheme(c.Scheme()), system.EnsureNamespace(t.Context(), c, "shop")); err != nil {
		t.Fatal(err)
	}
	database := func(i int) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("orders-%d", i)}}
		d.Spec.ClassName = fmt.Sprintf("class-%d", i%2)
		return d
	}
	if err := c.Create(t.Context(), database(0)); err != nil { // before there is a quota
		t.Fatal(err)
	}
	limit, used := quota(t, c)
	if limit != 5 || used != 1 {
		t.Fatalf("the quota says %d of %d databases, want 1 of 5", used, limit)
	}
	for i := 1; i < 5; i++ {
		if err := c.Create(t.Context(), database(i)); err != nil {
			t.Fatalf("database %d of 5: %v", i+1, err)
		}
	}
	err = c.Create(t.Context(), database(5))
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "count/databases.mooring.dev=1, used: count/databases.mooring.dev=5, limited: count/databases.mooring.dev=5") {
		t.Fatalf("database 6 of 5: %v, want it Forbidden, with the numbers", err)
	}
	if err := c.Delete(t.Context(), database(2)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deleted database makes room", func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, database(5))
		if apierrors.IsForbidden(err) {
			return false, nil
		}
		return true, err
	})
}

func eventually(t *testing.T, what string, done wait.ConditionWithContextFunc) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, done); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// quota makes the sample's quota, and returns what it says of databases once Kubernetes has counted them.
func quota(t *testing.T, c client.Client) (limit, used int64) {
	t.Helper()
	const counted = "count/databases.mooring.dev"
	sample := filepath.Join(root(t), "config", "samples", "tenancy", "quota.yaml")
	object := decode(t, files(t, sample, ".yaml")[sample])[0]
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	q := &corev1.ResourceQuota{}
	eventually(t, "Kubernetes counts the databases", func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), q)
		n := q.Status.Used[counted]
		return n.Value() > 0, err
	})
	hard, taken := q.Status.Hard[counted], q.Status.Used[counted]
	return hard.Value(), taken.Value()
}
