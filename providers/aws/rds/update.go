package rds

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// modify makes the one call for all that ModifyDBInstance takes. ApplyImmediately also applies what others left for the maintenance
// window: RDS knows no other way, so the changes have the effect of that (see withWaits). A password goes without it.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.ApplyImmediately.html
func (d *instances) modify(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (string, error) {
	if err := notStopped(have); err != nil {
		return "", err
	}
	restarts := takeRestart(params, have, changes)
	written, static, err := d.groups.change(ctx, req, have, params, changes)
	if err != nil {
		return "", err
	}
	restarts = (restarts || static) && params.DBParameterGroupName == nil // a group that is attached takes its restart after that
	var later table.FieldErrors
	if leaveToType(params, &req.Spec, have) {
		later = speedLater(changes)
	}
	leftOut := leaveToInterval(params, have)
	if leaveNetworkType(params) {
		later = append(later, networkTypeLater())
	}
	switch nothing := reflect.ValueOf(*params).IsZero(); {
	case nothing && restarts:
		return "", cmp.Or(d.restart(ctx, have), notYet(later))
	case nothing && (len(later) > 0 || leftOut || written || slices.Contains(driver.Names(changes), parameterGroup)):
		return "", notYet(later)
	}
	if err := checkParams(params, &req.Spec, have); err != nil {
		return "", err
	}
	if err := checkManagement(params, have); err != nil {
		return "", err
	}
	in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier, ApplyImmediately: aws.Bool(!onlyPassword(params) || len(disruptiveWaits(have)) == 0)}
	modification.Copy(params, in)
	completeVersion(in, have)
	in.PreferredMaintenanceWindow = params.maintenanceWindow(&req.Spec, have)
	completeNetwork(in, &req.Spec, have)
	completeDisk(in, &req.Spec, have)
	completeGrowth(in, have)
	completeLogs(in, have)
	completeMonitoring(in, &req.Spec, have)
	if changesInsights(params) {
		completeInsights(in, &req.Spec, have)
	}
	operation := upgradeOperation(have, params.EngineVersion, d.Now())
	_, err = session.Call(ctx, d.Session, "ModifyDBInstance", d.rds.ModifyDBInstance, in, onceRDS)
	err = explainManagement(explainUpgrade(err, have), in.ManageMasterUserPassword)
	if err = explainInsights(explainOptions(explainGroup(explainNetwork(explainGrowth(explainBackup(stillGrowing(err), have)))))); in.MasterUserPassword != nil {
		err = explainPassword(err)
	}
	err = explainMonitoring(explainKey(err, storedKey(in, have)), in.MonitoringRoleArn)
	if restarts {
		later = append(later, restartLater(changes)...)
	}
	if err != nil {
		return "", err
	}
	return operation, notYet(later)
}

// notYet is which of the changes could not be made beside the others; nil if all were.
func notYet(later table.FieldErrors) error {
	if len(later) == 0 {
		return nil
	}
	return later
}

// checkParams refuses what RDS would refuse without the names of the fields.
func checkParams(params *instanceParams, spec *databaseSpec, have *instance) error {
	for _, check := range []struct {
		applies bool
		refuses func(*databaseSpec, *instance) error
	}{
		{changesDisk(params), checkDisk},
		{params.DedicatedLogVolume != nil || params.StorageType != nil, checkLogVolume},
		{changesInsights(params), checkInsights},
		{params.MonitoringInterval != nil, checkMonitoring},
		{params.NetworkType != nil, checkNetworkType},
	} {
		if !check.applies {
			continue
		}
		if err := check.refuses(spec, have); err != nil {
			return err
		}
	}
	return nil
}

// refusesValues reports whether an error is about some value, and may spare the others. A denial may be: a policy can have a condition on a parameter,
// such as the instance class, and a role or a group that a call names takes a permission of its own.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html#amazonrds-policy-keys
func refusesValues(err error) bool {
	code := driver.CodeOf(err)
	return session.ErrorCode(err) == "AccessDenied" || code == driver.Invalid || code == driver.Conflict || code == driver.Quota || code == driver.Capacity || (code == driver.Busy && session.ErrorCode(err) != "InvalidDBInstanceState")
}

// stillGrowing recognises that a disk changed in the last six hours: what is refused now will be taken later.
// https://repost.aws/knowledge-center/rds-autoscaling-low-free-storage
func stillGrowing(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "previous storage change is being optimized") {
		return err
	}
	later := *e
	later.Code, later.Message = driver.Busy, "the disk grew or changed its type, IOPS or throughput a short while ago and can't change again yet: RDS requires six hours between two changes"
	return &later
}

// writeTags changes tags and mark: one call adds, and one removes if something is to go.
func (d *instances) writeTags(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (string, error) {
	if slices.Contains(driver.Names(changes), driver.FieldMark) && !req.Mark.Released {
		if _, err := d.groups.markOf(ctx, req, have); err != nil {
			return "", err
		}
	}
	return "", (&snapshots{Session: d.Session, rds: d.rds}).writeRDSTags(ctx, have.DBInstanceArn, instanceTags(have), params.Tags)
}
