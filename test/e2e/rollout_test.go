package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

// What a rollout is tested with.
const (
	crowd = 100
	// modifying is how long the cloud is at work on each change: long enough for all to be at work at once, if nothing kept
	// them from it.
	modifying = time.Second
	crowded   = "crowd"
)

// A rollout of a class over many databases: what is online reaches all of them, a few at a time; what is disruptive none, until
// somebody approves it, and then that one.
func TestClassRollout(t *testing.T) {
	t.Parallel()
	s := install(t, localcloud.Options{ListenersOnly: true, InstanceQuota: -1, Durations: localcloud.Durations{Modify: modifying}}, crowded)
	s.StartManager(t, controllers.Options{SyncPeriod: time.Minute}, nil)
	r := &rollout{T: t, Environment: s}
	r.begin()
	awaitAll(r, "ready and up to date", func(c *v1alpha1.DatabaseClass) bool {
		return c.Status.Users == crowd && c.Status.UpToDate == crowd
	})

	before := len(r.modifications())
	r.edit(func(c *v1alpha1.DatabaseClassSpec) {
		c.Sizes[0].Storage.MinGiB = new(int32(30))
		c.Sizes[0].AWS.InstanceClass = new("db.t4g.large")
	})
	awaitAll(r, "waiting for approval of what restarts", func(c *v1alpha1.DatabaseClass) bool { return c.Status.Waiting == crowd })
	r.eventually("the online change has reached all", func() bool {
		return !slices.ContainsFunc(r.all(), func(d v1alpha1.Database) bool {
			return d.Status.Observed == nil || d.Status.Observed.Storage == nil || *d.Status.Observed.Storage.SizeGiB != 30
		})
	})
	made := r.modifications()[before:]
	if len(made) != crowd {
		t.Errorf("%d changes were made for %d databases", len(made), crowd)
	}
	if most := atOnce(made, modifying); most > class.RolloutWidth(crowd) {
		t.Errorf("%d databases were changing at once, want %d at most", most, class.RolloutWidth(crowd))
	}
	for _, d := range r.all() {
		if got := d.Status.Observed.AWS.InstanceClass; *got != "db.t4g.small" {
			t.Errorf("%s is of class %s, and nobody approved that", d.Name, *got)
		}
		if !meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.ConditionReady) {
			t.Errorf("%s is not Ready, though its own spec is applied", d.Name)
		}
	}

	chosen := r.all()[crowd/2]
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationApprove, chosen.Status.Plan.Hash)
	if err := s.Client.Patch(t.Context(), &chosen, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
	awaitAll(r, "one up to date, the others waiting", func(c *v1alpha1.DatabaseClass) bool {
		return c.Status.UpToDate == 1 && c.Status.Waiting == crowd-1
	})
	touched := r.modifications()[before+crowd:]
	if len(touched) != 1 || touched[0].Resource != chosen.Status.ExternalName {
		t.Errorf("one was approved, and touched were %v", touched)
	}
}

// A rollout is a class with many users on an environment of its own.
type rollout struct {
	*testing.T
	*system.Environment
}

func (r *rollout) begin() {
	r.Helper()
	c := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: crowded}}
	c.Spec = v1alpha1.DatabaseClassSpec{
		ClassSpec: v1alpha1.ClassSpec{
			ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "aws"}, AllowedNamespaces: &metav1.LabelSelector{},
		},
		Defaults: &v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(3))}},
		Sizes: []v1alpha1.DatabaseSize{{
			Name: "small", AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.small")}, Storage: &v1alpha1.DatabaseStorageBounds{MinGiB: new(int32(20))},
		}},
		DefaultSize: "small", DeletionPolicy: v1alpha1.DeletionDelete,
	}
	for _, err := range []error{system.EnsureNamespace(r.Context(), r.Client, crowded), r.Client.Create(r.Context(), c)} {
		if err != nil {
			r.Fatal(err)
		}
	}
	var making sync.WaitGroup
	for i := range crowd {
		making.Go(func() {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: crowded, Name: fmt.Sprintf("orders-%d", i)}}
			d.Spec.ClassName = crowded
			if err := r.Client.Create(context.WithoutCancel(r.Context()), d); err != nil {
				r.Error(err)
			}
		})
	}
	making.Wait()
}

func (r *rollout) all() []v1alpha1.Database {
	r.Helper()
	list := &v1alpha1.DatabaseList{}
	if err := r.Client.List(r.Context(), list, client.InNamespace(crowded)); err != nil {
		r.Fatal(err)
	}
	return list.Items
}

func (r *rollout) class() *v1alpha1.DatabaseClass {
	r.Helper()
	c := &v1alpha1.DatabaseClass{}
	if err := r.Client.Get(r.Context(), client.ObjectKey{Name: crowded}, c); err != nil {
		r.Fatal(err)
	}
	return c
}

func (r *rollout) edit(change func(*v1alpha1.DatabaseClassSpec)) {
	r.Helper()
	r.eventually("the class is edited", func() bool {
		c := r.class()
		change(&c.Spec)
		return r.Client.Update(r.Context(), c) == nil
	})
}

func (r *rollout) modifications() []localcloud.Call {
	return r.Cloud.Ledger.Calls(localcloud.Filter{Service: "rds", Operation: "ModifyDBInstance"})
}

func (r *rollout) eventually(what string, done func() bool) {
	r.Helper()
	progress := ""
	for wait := patience.New(); !done(); time.Sleep(100 * time.Millisecond) {
		status := r.class().Status
		now := fmt.Sprint(status.Users, status.UpToDate, status.Waiting, r.Cloud.Ledger.Count(localcloud.Filter{Service: "rds", Write: localcloud.Writes}))
		if now != progress { // as long as something happens, on a busy machine too
			progress, wait = now, patience.New()
		}
		if wait.Over() {
			r.Fatalf("not so, and nothing has happened for %s: %s; the class is %+v", wait, what, status)
		}
	}
}

// awaitAll waits for what the class says of its users.
func awaitAll(r *rollout, what string, done func(*v1alpha1.DatabaseClass) bool) {
	r.Helper()
	r.eventually(what, func() bool { return done(r.class()) })
}

// atOnce returns how many calls were made within a time, at most.
func atOnce(calls []localcloud.Call, within time.Duration) (most int) {
	for i, last := range calls {
		n := 0
		for _, c := range calls[:i+1] {
			if last.Time.Sub(c.Time) < within {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
