package controllers

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// misnamed is a driver that describes itself as a cloud that there is not.
type misnamed struct{ driver.Driver }

func (m misnamed) Describe() driver.Description {
	d := m.Driver.Describe()
	d.Name = "azure"
	return d
}

func TestSetupRefusesADriverThatDescribesItselfWrongly(t *testing.T) {
	drivers := map[string]driver.Driver{"azure": misnamed{mem.New(mem.Options{}).Driver()}}
	err := Setup(t.Context(), nil, Options{Drivers: drivers})
	if err == nil || !strings.Contains(err.Error(), `driver "azure"`) || !strings.Contains(err.Error(), "v1alpha1.Account") {
		t.Errorf("got %v, want the driver's name and what to do", err)
	}
}

func TestSetupRefusesADriverOfAKindThatIsNotRegistered(t *testing.T) {
	drivers := map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver()}
	err := Setup(t.Context(), nil, Options{Drivers: drivers, Kinds: []*kind.Kind{kind.Database()}})
	if err == nil || !strings.Contains(err.Error(), `driver "aws" describes kind "Bucket"`) || !strings.Contains(err.Error(), "kind.All") {
		t.Errorf("got %v, want the driver's name, the kind, and what to do", err)
	}
}

// A settingsManager is as much of a manager as the settings are made of.
type settingsManager struct{ manager.Manager }

func (settingsManager) GetClient() client.Client    { return fake.NewClientBuilder().Build() }
func (settingsManager) GetAPIReader() client.Reader { return fake.NewClientBuilder().Build() }
func (settingsManager) GetEventRecorder(string) recorder.EventRecorder {
	return events.NewFakeRecorder(1)
}

// A setting that is forgotten is a panic in every reconciliation.
func TestReconcilersGetEverySetting(t *testing.T) {
	o := Options{ClusterID: "c", Namespace: "n", SyncPeriod: time.Minute, Workers: 2, Log: testr.New(t)}
	o.setDefaults()
	v := reflect.ValueOf(newSetup(settingsManager{}, o).settings())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("Settings.%s is not set", v.Type().Field(i).Name)
		}
	}
	// Connections have slots of the same accounts that the reconcilers leave: with other limiters they would wait without end.
	store := v.FieldByName("Credentials").Elem().FieldByName("limiters")
	if store.IsNil() || store.Pointer() != v.FieldByName("Limiters").Pointer() {
		t.Error("the store of identities has no limiters, or others than the reconcilers")
	}
}
