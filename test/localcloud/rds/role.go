package rds

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// Roles that each account has, beside those of monitoring: RDS may assume the first ones, and not the last one, whose trust policy names another service until TrustRDS.
var (
	rolesOfFeatures = []string{"shop-imports", "shop-exports", "shop-functions", "shop-everything"}
	RoleNotTrusting = "shop-untrusted"
)

// rdsFeatures are the features of an engine that take a role.
// https://github.com/aws/aws-cdk/blob/main/packages/aws-cdk-lib/aws-rds/lib/instance-engine.ts
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/PostgreSQL-Lambda.html
var rdsFeatures = map[string][]string{"postgres": {"s3Import", "s3Export", "Lambda"}}

// An rdsRole is a role of an instance. No recording shows one.
type rdsRole struct {
	feature, arn, status string
	due                  time.Time // until when RDS associates it, or takes it away
	leaves               bool
}

// rolesAt are the roles of an instance at a time. Whether one that is being taken away is shown, and how, no source says: others wait until it is not shown any more.
// https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/rds/instance_role_association.go
func (in *Instance) rolesAt(now time.Time) []rdsRole {
	return slices.DeleteFunc(slices.Clone(in.roles), func(r rdsRole) bool { return r.leaves && !now.Before(r.due) })
}

func (in *Instance) shownRoles(now time.Time) []rdstypes.DBInstanceRole {
	shown := []rdstypes.DBInstanceRole{}
	for _, r := range in.rolesAt(now) {
		if now.Before(r.due) {
			r.status = "PENDING"
		}
		shown = append(shown, rdstypes.DBInstanceRole{FeatureName: &r.feature, RoleArn: &r.arn, Status: &r.status})
	}
	return shown
}

// roleChange returns the instance whose roles a call changes. The words of the refusal are those of https://github.com/hashicorp/terraform-provider-aws/issues/25208.
func (c *call) roleChange(name, feature *string) (Key, *Instance, error) {
	key, have, err := c.instance(name)
	if err == nil && have.status() != "available" {
		err = invalidState("The status for the %s DB instance is %s. The DB instance is not available for %s feature.", key.name, have.status(), aws.ToString(feature))
	}
	return key, have, err
}

// addRole associates a role with an instance. That a role serves one feature alone is what the reference says, and what people report of PostgreSQL:
// https://github.com/aws/aws-cdk/pull/17060. The words about a role that can't be used are those of https://github.com/hashicorp/terraform-provider-aws (rds).
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AddRoleToDBInstance.html
func (c *call) addRole(in *rds.AddRoleToDBInstanceInput) (any, error) {
	key, have, err := c.roleChange(in.DBInstanceIdentifier, in.FeatureName)
	if err != nil {
		return nil, err
	}
	role := rdsRole{feature: aws.ToString(in.FeatureName), arn: aws.ToString(in.RoleArn), status: "ACTIVE", due: c.now.Add(c.cloud.Options.Durations.Modify)}
	name, own := strings.CutPrefix(role.arn, "arn:aws:iam::"+c.caller.Account+":role/")
	switch {
	case role.feature == "" || role.arn == "":
		return nil, amazon.Err(http.StatusBadRequest, "MissingParameter", "The request must contain the parameters FeatureName and RoleArn")
	case !slices.Contains(rdsFeatures[*have.db.Engine], role.feature):
		return nil, invalidValue("The feature-name parameter must be one of the supported features of engine %s: %s", *have.db.Engine, strings.Join(rdsFeatures[*have.db.Engine], ", "))
	case own && name == RoleNotPassed:
		return nil, amazon.Err(http.StatusForbidden, "AccessDenied", "User: "+c.caller.ARN+" is not authorized to perform: iam:PassRole on resource: "+role.arn)
	case slices.ContainsFunc(have.rolesAt(c.now), func(r rdsRole) bool { return r.feature == role.feature || r.arn == role.arn }):
		return nil, amazon.Err(http.StatusBadRequest, "DBInstanceRoleAlreadyExists", "The role or the feature is already associated with the DB instance "+key.name+".")
	case own && !c.trusts(name, role.arn):
		role.status = "INVALID"
	case !own || !slices.Contains(append([]string{RoleNotTrusting}, rolesOfFeatures...), name) || c.cloud.Fresh.Has(role.arn, c.now):
		return nil, invalidValue("IAM role ARN value is invalid or does not include the required permissions for: %s", role.feature)
	}
	next := have.clone()
	next.roles = append(have.rolesAt(c.now), role)
	c.store(key, next)
	return &rds.AddRoleToDBInstanceOutput{}, nil
}

// RemoveRole takes a role from an instance.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RemoveRoleFromDBInstance.html
func (c *call) removeRole(in *rds.RemoveRoleFromDBInstanceInput) (any, error) {
	key, have, err := c.roleChange(in.DBInstanceIdentifier, in.FeatureName)
	if err != nil {
		return nil, err
	}
	next := have.clone()
	next.roles = have.rolesAt(c.now)
	at := slices.IndexFunc(next.roles, func(r rdsRole) bool {
		return r.feature == aws.ToString(in.FeatureName) && r.arn == aws.ToString(in.RoleArn)
	})
	if at < 0 {
		return nil, amazon.Err(http.StatusNotFound, "DBInstanceRoleNotFound", "The role "+aws.ToString(in.RoleArn)+" is not associated with the DB instance "+key.name+".")
	}
	next.roles[at].leaves, next.roles[at].due = true, c.now.Add(c.cloud.Options.Durations.RoleRemoval)
	c.store(key, next)
	return &rds.RemoveRoleFromDBInstanceOutput{}, nil
}

// Trust has the trust policy of a role name RDS.
func (s *Service) Trust(role string) { s.trusting.Store(role, true) }

// trusts reports whether RDS may assume a role that is there.
func (s *Service) trusts(name, arn string) bool {
	_, corrected := s.trusting.Load(arn)
	return corrected || name != RoleNotTrusting
}
