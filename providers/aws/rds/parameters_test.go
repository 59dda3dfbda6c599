package rds_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func withParameters(parameters map[string]v1alpha1.ParameterValue) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) { s.Parameters = parameters }
}

type parameters = map[string]v1alpha1.ParameterValue

// groups returns the parameter groups that there are of an instance, with what somebody set in each.
func (w *environment) groups(name string) map[string]map[string]string {
	w.T.Helper()
	all := map[string]map[string]string{}
	for _, g := range awstest.Do(w.T, w.RDS.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{}).DBParameterGroups {
		if !strings.HasPrefix(*g.DBParameterGroupName, name+"-") {
			continue
		}
		set := map[string]string{}
		for _, p := range awstest.Do(w.T, w.RDS.DescribeDBParameters, &rds.DescribeDBParametersInput{DBParameterGroupName: g.DBParameterGroupName, Source: new("user")}).Parameters {
			set[*p.ParameterName] = *p.ParameterValue
		}
		all[*g.DBParameterGroupName] = set
	}
	return all
}

func (w *environment) wantGroups(when, name string, want map[string]map[string]string) {
	w.T.Helper()
	if diff := cmp.Diff(want, w.groups(name)); diff != "" {
		w.T.Errorf("%s: the groups (-want +got):\n%s", when, diff)
	}
}

// settle makes all that differs, and returns the effects of the changes in their order.
func (w *environment) settle(req *request) (effects []driver.Effect) {
	w.T.Helper()
	for range 5 {
		seen := w.database(*req)
		req.Applied = seen.Applied
		if len(seen.Changes) == 0 && seen.State == driver.Ready {
			return effects
		}
		for _, c := range seen.Changes {
			effects = append(effects, c.Effect)
		}
		if seen.State == driver.Ready {
			w.updateDatabase(*req, seen.Changes...)
		}
		w.Clock.Advance(time.Hour)
	}
	w.T.Fatalf("still not as declared: %+v", w.database(*req).Changes)
	return nil
}

// The first parameters of a server make a group of its own, a copy of the one that it has; later ones change that group, with a restart only if one of
// them is static. A re-check is one call more, and none more where nothing is declared.
func TestParametersOfAnInstance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.setStatic("spare")
	req := awstest.DatabaseOf("shop-own", nil)
	w.createDatabase(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBParameterGroupName: new("spare"), ApplyImmediately: new(true)})
	w.Clock.Advance(time.Hour)
	w.Ledger.Reset()
	w.database(req)
	if got := w.Operations(); !slices.Equal(got, []string{"DescribeDBInstances"}) {
		t.Errorf("without parameters: %q", got)
	}
	step := func(when string, want parameters, effects ...driver.Effect) {
		t.Helper()
		req.Spec.Parameters = want
		if got := w.settle(&req); !slices.Equal(got, effects) {
			t.Errorf("%s: %v, want %v", when, got, effects)
		}
		w.Ledger.Reset()
		w.database(req)
		if got := w.Operations(); !slices.Equal(got, []string{"DescribeDBInstances", "DescribeDBParameters"}) {
			t.Errorf("%s: a re-check makes the calls %q", when, got)
		}
	}
	step("the first", parameters{"work_mem": "4096", "log_connections": "on"}, driver.Online, driver.Restarts)
	w.wantGroups("the first", req.Name, map[string]map[string]string{"shop-own-a": {"max_connections": "60", "work_mem": "4096", "log_connections": "1"}})
	step("a dynamic one", parameters{"work_mem": "8192", "log_connections": "true"}, driver.Online)
	step("a static one", parameters{"work_mem": "8192", "max_worker_processes": "9"}, driver.Restarts)
	w.wantGroups("a static one", req.Name, map[string]map[string]string{"shop-own-a": {"max_connections": "60", "work_mem": "8192", "max_worker_processes": "9"}})
	req.Spec.ParametersMode = new(v1alpha1.ParametersExact)
	step("exactly these", parameters{"work_mem": "8192"}, driver.Restarts)
	w.wantGroups("exactly these", req.Name, map[string]map[string]string{"shop-own-a": {"work_mem": "8192"}})
	if got := w.groups("spare"); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// RDS does not count a parameter as set by somebody where its value is the one that every group has: it is as declared all the same, and no restart is
