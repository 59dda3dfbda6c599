package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// lacks are what databases have in other clouds and not in Cloud SQL.
var lacks = slices.Concat(maintenanceLacks, []driver.Lack{engineLack, trackNeedsWindow, denyTimeNeedsDates, managedPasswordLack, besideLack}, editionLacks, poolLacks, pscLacks, diskLacks, networkLacks, resource.KeyLacks, policyLacks, resource.LabelLacks)

// besideLack: upgrades are a patch of databaseVersion, and no other method is about them.
// https://cloud.google.com/sql/docs/postgres/upgrade-major-db-version-inplace
var besideLack = driver.BesideLack("Cloud SQL upgrades in place only")

var maintenanceLacks = []driver.Lack{
	// https://cloud.google.com/sql/docs/postgres/maintenance
	{
		Field: "maintenance.minorUpgrades", Match: "^Manual$", Values: "Manual",
		Why: "Cloud SQL always upgrades minor versions in its maintenance", Instead: "set spec.maintenance.minorUpgrades to Automatic, or remove it",
	},
	{
		Field: "maintenance.window.startTime", Match: ":(0[1-9]|[1-5][0-9])$", Values: "a time between two full hours",
		Why: "the maintenance windows of Cloud SQL begin at full hours", Instead: fullHour,
	},
}

// trackNeedsWindow is the answer to a track without a window. https://cloud.google.com/sql/docs/postgres/maintenance
var trackNeedsWindow = driver.Lack{
	Field: "gcp.maintenanceTrack", Match: ".", Values: "a track", Unless: map[string]string{"maintenance.window.day": "."}, Invalid: true,
	Why: "Cloud SQL schedules the updates of a server with a maintenance window only", Instead: "set spec.maintenance.window, or remove spec.gcp.maintenanceTrack",
}

// maintenanceTrackRow: the track is a part of the maintenance window.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#MaintenanceWindow (updateTrack)
var maintenanceTrackRow = plain("gcp.maintenanceTrack", "MaintenanceTrack", func(i *instance) *string {
	if w := i.settings().MaintenanceWindow; w != nil && w.UpdateTrack != "SQL_UPDATE_TRACK_UNSPECIFIED" {
		return resource.Present(w.UpdateTrack)
	}
	return nil
})

const fullHour = "set spec.maintenance.window.startTime to a full hour, for example 03:00"

// weekdays are the days in the order in which Cloud SQL numbers them, from 1.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#MaintenanceWindow
var weekdays = []v1alpha1.Weekday{
	v1alpha1.Monday, v1alpha1.Tuesday, v1alpha1.Wednesday, v1alpha1.Thursday, v1alpha1.Friday, v1alpha1.Saturday, v1alpha1.Sunday,
}

// maintenanceOf returns the maintenance window that a spec asks for.
func maintenanceOf(p *databaseParameters) v1alpha1.MaintenanceWindow {
	if p.Maintenance == nil || p.Maintenance.Window == nil {
		return v1alpha1.MaintenanceWindow{}
	}
	return *p.Maintenance.Window
}

// maintenanceWindow returns when the maintenance window begins; without day and time if the instance may be maintained at any time.
func (i *instance) maintenanceWindow() v1alpha1.MaintenanceWindow {
	w := i.settings().MaintenanceWindow
	if w == nil || w.Day < 1 || int(w.Day) > len(weekdays) {
		return v1alpha1.MaintenanceWindow{}
	}
	start := fmt.Sprintf("%02d:00", w.Hour)
	return v1alpha1.MaintenanceWindow{Day: &weekdays[w.Day-1], StartTime: &start}
}

// completeWindow adds to one half of a maintenance window the other as the spec says it: Cloud SQL takes both or none.
func (p *instanceParams) completeWindow(spec *databaseParameters) {
	if p.MaintenanceDay == nil && p.MaintenanceTime == nil && p.MaintenanceTrack == nil {
		return
	}
	wanted := maintenanceOf(spec)
	if wanted.Day != nil {
		p.MaintenanceDay = wanted.Day
	}
	if wanted.StartTime != nil {
		p.MaintenanceTime = wanted.StartTime
	}
}

// maintenanceWindow returns the window that begins as the parameters say, or else as it does on an instance; nil if they say nothing. Its
// update track is left as it is. Cloud SQL takes full hours.
func (p *instanceParams) maintenanceWindow(have *instance) (*sqladmin.MaintenanceWindow, error) {
	if p.MaintenanceDay == nil && p.MaintenanceTime == nil && p.MaintenanceTrack == nil {
		return nil, nil
	}
	window := have.maintenanceWindow()
	if p.MaintenanceDay != nil {
		window.Day = p.MaintenanceDay
	}
	if p.MaintenanceTime != nil {
		window.StartTime = p.MaintenanceTime
	}
	switch {
	case p.MaintenanceTrack != nil && window.Day == nil && window.StartTime == nil:
		return nil, table.Fields{"gcp.maintenanceTrack", "maintenance.window.day", "maintenance.window.startTime"}.Refuse("spec.gcp.maintenanceTrack: %s", trackNeedsWindow)
	case window.Day == nil || window.StartTime == nil:
		return nil, table.Fields{"maintenance.window.day", "maintenance.window.startTime"}.Refuse("spec.maintenance.window: day and startTime need each other: set both")
	}
	hour, full := strings.CutSuffix(*window.StartTime, ":00")
	number, err := strconv.ParseInt(hour, 10, 64)
	if !full || err != nil {
		return nil, table.Fields{"maintenance.window.startTime"}.Refuse("spec.maintenance.window.startTime: %s", fullHour)
	}
	// Midnight is 0, which the client would leave out.
	sent := &sqladmin.MaintenanceWindow{Day: int64(slices.Index(weekdays, *window.Day) + 1), Hour: number, ForceSendFields: []string{"Hour"}}
	if w := have.settings().MaintenanceWindow; w != nil {
		sent.UpdateTrack = w.UpdateTrack
	}
	if p.MaintenanceTrack != nil {
		sent.UpdateTrack = *p.MaintenanceTrack
	}
	return sent, nil
}
