package chart

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestUpgrade upgrades from each base with objects in every state in which they stay, and back by one release: nothing is written
// to the cloud, nothing becomes Stalled that was not, no spec and no Secret changes, and an approval that was given or waited for
// holds. What behaves otherwise on purpose stands in docs/upgrade.md.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for _, b := range bases {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			source := sourceOf(t, b)
			w := newFixture(t, "helm")
			w.install(source+"/charts/mooring", build(t, source), often)
			w.Must(w.Accounts(t.Context()))
			s := w.makeInventory(b)
			before, calls := w.stateOf(s.all), w.calls()

			w.install(chartDir(t), build(t, root(t)), often)
			w.verifyCABundles()
			w.awaitObserved(s.observed)
			w.same("the upgrade", before, s, calls)
			w.approve(s)

			young, pairs := w.makeYoung(b), w.makeFollowed()
			before, calls = w.stateOf(s.all), w.calls()
			w.goesBackAndForth(young)
			w.run(w, "rollback", w.release, "1", "--namespace", w.namespace)
			w.holds(young)
			w.roll(build(t, source))
			w.awaitObserved(append(objectsIn(young), s.observed...))
			w.same("the rollback", before, s, calls)
			w.ready(objectsIn(young))
			w.goesOn(s.ready)
			w.takesBack(s)
			w.comesBack(young)
			w.goesOnFollowing(pairs)
		})
	}
}

// An inventory is objects in every state in which they stay.
type inventory struct {
	all []client.Object
	// ready are Ready and can be edited, observed are looked at in every sync period.
	ready, observed []client.Object
	// waiting are databases with a change that waits for approval, and hashes those that approve it.
	waiting []*v1alpha1.Database
	hashes  []string
	// retained is a bucket whose deletion left it in the cloud under name.
	retained *v1alpha1.Bucket
	name     string
}

// makeInventory makes the objects, and waits until each is in its state.
func (w *fixture) makeInventory(from base) *inventory {
	w.Helper()
	s := &inventory{}
	s.ready = w.begin("shop")
	amazon := &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "aws"}
	own := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }
	bucket := func(name string) *v1alpha1.Bucket {
		b := &v1alpha1.Bucket{ObjectMeta: own(name)}
		b.Spec.ProviderConfigRef = amazon
		return b
	}
	database := func(name string) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: own(name)}
		d.Spec.ProviderConfigRef, d.Spec.Engine = amazon, new(v1alpha1.EnginePostgres)
		d.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
		return d
	}

	w.classes()
	classBucket, classDatabase := bucket("by-class"), database("by-class")
	classBucket.Spec.ProviderConfigRef, classBucket.Spec.ClassName = nil, "standard"
	classDatabase.Spec.ProviderConfigRef, classDatabase.Spec.AWS, classDatabase.Spec.ClassName, classDatabase.Spec.Size = nil, nil, "standard", "small"
	classDatabase.Spec.Connection = &v1alpha1.Connection{SecretName: "by-class"}

	found := bucket("found")
	// Without a class, or in a class that names no key: the rule that refuses both is younger than these.
	if !from.databases {
		found.Spec.Encryption = &v1alpha1.Encryption{Key: new(system.ProviderOf("aws").Key("a"))}
	}
	classBucket.Spec.Encryption = found.Spec.Encryption
	w.create([]client.Object{found})
	w.ready([]client.Object{found})
	observed, foreign := bucket("observed"), bucket("foreign")
	observed.Spec.ExternalName, observed.Spec.Management = found.Status.ExternalName, v1alpha1.ManagementObserve
	observed.Spec.Encryption = found.Spec.Encryption
	foreign.Spec.ExternalName = found.Status.ExternalName
	paused, protected, retained := bucket("paused"), database("protected"), bucket("retained")
	protected.Spec.DeletionProtection = new(true)
	retained.Spec.DeletionPolicy = v1alpha1.DeletionRetain
	approved := database("approved") // and the approval stays where it is, as in Git
	approved.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}

	comeUp := []client.Object{classBucket, classDatabase, observed, paused, protected, retained, approved}
	w.create(append(slices.Clone(comeUp), foreign))
	w.ready(comeUp)
	w.edit(paused, func() { paused.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
	w.edit(approved, func() { approved.Spec.AWS.InstanceClass = new("db.t4g.small") })
	w.Must(w.Client.Delete(w.Context(), protected))
	w.Must(w.Client.Delete(w.Context(), retained))
	system.Await(w.T, w.Client, retained.DeepCopy(), "a deletion leaves the bucket", func(exists bool) bool { return !exists })
	w.is(approved, v1alpha1.ConditionStalled, v1alpha1.ReasonApprovalRequired)
	w.edit(approved, func() {
		approved.Annotations = map[string]string{v1alpha1.AnnotationApprove: approved.Status.Plan.Hash}
	})
	w.ready([]client.Object{approved})
	w.is(protected, v1alpha1.ConditionStalled, v1alpha1.ReasonDeletionProtected)
	w.is(paused, v1alpha1.ConditionSynced, v1alpha1.ReasonPaused)
	w.await(foreign, "Stalled, since it is another's", func() bool {
		return meta.IsStatusConditionTrue(system.StatusOf(foreign).Conditions, v1alpha1.ConditionStalled)
	})

	s.retained, s.name = retained, retained.Status.ExternalName
	w.makeWaiting(s)
	s.ready = append(s.ready, classBucket, classDatabase)
	s.ready = append(s.ready, w.makeFull()...)
	s.ready = append(s.ready, w.makeFullBuckets()...)
	s.observed = append(slices.Clone(s.ready), found, approved)
	s.observed = append(s.observed, objectsOf(s.waiting)...)
	s.all = append(slices.Clone(s.observed), observed, foreign, paused, protected)
	w.awaitObserved(s.observed)
	return s
}

// classes makes a class of each kind, both called standard.
func (w *fixture) classes() {
	w.Helper()
	common := v1alpha1.ClassSpec{ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "aws"}, AllowedNamespaces: &metav1.LabelSelector{}}
	b := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}, Spec: v1alpha1.BucketClassSpec{ClassSpec: common}}
	b.Spec.Enforced = &v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}
	d := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}, Spec: v1alpha1.DatabaseClassSpec{ClassSpec: common}}
	d.Spec.Sizes = []v1alpha1.DatabaseSize{{Name: "small", AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}}}
	w.Must(w.Client.Create(w.Context(), b))
	w.Must(w.Client.Create(w.Context(), d))
}