// asked for again and again.
func TestParametersThatEveryGroupHas(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-given", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	w.settle(&req)
	for _, slots := range []string{"20", "30", "20"} {
		req.Spec.Parameters = parameters{"work_mem": "8192", "max_replication_slots": v1alpha1.ParameterValue(slots)}
		w.settle(&req)
		w.Ledger.Reset()
		if seen := w.database(req); len(seen.Changes) > 0 || !strings.Contains(fmt.Sprint(seen.Applied["parameters"]), "max_replication_slots") {
			t.Errorf("%s: %+v, applied %v", slots, seen.Changes, seen.Applied)
		}
		if got := w.Operations(); !slices.Equal(got, []string{"DescribeDBInstances", "DescribeDBParameters"}) {
			t.Errorf("%s: a re-check makes the calls %q", slots, got)
		}
	}
	req.Spec.Version = new("17")
	w.settle(&req)
	if got := w.groups(req.Name)["shop-given-b"]; !maps.Equal(got, map[string]string{"work_mem": "8192"}) {
		t.Errorf("upgraded: %v", got)
	}
}

// A parameter that RDS took and that its group does not show is named, and no server restarts for it.
func TestParametersThatRDSDoesNotKeep(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-lossy", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	w.settle(&req)
	req.Spec.Parameters = parameters{"work_mem": "8192", "max_worker_processes": "9"}
	changes := w.database(req).Changes
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "ModifyDBParameterGroup"}, Kind: localcloud.Latency, Times: 1, Hook: func(localcloud.Call) {
		awstest.Do(t, w.RDS.ResetDBParameterGroup, &rds.ResetDBParameterGroupInput{DBParameterGroupName: new("shop-lossy-a"), Parameters: []rdstypes.Parameter{
			{ParameterName: new("max_worker_processes"), ApplyMethod: rdstypes.ApplyMethodPendingReboot},
		}})
	}})
	defer lift()
	w.Ledger.Reset()
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
	if says := fmt.Sprint(err, result.Failed); !strings.Contains(says, "max_worker_processes=9") {
		t.Errorf("%s", says)
	}
	if got := w.Operations(); slices.Contains(got, "RebootDBInstance") {
		t.Errorf("calls %q", got)
	}
}

// RDS's list is read once for a name that it does not have, and the change of that name is refused before any call. Together with an upgrade RDS has the
// last word, since the new version may have the parameter.
func TestUnknownParameters(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-misspelt", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	w.settle(&req)
	req.Spec.Parameters = parameters{"work_mem": "8192", "work_memory": "1"}
	w.Ledger.Reset()
	for range 3 {
		changes := w.database(req).Changes
		if len(changes) != 1 || changes[0].Effect != driver.Impossible || !strings.HasPrefix(changes[0].Why, "work_memory: no parameter of postgres16") {
			t.Fatalf("%+v", changes)
		}
	}
	lists := func() int { return w.Ledger.Count(localcloud.Filter{Operation: "DescribeEngineDefaultParameters"}) }
	if lists() != 1 {
		t.Errorf("the list was read %d times", lists())
	}
	req.AskedAt = time.Now() // the driver's clock
	if w.database(req); lists() != 2 {
		t.Errorf("once a person asked, the list was read %d times", lists())
	}
	req.AskedAt = time.Time{}
	req.Spec.Version = new("17")
	for _, c := range w.database(req).Changes {
		if c.Effect == driver.Impossible {
			t.Errorf("with an upgrade: %+v", c)
		}
	}
}

