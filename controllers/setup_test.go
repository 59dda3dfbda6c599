package controllers

import (
	"strings"
	"testing"

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