// edit changes an object as a person would.
func (w *fixture) edit(o client.Object, change func()) {
	w.Helper()
	w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
	before := o.DeepCopyObject().(client.Object)
	change()
	w.Must(w.Client.Patch(w.Context(), o, client.MergeFrom(before)))
}

// is waits until a condition has a reason.
func (w *fixture) is(o client.Object, condition string, reason v1alpha1.Reason) {
	w.Helper()
	w.await(o, fmt.Sprintf("%s for %s", condition, reason), func() bool {
		c := meta.FindStatusCondition(system.StatusOf(o).Conditions, condition)
		return c != nil && c.Reason == string(reason)
	})
}

// stateOf returns what must stay as it is, by what it is of.
func (w *fixture) stateOf(objects []client.Object) map[string]any {
	w.Helper()
	state := map[string]any{}
	for _, o := range objects {
		now := o.DeepCopyObject().(client.Object)
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), now))
		var spec any
		var status *v1alpha1.ResourceStatus
		switch now := now.(type) {
		case *v1alpha1.Bucket:
			spec, status = now.Spec, &now.Status.ResourceStatus
		case *v1alpha1.Database:
			spec, status = now.Spec, &now.Status.ResourceStatus
		}
		hash := ""
		if status.Plan != nil {
			hash = status.Plan.Hash
		}
		says := map[string]string{}
		for _, c := range status.Conditions {
			if c.Status == metav1.ConditionTrue || c.Type == v1alpha1.ConditionReady {
				says[c.Type] = string(c.Status)
			}
		}
		state[fmt.Sprintf("%T %s", o, o.GetName())] = []any{spec, now.GetFinalizers(), status.ExternalName, status.ExternalID, hash, says}
	}
	secrets := &corev1.SecretList{}
	w.Must(w.Client.List(w.Context(), secrets))
	for _, s := range secrets.Items {
		if s.Labels["owner"] != "helm" && s.Type != corev1.SecretTypeTLS {
			state["Secret "+s.Namespace+"/"+s.Name] = inForce(s.Data)
		}
	}
	return state
}

// inForce returns what a Secret has. Of a password that a creation set the first release notes that it is in force, and later ones see that in the
// status.
func inForce(data map[string][]byte) map[string][]byte {
	if next, first := data["next"], string(data["serial"]) == "1"; first && len(next) > 0 && len(data["current"]) == 0 {
		return map[string][]byte{"current": next, "serial": data["serial"]}
	}
	return data
}

// same demands that all is as it was, and that nothing was written to the cloud since there were n calls.
func (w *fixture) same(after string, before map[string]any, s *inventory, n int) {
	w.Helper()
	if diff := cmp.Diff(before, w.stateOf(s.all)); diff != "" {
		w.Errorf("%s changed (-before +after):\n%s", after, diff)
	}
	if writes := w.writes(n); len(writes) > 0 {
		w.Errorf("%s wrote to the cloud: %q", after, writes)
	}
}

// approve gives the approvals whose hashes were read before the upgrade.
func (w *fixture) approve(s *inventory) {
	w.Helper()
	calls := w.calls()
	for i, d := range s.waiting {
		w.edit(d, func() { d.Annotations = map[string]string{v1alpha1.AnnotationApprove: s.hashes[i]} })
	}
	writes := func() []string { return w.writes(calls) }
	for _, d := range s.waiting {
		change := system.TargetOf("Database", d.Status.Provider).Operations.Disrupt + " " + d.Status.ExternalName
		w.Eventually("the approval of "+d.Name+" leads to "+change, func() bool { return slices.Contains(writes(), change) })
		w.await(d, "up to date", func() bool {
			return isReady(d) && meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.ConditionSynced)
		})
	}
	if n := len(writes()); n != len(s.waiting) {
		w.Errorf("%d approvals led to %q", len(s.waiting), writes())
	}
}

// takesBack makes the object again whose deletion left its bucket in the cloud, and finds that.
func (w *fixture) takesBack(s *inventory) {
	w.Helper()
	again := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: s.retained.Namespace, Name: s.retained.Name}, Spec: s.retained.Spec}
	again.Spec.Adoption = v1alpha1.AdoptionIfExists
	w.create([]client.Object{again})
	w.ready([]client.Object{again})
	if n := w.Cloud.Ledger.Count(localcloud.Filter{Operation: "CreateBucket", Resource: s.name}); system.StatusOf(again).ExternalName != s.name || n != 1 {
		w.Errorf("it is %s, want %s, which was made %d times", system.StatusOf(again).ExternalName, s.name, n)
	}
}