// A call takes 20 parameters, and what is refused is named as a whole.
func TestManyParameters(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-many", withParameters(parameters{"work_mem": "8192", "work_memory": "1", "array_nulls": "2"}))
	_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	awstest.WantCode(t, err, driver.Invalid)
	for _, name := range []string{"work_memory", "array_nulls"} {
		if !strings.Contains(fmt.Sprint(err), name+" ") {
			t.Errorf("%v does not say what is wrong with %s", err, name)
		}
	}
	req.Spec.Parameters = parameters{"work_mem": "8192"}
	w.createDatabase(&req)
	req.Spec.Parameters = parameters{"work_mem": "8192", "deadlock_timeout": "0", "max_connections": "many"}
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "deadlock_timeout has to be") || !strings.Contains(result.Failed[0].Err.Error(), "max_connections has to be") {
		t.Errorf("%v, %v", err, result.Failed)
	}
	w.wantGroups("refused", req.Name, map[string]map[string]string{"shop-many-a": {"work_mem": "8192"}})
}

// A major upgrade needs a group of the new family: it is made, filled with what the present one sets, and named in the call that upgrades.
func TestParametersOfAnUpgrade(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-major", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	for i, version := range []string{"17"} {
		req.Spec.Version = &version
		w.settle(&req)
		g := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].DBParameterGroups[0]
		if want := []string{"shop-major-b", "shop-major-a"}[i%2]; *g.DBParameterGroupName != want || *g.ParameterApplyStatus != "in-sync" {
			t.Errorf("it is in %s, %s", *g.DBParameterGroupName, *g.ParameterApplyStatus)
		}
	}
	w.wantGroups("upgraded", req.Name, map[string]map[string]string{"shop-major-a": {"work_mem": "8192"}, "shop-major-b": {"work_mem": "8192"}})
	w.deleteWithGroups(&req)
}

// deleteWithGroups deletes an instance as a caller does, until nothing of it is left.
func (w *environment) deleteWithGroups(req *request, others ...string) {
	w.T.Helper()
	stays := map[string]map[string]string{}
	for _, group := range others {
		stays[group] = map[string]string{}
	}
	req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
	for range 6 {
		seen := w.database(*req)
		switch seen.State {
		case driver.Absent:
			if got := w.groups(req.Name); !maps.EqualFunc(got, stays, maps.Equal[map[string]string, map[string]string]) || seen.Backup.GetFinalSnapshot() != driver.Ready {
				w.T.Errorf("what is left is %v, the snapshot is %v", got, seen.Backup.GetFinalSnapshot())
			}
			return
		case driver.Ready:
			if seen.ID != req.ID || seen.Mark != req.Mark {
				w.T.Errorf("seen as %q, %v", seen.ID, seen.Mark)
			}
			if _, err := drivertest.Databases(w.Session).Delete(w.T.Context(), *req); err != nil {
				w.T.Errorf("delete: %v", err)
			}
		default: // RDS is at it
		}
		w.Clock.Advance(time.Hour)
	}
	w.T.Errorf("it is still there: %v", w.groups(req.Name))
}

// The groups go with the instance, also where the spec no longer has parameters, and after a creation that never made the instance. A group without
// the mark stays and is not changed.
func TestGroupsGoWithTheInstance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-gone", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	req.Spec.Parameters = nil
	req.Applied = w.database(req).Applied
	if seen := w.database(req); len(seen.Changes) > 0 || seen.Applied["parameters"] != nil || seen.Applied["aws.parameterGroups"] == nil {
		t.Errorf("taken out of the spec: %v, applied %v", seen.Changes, seen.Applied)
	}
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBParameterGroupName: new("spare"), ApplyImmediately: new(true)})
	w.Clock.Advance(time.Hour)
	req.Applied = w.database(req).Applied
	w.deleteWithGroups(&req)

	plain := awstest.DatabaseOf("shop-plain", nil)
	w.createDatabase(&plain)
	plain.Deletion = &driver.Deletion{}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.Ledger.Reset()
	if seen := w.database(plain); seen.State != driver.Absent || !slices.Equal(w.Operations(), []string{"DescribeDBInstances"}) {
		t.Errorf("without parameters: %v, calls %q", seen.State, w.Operations())
	}

	awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop-theirs-a"), DBParameterGroupFamily: new("postgres16"), Description: new("x")})
	theirs := awstest.DatabaseOf("shop-theirs", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&theirs)
	theirs.Applied = w.database(theirs).Applied
	w.deleteWithGroups(&theirs, "shop-theirs-a")
}

