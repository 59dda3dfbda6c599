package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// refusedRoles updates a database whose spec differs in its roles, and returns how that failed.
func (w *environment) refusedRoles(req request) error {
	w.T.Helper()
	result, err := drivertest.Databases(w.Session).Update(w.T.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 {
		w.T.Fatalf("%v, failed %v", err, result.Failed)
	}
	w.Clock.Advance(time.Hour)
	return result.Failed[0].Err
}

// refuse has calls of an operation refused until the function that it returns is called.
func (w *environment) refuse(operation string, status int, code, message string) (lift func()) {
	return w.Faults.Add(localcloud.Fault{Kind: localcloud.Refused, Filter: localcloud.Filter{Operation: operation}, Status: status, Code: code, Message: message})
}

// Who replaces a role, or removes it, is told that its feature fails meanwhile; a feature that had none gets one without that.
func TestEffectOfRoles(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports", "s3Export", "shop-exports"))
	w.created(&req)
	w.converge(&req)
	for name, test := range map[string]struct {
		roles  []v1alpha1.AssociatedRole
		effect driver.Effect
		says   string
	}{
		"one more":              {roles("s3Import", "shop-imports", "s3Export", "shop-exports", "Lambda", "shop-functions"), driver.Online, ""},
		"another, and one more": {roles("s3Import", "shop-everything", "s3Export", "shop-exports", "Lambda", "shop-functions"), driver.Interrupts, "its role for s3Import; "},
		"one less":              {roles("s3Export", "shop-exports"), driver.Interrupts, "its role for s3Import; "},
		"none, please":          {roles(), driver.Interrupts, "its role for s3Export, s3Import; "},
	} {
		req.Spec.AWS.AssociatedRoles = test.roles
		changes := w.database(req).Changes
		if len(changes) != 1 || changes[0].Effect != test.effect || !strings.Contains(changes[0].Why, test.says) || strings.Contains(changes[0].Why, "fail until") != (test.says != "") {
			t.Errorf("%s: %+v", name, changes)
		}
	}
}

// Where the role in whose place another one was to come is gone, each refusal of that one says so, until the feature has a role.
func TestFormerRoleIsTold(t *testing.T) {
	const says = "role/shop-imports was taken away before: put that one back, or name a role"
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	w.converge(&req)
	req.Spec.AWS.AssociatedRoles = roles("s3Import", "nowhere")
	for range 2 {
		if err := w.refusedRoles(req); !strings.Contains(err.Error(), says) {
			t.Errorf("it says %v", err)
		}
	}
	w.wantRoles("without the new one", req.Name, map[string]string{})
	req.Spec.AWS.AssociatedRoles = roles("s3Import", "shop-everything")
	w.converge(&req)
	awstest.Do(t, w.RDS.RemoveRoleFromDBInstance, &rds.RemoveRoleFromDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: new("s3Import"), RoleArn: &req.Spec.AWS.AssociatedRoles[0].RoleARN})
	w.refuse("AddRoleToDBInstance", 400, "InvalidParameterValue", "IAM role is unfit")
	if err := w.refusedRoles(req); strings.Contains(err.Error(), "before") {
		t.Errorf("of a role that nobody replaces it says %v", err)
	}
}

// A role that is refused a removal stays, with what to do, and keeps no other feature from its role. The one that was to come in its place is not tried.
func TestRefusedRemovalOfARole(t *testing.T) {
	for name, test := range map[string]struct {
		want   []v1alpha1.AssociatedRole
		status int
		code   string
		says   string
	}{
		"removed":         {roles("s3Export", "shop-exports"), 403, "AccessDenied", "allow rds:RemoveRoleFromDBInstance"},
		"replaced":        {roles("s3Import", "shop-everything", "s3Export", "shop-exports"), 403, "AccessDenied", "allow rds:RemoveRoleFromDBInstance"},
		"for its feature": {roles("s3Export", "shop-exports"), 400, "InvalidParameterValue", "take it away in RDS"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
			w.created(&req)
			w.converge(&req)
			lift := w.refuse("RemoveRoleFromDBInstance", test.status, test.code, "no")
			req.Spec.AWS.AssociatedRoles = test.want
			w.Ledger.Reset()
			err := w.refusedRoles(req)
			if text := err.Error(); !strings.Contains(text, test.says) || !strings.Contains(text, "role/shop-imports for s3Import") || strings.Count(text, "RDS says") != 1 {
				t.Errorf("it says %v", err)
			}
			w.wantRoles("then", req.Name, map[string]string{"s3Import": "shop-imports ACTIVE", "s3Export": "shop-exports ACTIVE"})
			if n := w.Ledger.Count(localcloud.Filter{Operation: "AddRoleToDBInstance"}); n != 1 {
				t.Errorf("%d roles were tried, want 1", n)
			}
			lift()
			w.converge(&req)
		})
	}
}

