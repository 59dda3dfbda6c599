package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func roles(featureAndName ...string) []v1alpha1.AssociatedRole {
	list := []v1alpha1.AssociatedRole{}
	for i := 0; i < len(featureAndName); i += 2 {
		list = append(list, v1alpha1.AssociatedRole{FeatureName: featureAndName[i], RoleARN: "arn:aws:iam::" + awstest.Account + ":role/" + featureAndName[i+1]})
	}
	return list
}

func withRoles(featureAndName ...string) func(*v1alpha1.DatabaseParameters) {
	return func(p *v1alpha1.DatabaseParameters) {
		p.Engine, p.AWS.AssociatedRoles = new(v1alpha1.EnginePostgres), roles(featureAndName...)
	}
}

// rolesOf returns what RDS says of the roles of an instance: feature, name and state.
func (w *environment) rolesOf(name string) map[string]string {
	w.T.Helper()
	all := map[string]string{}
	for _, r := range w.instance(name).AssociatedRoles {
		all[*r.FeatureName] = (*r.RoleArn)[len("arn:aws:iam::"+awstest.Account+":role/"):] + " " + *r.Status
	}
	return all
}

func (w *environment) wantRoles(when, name string, want map[string]string) {
	w.T.Helper()
	if diff := cmp.Diff(want, w.rolesOf(name)); diff != "" {
		w.T.Errorf("%s: roles (-want +got):\n%s", when, diff)
	}
}

// created makes a server without roles, as every one is, and has the driver see it as a spec with roles.
func (w *environment) created(req *request) {
	w.T.Helper()
	spec := req.Spec
	req.Spec.AWS = spec.AWS.DeepCopy()
	req.Spec.AWS.AssociatedRoles = nil
	w.createDatabase(req)
	req.Spec = spec
}

// converge makes the changes of a spec until nothing differs, and waits for RDS in between.
func (w *environment) converge(req *request) {
	w.T.Helper()
	for range 3 {
		seen := w.database(*req)
		if req.Applied = seen.Applied; seen.State == driver.Ready && len(seen.Changes) == 0 {
			return
		}
		if _, err := drivertest.Databases(w.Session).Update(w.T.Context(), *req, driver.Edit{Changes: seen.Changes}); err != nil {
			w.T.Fatal(err)
		}
		w.Clock.Advance(time.Hour)
	}
	seen := w.database(*req)
	w.T.Fatalf("still not as declared: %v, changes %+v", seen.State, seen.Changes)
}

// A creation takes no roles: they are associated once the server is there, and until RDS has done so the server is not as declared.
func TestRolesOfANewServer(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports", "s3Export", "shop-exports"))
	result, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.ID = result.ID
	if seen := w.database(req); seen.State != driver.Pending || len(w.rolesOf(req.Name)) > 0 {
		t.Errorf("while it is made: %v with roles %v", seen.State, w.rolesOf(req.Name))
	}
	w.Clock.Advance(time.Hour)
	seen := w.database(req)
	if diff := cmp.Diff([]string{"aws.associatedRoles"}, driver.Names(seen.Changes)); diff != "" || seen.Changes[0].Effect != driver.Online {
		t.Fatalf("changes (-want +got):\n%s%v", diff, seen.Changes)
	}
	w.Ledger.Reset()
	w.updateDatabase(req, seen.Changes...)
	w.wantRoles("at first", req.Name, map[string]string{"s3Import": "shop-imports PENDING", "s3Export": "shop-exports PENDING"})
	if seen = w.database(req); seen.State != driver.Pending || !seen.Available || seen.Work.What != "associating the role of s3Import" || len(seen.Changes) > 0 {
		t.Errorf("while RDS associates them: %v, available %t, %q, changes %v", seen.State, seen.Available, seen.Work.What, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	w.wantRoles("then", req.Name, map[string]string{"s3Import": "shop-imports ACTIVE", "s3Export": "shop-exports ACTIVE"})
	if seen = w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || w.Writes() != 2 {
		t.Errorf("in the end: %v, changes %v, after %d writes", seen.State, seen.Changes, w.Writes())
	}
}

// Roles that the spec had go and come with it, one by one and also where they change places; those of features that the spec never had are others', and stay.
func TestRolesOfOthersStay(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports", "s3Export", "shop-exports"))
	w.created(&req)
	awstest.Do(t, w.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("Lambda"), RoleArn: &roles("Lambda", "shop-functions")[0].RoleARN})
	w.Clock.Advance(time.Hour)
	w.converge(&req)
	for _, step := range []struct {
		name   string
		roles  []v1alpha1.AssociatedRole
		writes int
		want   map[string]string
	}{
		{"another role", roles("s3Import", "shop-everything", "s3Export", "shop-exports"), 2, map[string]string{"s3Import": "shop-everything", "s3Export": "shop-exports"}},
		{"in the places of each other", roles("s3Export", "shop-everything", "s3Import", "shop-exports"), 4, map[string]string{"s3Import": "shop-exports", "s3Export": "shop-everything"}},
		{"one less", roles("s3Export", "shop-everything"), 1, map[string]string{"s3Export": "shop-everything"}},
		{"the role of another feature", roles("s3Import", "shop-everything"), 2, map[string]string{"s3Import": "shop-everything"}},
		{"none, please", roles(), 1, map[string]string{}},
		{"one again", roles("s3Import", "shop-imports"), 1, map[string]string{"s3Import": "shop-imports"}},
		{"released", nil, 0, map[string]string{"s3Import": "shop-imports"}},
	} {
		req.Spec.AWS.AssociatedRoles = step.roles
		w.Ledger.Reset()
		w.converge(&req)
		if w.Writes() != step.writes {
			t.Errorf("%s: %d writes, want %d", step.name, w.Writes(), step.writes)
		}
		want := map[string]string{"Lambda": "shop-functions ACTIVE"}
		for feature, role := range step.want {
			want[feature] = role + " ACTIVE"
		}
		w.wantRoles(step.name, req.Name, want)
	}
}

// A feature to which somebody gave another role is not ours to change.
func TestRoleOfAnotherInTheWay(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports", "s3Export", "shop-exports"))
	w.created(&req)
	awstest.Do(t, w.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("s3Import"), RoleArn: &roles("s3Import", "shop-everything")[0].RoleARN})
	w.Clock.Advance(time.Hour)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Conflict {
		t.Errorf("%v, failed %v; want a conflict", err, result.Failed)
	}
	w.Clock.Advance(time.Hour)
	w.wantRoles("in the end", req.Name, map[string]string{"s3Import": "shop-everything ACTIVE", "s3Export": "shop-exports ACTIVE"})
}