// groupMark returns the mark of a group.
func (w *environment) groupMark(name string) driver.Mark {
	w.T.Helper()
	g := awstest.Do(w.T, w.RDS.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{DBParameterGroupName: &name}).DBParameterGroups[0]
	labels := map[string]string{}
	for _, tag := range awstest.Do(w.T, w.RDS.ListTagsForResource, &rds.ListTagsForResourceInput{ResourceName: g.DBParameterGroupArn}).TagList {
		labels[*tag.Key] = *tag.Value
	}
	return driver.MarkFrom(labels)
}

// What is retained is marked as released, its group too, and adoption takes both back.
func TestGroupsAreReleased(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-kept", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	marked := func(want driver.Mark) {
		t.Helper()
		if got := w.groupMark("shop-kept-a"); got != want {
			t.Errorf("the group has the mark %v, want %v", got, want)
		}
	}
	marked(req.Mark)
	req.Mark.Released = true
	result, err := drivertest.Databases(w.Session).Do(t.Context(), req, driver.Command{Verb: driver.WriteMark})
	if err != nil || len(result.Failed) > 0 || !strings.Contains(result.Left, "DB parameter group shop-kept-a stays with it") {
		t.Errorf("%+v, %v", result, err)
	}
	marked(req.Mark)
	req.Mark.Released, req.Mark.UID, req.Applied = false, "uid-2", nil
	w.command(req, driver.Command{Verb: driver.WriteMark})
	marked(req.Mark)
	for _, to := range []driver.Mark{ // from another cluster, and from another namespace, which left it there
		{Cluster: "other", Namespace: "shop", Name: "kept", UID: "uid-3"},
		{Cluster: "other", Namespace: "pay", Name: "kept", UID: "uid-4"},
	} {
		req.Mark, req.Applied = to, nil
		w.command(req, driver.Command{Verb: driver.WriteMark})
		marked(to)
		req.Mark.Released = true
		w.command(req, driver.Command{Verb: driver.WriteMark})
		marked(req.Mark)
	}
}

// Every write of a change may be lost or its answer be: the next attempts end as one that went through.
func TestLostWritesOfParameters(t *testing.T) {
	want := map[string]string{"max_connections": "60", "work_mem": "4096"}
	for _, lost := range []localcloud.FaultKind{localcloud.ResponseLost, localcloud.ServerError} {
		for skip := range 5 {
			t.Run(fmt.Sprintf("%v after %d", lost, skip), func(t *testing.T) {
				w := newEnvironment(t, localcloud.Options{Durations: slow})
				req := awstest.DatabaseOf("shop-lost", nil)
				w.createDatabase(&req)
				req.Spec.Parameters = parameters{"work_mem": "4096", "max_connections": "60"}
				lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Write: localcloud.Writes}, Kind: lost, Skip: skip})
				changes := w.database(req).Changes
				_, _ = drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
				lift()
				w.Clock.Advance(time.Hour)
				w.settle(&req)
				if got := w.groups(req.Name); !maps.Equal(got["shop-lost-a"], want) || len(got) != 1 {
					t.Errorf("%v", got)
				}
				w.deleteWithGroups(&req)
			})
		}
	}
}

