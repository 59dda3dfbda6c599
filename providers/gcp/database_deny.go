package gcp

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const fieldDeny = "gcp.denyMaintenancePeriod"

// denyRows are the parts of the period without maintenance updates. The API has a list of them, and Cloud SQL takes one. No recording shows any, nor how
// Cloud SQL reports its dates: people report dates without a zero in front, and that one of every year does not come back as it was sent.
// https://cloud.google.com/sql/docs/postgres/set-maintenance-window#configure-deny-maintenance
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DenyMaintenancePeriod
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/546 (one at most)
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
	seen := func(i *instance) *string {
		period := i.deniedPeriod()
		if period == nil {
			return new("")
		}
		return new(written(have(period)))
	}
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
		Reported(func(i *instance) *string { return present(*seen(i)) }).
		Equal(func(want, have string) bool { return want == have }, "another way to write it, such as without a zero in front; `denyMaintenancePeriod: {}` is none")
}

// denyTimeNeedsDates is the answer to a time without a period.
var denyTimeNeedsDates = driver.Lack{
	Field: fieldDeny + ".time", Match: ".", Values: "a time", Unless: map[string]string{fieldDeny + ".startDate": "."}, Invalid: true,
	Why: "the period has no dates", Instead: "set spec." + fieldDeny + ".startDate and endDate",
}

// deniedPeriod returns the period without maintenance updates, nil if there is none.
func (i *instance) deniedPeriod() *sqladmin.DenyMaintenancePeriod {
	if all := i.settings().DenyMaintenancePeriods; len(all) > 0 {
		return all[0]
	}
	return nil
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
	if period := have.deniedPeriod(); period != nil {
		there = *period
	}
	p.DenyStartDate = cmp.Or(wanted.StartDate, p.DenyStartDate, present(there.StartDate))
	p.DenyEndDate = cmp.Or(wanted.EndDate, p.DenyEndDate, present(there.EndDate))
	p.DenyTime = cmp.Or(wanted.Time, p.DenyTime, present(there.Time))
}

// deny puts the period without maintenance updates into settings. Further periods, which Cloud SQL may take one day, stay.
func (p *instanceParams) deny(into *sqladmin.Settings, have *instance) error {
	start, end := dateText(orNone(p.DenyStartDate)), dateText(orNone(p.DenyEndDate))
	switch {
	case p.DenyStartDate == nil && p.DenyEndDate == nil && p.DenyTime == nil:
		return nil
	case p.DenyStartDate != nil && p.DenyEndDate != nil && start == "" && end == "": // none
		into.DenyMaintenancePeriods, into.ForceSendFields = []*sqladmin.DenyMaintenancePeriod{}, append(into.ForceSendFields, "DenyMaintenancePeriods")
		return nil
	case start == "" || end == "":
		return table.Fields{fieldDeny + ".startDate", fieldDeny + ".endDate"}.Refuse("spec.%s: startDate and endDate need each other: set both", fieldDeny)
	}
	into.DenyMaintenancePeriods = []*sqladmin.DenyMaintenancePeriod{{StartDate: start, EndDate: end, Time: fullTime(orNone(p.DenyTime))}}
	if all := have.settings().DenyMaintenancePeriods; len(all) > 1 {
		into.DenyMaintenancePeriods = append(into.DenyMaintenancePeriods, all[1:]...)
	}
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