// What to do about a refusal is what its words are about.
func TestAdviceOnARefusedRole(t *testing.T) {
	const role, feature = "name a role that exists", "name a feature of the server's engine"
	for _, test := range []struct {
		status        int
		code, message string
		advice        string // the words that are there; of role and feature no other ones
	}{
		{400, "InvalidParameterValue", "IAM role ARN value is invalid or does not include the required permissions for: S3_INTEGRATION", role},
		{400, "InvalidParameterValue", "The feature-name parameter must be one of: s3Import", feature},
		{400, "InvalidParameterCombination", "This is not possible.", role + "|" + feature},
		{400, "InvalidParameterValue", "Cross-account pass role is not allowed.", "name a role of the server's account"},
		{403, "AccessDenied", "User: x is not authorized to perform: iam:PassRole on resource: y", "allow iam:PassRole on this role"},
		{403, "AccessDenied", "User: x is not authorized to perform: iam:passrole", "allow iam:PassRole on this role"},
		{403, "AccessDenied", "User: x is not authorized to perform: rds:AddRoleToDBInstance", "allow this identity what RDS names"},
		{400, "DBInstanceRoleAlreadyExists", "exists", "and shows none: Mooring tries again"},
	} {
		w := newEnvironment(t, localcloud.Options{Durations: slow})
		req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
		w.created(&req)
		w.refuse("AddRoleToDBInstance", test.status, test.code, test.message)
		text := w.refusedRoles(req).Error()
		for _, part := range append(strings.Split(test.advice, "|"), role, feature) {
			if strings.Contains(text, part) != strings.Contains(test.advice, part) {
				t.Errorf("%s: it says %q, and of %q the opposite is right", test.message, text, part)
			}
		}
	}
}

// After its trust policy was corrected, a role is associated anew for who asks, once, and for nobody else.
func TestRoleIsAssociatedAnew(t *testing.T) {
	for name, trusted := range map[string]bool{"corrected": true, "as it was": false} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			w.Session = w.openByClock()
			req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-untrusted"))
			w.created(&req)
			w.converge(&req)
			if trusted {
				w.TrustRDS(roles("s3Import", "shop-untrusted")[0].RoleARN)
			}
			w.Ledger.Reset()
			if seen := w.database(req); len(seen.Changes) > 0 || !strings.Contains(seen.Lost, "mooring.dev/reconcile") {
				t.Errorf("nobody asked: %+v, %q", seen.Changes, seen.Lost)
			}
			req.AskedAt = w.Clock.Now()
			if changes := w.database(req).Changes; len(changes) != 1 || changes[0].Effect != driver.Online {
				t.Errorf("somebody asked: %+v", changes)
			}
			lift := w.refuse("RemoveRoleFromDBInstance", 403, "AccessDenied", "no")
			if err := w.refusedRoles(req); !strings.Contains(err.Error(), "which is to be associated anew: allow rds:RemoveRoleFromDBInstance") {
				t.Errorf("a refusal says %v", err)
			}
			lift()
			w.Ledger.Reset()
			w.Clock.Advance(time.Second)
			w.converge(&req)
			seen, want := w.database(req), map[bool]string{true: "shop-untrusted ACTIVE", false: "shop-untrusted INVALID"}[trusted]
			w.wantRoles("in the end", req.Name, map[string]string{"s3Import": want})
			if seen.State != driver.Ready || (seen.Lost == "") != trusted || w.Writes() != 2 {
				t.Errorf("in the end: %v, %q, after %d writes", seen.State, seen.Lost, w.Writes())
			}
			req.AskedAt = w.Clock.Now()
			if changes := w.database(req).Changes; len(changes) == 1 == trusted {
				t.Errorf("somebody asked again: %+v", changes)
			}
		})
	}
}

// While RDS is at work on the role of somebody else, roles wait, and it is told for what; an object without a difference does not wait.
func TestRolesWaitForThoseOfOthers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withRoles("s3Import", "shop-imports"))
	w.created(&req)
	add := func(feature, role string) {
		awstest.Do(t, w.RDS.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &req.Name, FeatureName: &feature, RoleArn: &roles(feature, role)[0].RoleARN})
	}
	add("Lambda", "shop-functions")
	if seen := w.database(req); seen.State != driver.Pending || seen.Work.What != "working on the role of Lambda, and Mooring changes roles after that" {
		t.Errorf("while RDS is at work: %v, %q", seen.State, seen.Work.What)
	}
	w.Clock.Advance(time.Hour)
	w.converge(&req)
	add("s3Export", "shop-exports")
	if seen := w.database(req); seen.State != driver.Ready || seen.Work.What != "" {
		t.Errorf("as declared: %v, %q", seen.State, seen.Work.What)
	}
}