// tls is an entry of the group where the engine does not do so by itself. The same entry in parameters is refused, and a group that the spec names and
// that says otherwise, too.
func TestTLS(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-tls", func(s *v1alpha1.DatabaseParameters) { s.TLS = new(v1alpha1.TLSRequired) })
	w.createDatabase(&req)
	w.wantGroups("PostgreSQL 16 requires it by itself", req.Name, map[string]map[string]string{})
	req.Spec.TLS = new(v1alpha1.TLSOptional)
	if got := w.settle(&req); !slices.Equal(got, []driver.Effect{driver.Online, driver.Restarts}) {
		t.Errorf("%v", got)
	}
	w.wantGroups("Optional", req.Name, map[string]map[string]string{"shop-tls-a": {"rds.force_ssl": "0"}})
	req.Spec.TLS = new(v1alpha1.TLSRequired)
	if got := w.settle(&req); !slices.Equal(got, []driver.Effect{driver.Interrupts}) {
		t.Errorf("%v", got)
	}
	for name, edit := range map[string]func(*v1alpha1.DatabaseParameters){
		"said twice": func(s *v1alpha1.DatabaseParameters) { s.Parameters = parameters{"rds.force_ssl": "1"} },
		"the group says otherwise": func(s *v1alpha1.DatabaseParameters) {
			s.AWS.DBParameterGroupName = new("spare")
			awstest.Do(t, w.RDS.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("spare"), Parameters: []rdstypes.Parameter{
				{ParameterName: new("rds.force_ssl"), ParameterValue: new("0"), ApplyMethod: rdstypes.ApplyMethodImmediate},
			}})
		},
	} {
		other := awstest.DatabaseOf("shop-other", func(s *v1alpha1.DatabaseParameters) {
			s.TLS = new(v1alpha1.TLSRequired)
			edit(s)
		})
		_, err := drivertest.Databases(w.Session).Create(t.Context(), other)
		if awstest.WantCode(t, err, driver.Invalid); !strings.Contains(fmt.Sprint(err), "rds.force_ssl") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A group that contradicts tls is not attached: the server would accept connections without TLS from then on.
func TestTLSBesideANamedGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	awstest.Do(t, w.RDS.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("spare"), Parameters: []rdstypes.Parameter{
		{ParameterName: new("rds.force_ssl"), ParameterValue: new("0"), ApplyMethod: rdstypes.ApplyMethodImmediate},
	}})
	req := awstest.DatabaseOf("shop-named", func(s *v1alpha1.DatabaseParameters) { s.TLS = new(v1alpha1.TLSRequired) })
	w.createDatabase(&req)
	attached := func() string {
		return *awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].DBParameterGroups[0].DBParameterGroupName
	}
	for _, tt := range []struct {
		group   string
		refused bool
	}{{"spare", true}, {"pay", false}} {
		req.Spec.AWS.DBParameterGroupName = &tt.group
		before := attached()
		result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
		if says := fmt.Sprint(err, result.Failed); strings.Contains(says, "rds.force_ssl to 1 in the group") != tt.refused {
			t.Errorf("%s: %s", tt.group, says)
		}
		w.Clock.Advance(time.Hour)
		if now := attached(); (now == before) != tt.refused {
			t.Errorf("%s: it is in %s", tt.group, now)
		}
	}
}