// Whoever takes away a role of ours, or replaces it, has made a difference that is corrected.
func TestRolesDrift(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	w.converge(&req)
	gone := &rds.RemoveRoleFromDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("s3Import"), RoleArn: &roles("s3Import", "shop-imports")[0].RoleARN}
	awstest.Do(t, w.RDS.RemoveRoleFromDBInstance, gone)
	w.converge(&req)
	w.wantRoles("after it was taken away", req.Name, map[string]string{"s3Import": "shop-imports ACTIVE"})
	awstest.Do(t, w.RDS.RemoveRoleFromDBInstance, gone)
	awstest.Do(t, w.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("s3Import"), RoleArn: &roles("s3Import", "shop-everything")[0].RoleARN})
	w.Clock.Advance(time.Hour)
	w.converge(&req)
	w.wantRoles("after it was replaced", req.Name, map[string]string{"s3Import": "shop-imports ACTIVE"})
}

// Where RDS takes its time to take away a role, the other one follows: nothing is taken away twice, and nothing fails for good.
func TestRoleFollowsAnother(t *testing.T) {
	durations := slow
	durations.RoleRemoval = 10 * time.Minute
	w := newEnvironment(t, localcloud.Options{Durations: durations})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	w.converge(&req)
	req.Spec.AWS.AssociatedRoles = roles("s3Import", "shop-everything", "s3Export", "shop-exports")
	w.Ledger.Reset()
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Errorf("%v, failed %v; want the other role later", err, result.Failed)
	}
	if seen := w.database(req); seen.State != driver.Pending {
		t.Errorf("while RDS takes it away: %v, changes %v", seen.State, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	w.converge(&req)
	w.wantRoles("in the end", req.Name, map[string]string{"s3Import": "shop-everything ACTIVE", "s3Export": "shop-exports ACTIVE"})
	if n := w.Ledger.Count(localcloud.Filter{Operation: "RemoveRoleFromDBInstance"}); n != 1 {
		t.Errorf("%d calls took a role away, want 1", n)
	}
}

// A role that the server can't assume is a problem of the object that declares it, with what to do, and of no other one.
func TestRoleThatCannotBeAssumed(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-untrusted"))
	w.created(&req)
	w.converge(&req)
	w.wantRoles("then", req.Name, map[string]string{"s3Import": "shop-untrusted INVALID"})
	seen := w.database(req)
	for _, part := range []string{"role/shop-untrusted", "s3Import", "rds.amazonaws.com", "spec.aws.associatedRoles"} {
		if !strings.Contains(seen.Lost, part) {
			t.Errorf("%q does not say %q", seen.Lost, part)
		}
	}
	req.Spec.AWS.AssociatedRoles = nil
	if seen = w.database(req); seen.Lost != "" || seen.State != driver.Ready {
		t.Errorf("without the field: %v, %q", seen.State, seen.Lost)
	}
}

// RDS changes roles of a server that is available: in any other state nothing is called in vain.
func TestRolesWaitForTheServer(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	awstest.Do(t, w.RDS.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &req.Name})
	w.Clock.Advance(time.Hour)
	req.Spec.PowerState = new(v1alpha1.PowerStateStopped)
	seen := w.database(req)
	w.Ledger.Reset()
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || w.Writes() > 0 || len(result.Failed) != len(seen.Changes) {
		t.Errorf("while it is stopped: %v, failed %v of %v, after %d writes", err, result.Failed, seen.Changes, w.Writes())
	}
	for _, f := range result.Failed {
		if driver.CodeOf(f.Err) != driver.Busy {
			t.Errorf("%s failed with %v", f.Field, f.Err)
		}
	}
	req.Spec.PowerState = new(v1alpha1.PowerStateRunning)
	w.converge(&req)
	w.wantRoles("once it runs", req.Name, map[string]string{"s3Import": "shop-imports ACTIVE"})
}

