package execute

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/providers/driver"
)

// That a server can't be used is worse than a change that does not come true, and no edit and no creation hides it.
func TestChangeInVainOfWhatCannotBeUsed(t *testing.T) {
	changes := []driver.Change{{Field: "parameters", From: "a=1", To: "a=2"}}
	broken := driver.Observation{State: driver.Ready, Problem: "it does not start"}
	for _, tt := range []struct {
		name string
		seen driver.Observation
		out  outcome.Outcome
		want condition.State
		says string
	}{
		{"an edit", driver.Observation{Available: true}, outcome.Outcome{State: condition.Updating}, condition.Updating, "sends it again"},
		{"an edit, and it is broken", broken, outcome.Outcome{State: condition.Updating}, condition.Stalled, "it can't be used: it does not start"},
		{"drift", driver.Observation{Available: true}, outcome.Outcome{KeepConditions: true}, condition.DriftWaits, "does not keep the value"},
		{"drift, and it is broken", broken, outcome.Outcome{KeepConditions: true}, condition.Stalled, "it can't be used: it does not start"},
		{"a creation, and it is broken", broken, outcome.Outcome{State: condition.Progressing}, condition.Stalled, "it can't be used: it does not start"},
		{"a creation that can be used", driver.Observation{Available: true}, outcome.Outcome{State: condition.Progressing}, condition.Updating, "does not keep a value"},
		{"a creation", driver.Observation{}, outcome.Outcome{State: condition.Progressing, Message: "the cloud is creating it"}, condition.Progressing, "the cloud is creating it; it accepted a part of it before"},
		{"it is down for another change", driver.Observation{}, outcome.Outcome{State: condition.Updating}, condition.Updating, "sends it again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			task := newWork(t).State
			task.Observation = tt.seen
			out := inVain(task, tt.out, changes)
			if out.State != tt.want || out.KeepConditions || !strings.Contains(out.Message, tt.says) || !out.Retried {
				t.Errorf("%+v", out)
			}
			if (out.Reason == v1alpha1.ReasonFailed) != (tt.want == condition.Stalled) {
				t.Errorf("reason %s", out.Reason)
			}
		})
	}
	deleting := newWork(t).State
	deleting.Observation, deleting.Deleting = broken, true
	if out := inVain(deleting, outcome.Outcome{State: condition.Deleting}, changes); out.State != condition.Deleting {
		t.Errorf("while it is deleted: %+v", out)
	}
}

// What the cloud begins before it makes the changes of an update is no failure of them.
func TestWhatComesFirstIsNoFailure(t *testing.T) {
	changes := []driver.Change{{Field: "version"}, {Field: "gcp.tier"}}
	failed := func(code driver.Code, fields ...string) (all []driver.FieldError) {
		for _, field := range fields {
			all = append(all, driver.FieldError{Field: field, Err: &driver.Error{Code: code, Op: "patch", Message: "it looks first"}})
		}
		return all
	}
	for name, tt := range map[string]struct {
		done driver.Result
		want bool
	}{
		"all wait":          {driver.Result{Operation: "op", Failed: failed(driver.Busy, "version", "gcp.tier")}, true},
		"one was made":      {driver.Result{Operation: "op", Failed: failed(driver.Busy, "version")}, false},
		"one was refused":   {driver.Result{Operation: "op", Failed: append(failed(driver.Busy, "version"), failed(driver.Invalid, "gcp.tier")...)}, false},
		"nothing was begun": {driver.Result{Failed: failed(driver.Busy, "version", "gcp.tier")}, false},
		"all were made":     {driver.Result{Operation: "op"}, false},
	} {
		if got := comesFirst(changes, tt.done); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
