// Package lifecycle leads objects of an added kind through their lives, against a real API server. TestAddAKind copies it into a source tree
// that has such a kind: it does not compile in this one.
package lifecycle

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// A fixture has the cloud in memory under the name aws, and the real driver of a cloud that lacks the kind.
type fixture struct {
	*system.Fixture
	*system.Recorder
	cloud *mem.Cloud
}

func start(t *testing.T) *fixture {
	e, cloud := system.NewEnvironment(t, cluster.Options{}, localcloud.Options{}), mem.New(mem.Options{})
	drivers := e.Drivers(&system.KillSwitch{}, 5*time.Second)
	drivers["aws"] = cloud.Driver()
	e.StartManager(t, controllers.Options{Drivers: drivers, SyncPeriod: time.Second, ConsistencyWindow: 50 * time.Millisecond}, nil)
	f := &system.Fixture{T: t, Environment: e, Namespace: "shop"}
	f.Must(system.EnsureNamespace(t.Context(), f.Client, f.Namespace))
	l := &fixture{f, system.Record(t, e, f.Namespace), cloud}
	t.Cleanup(func() { l.Check(t) })
	return l
}

func (f *fixture) topic(name, config string) *v1alpha1.Topic {
	o := &v1alpha1.Topic{ObjectMeta: f.Meta(name)}
	o.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: config}
	return o
}

// TestLifecycles runs all lives in one environment.
func TestLifecycles(t *testing.T) {
	f := start(t)
	for name, life := range map[string]func(*fixture){
		"created to deleted": (*fixture).lives, "retained": (*fixture).retains, "in a cloud without the kind": (*fixture).isNotSupported, "without a class": (*fixture).hasNoClass,
	} {
		t.Run(name, func(t *testing.T) { life(&fixture{f.With(t), f.Recorder, f.cloud}) })
	}
}

// A topic is created, edited, drifts and is put right, and is deleted, once each.
func (f *fixture) lives() {
	o := f.topic("news", "aws")
	o.Spec.RetentionDays = new(int32(7))
	o.Spec.Connection = &v1alpha1.Connection{SecretName: "news"}
	f.Create(o)
	status := f.AwaitReady(o)
	name, account := status.ExternalName, driver.AccountID(status.AccountID)
	if status.Provider != "aws" || status.Location != system.AWSRegion || !meta.IsStatusConditionTrue(o.GetConditions(), v1alpha1.ConditionAvailable) {
		f.Errorf("it is in %s, %s: %v", status.Provider, status.Location, o.GetConditions())
	}
	if got := f.Secret("news"); string(got["topic"]) != name || string(got["type"]) != "topic" {
		f.Errorf("the connection Secret has type %q and topic %q, want %q", got["type"], got["topic"], name)
	}
	days := func() int32 {
		there, found := mem.Topics(f.cloud).Get(account, name)
		if !found || there.Spec.RetentionDays == nil {
			return 0
		}
		return *there.Spec.RetentionDays
	}
	if got := days(); got != 7 {
		f.Errorf("it keeps messages for %d days, want 7", got)
	}
	system.Edit(f.Fixture, o, func(o *v1alpha1.Topic) {
		o.Spec.RetentionDays, o.Spec.Tags = new(int32(14)), map[string]v1alpha1.TagValue{"team": "shop"}
	})
	f.AwaitReady(o)
	if got := days(); got != 14 {
		f.Errorf("after the edit it keeps messages for %d days, want 14", got)
	}
	mem.Topics(f.cloud).Edit(account, name, func(there *mem.Topic) { there.Spec.RetentionDays = new(int32(1)) })
	f.Eventually("drift is corrected", func() bool { return days() == 14 })

	f.Must(f.Client.Delete(f.Context(), o))
	f.AwaitDeleted(o)
	if days() != 0 {
		f.Error("it is deleted in the cluster, and still in the cloud")
	}
	for _, op := range []mem.Op{mem.OpCreate, mem.OpDelete} {
		if n := f.cloud.Count(mem.Filter{Kind: mem.KindTopic, Op: op, Name: name}); n != 1 {
			f.Errorf("%s was called %d times, want once", op, n)
		}
	}
}

// What a deletion leaves in the cloud is released there.
func (f *fixture) retains() {
	o := f.topic("kept", "aws")
	o.Spec.DeletionPolicy = v1alpha1.DeletionRetain
	f.Create(o)
	name := f.AwaitReady(o).ExternalName
	f.Must(f.Client.Delete(f.Context(), o))
	f.AwaitDeleted(o)
	if all := mem.Topics(f.cloud).All(); len(all) != 1 || all[0].Name != name {
		f.Errorf("left in the cloud: %v, want %s", all, name)
	}
}

// An object that leads to a cloud without the kind says so, and goes away when it is deleted.
func (f *fixture) isNotSupported() {
	o := f.topic("elsewhere", "gcp")
	f.Create(o)
	status := f.AwaitCondition(o, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonNotSupported)
	if said := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled).Message; !strings.Contains(said, "gcp does not support the kind Topic") {
		f.Errorf("the condition says %q", said)
	}
	f.Must(f.Client.Delete(f.Context(), o))
	f.AwaitDeleted(o)
}

// A kind without a class takes none: the object has to name its provider config.
func (f *fixture) hasNoClass() {
	o := f.topic("classless", "aws")
	o.Spec.ProviderConfigRef = nil
	f.Create(o)
	status := f.AwaitCondition(o, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalid)
	if said := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled).Message; !strings.Contains(said, "the kind Topic has no classes") {
		f.Errorf("the condition says %q", said)
	}
	f.Must(f.Client.Delete(f.Context(), o))
	f.AwaitDeleted(o)
}
