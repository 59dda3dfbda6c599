package gcp_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func period(start, end string) *v1alpha1.DenyMaintenancePeriod {
	return &v1alpha1.DenyMaintenancePeriod{StartDate: &start, EndDate: &end}
}

// Whatever way Cloud SQL writes the dates, a period is as declared, and so is none.
func TestPeriodsWithoutMaintenanceComeToRest(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, p := range map[string]*v1alpha1.DenyMaintenancePeriod{
		"once": period("2027-01-05", "2027-02-28"), "yearly": period("01-05", "03-01"), "winter": period("11-20", "02-09"), "none": {}, "leap": period("02-29", "03-09"),
	} {
		req := newDatabase("deny-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP.DenyMaintenancePeriod = p
		x := c.made(t, &req)
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%s: %v", name, changes)
		}
		if got := len(c.instance(t, req.Name).Settings.DenyMaintenancePeriods); (got == 0) != (name == "none") {
			t.Errorf("%s: the server has %d periods", name, got)
		}
	}
}

// {} takes a period away by one write, and a period that the spec no longer names stays.
func TestAnEmptyPeriodRemovesOne(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("deny-removed", v1alpha1.EnginePostgres)
	req.Spec.GCP.DenyMaintenancePeriod = period("11-20", "01-05")
	x := c.made(t, &req)
	req.Spec.GCP.DenyMaintenancePeriod = nil
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("no longer named: %v", changes)
	}
	req.Spec.GCP.DenyMaintenancePeriod = &v1alpha1.DenyMaintenancePeriod{}
	writes := len(c.writes("sqladmin"))
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	c.settle(t)
	if err != nil || len(result.Failed) > 0 || len(c.writes("sqladmin")) != writes+1 {
		t.Errorf("%v, failed %v, %d writes", err, result.Failed, len(c.writes("sqladmin"))-writes)
	}
	if got := c.instance(t, req.Name).Settings.DenyMaintenancePeriods; len(got) > 0 {
		t.Errorf("the server has %+v", got[0])
	}
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("then: %v", changes)
	}
}

// Of several periods the spec is about the one that was applied. Those of others stay through an edit, a removal, a
// new one, and when the spec no longer names it.
func TestPeriodsOfOthersStay(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("deny-others", v1alpha1.EnginePostgres)
	req.Spec.GCP.DenyMaintenancePeriod = period("11-20", "01-05")
	x := c.made(t, &req)
	req.Applied = c.look(t, x, &req).Applied
	ours := c.instance(t, req.Name).Settings.DenyMaintenancePeriods[0]
	const first, last = "0-3-1", "2030-5-1"
	c.deny(t, req.Name, &sqladmin.DenyMaintenancePeriod{StartDate: "03-01", EndDate: "03-09", Time: "00:00:00"}, ours,
		&sqladmin.DenyMaintenancePeriod{StartDate: "2030-05-01", EndDate: "2030-05-09", Time: "00:00:00"})
	for _, step := range []struct {
		what string
		want *v1alpha1.DenyMaintenancePeriod
		ours string // the date with which the period begins that is the spec's; empty if there is none
	}{
		{"as it was applied", period("11-20", "01-05"), "0-11-20"},
		{"an edit", period("2027-06-01", "2027-06-30"), "2027-6-1"},
		{"no longer named", nil, "2027-6-1"},
		{"named again", period("2027-06-01", "2027-06-30"), "2027-6-1"},
		{"none", &v1alpha1.DenyMaintenancePeriod{}, ""},
		{"another one", period("2028-06-01", "2028-06-30"), "2028-6-1"},
	} {
		req.Spec.GCP.DenyMaintenancePeriod = step.want
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 {
				t.Fatalf("%s: %v, failed %v", step.what, err, result.Failed)
			}
		}
		c.settle(t)
		for _, when := range []string{"before it is noted", "after it is noted"} { // what is applied
			seen := c.look(t, x, &req)
			if len(seen.Changes) > 0 {
				t.Errorf("%s, %s: %v", step.what, when, seen.Changes)
			}
			req.Applied = seen.Applied
		}
		if got := c.deniedFrom(t, req.Name); !slices.Contains(got, first) || !slices.Contains(got, last) || len(got) != 2+min(1, len(step.ours)) || step.ours != "" && !slices.Contains(got, step.ours) {
			t.Errorf("%s: the periods begin at %q, want %s, %s and %q", step.what, got, first, last, step.ours)
		}
	}
}

