package rds_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// ModifyDBParameterGroup and ResetDBParameterGroup take 20 parameters: more go in several calls, and one restart follows all of them.
func TestMoreParametersThanACallTakes(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	all := func(timeout int, others parameters) parameters {
		out := parameters{"rds.force_ssl": "0"}
		for i, name := range []string{
			"array_nulls", "autovacuum", "log_connections", "log_disconnections", "log_lock_waits", "track_activities", // switches
			"authentication_timeout", "deadlock_timeout", "gin_pending_list_limit", "idle_in_transaction_session_timeout", "lock_timeout", "log_autovacuum_min_duration",
			"log_min_duration_statement", "log_temp_files", "effective_cache_size", "max_worker_processes", "max_connections", "statement_timeout", "temp_buffers", "work_mem",
		} {
			value := fmt.Sprint(timeout + i)
			if i < 6 {
				value = fmt.Sprint(timeout % 2)
			}
			out[name] = v1alpha1.ParameterValue(value)
		}
		maps.Copy(out, others)
		return out
	}
	req := awstest.DatabaseOf("shop-lots", withParameters(all(400, nil)))
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	calls := func(when string, want ...string) {
		t.Helper()
		if got := w.writing(); !slices.Equal(got, want) {
			t.Errorf("%s: calls %q, want %q", when, got, want)
		}
		w.Ledger.Reset()
	}
	calls("creation", "CreateDBParameterGroup", "ModifyDBParameterGroup", "ModifyDBParameterGroup", "CreateDBInstance")
	w.Clock.Advance(time.Hour)
	if n := len(w.groups(req.Name)["shop-lots-a"]); n != 21 {
		t.Errorf("%d of 21 are set", n)
	}
	w.settle(&req)
	req.Spec.Parameters = all(501, parameters{"log_error_verbosity": "terse", "rds.force_ssl": "1"})
	w.Ledger.Reset()
	w.updateDatabase(req, w.database(req).Changes...)
	calls("all change", "ListTagsForResource", "ModifyDBParameterGroup", "ModifyDBParameterGroup", "RebootDBInstance")
	w.Clock.Advance(time.Hour)
	w.settle(&req)
	req.Spec.Parameters = parameters{}
	w.Ledger.Reset()
	w.updateDatabase(req, w.database(req).Changes...)
	calls("all go", "ListTagsForResource", "ResetDBParameterGroup", "ResetDBParameterGroup", "RebootDBInstance")
	w.Clock.Advance(time.Hour)
	w.settle(&req)
	w.wantGroups("all are gone", req.Name, map[string]map[string]string{"shop-lots-a": {}})
}

// MySQL accepts connections without TLS by itself: a new server that requires it begins with a group of its own, and nothing differs then.
func TestTLSOfNewMySQL(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-mysql", func(s *v1alpha1.DatabaseParameters) {
		s.Engine, s.Version, s.TLS = new(v1alpha1.EngineMySQL), new("8.4"), new(v1alpha1.TLSRequired)
	})
	w.createDatabase(&req)
	w.wantGroups("created", req.Name, map[string]map[string]string{"shop-mysql-a": {"require_secure_transport": "1"}})
	w.wantAttached(&req, "shop-mysql-a")
	w.deleteWithGroups(&req)
}

// A mode without parameters, as of a class, asks for nothing, and takes nothing of others away where tls makes a group.
func TestParametersModeAlone(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.setStatic("spare")
	req := awstest.DatabaseOf("shop-mode", func(s *v1alpha1.DatabaseParameters) { s.ParametersMode = new(v1alpha1.ParametersExact) })
	w.createDatabase(&req)
	w.moveTo("shop-mode", "spare")
	w.Ledger.Reset()
	if seen := w.database(req); len(seen.Changes) > 0 || !slices.Equal(w.Operations(), []string{"DescribeDBInstances"}) {
		t.Errorf("%v, calls %q", seen.Changes, w.Operations())
	}
	req.Spec.TLS = new(v1alpha1.TLSOptional)
	w.settle(&req)
	w.wantGroups("tls", req.Name, map[string]map[string]string{"shop-mode-a": {"max_connections": "60", "rds.force_ssl": "0"}})
	req.Spec.Parameters = parameters{}
	w.settle(&req)
	w.wantGroups("exactly none", req.Name, map[string]map[string]string{"shop-mode-a": {"rds.force_ssl": "0"}})
}

// RDS neither deletes a protected server nor changes a stopped one: the protection goes once the server runs, and then the server.
func TestDeletionWhileStoppedAndProtected(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-asleep", func(s *v1alpha1.DatabaseParameters) {
		s.Parameters, s.DeletionProtection = parameters{"work_mem": "4096"}, new(true)
	})
	w.createDatabase(&req)
	req.Spec.PowerState = new(v1alpha1.PowerStateStopped)
	w.settle(&req)
	deleting := req
	deleting.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
	seen := w.database(deleting)
	if !seen.Protected || !seen.Stopped {
		t.Errorf("protected %v, stopped %v", seen.Protected, seen.Stopped)
	}
	_, err := drivertest.Databases(w.Session).Delete(t.Context(), deleting)
	awstest.WantCode(t, err, driver.Protected)
	req.Spec.DeletionProtection = new(false)
	changes := w.database(req).Changes
	if len(changes) != 1 || !changes[0].NeedsRunning {
		t.Errorf("%+v", changes)
	}
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Errorf("%v, %v", result.Failed, err)
	}
	req.Spec.PowerState = new(v1alpha1.PowerStateRunning)
	w.updateDatabase(req, about(driver.FieldPowerState, w.database(req).Changes))
	w.Clock.Advance(time.Hour)
	w.settle(&req)
	req.Spec.PowerState = new(v1alpha1.PowerStateStopped)
	w.settle(&req)
	w.deleteWithGroups(&req) // a stopped one can be deleted
}
