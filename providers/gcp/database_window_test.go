package gcp_test

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// One half of a window is sent with the other: who tries each change alone because Cloud SQL refused something else sends both.
func TestHalfAWindow(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("half", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.Spec.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Monday), StartTime: new("00:00")}}
	changes := c.look(t, x, &req).Changes
	if len(changes) != 2 {
		t.Fatalf("changes %+v", changes)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes[:1]}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("%+v, %v", result.Failed, err)
	}
	c.settle(t)
	if seen := c.look(t, x, &req); len(seen.Changes) > 0 {
		t.Errorf("changes %+v", seen.Changes)
	}
}