// Where nothing was applied, the spec is about the period that it has, and else about the first. None is then none at
// all: so says who writes it on a server that is taken over.
func TestPeriodsBeforeOneIsApplied(t *testing.T) {
	for name, tt := range map[string]struct {
		want *v1alpha1.DenyMaintenancePeriod
		left []string
	}{
		"equal": {period("2030-05-01", "2030-05-09"), []string{"0-3-1", "2030-5-1"}}, "another": {period("11-20", "01-05"), []string{"0-11-20", "2030-5-1"}}, "none": {&v1alpha1.DenyMaintenancePeriod{}, nil},
	} {
		c := newCloud(t, localcloud.Durations{})
		req := newDatabase("deny-"+name, v1alpha1.EnginePostgres)
		x := c.made(t, &req)
		c.deny(t, req.Name, &sqladmin.DenyMaintenancePeriod{StartDate: "03-01", EndDate: "03-09", Time: "00:00:00"}, &sqladmin.DenyMaintenancePeriod{StartDate: "2030-05-01", EndDate: "2030-05-09", Time: "00:00:00"})
		req.Spec.GCP.DenyMaintenancePeriod = tt.want
		if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
			t.Errorf("%s: %v, failed %v", name, err, result.Failed)
		}
		c.settle(t)
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%s: then %v", name, changes)
		}
		if got := c.deniedFrom(t, req.Name); !slices.Equal(got, tt.left) {
			t.Errorf("%s: the periods begin at %q, want %q", name, got, tt.left)
		}
	}
}

// deny gives a server periods behind Mooring's back.
func (c *cloud) deny(t *testing.T, name string, periods ...*sqladmin.DenyMaintenancePeriod) {
	t.Helper()
	if !c.SetSQLDenyPeriods(project, name, periods...) {
		t.Fatal("there is no such server")
	}
}

// deniedFrom returns the dates with which the periods of a server begin.
func (c *cloud) deniedFrom(t *testing.T, name string) (starts []string) {
	t.Helper()
	for _, p := range c.instance(t, name).Settings.DenyMaintenancePeriods {
		starts = append(starts, p.StartDate)
	}
	slices.Sort(starts)
	return starts
}

// A period without a time begins and ends at midnight, and keeps the time that somebody else gives it.
func TestAPeriodKeepsItsTime(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("deny-time", v1alpha1.EngineMySQL)
	req.Spec.GCP.DenyMaintenancePeriod = period("11-20", "01-05")
	x := c.made(t, &req)
	if got := c.instance(t, req.Name).Settings.DenyMaintenancePeriods[0].Time; got != "00:00:00" {
		t.Errorf("a new period begins at %q", got)
	}
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		DenyMaintenancePeriods: []*sqladmin.DenyMaintenancePeriod{{StartDate: "11-20", EndDate: "01-05", Time: "06:15:00"}},
	}})
	*req.Spec.GCP.DenyMaintenancePeriod.EndDate = "01-09"
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	if got := c.instance(t, req.Name).Settings.DenyMaintenancePeriods[0]; got.Time != "06:15:00" || got.EndDate != "0-1-9" {
		t.Errorf("the period is now %+v", got)
	}
}

// What is no period is refused by the name of the field, before any call.
func TestHalfAPeriodIsRefused(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, p := range map[string]v1alpha1.DenyMaintenancePeriod{
		"start": {StartDate: new("11-20")}, "end": {EndDate: new("11-20")}, "time": {Time: new("00:00")},
	} {
		req := newDatabase("deny-half", v1alpha1.EnginePostgres)
		req.Spec.GCP.DenyMaintenancePeriod = &p
		writes := len(c.writes("sqladmin"))
		_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.gcp.denyMaintenancePeriod") || len(c.writes("sqladmin")) != writes {
			t.Errorf("%s: %v, %d writes", name, err, len(c.writes("sqladmin"))-writes)
		}
	}
}

