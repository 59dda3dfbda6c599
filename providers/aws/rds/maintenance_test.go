package rds

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func TestMaintenanceWindow(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{PreferredMaintenanceWindow: new("Sun:05:10-Sun:08:40")}}
	for _, test := range []struct {
		day   *v1alpha1.Weekday
		start *string
		of    *instance
		want  string
	}{
		{new(v1alpha1.Monday), new("03:00"), have, "mon:03:00-mon:03:30"},
		{new(v1alpha1.Saturday), new("23:45"), have, "sat:23:45-sun:00:15"},
		{new(v1alpha1.Friday), new("23:30"), have, "fri:23:30-sat:00:00"},
		{new(v1alpha1.Monday), nil, have, "mon:05:10-mon:05:40"},
		{nil, new("03:00"), have, "sun:03:00-sun:03:30"},
		{nil, nil, have, ""},
		{new(v1alpha1.Wednesday), new("03:00"), &instance{}, "wed:03:00-wed:03:30"},
		{new(v1alpha1.Wednesday), nil, &instance{}, ""},
	} {
		params := instanceParams{MaintenanceDay: test.day, MaintenanceTime: test.start}
		got := params.maintenanceWindow(&databaseSpec{}, test.of)
		if aws.ToString(got) != test.want {
			t.Errorf("%+v: %s, want %s", params, aws.ToString(got), test.want)
		}
		if back := weeklyWindow(got); got != nil && (test.day != nil && *back.Day != *test.day || test.start != nil && *back.StartTime != *test.start) {
			t.Errorf("%s begins on %s at %s", *got, *back.Day, *back.StartTime)
		}
	}
	spec := &databaseSpec{Maintenance: &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Monday), StartTime: new("03:00")}}}
	for params, want := range map[*instanceParams]string{
		{}: "", {MaintenanceDay: new(v1alpha1.Monday)}: "mon:03:00-mon:03:30", {MaintenanceTime: new("03:00")}: "mon:03:00-mon:03:30",
	} {
		if got := aws.ToString(params.maintenanceWindow(spec, have)); got != want {
			t.Errorf("one half of the spec's window: %q, want %q", got, want)
		}
	}
	for _, window := range []*string{nil, new(""), new("string"), new("sun:05:10"), new("day:05:10-day:06:00"), new("sun:5-sun:6")} {
		if got := weeklyWindow(window); got.Day != nil || got.StartTime != nil {
			t.Errorf("%v begins on %s at %s", window, *got.Day, *got.StartTime)
		}
	}
}
