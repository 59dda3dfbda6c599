package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

const fieldDeny = "gcp.denyMaintenancePeriod"

// denyRows are the parts of the period without maintenance updates. The API has a list of them: one is the spec's, as
// deniedPeriod says, and the others are somebody else's. No recording shows any, nor how Cloud SQL reports its dates:
// people report dates without a zero in front, and that one of every year does not come back as it was sent.
// https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DenyMaintenancePeriod
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/546 (one at most at that time)
// https://github.com/hashicorp/terraform-provider-google/issues/29169 (of every year)
var denyRows = table.Table[databaseParameters, instance, instanceParams]{
	denyRow("startDate", dateText,
		func(d *v1alpha1.DenyMaintenancePeriod) *string { return d.StartDate },
		func(d *sqladmin.DenyMaintenancePeriod) string { return d.StartDate },
		func(p *instanceParams, v string) { p.DenyStartDate = &v }),
	denyRow("endDate", dateText,
		func(d *v1alpha1.DenyMaintenancePeriod) *string { return d.EndDate },
		func(d *sqladmin.DenyMaintenancePeriod) string { return d.EndDate },
		func(p *instanceParams, v string) { p.DenyEndDate = &v }),
	denyRow("time", timeText,
		func(d *v1alpha1.DenyMaintenancePeriod) *string { return d.Time },
		func(d *sqladmin.DenyMaintenancePeriod) string { return d.Time },
		func(p *instanceParams, v string) { p.DenyTime = &v }),
}

// denyRow makes the row of a part of the period. An empty text is no period.
func denyRow(part string, written func(string) string, want func(*v1alpha1.DenyMaintenancePeriod) *string,
	have func(*sqladmin.DenyMaintenancePeriod) string, set func(*instanceParams, string),
) *table.Scalar[databaseParameters, instance, instanceParams, string] {
	text := func(period *sqladmin.DenyMaintenancePeriod) string {
		if period == nil {
			return ""
		}
		return written(have(period))
	}
	seen := func(i *instance) *string { return new(text(i.denied())) }
	return table.Field(fieldDeny+"."+part,
		func(p *databaseParameters) *string {
			switch period := gcpOf(p).DenyMaintenancePeriod; {
			case period == nil:
				return nil
			case *period == v1alpha1.DenyMaintenancePeriod{}:
				return new("")
			default:
				return want(period)
			}
		}, seen, set).
		Reported(func(i *instance) *string { return resource.Present(text(shownDenied(i))) }).
		Equal(func(want, have string) bool { return want == have }, "another way to write it, such as without a zero in front; `denyMaintenancePeriod: {}` is none")
}

// denyTimeNeedsDates is the answer to a time without a period.
var denyTimeNeedsDates = driver.Lack{
	Field: fieldDeny + ".time", Match: ".", Values: "a time", Unless: map[string]string{fieldDeny + ".startDate": "."}, Invalid: true,
	Why: "the period has no dates", Instead: "set spec." + fieldDeny + ".startDate and endDate",
}

// A deniedPeriod says which of the periods without maintenance updates of an instance is the spec's. Where nobody
// looked for it, as in a preview, it is the first.
type deniedPeriod struct {
	found bool
	// own is that period; nil if none is.
	own *sqladmin.DenyMaintenancePeriod
	// all: nothing says that Mooring set one, and none is to be there. So all are meant.
	all bool
}

// findDenied finds out which of all periods is the spec's: the one that was applied, or else the one that the spec
// has. If there is neither, it depends on what was applied:
//   - nothing: it is the first, and all if the spec wants none.
//   - none: no period is, since somebody else set what is there.
//   - a period: it is the one that begins on the same day, because somebody changed it. Otherwise it is the only one, if
//     the spec has a period to put in its place: Cloud SQL takes no second one. A spec that wants none does not take it
//     away, because it may be what is left after ours was removed.
//
// It goes by what is stored alone, so that the controller that comes after a crash finds the same.
func findDenied(all []*sqladmin.DenyMaintenancePeriod, want *v1alpha1.DenyMaintenancePeriod, applied driver.Applied) deniedPeriod {
	before := deniedIn(applied)
	none := want != nil && *want == v1alpha1.DenyMaintenancePeriod{}
	first := func(is func(*sqladmin.DenyMaintenancePeriod) bool) deniedPeriod {
		if at := slices.IndexFunc(all, is); at >= 0 {
			return deniedPeriod{found: true, own: all[at]}
		}
		return deniedPeriod{found: true}
	}
	for _, of := range []*v1alpha1.DenyMaintenancePeriod{before, want} {
		if equal := first(func(have *sqladmin.DenyMaintenancePeriod) bool { return isDenied(of, have) }); equal.own != nil {
			return equal
		}
	}
	switch {
	case len(all) == 0 || before != nil && *before == v1alpha1.DenyMaintenancePeriod{}:
		return deniedPeriod{found: true}
	case before == nil:
		return deniedPeriod{found: true, own: all[0], all: none}
	}
	return first(func(have *sqladmin.DenyMaintenancePeriod) bool {
		return dateText(orNone(before.StartDate)) == dateText(have.StartDate) || len(all) == 1 && !none
	})
}

// deniedIn returns the period that was applied, without parts if it was applied that there is none; nil if nothing was
// applied.
func deniedIn(applied driver.Applied) *v1alpha1.DenyMaintenancePeriod {
	part := func(name string) *string {
		if values := applied[fieldDeny+"."+name]; len(values) == 1 {
			return resource.Present(values[0])
		}
		return nil
	}
	if _, was := applied[fieldDeny+".startDate"]; !was {
		return nil
	}
	return &v1alpha1.DenyMaintenancePeriod{StartDate: part("startDate"), EndDate: part("endDate"), Time: part("time")}
}

