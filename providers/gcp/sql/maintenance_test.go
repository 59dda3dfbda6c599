package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func TestMaintenanceWindow(t *testing.T) {
	none := databaseParameters{}
	spec := databaseParameters{Maintenance: &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Monday), StartTime: new("00:00")}}}
	for name, test := range map[string]struct {
		params instanceParams
		spec   databaseParameters
		have   *sqladmin.MaintenanceWindow
		day    int64 // 0: nothing is sent
		hour   int64
		fails  bool
	}{
		"nothing said":                 {spec: spec},
		"both":                         {params: instanceParams{MaintenanceDay: new(v1alpha1.Sunday), MaintenanceTime: new("23:00")}, day: 7, hour: 23},
		"one half, and the spec":       {params: instanceParams{MaintenanceDay: new(v1alpha1.Monday)}, spec: spec, day: 1},
		"the other half, and the spec": {params: instanceParams{MaintenanceTime: new("00:00")}, spec: spec, day: 1},
		"one half of what is there":    {params: instanceParams{MaintenanceTime: new("04:00")}, have: &sqladmin.MaintenanceWindow{Day: 3, Hour: 9, UpdateTrack: "stable"}, day: 3, hour: 4},
		"one half, and there is none":  {params: instanceParams{MaintenanceTime: new("04:00")}, have: &sqladmin.MaintenanceWindow{}, fails: true},
		"half an hour":                 {params: instanceParams{MaintenanceDay: new(v1alpha1.Sunday), MaintenanceTime: new("04:30")}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.spec.Maintenance == nil {
				test.spec = none
			}
			test.params.completeWindow(&test.spec)
			got, err := test.params.maintenanceWindow(&instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{MaintenanceWindow: test.have}}})
			if (err != nil) != test.fails || (got == nil) != (test.day == 0) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if got == nil {
				return
			}
			raw, err := got.MarshalJSON()
			if err != nil || got.Day != test.day || got.Hour != test.hour {
				t.Errorf("got %s, %v", raw, err)
			}
			if test.hour == 0 && string(raw) != `{"day":1,"hour":0}` {
				t.Errorf("midnight is sent as %s", raw)
			}
			if test.have != nil && got.UpdateTrack != test.have.UpdateTrack {
				t.Errorf("the update track becomes %q", got.UpdateTrack)
			}
		})
	}
}

// An instance without a window may be maintained at any time, whatever hour it says.
func TestNoMaintenanceWindow(t *testing.T) {
	for _, w := range []*sqladmin.MaintenanceWindow{nil, {}, {Hour: 3}, {Day: 8}} {
		i := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{MaintenanceWindow: w}}}
		if got := i.maintenanceWindow(); got.Day != nil || got.StartTime != nil {
			t.Errorf("%+v begins on %s at %s", w, *got.Day, *got.StartTime)
		}
	}
}
