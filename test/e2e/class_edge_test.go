package e2e

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// An edit of the spec approves nothing of what the class changed at the same time, though the first attempt fails.
func TestEditBesideAChangedClass(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		class := w.databaseClass(c, nil)
		d := w.tenLines("orders")
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		write := map[string]string{"aws": "ModifyDBInstance", "gcp": "instances.patch"}[c.Name]
		lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: write, Resource: name}, Kind: localcloud.Throttled, Times: 2})
		defer lift()
		w.Disturb()
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))} })
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.Sizes[0].AWS, s.Sizes[0].GCP = s.Sizes[1].AWS, s.Sizes[1].GCP })
		w.waits(c, d, system.Sizes[c.Name][0], system.Sizes[c.Name][1], v1alpha1.CauseClass)
		w.observedAgain(c, name, 3)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup.RetentionDays = new(int32(8)) })
		w.state(d, "the edit is applied", func(s system.Snapshot) bool { return s.Value("backup.retentionDays") == "8" })
		w.waits(c, d, system.Sizes[c.Name][0], system.Sizes[c.Name][1], v1alpha1.CauseClass)
		if got := len(c.Writes(name)) - mark; got > 5 {
			w.Errorf("%d writes for two edits", got)
		}
		s := w.state(d, "of its size still", func(s system.Snapshot) bool { return s.Value(sizeField[c.Name]) != "" })
		w.equal("size", s.Value(sizeField[c.Name]), `"`+system.Sizes[c.Name][0]+`"`)
	})
}

// What a class says no more is the class's doing as what it says anew: a restart for it waits for approval, and no user restarts meanwhile.
func TestClassThatTakesAParameterOut(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		class := w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) {
			s.Defaults.Parameters = parameters{"max_connections": "60", "work_mem": "8192"}
		})
		d := w.tenLines("orders")
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark, group := len(c.Writes(name)), len(c.Writes(name+"-a"))
		w.Disturb()
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { delete(s.Defaults.Parameters, "max_connections") })
		s := w.state(d, "waiting for approval", func(s system.Snapshot) bool {
			return slices.ContainsFunc(s.Status.PendingChanges, func(p v1alpha1.PendingChange) bool {
				return p.Field == "parameters" && p.WaitsFor == v1alpha1.WaitsForApproval
			})
		})
		w.equal("its cause", s.Status.PendingChanges[0].Cause, v1alpha1.CauseClass)
		w.observedAgain(c, name, 3)
		w.equal("writes", append(c.Writes(name)[mark:], c.Writes(name + "-a")[group:]...), []string{})
		edit(w, d, func(d *v1alpha1.Database) {
			d.Annotations = map[string]string{v1alpha1.AnnotationApprove: s.Status.Plan.Hash}
		})
		w.state(d, "without the parameter", func(s system.Snapshot) bool { return s.IsReady(d) && len(s.Status.PendingChanges) == 0 })
		if got := s.Value("parameters"); got == "" {
			w.Errorf("the other parameter went too: %s", got)
		}
	})
}

// What was only observed is nobody's: to manage it takes an adoption.
func TestObservedIsNotAdoptedByTheWay(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		name := fmt.Sprintf("theirs-%d", w.number)
		k.Make(c, w.T, name, map[string]string{"theirs": "1"})
		o := w.declare(c, k, "orders")
		system.SpecOf(o).ExternalName, system.SpecOf(o).Management = name, v1alpha1.ManagementObserve
		w.create(o)
		w.state(o, "observed", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionReady, yes) })
		mark := len(c.Writes(name))
		edit(w, o, func(o client.Object) { system.SpecOf(o).Management = v1alpha1.ManagementFull })
		w.stalled(o, v1alpha1.ReasonNotOwned)
		w.untouched(c, name, mark, o)
		w.delete(o)
		w.awaitDeleted(o)
		if k.Tags(c, w.T, name) == nil {
			w.Error("it was deleted, and never was ours")
		}
	})
}

// A class that leads to another account is not noted as the object's own, and the way back is open.
func TestClassOfAnotherAccount(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	class := w.databaseClass(c, nil)
	d := w.tenLines("orders")
	w.create(d)
	before := w.ready(d).Status
	other := w.alone("aws")
	elsewhere := w.databaseClassNamed(other, w.Namespace+"-elsewhere", nil)
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.ClassName = elsewhere.Name })
	s := w.stalled(d, v1alpha1.ReasonAccountChanged)
	w.equal("class", s.Status.ClassName, class.Name)
	w.equal("config", s.Status.ProviderConfigRef, before.ProviderConfigRef)
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.ClassName = class.Name })
	w.ready(d)
}

// A class that is not there, in place of an account that is, keeps nothing from being deleted.
func TestNoClassInPlaceOfTheAccount(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "orders")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		edit(w, o, func(o client.Object) { system.SpecOf(o).ProviderConfigRef, system.SpecOf(o).ClassName = nil, "none" })
		s := w.stalled(o, v1alpha1.ReasonClassNotFound)
		if !s.Is(v1alpha1.ConditionAvailable, yes) {
			w.Errorf("it can be used all the same:\n    %v", s)
		}
		w.delete(o)
		w.awaitDeleted(o)
		if k.Tags(c, w.T, name) != nil {
			w.Error("it is still in the cloud")
		}
	})
}

// However many are made at once, there are no more than the class allows: neither though each looks at the cloud, and is not
// bound, while the next one is judged; nor though who comes later comes before by its name.
func TestClassLimitHoldsUnderARush(t *testing.T) {
	w := newFixture(t)
	c := w.alone("aws")
	const limit, rush = 2, 6 // fewer than the slots of an account that answers; before it did, it has one
	b := w.bucket(c, "first", v1alpha1.BucketParameters{})
	w.create(b)
	w.observedAgain(c, w.ready(b).Status.ExternalName, 3)
	var judged atomic.Int32
	answer := make(chan struct{})
	letAnswer := sync.OnceFunc(func() { close(answer) })
	defer letAnswer()
	defer c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Account: c.Account, Operation: "DescribeDBInstances"}, Kind: localcloud.Latency,
		Hook: func(localcloud.Call) { judged.Add(1); <-answer },
	})()
	class := w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) { s.MaxPerNamespace = new(int32(limit)) })
	w.AwaitObject(class, "the class is known, and its account", func() bool { // or the first would wait for them, and be judged again
		return class.Status.Provider == c.Name && meta.IsStatusConditionTrue(class.Status.Conditions, v1alpha1.ConditionReady)
	})
	var all []*v1alpha1.Database
	for i := range rush {
		d := w.tenLines(fmt.Sprintf("orders-%d", rush-i))
		all = append(all, d)
		before := judged.Load()
		w.create(d)
		w.Eventually("it is judged before the next one is there: observed, or refused if it is of a later second", func() bool {
			w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(d), d))
			return judged.Load() > before || meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.ConditionStalled)
		})
	}
	letAnswer()
	bound := 0
	for _, d := range all {
		s := w.state(d, "ready or refused", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionReady, yes) || s.Is(v1alpha1.ConditionStalled, yes)
		})
		if s.Status.ExternalName != "" {
			bound++
		}
	}
	if bound != limit {
		t.Errorf("%d were made, want %d", bound, limit)
	}
}