// A parameter that says what tls says, beside it, is neither set nor takes turns with it, whichever of the two a class enforces.
func TestTLSBesideItsParameter(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	required := new(v1alpha1.TLSRequired)
	for name, tt := range map[string]struct{ before, after v1alpha1.DatabaseParameters }{
		"shop-twice": {
			before: v1alpha1.DatabaseParameters{TLS: required, Parameters: parameters{"work_mem": "4096"}},
			after:  v1alpha1.DatabaseParameters{TLS: required, Parameters: parameters{"work_mem": "4096", "rds.force_ssl": "0"}},
		},
		"shop-turned": {
			before: v1alpha1.DatabaseParameters{Parameters: parameters{"rds.force_ssl": "1"}},
			after:  v1alpha1.DatabaseParameters{TLS: new(v1alpha1.TLSOptional), Parameters: parameters{"rds.force_ssl": "1"}},
		},
	} {
		req := awstest.DatabaseOf(name, func(s *v1alpha1.DatabaseParameters) { s.Parameters, s.TLS = tt.before.Parameters, tt.before.TLS })
		w.createDatabase(&req)
		w.settle(&req)
		before := w.groups(name)
		req.Spec.Parameters, req.Spec.TLS = tt.after.Parameters, tt.after.TLS
		changes := w.database(req).Changes
		for i, c := range changes {
			if c.Effect != driver.Impossible || !strings.Contains(c.Why, "rds.force_ssl of spec.parameters say the same") {
				t.Errorf("%s: %+v", name, c)
			}
			changes[i].Effect = driver.Online // as one that was planned before
		}
		result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
		if err != nil || len(changes) == 0 || len(result.Failed) != len(changes) {
			t.Errorf("%s: %v, %v, want all of %v refused", name, err, result.Failed, changes)
		}
		w.wantGroups("refused", name, before)
	}
}

// tls takes over an entry that was in parameters: what becomes of parameters does not reset it.
func TestTLSTakesOverItsParameter(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-over", withParameters(parameters{"rds.force_ssl": "0", "work_mem": "4096"}))
	w.createDatabase(&req)
	w.settle(&req)
	w.setStatic("shop-over-a")
	req.Spec.Parameters, req.Spec.TLS = parameters{"work_mem": "4096"}, new(v1alpha1.TLSOptional)
	w.settle(&req)
	if got := w.groups(req.Name)["shop-over-a"]["rds.force_ssl"]; got != "0" {
		t.Errorf("rds.force_ssl is %q", got)
	}
}

// What is left of a deletion is groups: an instance that somebody made under the name since is not deleted with them.
func TestDeletionOfGroupsDeletesNoInstance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-again", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	req.Applied = w.database(req).Applied
	remove := func() (calls []string, err error) {
		w.Ledger.Reset()
		_, err = drivertest.Databases(w.Session).Delete(t.Context(), req)
		return w.writing(), err
	}
	req.Deletion = &driver.Deletion{}
	if calls, err := remove(); err != nil || !slices.Equal(calls, []string{"DeleteDBInstance"}) {
		t.Errorf("%v, calls %q", err, calls)
	}
	w.Clock.Advance(time.Hour)
	other := awstest.DatabaseOf("shop-again", nil)
	other.Mark.Name = "other"
	w.createDatabase(&other)
	for _, id := range []string{req.ID, ""} {
		req.ID = id
		calls, err := remove()
		if awstest.WantCode(t, err, driver.Conflict); len(calls) > 0 {
			t.Errorf("calls %q", calls)
		}
	}
	other.Deletion = &driver.Deletion{}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if calls, err := remove(); err != nil || slices.Contains(calls, "DeleteDBInstance") || len(w.groups(req.Name)) > 0 {
		t.Errorf("the groups: %v, calls %q", err, calls)
	}
}

