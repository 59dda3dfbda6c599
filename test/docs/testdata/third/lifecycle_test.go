package third

import (
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/third"
	"github.com/mooring-dev/mooring/test/system"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// A lifecycle is what a test of one kind has of the environment. Every state that its objects pass through is held against the design's
// table of conditions and against kstatus.
type lifecycle struct {
	*system.Fixture
	*system.Recorder
	cloud *third.Cloud
	// declare declares an object of the kind.
	declare func(name string) v1alpha1.ResourceObject
}

// TestLifecycles leads objects of each kind through what the end-to-end tests of the other clouds lead theirs through.
func TestLifecycles(t *testing.T) {
	e := start(t)
	ref := &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "third"}
	for kind, declare := range map[string]func(metav1.ObjectMeta) v1alpha1.ResourceObject{
		"buckets": func(at metav1.ObjectMeta) v1alpha1.ResourceObject {
			b := &v1alpha1.Bucket{ObjectMeta: at}
			b.Spec.ProviderConfigRef = ref
			return b
		},
		"databases": func(at metav1.ObjectMeta) v1alpha1.ResourceObject {
			d := &v1alpha1.Database{ObjectMeta: at}
			d.Spec.ProviderConfigRef, d.Spec.DeletionPolicy = ref, v1alpha1.DeletionDelete
			d.Spec.Engine, d.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
			return d
		},
	} {
		for name, test := range map[string]func(*lifecycle){
			"converged": (*lifecycle).converges, "paused": (*lifecycle).pauses, "retained": (*lifecycle).retains, "of-others": (*lifecycle).spares,
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				environment := &system.Environment{Cluster: e.control, Client: e.Client}
				f := &system.Fixture{T: t, Environment: environment, Namespace: kind + "-" + name}
				f.Must(system.EnsureNamespace(t.Context(), f.Client, f.Namespace))
				l := &lifecycle{f, system.Record(t, environment, f.Namespace), e.cloud, func(name string) v1alpha1.ResourceObject { return declare(f.Meta(name)) }}
				t.Cleanup(func() { l.Check(t) })
				test(l)
			})
		}
	}
}

// converges: what is as declared is observed, and nothing is written to it or to the cloud. It is created and deleted once.
func (l *lifecycle) converges() {
	o := l.declare("same")
	l.Create(o)
	name := l.AwaitReady(o).ExternalName
	l.observedAgain(name, 2) // what was still under way is done by then
	l.Refresh(o)
	version, writes := o.GetResourceVersion(), l.writes(name)
	l.observedAgain(name, 3)
	l.Refresh(o)
	if o.GetResourceVersion() != version || l.writes(name) != writes {
		l.Errorf("version %s, %d writes to the cloud; before it was %s, %d", o.GetResourceVersion(), l.writes(name), version, writes)
	}
	l.Must(l.Client.Delete(l.Context(), o))
	l.AwaitDeleted(o)
	for _, op := range []third.Op{third.OpCreate, third.OpDelete} {
		if n := l.cloud.Count(third.Filter{Name: name, Op: op}); n != 1 {
			l.Errorf("%s was called %d times, want once", op, n)
		}
	}
}

// pauses: nothing is done to what is paused, not even its deletion.
func (l *lifecycle) pauses() {
	o := l.declare("paused")
	l.Create(o)
	name := l.AwaitReady(o).ExternalName
	pause := func(annotations map[string]string) {
		system.Edit(l.Fixture, o, func(o v1alpha1.ResourceObject) { o.SetAnnotations(annotations) })
	}
	pause(map[string]string{v1alpha1.AnnotationPaused: "true"})
	l.AwaitCondition(o, v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonPaused)
	l.Must(l.Client.Delete(l.Context(), o))
	l.AwaitCondition(o, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonPaused)
	if n := l.cloud.Count(third.Filter{Name: name, Op: third.OpDelete}); n > 0 {
		l.Errorf("deleted while paused, %d times", n)
	}
	pause(nil)
	l.AwaitDeleted(o)
}

// retains: what a deletion leaves in the cloud is released there, and taken back only when somebody says so.
func (l *lifecycle) retains() {
	o := l.declare("kept")
	system.TargetOf(system.KindOf(o), "aws").SetDeletionPolicy(o, v1alpha1.DeletionRetain) // a kind has it in whatever cloud
	l.Create(o)
	name := l.AwaitReady(o).ExternalName
	l.Must(l.Client.Delete(l.Context(), o))
	l.AwaitDeleted(o)
	back := l.declare("kept")
	l.Create(back)
	l.AwaitCondition(back, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotOwned)
	l.Disturb()
	system.Edit(l.Fixture, back, func(o v1alpha1.ResourceObject) { o.GetResourceSpec().Adoption = v1alpha1.AdoptionIfExists })
	if got := l.AwaitReady(back).ExternalName; got != name {
		l.Errorf("%q was taken back, want %q", got, name)
	}
	if n := l.cloud.Count(third.Filter{Name: name, Op: third.OpCreate}); n != 1 {
		l.Errorf("created %d times, want once", n)
	}
	l.Must(l.Client.Delete(l.Context(), back))
	l.AwaitDeleted(back)
}

// spares: what belongs to another object is neither changed nor deleted; it can be observed.
func (l *lifecycle) spares() {
	theirs := l.declare("theirs")
	l.Create(theirs)
	name := l.AwaitReady(theirs).ExternalName
	writes := l.writes(name)
	foreign, observer := l.declare("foreign"), l.declare("observer")
	for _, o := range []v1alpha1.ResourceObject{foreign, observer} {
		o.GetResourceSpec().ExternalName = name
	}
	observer.GetResourceSpec().Management = v1alpha1.ManagementObserve
	l.Create(foreign, observer)
	l.AwaitCondition(foreign, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotOwned)
	l.AwaitCondition(observer, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonObserved)
	for _, o := range []client.Object{foreign, observer} {
		l.Must(l.Client.Delete(l.Context(), o))
		l.AwaitDeleted(o)
	}
	if n := l.writes(name); n != writes {
		l.Errorf("%d writes by objects that do not own it", n-writes)
	}
	l.Must(l.Client.Delete(l.Context(), theirs))
	l.AwaitDeleted(theirs)
}

func (l *lifecycle) writes(name string) int {
	return l.cloud.Count(third.Filter{Name: name, Access: third.Writes})
}

// observedAgain waits until a cloud object was observed n times more.
func (l *lifecycle) observedAgain(name string, n int) {
	l.Helper()
	observations := func() int { return l.cloud.Count(third.Filter{Name: name, Op: third.OpObserve}) }
	before := observations()
	l.Eventually(fmt.Sprintf("%s is observed %d times", name, n), func() bool { return observations() >= before+n })
}
