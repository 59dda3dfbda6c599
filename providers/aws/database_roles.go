package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
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
).Equal("entries in another order; roles of other features, which others associated, are left alone").RefersIn("roleARN", driver.ReferenceRole)

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
	return fmt.Sprintf("the server can't assume role %s for %s: have the role exist and trust the service rds.amazonaws.com, or name another one in spec.%s", role.RoleARN, role.FeatureName, fieldRoles)
}

// rolesWork is what RDS does while it associates roles that a spec declares.
func rolesWork(spec *databaseSpec, have *instance) driver.Work {
	if role := inState(spec, have, rolePending); role != nil {
		return driver.Work{What: "associating the role of " + role.FeatureName}
	}
	return driver.Work{}
}

// rolesWait reports whether a change of roles has to wait: RDS takes none of a server that is not available, and while it is at work on one, nobody knows whether that comes or goes.
func rolesWait(have *instance, c driver.Change) bool {
	return c.Field == fieldRoles && (rolesLater(have) != nil || slices.ContainsFunc(have.AssociatedRoles, func(r types.DBInstanceRole) bool { return aws.ToString(r.Status) == rolePending }))
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

// An associator gives roles to instances.
type associator struct{ of *databases }

// write takes roles from an instance and associates others, by a call for each. One that is refused keeps no other from being associated. Where RDS still
// takes away the role that another one follows, that one is associated after that.
func (a associator) write(ctx context.Context, _ *databaseRequest, have *instance, params *instanceParams, _ []driver.Change) (string, error) {
	change := params.AssociatedRoles
	unset := &table.Unset{}
	for _, role := range change.Set {
		unset.Names = append(unset.Names, role.FeatureName)
	}
	if unset.Err = rolesLater(have); unset.Err != nil {
		return "", unset
	}
	leave := leaving(have, change)
	for _, role := range leave {
		if unset.Err = a.remove(ctx, have, role); unset.Err != nil {
			return "", unset
		}
	}
	var failed []*driver.Error
	for _, role := range change.Set {
		err := a.add(ctx, have, role, leave)
		if !driver.CodeOf(err).SetsNothing() { // it is associated, or may be
			unset.Names = slices.DeleteFunc(unset.Names, func(feature string) bool { return feature == role.FeatureName })
		}
		if err == nil {
			continue
		}
		e := *asError(explainRole(err, role))
		failed = append(failed, &e)
		if !slices.Contains([]driver.Code{driver.Invalid, driver.Denied, driver.Quota, driver.Conflict}, e.Code) {
			break
		}
	}
	if len(failed) == 0 {
		return "", nil
	}
	unset.Err = joined(failed)
	return "", unset
}

// leaving returns the roles that go: of features that no longer have one, and those in whose place others come.
func leaving(have *instance, change table.Members[v1alpha1.AssociatedRole]) (leave []v1alpha1.AssociatedRole) {
	for _, role := range *rolesOf(have) {
		replaced := slices.ContainsFunc(change.Set, func(r v1alpha1.AssociatedRole) bool { return r.FeatureName == role.FeatureName && r != role })
		if replaced || slices.Contains(change.Remove, role.FeatureName) {
			leave = append(leave, role)
		}
	}
	return leave
}

func (a associator) remove(ctx context.Context, have *instance, role v1alpha1.AssociatedRole) error {
	_, err := call(ctx, a.of.session, "RemoveRoleFromDBInstance", a.of.rds.RemoveRoleFromDBInstance, &rds.RemoveRoleFromDBInstanceInput{
		DBInstanceIdentifier: have.DBInstanceIdentifier, FeatureName: &role.FeatureName, RoleArn: &role.RoleARN,
	}, onceRDS)
	if apiCode(err) == "DBInstanceRoleNotFound" { // an earlier call did it
		return nil
	}
	return err
}

// add associates a role. leave are the roles that were taken away before: RDS may have others in their place only later.
func (a associator) add(ctx context.Context, have *instance, role v1alpha1.AssociatedRole, leave []v1alpha1.AssociatedRole) error {
	_, err := call(ctx, a.of.session, "AddRoleToDBInstance", a.of.rds.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{
		DBInstanceIdentifier: have.DBInstanceIdentifier, FeatureName: &role.FeatureName, RoleArn: &role.RoleARN,
	}, onceRDS)
	if apiCode(err) != "DBInstanceRoleAlreadyExists" {
		return err
	}
	now, unread := a.of.describe(ctx, aws.ToString(have.DBInstanceIdentifier))
	if unread != nil || now == nil {
		return cmp.Or(unread, err)
	}
	at := slices.IndexFunc(*rolesOf(now), func(r v1alpha1.AssociatedRole) bool {
		return r.FeatureName == role.FeatureName || r.RoleARN == role.RoleARN
	})
	switch {
	case at >= 0 && (*rolesOf(now))[at] == role: // an earlier call did it
		return nil
	case at < 0 || slices.Contains(leave, (*rolesOf(now))[at]):
		return &driver.Error{Code: driver.Busy, Op: "AddRoleToDBInstance", Message: fmt.Sprintf("RDS is taking away the former role: Mooring associates %s with %s after that", role.RoleARN, role.FeatureName)}
	}
	return err
}

// explainRole says what to do about a role that RDS does not take, or that this identity may not hand to it. No recording shows a refusal; the words for a role
// are those of monitoring, as others know them.
// https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/rds/instance_role_association.go
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.S3Import.ARNRole.html
func explainRole(err error, role v1alpha1.AssociatedRole) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	explained, message, says := *e, apiMessage(err), ""
	switch code := apiCode(err); {
	case code == "DBInstanceRoleAlreadyExists":
		says = "RDS takes one role for a feature, and a role for one feature: name another role, or take away the other association in RDS"
	case code == "DBInstanceRoleQuotaExceeded":
		says = "the server has as many roles as RDS takes: remove an entry, or take away one in RDS that others associated"
	case e.Code == driver.Denied && strings.Contains(message, "iam:PassRole"):
		says = "allow iam:PassRole on this role to this identity, or name another role"
	case e.Code == driver.Invalid && strings.Contains(message, "IAM role"):
		says = "name a role that exists in the server's account, and that rds.amazonaws.com may assume"
	case e.Code == driver.Invalid:
		says = "name a feature of the server's engine and version, such as s3Import, s3Export or Lambda of PostgreSQL"
	case e.Code != driver.Denied:
		return err
	}
	explained.Message = fmt.Sprintf("spec.%s has role %s for %s: %s", fieldRoles, role.RoleARN, role.FeatureName, strings.TrimPrefix(says+". RDS says: "+e.Message, ". "))
	return &explained
}
