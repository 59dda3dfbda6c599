package class

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// crowd is a cluster in which many databases use the class, and in which each observation of one takes a while.
type crowd struct {
	client.Client
	databases []v1alpha1.Database
}

func (c crowd) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	all, ok := list.(*v1alpha1.DatabaseList)
	if !ok {
		return c.Client.List(ctx, list, options...)
	}
	all.Items = c.databases
	return nil
}

// Every object that uses a class is counted. They are compared as long as there is time, and the warning says how many were.
func TestImpactOnManyObjects(t *testing.T) {
	const users = 10_000
	for _, tt := range []struct {
		name  string
		takes time.Duration // how long the comparison of one object takes; the last one ends after the time is up
		want  []string
	}{
		{"in time", compareFor / (2 * users), []string{
			"objects of kind Database that use this class: 10000; of these would change: 10000",
			"of 10000: backup.retentionDays becomes 0 (loses backups, waits for approval)"}},
		{"not in time", compareFor/1000 + 1, []string{
			"objects of kind Database that use this class: 10000; of 1000 that were compared in the time there is, these would change: 1000; the others may change as well",
			"of 1000: backup.retentionDays becomes 0 (loses backups, waits for approval)"}},
		{"one is too many", 2 * compareFor, []string{
			"objects of kind Database that use this class: 10000; of 1 that were compared in the time there is, these would change: 1; the others may change as well",
			"of 1: backup.retentionDays becomes 0 (loses backups, waits for approval)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				got := announced(t, users, func() { time.Sleep(tt.takes) })
				if !slices.Equal(got, tt.want) {
					t.Errorf("warnings %q, want %q", got, tt.want)
				}
				if took := time.Since(begin); took > compareFor+tt.takes {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// announced returns what an edit of the class that ends the backups of so many objects is warned of.
func announced(t *testing.T, users int, compared func()) []string {
	t.Helper()
	databases := make([]v1alpha1.Database, users)
	for i := range databases {
		databases[i].ObjectMeta = metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("orders-%d", i)}
		databases[i].Spec.ClassName = "standard"
		databases[i].Status.ClassName, databases[i].Status.ExternalName = "standard", databases[i].Name
	}
	c := crowd{cluster(t, ""), databases}
	old := &v1alpha1.DatabaseClass{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "standard"}, old); err != nil {
		t.Fatal(err)
	}
	edited := old.DeepCopy()
	edited.Spec.Defaults.Backup.RetentionDays = new(int32(0))
	a := &Admission{
		Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}, Live: c,
		Check: func(*Class, string) *Problem { return nil },
		Preview: func(string, v1alpha1.ResourceObject, Tree, Tree) ([]driver.Change, error) {
			compared()
			return []driver.Change{{Field: "backup.retentionDays", From: "3", To: "0", Effect: driver.LosesBackups}}, nil
		},
	}
	refusals, warnings, err := a.Class(t.Context(), old, edited)
	if err != nil || len(refusals) > 0 {
		t.Fatalf("refusals %q, %v", refusals, err)
	}
	return slices.DeleteFunc(warnings, func(w string) bool { return strings.HasPrefix(w, "spec.allowedNamespaces") })
}

// An edit of a class that asks for what the cloud does not have says which objects would no longer be allowed.
func TestImpactOfWhatTheCloudLacks(t *testing.T) {
	user := v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	user.Spec.ClassName = "standard"
	c := crowd{cluster(t, ""), []v1alpha1.Database{user}}
	old := &v1alpha1.DatabaseClass{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "standard"}, old); err != nil {
		t.Fatal(err)
	}
	edited := old.DeepCopy()
	edited.Spec.Defaults.Version = new("13")
	a := &Admission{
		Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }, Lacks: func(string) []driver.Lack {
			return []driver.Lack{{Field: "version", Match: "^13$", Values: "13", Why: "it is too old", Instead: "set 16"}}
		}},
		Live: c, Check: func(*Class, string) *Problem { return nil },
		Preview: func(string, v1alpha1.ResourceObject, Tree, Tree) ([]driver.Change, error) { return nil, nil },
	}
	refusals, warnings, err := a.Class(t.Context(), old, edited)
	const want = "shop/orders (spec.version: 13 is not supported, because it is too old: set 16)"
	if err != nil || len(refusals) > 0 || !strings.Contains(strings.Join(warnings, "\n"), want) {
		t.Errorf("refusals %q, warnings %q, %v; want %q", refusals, warnings, err, want)
	}
}
