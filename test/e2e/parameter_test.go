package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

type parameters = map[string]v1alpha1.ParameterValue

// onRDS runs a test in the cloud that has DB parameter groups.
func onRDS(t *testing.T, test func(*fixture, *system.Cloud)) {
	t.Helper()
	if !slices.ContainsFunc(providersFor(t), func(p system.Provider) bool { return p.Name == "aws" }) {
		t.Skip("only AWS has parameter groups")
	}
	w := newFixture(t)
	test(w, w.cloud("aws"))
}

// parametrised returns a database that has parameters, and accepts connections without TLS.
func (w *fixture) parametrised(c *system.Cloud, name string) *v1alpha1.Database {
	d := w.database(c, name, system.MinimalDatabase(c))
	d.Spec.Version, d.Spec.Parameters, d.Spec.TLS = new("16"), parameters{"work_mem": "8192", "max_connections": "50"}, new(v1alpha1.TLSOptional)
	d.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	return d
}

// The parameters of a server are in a DB parameter group of its own, which comes and goes with it. What each edit costs is in the calls.
func TestParametersOfRDS(t *testing.T) {
	onRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.parametrised(c, "orders")
		w.create(d)
		name := w.ready(d).Status.ExternalName
		group := name + "-a"
		w.equal("writes", c.Writes(name), []string{"CreateDBInstance"})
		w.equal("writes to its group", c.Writes(group), []string{"CreateDBParameterGroup", "ModifyDBParameterGroup"})
		w.equal("the group", c.Groups().Of(w.T, group), map[string]string{"work_mem": "8192", "max_connections": "50", "rds.force_ssl": "0"})
		w.mirrors(d, "tls", `"Optional"`)

		step := func(what string, change func(*v1alpha1.DatabaseSpec), ofServer, ofGroup []string, want map[string]string) {
			w.run(what, func(w *fixture) {
				server, its := len(c.Writes(name)), len(c.Writes(group))
				edit(w, d, func(d *v1alpha1.Database) { change(&d.Spec) })
				w.ready(d)
				w.observedAgain(c, name, 2)
				w.equal("writes", c.Writes(name)[server:], ofServer)
				w.equal("writes to its group", c.Writes(group)[its:], ofGroup)
				w.equal("the group", c.Groups().Of(w.T, group), want)
			})
		}
		step("a dynamic one is applied at once", func(s *v1alpha1.DatabaseSpec) { s.Parameters = parameters{"work_mem": "4096", "max_connections": "50"} },
			[]string{}, []string{"ModifyDBParameterGroup"}, map[string]string{"work_mem": "4096", "max_connections": "50", "rds.force_ssl": "0"})
		step("a static one restarts", func(s *v1alpha1.DatabaseSpec) { s.Parameters = parameters{"work_mem": "4096", "max_connections": "60"} },
			[]string{"RebootDBInstance"}, []string{"ModifyDBParameterGroup"}, map[string]string{"work_mem": "4096", "max_connections": "60", "rds.force_ssl": "0"})
		step("one is taken out", func(s *v1alpha1.DatabaseSpec) { s.Parameters = parameters{"max_connections": "60"} },
			[]string{}, []string{"ResetDBParameterGroup"}, map[string]string{"max_connections": "60", "rds.force_ssl": "0"})
		step("TLS is required", func(s *v1alpha1.DatabaseSpec) { s.TLS = new(v1alpha1.TLSRequired) },
			[]string{}, []string{"ModifyDBParameterGroup"}, map[string]string{"max_connections": "60", "rds.force_ssl": "1"})

		w.run("drift is corrected", func(w *fixture) {
			w.Disturb()
			its := len(c.Writes(group))
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.Parameters["work_mem"] = "4096" })
			w.ready(d)
			c.Groups().Set(w.T, group, "work_mem", "64")
			c.Groups().Set(w.T, group, "deadlock_timeout", "700") // which is nobody's
			w.Eventually("the drift is corrected", func() bool { return c.Groups().Of(w.T, group)["work_mem"] == "4096" })
			w.observedAgain(c, name, 2)
			w.equal("writes to its group", c.Writes(group)[its:], slices.Repeat([]string{"ModifyDBParameterGroup"}, 4))
			w.equal("what others set", c.Groups().Of(w.T, group)["deadlock_timeout"], "700")
		})
		step("nothing is managed", func(s *v1alpha1.DatabaseSpec) { s.Parameters, s.TLS = nil, nil }, []string{}, []string{},
			map[string]string{"max_connections": "60", "rds.force_ssl": "1", "work_mem": "4096", "deadlock_timeout": "700"})

		w.delete(d)
		w.awaitDeleted(d)
		if names := c.Groups().Names(w.T); slices.Contains(names, group) || c.Databases().Tags(w.T, name) != nil {
			w.Errorf("it is deleted, and the groups %q are there", names)
		}
	})
}

// callsForGroups counts the calls that were made about groups of a server, reads among them.
func (w *fixture) callsForGroups(c *system.Cloud, name string) int {
	return len(c.Ledger.Calls(localcloud.Filter{Resource: name + "-a"})) + len(c.Ledger.Calls(localcloud.Filter{Resource: name + "-b"}))
}

