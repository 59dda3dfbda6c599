package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

const fieldRoles = "aws.associatedRoles"

// roles returns roles of features by their names.
func roles(featureAndName ...string) []v1alpha1.AssociatedRole {
	list := []v1alpha1.AssociatedRole{}
	for i := 0; i < len(featureAndName); i += 2 {
		list = append(list, v1alpha1.AssociatedRole{FeatureName: featureAndName[i], RoleARN: awsRoles + featureAndName[i+1]})
	}
	return list
}

// importing declares a database of PostgreSQL that imports from Amazon S3, through a class that opens all roles.
func (w *fixture) importing(c *system.Cloud, name string) *v1alpha1.Database {
	w.Helper()
	p := system.MinimalDatabase(c)
	p.AWS.AssociatedRoles = roles("s3Import", "shop-imports")
	d := w.database(c, name, p)
	system.Connect(d, name+"-db")
	return throughOpenClass(w, c, d)
}

// A new server gets the roles of its Database before that is Ready. Those that the spec no longer has go, those that others associated stay, and one of ours that somebody took away comes back.
func TestAssociatedRoles(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.importing(c, "orders")
	w.create(d)
	name := w.ready(d).Status.ExternalName
	w.mirrors(d, fieldRoles, `[{"featureName":"s3Import","roleARN":"`+awsRoles+`shop-imports"}]`)
	w.equal("writes", c.Writes(name), []string{"CreateDBInstance", "AddRoleToDBInstance"})
	w.equal("transitions", w.Transitions("Database", d.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})

	c.Roles().Add(w.T, name, "Lambda", awsRoles+"shop-functions")
	mark := len(c.Writes(name))
	since := edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.AWS.AssociatedRoles = roles("s3Export", "shop-exports", "s3Import", "shop-everything")
	})
	w.mirrors(d, fieldRoles, `[{"featureName":"Lambda","roleARN":"`+awsRoles+`shop-functions"},{"featureName":"s3Export","roleARN":"`+awsRoles+`shop-exports"},{"featureName":"s3Import","roleARN":"`+awsRoles+`shop-everything"}]`)
	w.expectWrites(c, name, mark, "AddRoleToDBInstance", "RemoveRoleFromDBInstance", "AddRoleToDBInstance")
	w.expectEditTransitions(d, since)

	w.Disturb()
	c.Roles().Remove(w.T, name, "s3Import")
	w.Eventually("the role is back", func() bool { return c.Roles().Of(w.T, name)["s3Import"] == awsRoles+"shop-everything" })
	w.ready(d)

	mark = len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.AssociatedRoles = roles() })
	w.mirrors(d, fieldRoles, `[{"featureName":"Lambda","roleARN":"`+awsRoles+`shop-functions"}]`)
	w.expectWrites(c, name, mark, "RemoveRoleFromDBInstance", "RemoveRoleFromDBInstance")
	w.equal("roles", c.Roles().Of(w.T, name), map[string]string{"Lambda": awsRoles + "shop-functions"})
}

// A role that can't be used is told with what to do, and another one is the way out.
func TestAssociatedRoleThatCannotBeUsed(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.importing(c, "orders")
	d.Spec.AWS.AssociatedRoles = roles("s3Import", "audit-monitoring")
	w.create(d)
	w.stalled(d, v1alpha1.ReasonDenied, fieldRoles, "allow iam:PassRole on this role")
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.AssociatedRoles = roles("s3Import", "nowhere") })
	w.stalled(d, v1alpha1.ReasonInvalid, fieldRoles, "name a role that exists in the server's account")
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.AssociatedRoles = roles("s3Import", "shop-untrusted") })
	s := w.stalled(d, v1alpha1.ReasonFailed, "it is up to date and runs, but the server can't assume role", "trust the service rds.amazonaws.com")
	c.TrustRDS(awsRoles + "shop-untrusted")
	mark := len(c.Writes(s.Status.ExternalName))
	w.asks(d, v1alpha1.AnnotationReconcile, "trusted")
	w.ready(d)
	w.expectWrites(c, s.Status.ExternalName, mark, "RemoveRoleFromDBInstance", "AddRoleToDBInstance")
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.AssociatedRoles = roles("s3Import", "shop-imports") })
	w.ready(d)
	w.equal("roles", c.Roles().Of(w.T, s.Status.ExternalName), map[string]string{"s3Import": awsRoles + "shop-imports"})
}

// A server that is restored has no roles, and gets those of its Database before that is Ready.
func TestAssociatedRolesAfterARestore(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.importing(c, "orders")
	w.create(d)
	w.ready(d)
	s := w.snapshotOf(d, "nightly")
	w.create(s)
	w.ready(s)
	for name, from := range map[string]v1alpha1.DatabaseRestore{
		"restored": of(s),
		"at-time":  {PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}}},
	} {
		again := w.restores(d, name, from)
		w.create(again)
		server := w.ready(again).Status.ExternalName
		w.equal("roles of "+name, c.Roles().Of(w.T, server), map[string]string{"s3Import": awsRoles + "shop-imports"})
		w.equal("transitions of "+name, w.Transitions("Database", again.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
	}
}

// The server that takes the place of another one in an upgrade has no roles. It has those of the Database before that is Ready.
func TestAssociatedRolesAfterAnUpgradeBeside(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.importing(c, "orders")
	d.Spec.Version = new("15")
	d.Spec.Parameters = map[string]v1alpha1.ParameterValue{"rds.logical_replication": "1"}
	d.Spec.Updates = &v1alpha1.Updates{Strategy: v1alpha1.StrategyBlueGreen}
	w.create(d)
	before := w.ready(d).Status
	since := edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("16") })
	w.Disturb()
	w.AwaitObject(d, "another server has the name", func() bool { return d.Status.FormerServer != nil && d.Status.ExternalID != before.ExternalID })
	w.state(d, "usable", func(s system.Snapshot) bool {
		return s.Is(v1alpha1.ConditionReady, yes) && s.ObservedGeneration == s.Generation && s.Generation == d.Generation
	})
	for _, s := range w.States("Database", d.Name, since) {
		if s.Is(v1alpha1.ConditionReady, yes) && s.Generation == d.Generation && s.ObservedGeneration == s.Generation && s.Value(fieldRoles) == "" {
			w.Errorf("it is Ready without its roles: %v", s)
		}
	}
	w.equal("roles", c.Roles().Of(w.T, before.ExternalName), map[string]string{"s3Import": awsRoles + "shop-imports"})
}