// A refusal names the role, and says what to do. It keeps no other role from being associated.
func TestRolesRefused(t *testing.T) {
	for name, test := range map[string]struct {
		refused []string
		edit    func(*v1alpha1.AssociatedRole)
		fault   localcloud.Fault
		code    driver.Code
		says    string
	}{
		"a role that does not exist":         {refused: []string{"s3Import", "shop"}, code: driver.Invalid, says: "name a role that exists in the server's account"},
		"a role of another account":          {refused: []string{"s3Import", "shop-imports"}, edit: func(r *v1alpha1.AssociatedRole) { r.RoleARN = "arn:aws:iam::222222222222:role/shop-imports" }, code: driver.Invalid, says: "in the server's account"},
		"a role that nobody may pass on":     {refused: []string{"s3Import", "audit-monitoring"}, code: driver.Denied, says: "allow iam:PassRole on this role"},
		"a feature that the engine lacks":    {refused: []string{"S3_INTEGRATION", "shop-imports"}, code: driver.Invalid, says: "name a feature of the server's engine"},
		"a role that serves another feature": {refused: []string{"s3Import", "shop-functions"}, code: driver.Conflict, says: "a role for one feature"},
		"more roles than RDS takes": {refused: []string{"s3Import", "shop-imports"}, code: driver.Quota, says: "as many roles as RDS takes",
			fault: localcloud.Fault{Kind: localcloud.Refused, Filter: localcloud.Filter{Operation: "AddRoleToDBInstance"}, Status: 400, Code: "DBInstanceRoleQuotaExceeded", Message: "quota", Times: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", withRoles(append(test.refused, "s3Export", "shop-exports")...))
			if test.edit != nil {
				test.edit(&req.Spec.AWS.AssociatedRoles[0])
			}
			w.created(&req)
			awstest.Do(t, w.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("Lambda"), RoleArn: &roles("Lambda", "shop-functions")[0].RoleARN})
			w.Clock.Advance(time.Hour)
			if test.fault.Code != "" {
				w.Faults.Add(test.fault)
			}
			result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
			if err != nil || len(result.Failed) != 1 {
				t.Fatalf("%v, failed %v", err, result.Failed)
			}
			failed := result.Failed[0]
			if driver.CodeOf(failed.Err) != test.code || !strings.Contains(failed.Err.Error(), test.says) || !strings.Contains(failed.Err.Error(), "spec.aws.associatedRoles") {
				t.Errorf("%v: %v; want %v that says %q", driver.CodeOf(failed.Err), failed.Err, test.code, test.says)
			}
			if w.Clock.Advance(time.Hour); w.rolesOf(req.Name)["s3Export"] != "shop-exports ACTIVE" {
				t.Errorf("roles %v; want the other one to be associated", w.rolesOf(req.Name))
			}
		})
	}
}

// Whoever calls again, because an answer was lost or a read was stale, does no harm.
func TestRolesAgain(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	add := w.database(req).Changes
	w.updateDatabase(req, add...)
	w.Faults.Add(localcloud.Fault{Kind: localcloud.Stale, Filter: localcloud.Filter{Operation: "DescribeDBInstances"}, Times: 1})
	w.updateDatabase(req, add...)
	w.Clock.Advance(time.Hour)
	w.converge(&req)
	req.Spec.AWS.AssociatedRoles = roles()
	remove := w.database(req).Changes
	w.updateDatabase(req, remove...)
	w.Faults.Add(localcloud.Fault{Kind: localcloud.Stale, Filter: localcloud.Filter{Operation: "DescribeDBInstances"}, Times: 1})
	w.updateDatabase(req, remove...)
	w.wantRoles("in the end", req.Name, map[string]string{})
}

// MySQL and MariaDB have no feature that takes a role, which is said before any call.
func TestRolesOfOtherEngines(t *testing.T) {
	for engine, lacks := range map[v1alpha1.Engine]int{v1alpha1.EngineMySQL: 1, v1alpha1.EngineMariaDB: 1, v1alpha1.EnginePostgres: 0} {
		for _, list := range [][]v1alpha1.AssociatedRole{roles("s3Import", "shop-imports"), roles()} {
			spec := awstest.DatabaseOf("x", func(p *v1alpha1.DatabaseParameters) { p.Engine, p.AWS.AssociatedRoles = &engine, list }).Spec
			if got := allLacks(t, spec); len(got) != lacks*len(list) {
				t.Errorf("%s with %v lacks %v", engine, list, got)
			}
		}
	}
}
