package rds

import (
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// Roles that each account has: with those of Enhanced Monitoring RDS may write metrics, and the last one nobody may hand to RDS.
const (
	RoleOfMonitoring = "rds-monitoring-role" // in the recordings
	otherMonitoring  = "shop-monitoring"
	RoleNotPassed    = "audit-monitoring"
)

// setMonitoring gives an instance what a call asks of Enhanced Monitoring, at once. No recording shows the refusals. Their words are those of
// https://github.com/hashicorp/terraform/issues/5455 and https://github.com/azavea/terraform-aws-postgresql-rds/issues/31. That the role is not
// reported while monitoring is off is what the recordings show of instances that perhaps never had one. Its log stream goes on to be reported, as
// https://github.com/pganalyze/collector/pull/701 says. It reports whether anything changed: the instance is then in a status of its own for a while.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html (configuring-enhanced-monitoring)
func (c *call) setMonitoring(db *rdstypes.DBInstance, seconds *int32, role *string) (changed bool, err error) {
	before, roleBefore := aws.ToInt32(db.MonitoringInterval), aws.ToString(db.MonitoringRoleArn)
	interval := *orElse(seconds, aws.ToInt32(db.MonitoringInterval))
	switch {
	case !slices.Contains([]int32{0, 1, 5, 10, 15, 30, 60}, interval):
		return false, invalidValue("Invalid MonitoringInterval value: %d. Valid values are 0, 1, 5, 10, 15, 30 and 60.", interval)
	case role != nil && interval == 0:
		return false, invalidCombination("You must specify a MonitoringInterval value other than 0 when you specify a MonitoringRoleARN value.")
	case seconds != nil && interval > 0 && role == nil:
		return false, invalidCombination("A MonitoringRoleARN value is required if you specify a MonitoringInterval value other than 0.")
	}
	db.MonitoringInterval = &interval
	if interval == 0 {
		db.MonitoringRoleArn = nil
		return before != 0, nil
	}
	if role == nil {
		return false, nil
	}
	name, own := strings.CutPrefix(*role, "arn:aws:iam::"+c.caller.Account+":role/")
	switch {
	case own && name == RoleNotPassed:
		return false, amazon.Err(http.StatusForbidden, "AccessDenied", "User: "+c.caller.ARN+" is not authorized to perform: iam:PassRole on resource: "+*role)
	case !own || name != RoleOfMonitoring && name != otherMonitoring || c.cloud.Fresh.Has(*role, c.now):
		return false, invalidValue("IAM role ARN value is invalid or does not include the required permissions for: ENHANCED_MONITORING")
	}
	db.MonitoringRoleArn = role
	db.EnhancedMonitoringResourceArn = aws.String("arn:aws:logs:" + c.caller.Region + ":" + c.caller.Account + ":log-group:RDSOSMetrics:log-stream:" + *db.DbiResourceId)
	return before != interval || roleBefore != *role, nil
}
