package rds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const fieldRoles = "aws.associatedRoles"

// rolesAfterwards says when the roles are associated that no creation takes.
const rolesAfterwards = "AddRoleToDBInstance associates them once the instance is there"

// rolesRow is which roles a server may assume. RDS takes one for a feature, and each role for one feature. No recording shows an association.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AddRoleToDBInstance.html
var rolesRow = table.MembersOf(fieldRoles,
	func(s *databaseSpec) []v1alpha1.AssociatedRole { return awsOf(s).AssociatedRoles },
	rolesOf,
	func(p *instanceParams, m table.Members[v1alpha1.AssociatedRole]) { p.AssociatedRoles = m },
	func(r v1alpha1.AssociatedRole) string { return r.FeatureName },
	func(r v1alpha1.AssociatedRole) v1alpha1.AssociatedRole { return r },
).Equal("entries in another order; roles of other features, which others associated, are left alone").RefersIn("roleARN", driver.ReferenceRole).EffectOf(rolesEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "a feature without a role gets one"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "a role that the server has is replaced or removed", Cost: driver.Cost{
		Text:   "RDS takes the former role away first: imports, exports and calls with it fail until the server has the new one, and for good where it gets none",
		Source: "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RemoveRoleFromDBInstance.html",
	}},
)

// rolesEffect: RDS has one role for a feature, so another one comes after the former one is gone.
func rolesEffect(present, _ []v1alpha1.AssociatedRole) (driver.Effect, string) {
	if len(present) == 0 {
		return driver.Online, ""
	}
	var features []string
	for _, role := range present {
		features = append(features, role.FeatureName)
	}
	slices.Sort(features)
	return driver.Interrupts, "the server loses its role for " + strings.Join(features, ", ")
}

// States of a role of an instance.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstanceRole.html (Status)
const (
	rolePending = "PENDING"
	roleInvalid = "INVALID"
)

// roleLacks: of the engines that are served here, PostgreSQL alone has features that take a role.
// https://github.com/aws/aws-cdk/blob/main/packages/aws-cdk-lib/aws-rds/lib/instance-engine.ts
// https://github.com/ansible-collections/community.aws/pull/1002
var roleLacks = []driver.Lack{{
	Field: fieldRoles, Match: `^\[.+\]$`, Values: "a list with entries for MySQL or MariaDB", With: map[string]string{"engine": "^(mysql|mariadb)$"},
	Why: "in RDS these engines have no feature that takes a role", Instead: "remove spec." + fieldRoles,
}}

// rolesOf returns the roles of an instance by their features, sorted.
func rolesOf(i *instance) *[]v1alpha1.AssociatedRole {
	roles := make([]v1alpha1.AssociatedRole, 0, len(i.AssociatedRoles))
	for _, r := range i.AssociatedRoles {
		roles = append(roles, roleFrom(r))
	}
	slices.SortFunc(roles, func(a, b v1alpha1.AssociatedRole) int { return cmp.Compare(a.FeatureName, b.FeatureName) })
	return &roles
}

func roleFrom(r types.DBInstanceRole) v1alpha1.AssociatedRole {
	return v1alpha1.AssociatedRole{FeatureName: aws.ToString(r.FeatureName), RoleARN: aws.ToString(r.RoleArn)}
}

// inState returns the first of the roles that a spec declares of which RDS reports a state; nil if there is none.
func inState(spec *databaseSpec, have *instance, state string) *v1alpha1.AssociatedRole {
	for _, r := range have.AssociatedRoles {
		if role := roleFrom(r); aws.ToString(r.Status) == state && slices.Contains(awsOf(spec).AssociatedRoles, role) {
			return &role
		}
	}
	return nil
}

// rolesProblem says that the server can't use a role that a spec declares; nothing if it can use all.
func rolesProblem(spec *databaseSpec, have *instance) string {
	role := inState(spec, have, roleInvalid)
	if role == nil {
		return ""
	}
	return fmt.Sprintf("the server can't assume role %s for %s: have the role exist and trust the service rds.amazonaws.com, and set the annotation mooring.dev/reconcile to another value: "+
		"Mooring then associates it anew. Or name another role in spec.%s", role.RoleARN, role.FeatureName, fieldRoles)
}

// rolesWork is what RDS does while it associates roles that a spec declares.
func rolesWork(spec *databaseSpec, have *instance) driver.Work {
	if role := inState(spec, have, rolePending); role != nil {
		return driver.Work{What: "associating the role of " + role.FeatureName}
	}
	return driver.Work{}
}

// rolesWorkInTheWay is what RDS does with a role, whoever asked for it, before it takes what differs.
func rolesWorkInTheWay(have *instance, differs []driver.Change) driver.Work {
	at := slices.IndexFunc(have.AssociatedRoles, isPending)
	if at < 0 || !slices.Contains(driver.Names(differs), fieldRoles) {
		return driver.Work{}
	}
	return driver.Work{What: "working on the role of " + roleFrom(have.AssociatedRoles[at]).FeatureName + ", and Mooring changes roles after that"}
}

func isPending(r types.DBInstanceRole) bool { return aws.ToString(r.Status) == rolePending }

// rolesWait reports whether a change of roles has to wait: RDS takes none of a server that is not available, and while it is at work on one, nobody knows whether that comes or goes.
func rolesWait(have *instance, c driver.Change) bool {
	return c.Field == fieldRoles && (rolesLater(have) != nil || slices.ContainsFunc(have.AssociatedRoles, isPending))
}

// rolesLater is why no role is associated with a server now, nor taken from it: "the status of the DB instance must be available".
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AddRoleToDBInstance.html
func rolesLater(have *instance) error {
	status := aws.ToString(have.DBInstanceStatus)
	if status == "available" {
		return nil
	}
	return &driver.Error{Code: driver.Busy, Op: "AddRoleToDBInstance", Message: fmt.Sprintf("RDS changes the roles of a server in the status available only, and this one is in %s: Mooring waits for that", status)}
}