// Cloud SQL takes a period as a whole. Where it refuses the change beside it, each part of the period is tried alone, and brings the whole period along.
func TestAPeriodBesideARefusedChange(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, to := range map[string]*v1alpha1.DenyMaintenancePeriod{"none": {}, "a-year-later": period("2028-01-05", "2028-02-28"), "yearly": period("11-20", "01-05")} {
		req := newDatabase("deny-beside-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP.DenyMaintenancePeriod = period("2027-01-05", "2027-02-28")
		x := c.made(t, &req)
		req.Spec.GCP.DenyMaintenancePeriod, req.Spec.Parameters = to, parameters("max_connections", "5")
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range result.Failed {
			if f.Field != "parameters" && driver.CodeOf(f.Err) == driver.Invalid {
				t.Errorf("%s: %s is refused: %v", name, f.Field, f.Err)
			}
		}
		c.settle(t)
		if changes := c.look(t, x, &req).Changes; len(changes) != 1 || changes[0].Field != "parameters" {
			t.Errorf("%s: changes %v, want parameters alone", name, changes)
		}
	}
}

// Which period is the spec's is found out also where none is as it was applied: somebody edited it, or the answer to an
// edit was lost. What others set is shown if there is nothing else, and stays.
func TestPeriodsThatAreNotAsApplied(t *testing.T) {
	x, y, z := period("11-20", "01-05"), period("03-01", "03-09"), period("2030-05-01", "2030-05-09")
	longer, later, none := period("11-20", "01-31"), period("2027-06-01", "2027-06-30"), &v1alpha1.DenyMaintenancePeriod{}
	type periods = []*v1alpha1.DenyMaintenancePeriod
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		applied, want *v1alpha1.DenyMaintenancePeriod
		there         periods
		left          []string
		shown         string // before the change
	}{
		"extended-removed":     {x, none, periods{longer}, nil, "11-20"},
		"another-is-left":      {x, none, periods{later}, []string{"2027-6-1"}, "2027-06-01"},
		"replaced":             {x, x, periods{later}, []string{"0-11-20"}, "2027-06-01"},
		"extended":             {x, x, periods{longer}, []string{"0-11-20"}, "11-20"},
		"extended-beside":      {x, none, periods{y, longer, z}, []string{"0-3-1", "2030-5-1"}, "11-20"},
		"deleted":              {x, x, periods{y, z}, []string{"0-11-20", "0-3-1", "2030-5-1"}, "03-01"},
		"deleted-removed":      {x, none, periods{y, z}, []string{"0-3-1", "2030-5-1"}, "03-01"},
		"edit-was-made":        {x, later, periods{y, later}, []string{"0-3-1", "2027-6-1"}, "2027-06-01"},
		"none-stays":           {none, none, periods{y}, []string{"0-3-1"}, "03-01"},
		"one-after-none":       {none, x, periods{y, z}, []string{"0-11-20", "0-3-1", "2030-5-1"}, "03-01"},
		"nobody-applied-it":    {nil, none, periods{y, z}, nil, "03-01"},
		"unset-shows-anothers": {nil, nil, periods{y}, []string{"0-3-1"}, "03-01"},
	} {
		req := newDatabase("deny-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP.DenyMaintenancePeriod = tt.applied
		d := c.made(t, &req)
		req.Applied = c.look(t, d, &req).Applied
		d = drivertest.Databases(c.open(t)) // which remembers nothing
		var there []*sqladmin.DenyMaintenancePeriod
		for _, p := range tt.there {
			there = append(there, &sqladmin.DenyMaintenancePeriod{StartDate: *p.StartDate, EndDate: *p.EndDate, Time: "00:00:00"})
		}
		c.deny(t, req.Name, there...)
		req.Spec.GCP.DenyMaintenancePeriod = tt.want
		seen := c.look(t, d, &req)
		if shown := `"startDate":"` + tt.shown + `"`; !strings.Contains(string(seen.Mirror), shown) {
			t.Errorf("%s: %s is not shown in %s", name, shown, seen.Mirror)
		}
		if len(seen.Changes) > 0 {
			if result, err := d.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) > 0 {
				t.Errorf("%s: %v, failed %v", name, err, result.Failed)
			}
			c.settle(t)
		}
		seen = c.look(t, d, &req)
		if got := c.deniedFrom(t, req.Name); len(seen.Changes) > 0 || !slices.Equal(got, tt.left) {
			t.Errorf("%s: the periods begin at %q, want %q; changes %v", name, got, tt.left, seen.Changes)
		}
	}
}

// The one period of somebody else that is left once ours is removed is not taken for ours, while what was applied was
// not noted yet.
func TestTheLastPeriodOfOthersStays(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("deny-last", v1alpha1.EnginePostgres)
	req.Spec.GCP.DenyMaintenancePeriod = period("11-20", "01-05")
	x := c.made(t, &req)
	req.Applied = c.look(t, x, &req).Applied
	c.deny(t, req.Name, &sqladmin.DenyMaintenancePeriod{StartDate: "03-01", EndDate: "03-09", Time: "00:00:00"}, c.instance(t, req.Name).Settings.DenyMaintenancePeriods[0])
	req.Spec.GCP.DenyMaintenancePeriod = &v1alpha1.DenyMaintenancePeriod{}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	if changes := c.look(t, drivertest.Databases(c.open(t)), &req).Changes; len(changes) > 0 { // after a restart
		t.Errorf("then %v", changes)
	}
	if got := c.deniedFrom(t, req.Name); !slices.Equal(got, []string{"0-3-1"}) {
		t.Errorf("the periods begin at %q", got)
	}
}