// What somebody else set waits for a restart: an edit of a dynamic parameter, or of tls, neither waits for that nor asks for it, and the restart stays
// what nobody edited.
func TestParametersBesideOthersRestart(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-beside", func(s *v1alpha1.DatabaseParameters) {
		s.Parameters, s.TLS = parameters{"work_mem": "4096"}, new(v1alpha1.TLSOptional)
	})
	w.createDatabase(&req)
	w.settle(&req)
	w.setStatic("shop-beside-a")
	for _, step := range []struct {
		field  string
		edit   func()
		effect driver.Effect
	}{
		{"parameters", func() { req.Spec.Parameters = parameters{"work_mem": "8192"} }, driver.Online},
		{"parameters", func() { req.Spec.Parameters = parameters{"work_mem": "8192", "array_nulls": "0"} }, driver.Online},
		{"tls", func() { req.Spec.TLS = new(v1alpha1.TLSRequired) }, driver.Interrupts},
	} {
		step.edit()
		changes := slices.DeleteFunc(w.database(req).Changes, func(c driver.Change) bool { return c.Field != step.field })
		if len(changes) != 1 || changes[0].Effect != step.effect || len(changes[0].Drifted) > 0 {
			t.Fatalf("%s: %+v", step.field, changes)
		}
		w.Ledger.Reset()
		w.updateDatabase(req, changes...)
		if got := w.writing(); !slices.Equal(got, []string{"ListTagsForResource", "ModifyDBParameterGroup"}) {
			t.Errorf("%s: calls %q", step.field, got)
		}
		w.Clock.Advance(time.Hour) // the server has taken it
		seen := w.database(req)
		req.Applied = seen.Applied
		if len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Restarts || !slices.Equal(seen.Changes[0].Drifted, seen.Changes[0].Names) || len(seen.Changes[0].Edited) > 0 {
			t.Errorf("%s: after it %+v", step.field, seen.Changes)
		}
	}
	if got := req.Applied["parameters"]; !slices.Equal(got, []string{"array_nulls=0", "work_mem=8192"}) {
		t.Errorf("applied %q", got)
	}
	w.settle(&req)
}

// An edit is seen and made also while the restart that the group waits for comes with something else.
func TestParametersBesideAnotherRestart(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-later", withParameters(parameters{"work_mem": "4096"}))
	w.createDatabase(&req)
	w.settle(&req)
	w.setStatic("shop-later-a")
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBInstanceClass: new("db.t4g.small"), ApplyImmediately: new(false)})
	req.Spec.AWS.InstanceClass = new("db.t4g.small")
	req.Spec.Parameters = parameters{"work_mem": "8192", "max_connections": "60"} // the latter is there, and waits
	changes := w.database(req).Changes
	if len(changes) != 1 || changes[0].Effect != driver.Online || !slices.Equal(changes[0].Edited, []string{"work_mem"}) {
		t.Fatalf("%+v", changes)
	}
	w.Ledger.Reset()
	w.updateDatabase(req, changes...)
	if got := w.writing(); !slices.Equal(got, []string{"ListTagsForResource", "ModifyDBParameterGroup"}) || w.groups(req.Name)["shop-later-a"]["work_mem"] != "8192" {
		t.Errorf("calls %q, groups %v", got, w.groups(req.Name))
	}
}

// A group that the spec names is the user's, also if it has the name that Mooring would give: it is mirrored, nothing is remembered of it, no major upgrade
// takes it for Mooring's, and it outlives the server. One that the spec does not name is not copied for an upgrade without the mark.
func TestGroupOfTheUserWithOurName(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	group := func(name string) {
		awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: &name, DBParameterGroupFamily: new("postgres16"), Description: new("x")})
	}
	group("shop-x-a")
	req := awstest.DatabaseOf("shop-x", inParameterGroup("shop-x-a"))
	w.createDatabase(&req)
	seen := w.database(req)
	if !strings.Contains(string(seen.Mirror), `"dbParameterGroupName":"shop-x-a"`) || seen.Applied["aws.parameterGroups"] != nil || len(seen.Changes) > 0 {
		t.Errorf("mirror %s, applied %v, changes %v", seen.Mirror, seen.Applied, seen.Changes)
	}
	refused := func(req request, says string) {
		t.Helper()
		req.Spec.Version = new("17")
		result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
		if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), says) {
			t.Errorf("%v, %v", err, result.Failed)
		}
		want := map[string]map[string]string{req.Name + "-a": {}}
		w.wantGroups("refused", req.Name, want)
	}
	refused(req, "set spec.aws.dbParameterGroupName to a DB parameter group of the new version's family")
	req.Deletion = &driver.Deletion{}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.wantGroups("deleted", req.Name, map[string]map[string]string{"shop-x-a": {}})

	group("shop-y-a")
	unnamed := awstest.DatabaseOf("shop-y", nil)
	w.createDatabase(&unnamed)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &unnamed.Name, DBParameterGroupName: new("shop-y-a"), ApplyImmediately: new(true)})
	w.Clock.Advance(time.Hour)
	refused(unnamed, "does not have this object's mark")
}