// isDenied reports whether a period of an instance is one that a spec has. One without a time of its own has any.
func isDenied(want *v1alpha1.DenyMaintenancePeriod, have *sqladmin.DenyMaintenancePeriod) bool {
	return want != nil && have != nil && orNone(want.StartDate) != "" && dateText(*want.StartDate) == dateText(have.StartDate) && dateText(orNone(want.EndDate)) == dateText(have.EndDate) &&
		(want.Time == nil || timeText(*want.Time) == timeText(have.Time))
}

// denied returns the period without maintenance updates that is the spec's, nil if there is none.
func (i *instance) denied() *sqladmin.DenyMaintenancePeriod {
	if all := i.settings().DenyMaintenancePeriods; !i.deny.found && len(all) > 0 {
		return all[0]
	}
	return i.deny.own
}

// shownDenied returns the period that people are shown: one of somebody else if none is the spec's.
func shownDenied(i *instance) *sqladmin.DenyMaintenancePeriod {
	own, all := i.denied(), i.settings().DenyMaintenancePeriods
	if own != nil || len(all) == 0 {
		return own
	}
	return all[0]
}

// deniedByOthers returns the periods of an instance that somebody else set, which stay.
func deniedByOthers(i *instance) []*sqladmin.DenyMaintenancePeriod {
	if i.deny.all {
		return nil
	}
	own := i.denied()
	return slices.DeleteFunc(slices.Clone(i.settings().DenyMaintenancePeriods), func(p *sqladmin.DenyMaintenancePeriod) bool { return p == own })
}

// denyByHand says why the calls take these parameters in one value.
const denyByHand = "it is a part of denyMaintenancePeriods"

// completeDeny adds to a part of the period the others as the spec says them, or else as they are on the instance: Cloud SQL takes a period as a whole.
// So each part alone brings about the whole period where Cloud SQL refuses the change beside it.
func (p *instanceParams) completeDeny(spec *databaseParameters, have *instance) {
	if p.DenyStartDate == nil && p.DenyEndDate == nil && p.DenyTime == nil {
		return
	}
	wanted := gcpOf(spec).DenyMaintenancePeriod
	if wanted == nil {
		wanted = &v1alpha1.DenyMaintenancePeriod{}
	}
	if wanted.StartDate == nil && wanted.EndDate == nil && wanted.Time == nil { // none
		p.DenyStartDate, p.DenyEndDate, p.DenyTime = new(""), new(""), new("")
		return
	}
	there := sqladmin.DenyMaintenancePeriod{}
	if period := have.denied(); period != nil {
		there = *period
	}
	p.DenyStartDate = cmp.Or(wanted.StartDate, p.DenyStartDate, resource.Present(there.StartDate))
	p.DenyEndDate = cmp.Or(wanted.EndDate, p.DenyEndDate, resource.Present(there.EndDate))
	p.DenyTime = cmp.Or(wanted.Time, p.DenyTime, resource.Present(there.Time))
}

// deny puts the period without maintenance updates into settings, before those of others: a patch replaces the list.
func (p *instanceParams) deny(into *sqladmin.Settings, have *instance) error {
	start, end := dateText(orNone(p.DenyStartDate)), dateText(orNone(p.DenyEndDate))
	switch {
	case p.DenyStartDate == nil && p.DenyEndDate == nil && p.DenyTime == nil:
		return nil
	case p.DenyStartDate != nil && p.DenyEndDate != nil && start == "" && end == "": // none
		into.DenyMaintenancePeriods = append([]*sqladmin.DenyMaintenancePeriod{}, deniedByOthers(have)...)
		into.ForceSendFields = append(into.ForceSendFields, "DenyMaintenancePeriods")
		return nil
	case start == "" || end == "":
		return table.Fields{fieldDeny + ".startDate", fieldDeny + ".endDate"}.Refuse("spec.%s: startDate and endDate need each other: set both", fieldDeny)
	}
	own := &sqladmin.DenyMaintenancePeriod{StartDate: start, EndDate: end, Time: fullTime(orNone(p.DenyTime))}
	into.DenyMaintenancePeriods = append([]*sqladmin.DenyMaintenancePeriod{own}, deniedByOthers(have)...)
	return nil
}

// dateText returns a date as a spec has it: 2026-11-05, or 11-05 without a year. What is no date stays as it is.
func dateText(text string) string {
	var numbers []int
	for part := range strings.SplitSeq(text, "-") {
		number, err := strconv.Atoi(part)
		if err != nil {
			return text
		}
		numbers = append(numbers, number)
	}
	switch {
	case len(numbers) == 3 && numbers[0] == 0: // the year of a date in every year
		return fmt.Sprintf("%02d-%02d", numbers[1], numbers[2])
	case len(numbers) == 3:
		return fmt.Sprintf("%04d-%02d-%02d", numbers[0], numbers[1], numbers[2])
	case len(numbers) == 2:
		return fmt.Sprintf("%02d-%02d", numbers[0], numbers[1])
	}
	return text
}

// timeText returns a time of day as a spec has it: 05:00, with seconds only if there are any.
func timeText(text string) string {
	full := fullTime(text)
	if at, err := time.Parse(time.TimeOnly, full); err == nil && at.Second() == 0 {
		return at.Format("15:04")
	}
	return full
}

// fullTime returns a time of day as the API has it: 05:00:00. A period without one begins at midnight. What is no time stays as it is.
func fullTime(text string) string {
	for _, layout := range []string{"15:4:5", "15:4"} {
		if at, err := time.Parse(layout, cmp.Or(text, "0:0")); err == nil {
			return at.Format(time.TimeOnly)
		}
	}
	return text
}
