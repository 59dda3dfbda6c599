package rds

import (
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

var windowDayRow = table.Field("maintenance.window.day",
	func(s *databaseSpec) *v1alpha1.Weekday { return maintenanceOf(s).Day },
	func(i *instance) *v1alpha1.Weekday { return weeklyWindow(i.PreferredMaintenanceWindow).Day },
	func(p *instanceParams, v v1alpha1.Weekday) { p.MaintenanceDay = &v },
)

var windowTimeRow = table.Field("maintenance.window.startTime",
	func(s *databaseSpec) *string { return maintenanceOf(s).StartTime },
	func(i *instance) *string { return weeklyWindow(i.PreferredMaintenanceWindow).StartTime },
	func(p *instanceParams, v string) { p.MaintenanceTime = &v },
).Equal(func(want, have string) bool { return want == have }, "a longer window that begins at the same time")

var minorUpgradesRow = table.Field("maintenance.minorUpgrades",
	func(s *databaseSpec) *v1alpha1.MinorUpgrades {
		if s.Maintenance == nil {
			return nil
		}
		return s.Maintenance.MinorUpgrades
	},
	func(i *instance) *v1alpha1.MinorUpgrades {
		switch {
		case i.AutoMinorVersionUpgrade == nil:
			return nil
		case *i.AutoMinorVersionUpgrade:
			return new(v1alpha1.MinorUpgradesAutomatic)
		}
		return new(v1alpha1.MinorUpgradesManual)
	},
	func(p *instanceParams, v v1alpha1.MinorUpgrades) {
		p.AutoMinorVersionUpgrade = aws.Bool(v == v1alpha1.MinorUpgradesAutomatic)
	},
).EffectOf(minorUpgradesEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes Manual"},
	driver.PossibleEffect{Effect: driver.Restarts, When: "it becomes Automatic: " + minorUpgradeRestarts, Cost: upgradeCost})

const minorUpgradeRestarts = "if there is a newer minor version, RDS upgrades the server in its maintenance window and restarts it"

// minorUpgradesEffect: to allow upgrades leads to one if a newer minor version is there, and that is not known here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (AutoMinorVersionUpgrade)
func minorUpgradesEffect(_ *v1alpha1.MinorUpgrades, to v1alpha1.MinorUpgrades, _ *instance) (driver.Effect, string) {
	if to == v1alpha1.MinorUpgradesAutomatic {
		return driver.Restarts, minorUpgradeRestarts
	}
	return driver.Online, ""
}

// byHand are the parameters that are put into calls by hand: those of which PreferredMaintenanceWindow is made, and what a DB parameter group holds.
var byHand = map[string]string{
	"Parameters": "a DB parameter group holds them", "TLS": "it is an entry of the DB parameter group",
	"MaintenanceDay":  "it is a part of PreferredMaintenanceWindow",
	"MaintenanceTime": "it is a part of PreferredMaintenanceWindow",
}

// maintenanceOf returns the maintenance window that a spec asks for.
func maintenanceOf(s *databaseSpec) v1alpha1.MaintenanceWindow {
	if s.Maintenance == nil || s.Maintenance.Window == nil {
		return v1alpha1.MaintenanceWindow{}
	}
	return *s.Maintenance.Window
}

// A weekday is a day under RDS's name.
type weekday struct {
	name string
	day  v1alpha1.Weekday
}

// weekdays are the days as RDS has them, at the places that they have in package time.
var weekdays = []weekday{
	{"sun", v1alpha1.Sunday}, {"mon", v1alpha1.Monday}, {"tue", v1alpha1.Tuesday}, {"wed", v1alpha1.Wednesday},
	{"thu", v1alpha1.Thursday}, {"fri", v1alpha1.Friday}, {"sat", v1alpha1.Saturday},
}

// weeklyWindow returns when a maintenance window begins; without day and time if it is none.
func weeklyWindow(window *string) v1alpha1.MaintenanceWindow {
	name, rest, _ := strings.Cut(strings.ToLower(aws.ToString(window)), ":")
	start, _, ok := strings.Cut(rest, "-")
	if _, err := time.Parse(clockLayout, start); !ok || err != nil {
		return v1alpha1.MaintenanceWindow{}
	}
	for _, w := range weekdays {
		if w.name == name {
			return v1alpha1.MaintenanceWindow{Day: &w.day, StartTime: &start}
		}
	}
	return v1alpha1.MaintenanceWindow{}
}

// maintenanceWindow returns the shortest window for maintenance that begins as the parameters say; what they leave open is as the spec
// says, or else as it is on the instance. It returns nil if they say nothing. A window may end on the next day.
func (p *instanceParams) maintenanceWindow(spec *databaseSpec, have *instance) *string {
	wanted, now := maintenanceOf(spec), weeklyWindow(have.PreferredMaintenanceWindow)
	day, start := first(p.MaintenanceDay, wanted.Day, now.Day), first(p.MaintenanceTime, wanted.StartTime, now.StartTime)
	if p.MaintenanceDay == nil && p.MaintenanceTime == nil || day == nil || start == nil {
		return nil
	}
	begins, _ := time.Parse(clockLayout, *start) // of the API, or of RDS
	i := slices.IndexFunc(weekdays, func(w weekday) bool { return w.day == *day })
	if i < 0 {
		return nil
	}
	ends, last := begins.Add(shortestWindow), i
	if ends.Day() != begins.Day() {
		last = (i + 1) % len(weekdays)
	}
	window := weekdays[i].name + ":" + *start + "-" + weekdays[last].name + ":" + ends.Format(clockLayout)
	return &window
}
