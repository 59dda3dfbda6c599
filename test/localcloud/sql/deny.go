package sql

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleDeny writes the dates of a period without maintenance updates as people report that Cloud SQL does: without a zero in front. No recording shows any
// period. That one of every year does not come back as it was sent is reported too, and not how: here it comes back with the year 0.
// https://github.com/hashicorp/terraform-provider-google/issues/29169
func settleDeny(c *change) {
	settings := c.settings
	periods, _ := settings["denyMaintenancePeriods"].([]any)
	for _, one := range periods {
		period, ok := one.(google.Object)
		if !ok {
			continue
		}
		for _, name := range []string{"startDate", "endDate"} {
			text, _ := period[name].(string)
			if date, yearly, err := denyDate(text); err == nil {
				if period[name] = date.Format("2006-1-2"); yearly {
					period[name] = date.Format("0-1-2")
				}
			}
		}
		google.Defaults(period, google.Object{"time": "00:00:00"})
	}
	if google.Empty(settings["denyMaintenancePeriods"]) {
		delete(settings, "denyMaintenancePeriods")
	}
}

// sqlUpdateTracks are when an update of maintenance comes.
var sqlUpdateTracks = []string{"", "canary", "stable", "week5"}

// validWindow holds a maintenance window to its ranges. No recording shows that one is refused.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#MaintenanceWindow
func validWindow(in, _ *sqladmin.DatabaseInstance) error {
	w := in.Settings.MaintenanceWindow
	if w != nil && (w.Day < 1 || w.Day > 7 || w.Hour < 0 || w.Hour > 23 || !slices.Contains(sqlUpdateTracks, w.UpdateTrack)) {
		return sqlInvalid(fmt.Sprintf("Invalid maintenance window: day %d (1 to 7), hour %d (0 to 23), update track %q.", w.Day, w.Hour, w.UpdateTrack))
	}
	return nil
}

// denyDate reads a date with or without a year. One without is in a leap year.
func denyDate(text string) (at time.Time, yearly bool, err error) {
	if year, day, ok := strings.Cut(text, "-"); ok && strings.Trim(year, "0") == "" {
		text = day
	}
	if at, err = time.Parse("2006-1-2", text); err == nil {
		return at, false, nil
	}
	at, err = time.Parse("2006-1-2", "2024-"+text)
	return at, true, err
}

// validDenies holds an instance to one period without maintenance updates: so Cloud SQL documents it, although its API
// has a list. One that has several already (SetSQLDenyPeriods) takes several. No recording shows the refusal, nor its
// words.
// https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
func validDenies(now, before *sqladmin.DatabaseInstance) error {
	several := before != nil && len(before.Settings.DenyMaintenancePeriods) > 1
	if len(now.Settings.DenyMaintenancePeriods) > 1 && !several {
		return sqlInvalid("Only one deny maintenance period is supported.")
	}
	for _, period := range now.Settings.DenyMaintenancePeriods {
		if err := validDeny(period); err != nil {
			return err
		}
	}
	return nil
}

// validDeny holds a period without maintenance updates to its rules. No recording shows the refusals, nor their words.
// https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance (of 1 to 90 days)
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DenyMaintenancePeriod (a year in both dates or in none)
func validDeny(period *sqladmin.DenyMaintenancePeriod) error {
	start, yearly, errStart := denyDate(period.StartDate)
	end, endsYearly, errEnd := denyDate(period.EndDate)
	_, errTime := time.Parse(time.TimeOnly, period.Time)
	if errStart != nil || errEnd != nil || errTime != nil || yearly != endsYearly {
		return sqlInvalid(fmt.Sprintf("Invalid deny maintenance period: from %q to %q, at %q.", period.StartDate, period.EndDate, period.Time))
	}
	if yearly && end.Before(start) {
		end = end.AddDate(1, 0, 0)
	}
	if days := int(end.Sub(start).Hours()) / 24; days < 1 || days > 90 {
		return sqlInvalid(fmt.Sprintf("The deny maintenance period has %d days. It must have 1 to 90.", days))
	}
	return nil
}

// SetDenyPeriods gives an instance periods without maintenance updates. It reports whether there is such an instance.
func (s *Service) SetDenyPeriods(project, instance string, periods ...*sqladmin.DenyMaintenancePeriod) bool {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	in := s.Project(project).Instances[instance]
	if in == nil || in.gone {
		return false
	}
	all := make([]any, 0, len(periods))
	for _, p := range periods {
		all = append(all, google.Object{"startDate": p.StartDate, "endDate": p.EndDate, "time": p.Time})
	}
	settings := google.Member(in.resource, "settings")
	settings["denyMaintenancePeriods"] = all
	settleDeny(&change{settings: settings})
	in.version++
	return true
}
