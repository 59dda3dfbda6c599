package rds

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// monitoringRows are Enhanced Monitoring. To turn it on and off, and to change the interval or the role, takes no server down.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Enhanced Monitoring)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Enabling.html
var monitoringRows = table.Table[databaseSpec, instance, instanceParams]{
	table.Field("aws.monitoring.intervalSeconds",
		func(s *databaseSpec) *int32 { return monitoringOf(s).IntervalSeconds },
		func(i *instance) *int32 { return aws.Int32(aws.ToInt32(i.MonitoringInterval)) },
		func(p *instanceParams, v int32) { p.MonitoringInterval = &v },
	),
	table.Field(roleOfMonitoring,
		func(s *databaseSpec) *string { return monitoringOf(s).RoleARN },
		func(i *instance) *string { return i.MonitoringRoleArn },
		func(p *instanceParams, v string) { p.MonitoringRoleArn = &v },
	).Refers(driver.ReferenceRole),
}

func monitoringOf(s *databaseSpec) v1alpha1.EnhancedMonitoring {
	if m := awsOf(s).Monitoring; m != nil {
		return *m
	}
	return v1alpha1.EnhancedMonitoring{}
}

// roleOfMonitoring is the field that asks for nothing while monitoring is off and stays so: RDS takes no role without an interval above 0. Such a role may come
// from a class that leaves the interval to its objects.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (MonitoringRoleArn)
const roleOfMonitoring = "aws.monitoring.roleARN"

// withoutIdleRole leaves the role out of what is to be written where nothing would use it.
func withoutIdleRole(spec *databaseSpec, have *instance, changes []driver.Change) []driver.Change {
	if aws.ToInt32(first(monitoringOf(spec).IntervalSeconds, have.MonitoringInterval)) > 0 || aws.ToInt32(have.MonitoringInterval) > 0 {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return c.Field == roleOfMonitoring })
}

// leaveToInterval takes the role out of a call without the interval that turns monitoring on, and reports whether there was one. It goes with the
// call that has the interval: see completeMonitoring.
func leaveToInterval(p *instanceParams, have *instance) bool {
	if p.MonitoringRoleArn == nil || p.MonitoringInterval != nil || aws.ToInt32(have.MonitoringInterval) > 0 {
		return false
	}
	p.MonitoringRoleArn = nil
	return true
}

// checkMonitoring refuses an interval for which nobody named a role, before RDS does without the names of the fields.
func checkMonitoring(spec *databaseSpec, have *instance) error {
	if aws.ToInt32(monitoringOf(spec).IntervalSeconds) > 0 && first(monitoringOf(spec).RoleARN, have.MonitoringRoleArn) == nil {
		return table.Fields{"aws.monitoring.intervalSeconds", "aws.monitoring.roleARN"}.Refuse("spec.aws.monitoring.intervalSeconds above 0 needs a role: set spec.aws.monitoring.roleARN, or set intervalSeconds to 0")
	}
	return nil
}

// completeMonitoring names interval and role together: RDS takes neither an interval without the role nor the role without an interval. An interval of 0
// goes alone. One that comes without the role of the spec takes the role that the server has, so that a role that was refused keeps no interval away.
// https://github.com/hashicorp/terraform-provider-aws/issues/315
// https://github.com/azavea/terraform-aws-postgresql-rds/issues/31
func completeMonitoring(in *rds.ModifyDBInstanceInput, spec *databaseSpec, have *instance) {
	if in.MonitoringInterval == nil && in.MonitoringRoleArn == nil {
		return
	}
	in.MonitoringInterval = first(in.MonitoringInterval, have.MonitoringInterval)
	in.MonitoringRoleArn = first(in.MonitoringRoleArn, have.MonitoringRoleArn, monitoringOf(spec).RoleARN)
	if aws.ToInt32(in.MonitoringInterval) == 0 {
		in.MonitoringRoleArn = nil
	}
}

// explainMonitoring names the field of a role that RDS can't use, or that this identity may not hand to it.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Enabling.html (Creating an IAM role for Enhanced Monitoring)
func explainMonitoring(err error, role *string) error {
	var e *driver.Error
	if role == nil || !errors.As(err, &e) {
		return err
	}
	explained := *e
	switch message := session.ErrorMessage(err); {
	case e.Code == driver.Invalid && strings.Contains(message, "ENHANCED_MONITORING"):
		explained.Message = "set spec.aws.monitoring.roleARN to a role that exists in the server's account, that monitoring.rds.amazonaws.com may assume, and that has " +
			"the policy AmazonRDSEnhancedMonitoringRole: " + e.Message
	case e.Code == driver.Denied && strings.Contains(message, "iam:PassRole"):
		explained.Message = "allow iam:PassRole on the role in spec.aws.monitoring.roleARN to this identity, or name another role: " + e.Message
	default:
		return err
	}
	return &explained
}