// A group that another instance uses, as a promoted read replica of the former does, can't be deleted: it is released, and the deletion ends and says so.
// An instance that is on its way out holds the group up, and no more.
func TestGroupInUseIsReleased(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-used", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	replica := awstest.DatabaseOf("replica", inParameterGroup("shop-used-a"))
	w.createDatabase(&replica)
	req.Applied, req.Deletion = w.database(req).Applied, &driver.Deletion{}
	remove := func(req request) driver.Result {
		t.Helper()
		result, err := drivertest.Databases(w.Session).Delete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if result := remove(req); result.Left != "" {
		t.Errorf("of the instance stays %q", result.Left)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); seen.State != driver.Ready {
		t.Fatalf("%v", seen.State)
	}
	if left := remove(req).Left; !strings.Contains(left, "shop-used-a") || !strings.Contains(left, "instance replica uses it") {
		t.Errorf("it says %q", left)
	}
	if seen := w.database(req); seen.State != driver.Absent || !w.groupMark("shop-used-a").Released {
		t.Errorf("%v, the group has the mark %v", seen.State, w.groupMark("shop-used-a"))
	}

	next := awstest.DatabaseOf("shop-next", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&next)
	going := awstest.DatabaseOf("going", inParameterGroup("shop-next-a"))
	w.createDatabase(&going)
	next.Applied, next.Deletion, going.Deletion = w.database(next).Applied, &driver.Deletion{}, &driver.Deletion{}
	remove(next)
	w.Clock.Advance(time.Hour)
	remove(going)
	_, err := drivertest.Databases(w.Session).Delete(t.Context(), next)
	awstest.WantCode(t, err, driver.Busy)
	w.Clock.Advance(time.Hour)
	if left := remove(next).Left; left != "" || len(w.groups("shop-next")) > 0 {
		t.Errorf("%q, groups %v", left, w.groups("shop-next"))
	}
}

// The groups of an instance that somebody deleted are released like it, so that a deletion with Retain ends.
func TestGroupsOfAGoneInstanceAreReleased(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-taken", withParameters(parameters{"work_mem": "8192"}))
	w.createDatabase(&req)
	req.Applied = w.database(req).Applied
	awstest.Do(t, w.RDS.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &req.Name, SkipFinalSnapshot: new(true)})
	w.Clock.Advance(time.Hour)
	req.Deletion = &driver.Deletion{}
	if seen := w.database(req); seen.State != driver.Ready {
		t.Fatalf("%v", seen.State)
	}
	release := func() (driver.Result, error) {
		released := req
		released.Mark.Released = true
		return drivertest.Databases(w.Session).Do(t.Context(), released, driver.Command{Verb: driver.WriteMark})
	}
	for range 2 { // the answer to the first may have been lost
		result, err := release()
		if err != nil || len(result.Failed) > 0 || !strings.Contains(result.Left, "the instance is gone, and DB parameter group shop-taken-a") {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if seen := w.database(req); seen.State != driver.Absent || !w.groupMark("shop-taken-a").Released {
		t.Errorf("%v, the group has the mark %v", seen.State, w.groupMark("shop-taken-a"))
	}
	awstest.Do(t, w.RDS.DeleteDBParameterGroup, &rds.DeleteDBParameterGroupInput{DBParameterGroupName: new("shop-taken-a")})
	if _, err := release(); driver.CodeOf(err) != driver.NotFound {
		t.Errorf("nothing is left: %v", err)
	}
}