// A server that never had parameters costs no call for them. The first ones make it a group, and the restart that brings that into force follows.
func TestParametersComeLater(t *testing.T) {
	onRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.DeletionPolicy = v1alpha1.DeletionDelete
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.equal("calls for groups", w.callsForGroups(c, name), 0)
		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Parameters = parameters{"work_mem": "4096"} })
		w.ready(d)
		w.expectWrites(c, name, mark, "ModifyDBInstance", "RebootDBInstance")
		w.equal("writes to its group", c.Writes(name+"-a"), []string{"CreateDBParameterGroup", "ModifyDBParameterGroup"})

		w.Disturb()
		system.TargetOf("Database", c.Name).Drop(c, w.T, name)
		w.stalled(d, v1alpha1.ReasonVanished)
		w.equal("its group stays until somebody decides", slices.Contains(c.Groups().Names(w.T), name+"-a"), true)
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate
			d.Spec.Version = new("16")
		})
		w.ready(d)
		w.equal("the group of the new server", c.Groups().Of(w.T, name+"-a"), map[string]string{"work_mem": "4096"})
		system.TargetOf("Database", c.Name).Drop(c, w.T, name)
		w.delete(d)
		w.awaitDeleted(d)
		w.equal("a group is left", slices.Contains(c.Groups().Names(w.T), name+"-a"), false)

		plain := w.database(c, "plain", system.MinimalDatabase(c))
		plain.Spec.DeletionPolicy = v1alpha1.DeletionDelete
		w.create(plain)
		name = w.ready(plain).Status.ExternalName
		w.delete(plain)
		w.awaitDeleted(plain)
		w.equal("calls for groups", w.callsForGroups(c, name), 0)
	})
}

// What is retained keeps its group, which is marked as released like the server; and both are taken back. An Event names the group. A group whose
// server somebody deleted holds nothing up.
func TestRetainedWithItsGroup(t *testing.T) {
	onRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.parametrised(c, "orders")
		d.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.delete(d)
		w.awaitDeleted(d)
		if mark := driver.MarkFrom(c.Groups().Tags(w.T, name+"-a")); !mark.Released {
			t.Errorf("the group has the mark %+v", mark)
		}
		retained := "Normal Retained: retained " + name + " in aws account " + c.Account + "; "
		w.expectEvents(d, []string{retained + "DB parameter group " + name + "-a stays with it, marked as released too"})
		back := w.parametrised(c, "orders")
		back.Spec.Adoption = v1alpha1.AdoptionIfExists
		mark := len(c.Writes(name + "-a"))
		w.create(back)
		w.ready(back)
		w.equal("writes to its group", c.Writes(name + "-a")[mark:], []string{"AddTagsToResource", "RemoveTagsFromResource"})
		if mark := driver.MarkFrom(c.Groups().Tags(w.T, name+"-a")); mark.Released || mark.UID != string(back.UID) {
			t.Errorf("the group of the server that was taken back has the mark %+v", mark)
		}
		w.delete(back)
		w.awaitDeleted(back)
		w.equal("a group is left", slices.Contains(c.Groups().Names(w.T), name+"-a"), false)

		lost := w.parametrised(c, "lost")
		lost.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		w.create(lost)
		name = w.ready(lost).Status.ExternalName
		w.Disturb()
		system.TargetOf("Database", c.Name).Drop(c, w.T, name)
		w.delete(lost)
		w.awaitDeleted(lost)
		if mark := driver.MarkFrom(c.Groups().Tags(w.T, name+"-a")); !mark.Released {
			t.Errorf("the group of the lost server has the mark %+v", mark)
		}
	})
}

// A static parameter is written and the server is restarted in the window, under the same rules as any other restart; a dynamic one waits for nothing.
func TestStaticParameterWaits(t *testing.T) {
	t.Parallel()
	if !slices.ContainsFunc(providersFor(t), func(p system.Provider) bool { return p.Name == "aws" }) {
		t.Skip("only AWS has parameter groups")
	}
	clock := newSchedule()
	clock.seldom = windowSync
	day := newDayFixture(t, clock, windowSync, localcloud.Durations{Modify: 10 * time.Minute})
	w := newWindowFixture(day, day.onDay("aws"), func(d *v1alpha1.Database) {
		d.Spec.Version, d.Spec.Parameters = new("16"), parameters{"work_mem": "8192", "max_connections": "50"}
	})
	group := w.name + "-a"
	mark, its := len(w.cloud.Writes(w.name)), len(w.cloud.Writes(group))
	edit(w.fixture, w.d, func(d *v1alpha1.Database) { d.Spec.Parameters["work_mem"] = "4096" })
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) })
	w.equal("writes to its group", w.cloud.Writes(group)[its:], []string{"ModifyDBParameterGroup"})

	edit(w.fixture, w.d, func(d *v1alpha1.Database) { d.Spec.Parameters["max_connections"] = "60" })
	w.until(w.d, "waiting for the window", func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionSynced)
		return s.Generation == w.d.Generation && s.ObservedGeneration == w.d.Generation && c != nil && c.Reason == string(v1alpha1.ReasonWaitingForWindow)
	})
	pending := w.last(w.d).Status.PendingChanges
	if len(pending) != 1 || pending[0].Field != "parameters" || pending[0].Effect != string(driver.Restarts) || pending[0].WaitsFor != v1alpha1.WaitsForMaintenanceWindow ||
		!strings.Contains(pending[0].To, "max_connections=60") {
		t.Errorf("%+v is pending", pending)
	}
	w.pass()
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) })
	w.equal("writes", w.cloud.Writes(w.name)[mark:], []string{"RebootDBInstance"})
	w.equal("writes to its group", w.cloud.Writes(group)[its:], []string{"ModifyDBParameterGroup", "ModifyDBParameterGroup"})
	for _, resource := range []string{w.name, group} {
		calls := w.Cloud.Ledger.Calls(localcloud.Filter{Resource: resource, Write: localcloud.Writes})
		if at := calls[len(calls)-1].Time; at.Before(w.opens) || at.After(w.opens.Add(time.Minute)) {
			t.Errorf("the window opens at %s, and %s changed at %s", w.opens, resource, at)
		}
	}
}
