package system

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
)

// A RoleConsole is what people do to the roles that instances of RDS may assume.
type RoleConsole struct{ *awsDatabases }

// Roles is what people do to the roles of the account's instances.
func (c *Cloud) Roles() RoleConsole {
	return RoleConsole{&awsDatabases{rds: rds.NewFromConfig(awsConfig(c))}}
}

// Of returns the roles of an instance by their features.
func (r RoleConsole) Of(t testing.TB, name string) map[string]string {
	t.Helper()
	roles := map[string]string{}
	for _, role := range r.instance(t, name).AssociatedRoles {
		roles[*role.FeatureName] = *role.RoleArn
	}
	return roles
}

// Add associates a role.
func (r RoleConsole) Add(t testing.TB, name, feature, role string) {
	t.Helper()
	r.rest(t, name)
	call(t, r.rds.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: &feature, RoleArn: &role})
}

// Remove takes the role of a feature away.
func (r RoleConsole) Remove(t testing.TB, name, feature string) {
	t.Helper()
	r.rest(t, name)
	role := r.Of(t, name)[feature]
	call(t, r.rds.RemoveRoleFromDBInstance, &rds.RemoveRoleFromDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: &feature, RoleArn: &role})
}
