package rds

import (
	"cmp"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// A step is the long work that an instance is in.
type step int

const (
	resting step = iota
	creating
	backingUp
	asked // to modify, which does not show yet but for the values that are pending
	modifying
	rebooting
	stopping
	starting
	promoting
	switching // over, with another instance
	deleting
)

// An Instance is one instance. It is never changed in place: writes and the passing of time make changed copies.
type Instance struct {
	db       rdstypes.DBInstance
	step     step
	due      time.Time                      // when the step ends
	job      *engine.Job                    // what must be done before it ends; nil is nothing
	fails    bool                           // it ends in an error
	end      string                         // the status that the step ends in, in place of the usual one; empty for that
	unmade   string                         // the status of a creation that fails; empty for failed
	applying rdstypes.PendingModifiedValues // what the steps asked and modifying change
	waits    rdsUnnamed                     // waits beside PendingModifiedValues
	takes    rdsUnnamed                     // what of it those steps change
	deferred time.Time                      // when the changes that are pending were asked for
	// optimized is when storage can change again after it grew.
	optimized time.Time
	final     *rdsSnapshot // that the step deleting takes
	retains   bool         // the step deleting leaves the automated backups
	backups   rdsBackups
	// backupTags are the tags of the automated backups.
	backupTags []rdstypes.Tag
	follows    rdsFollowing
	// taking is what the server takes without a step of the instance.
	taking rdsTaking
	// retake begins work on the server behind the instance that starts it, with what its parameter group sets then.
	retake func(of *Instance, work func(id string) error) *engine.Job
	// resume is the work that starts a server that is stopped, and restart that which restarts one.
	resume, restart func(id string) error
	// arrival are the security groups that the server gets with the DB subnet group that is pending.
	arrival []rdstypes.VpcSecurityGroupMembership
	// secret is what AWS Secrets Manager has of the master password, if RDS manages that.
	secret rdsSecret
	roles  []rdsRole
	// obstacle is in the way of another major version; empty if nothing is. events are what happened to the instance.
	obstacle string
	events   []rdstypes.Event
}

// begin starts work on a server; without real servers it is over at once.
func (s *Service) begin(work func() (*engine.Engine, error)) *engine.Job {
	return engine.Begin(work, s.cloud.Options.Now, s.cloud.Options.ListenersOnly)
}

func (in *Instance) status() string { return aws.ToString(in.db.DBInstanceStatus) }

// clone returns a copy that can be changed.
func (in *Instance) clone() *Instance {
	next := *in
	pending := *in.db.PendingModifiedValues
	next.db.PendingModifiedValues = &pending
	return &next
}

// enter begins a step.
func (in *Instance) enter(s step, status string, due time.Time, job *engine.Job, fails bool) {
	in.step, in.due, in.job, in.fails = s, due, job, fails
	in.db.DBInstanceStatus = aws.String(status)
}

// rest ends all steps.
func (in *Instance) rest(status string) {
	in.step, in.job, in.fails, in.end, in.applying, in.takes = resting, nil, false, "", rdstypes.PendingModifiedValues{}, rdsUnnamed{}
	in.db.DBInstanceStatus = aws.String(status)
}

// settled returns the instance as it is at a time; nil is gone.
func (in *Instance) settled(now time.Time, d cloud.Durations) *Instance {
	for {
		switch {
		case in.step == resting:
			next := in.rested(now, d)
			if next == in {
				return in
			}
			in = next
			continue
		case now.Before(in.due) || !in.job.Finished():
			return in
		}
		if in = in.ended(d); in == nil {
			return nil
		}
	}
}

// rested begins what time brings to an instance without a step: the end of the optimisation of its storage,
// and the maintenance window, in which pending changes are made.
func (in *Instance) rested(now time.Time, d cloud.Durations) *Instance {
	if in.status() == "storage-optimization" && !now.Before(in.optimized) {
		next := in.clone()
		next.rest("available")
		return next
	}
	if again := in.db.AutomaticRestartTime; in.status() == "stopped" && again != nil && !now.Before(*again) {
		next := in.clone()
		next.db.AutomaticRestartTime = nil
		restarted(&next.db)
		next.enter(starting, "starting", again.Add(d.Modify), in.retake(in, in.resume), false)
		return next
	}
	if in.status() != "available" || reflect.ValueOf(*in.db.PendingModifiedValues).IsZero() && in.waits == (rdsUnnamed{}) {
		return in
	}
	window := nextWindow(*in.db.PreferredMaintenanceWindow, in.deferred)
	if now.Before(window) {
		return in
	}
	next := in.clone()
	next.applying, next.takes = *next.db.PendingModifiedValues, next.waits
	var job *engine.Job
	if version := next.applying.EngineVersion; version != nil && !next.refusesUpgrade(version) {
		job = next.retake(next, next.restart)
	}
	next.enter(modifying, modifyStatus(next.applying, next.takes), window.Add(d.Modify), job, false)
	return next
}

// ended returns what an instance is when its step is over.
func (in *Instance) ended(d cloud.Durations) *Instance {
	next := in.clone()
	switch in.step {
	case creating:
		next.created(d)
	case asked:
		next.enter(modifying, modifyStatus(next.applying, next.takes), in.due.Add(d.Modify), in.job, in.fails)
	case modifying:
		next.modified(d)
	case stopping:
		next.rest("stopped")
	case promoting:
		next.promoted()
	case deleting:
		// An instance stays whose final snapshot failed. No recording shows that.
		if !in.fails && (in.final == nil || !in.final.job.Failed()) {
			return nil
		}
		next.retains, next.backups.until = false, time.Time{}
		next.work()
	case backingUp:
		if b := &next.backups; b.since.IsZero() && b.job == nil && aws.ToInt32(next.db.BackupRetentionPeriod) > 0 {
			b.since = cloud.WholeMillisecond(in.due)
		}
		next.work()
	default:
		next.work()
	}
	return next
}

// created ends the step creating. The first backup follows, and the endpoint is there from then on.
func (in *Instance) created(d cloud.Durations) {
	if in.fails || in.job.Failed() || in.end == "insufficient-capacity" {
		in.rest(cmp.Or(in.end, in.unmade, "failed"))
		return
	}
	if in.job.Ended.After(in.due) { // before, there was less than belongs to an instance
		in.due = in.job.Ended
	}
	in.db.Endpoint = &rdstypes.Endpoint{
		Address: aws.String(in.job.Engine.Host), Port: aws.Int32(int32(in.job.Engine.Port)), HostedZoneId: aws.String("Z2R2ITUGPM61AM"),
	}
	in.db.PendingModifiedValues.MasterUserPassword = nil
	in.secretSet()
	in.db.InstanceCreateTime = aws.Time(in.due)
	in.certify(in.due)
	in.replicates()
	if aws.ToInt32(in.db.BackupRetentionPeriod) == 0 || in.end != "" {
		in.work()
		return
	}
	in.enter(backingUp, "backing-up", in.due.Add(backupShare(d)), nil, false)
}

// backupShare is how much of Durations.Create the first backup takes.
func backupShare(d cloud.Durations) time.Duration { return d.Create / 4 }

// modified ends the step modifying. One that failed has changed nothing.
func (in *Instance) modified(d cloud.Durations) {
	done := in.applying
	failed := in.fails || in.refusesUpgrade(done.EngineVersion)
	if failed && !in.fails {
		in.noteRefusedUpgrade()
	}
	subtract(in.db.PendingModifiedValues, done)
	unnamed := in.takes
	in.waits = in.waits.without(unnamed)
	if in.job.Failed() || failed && done.MasterUserPassword != nil {
		in.secretFailed()
		in.rest("incompatible-credentials")
		return
	}
	if done.MasterUserPassword != nil {
		in.secretSet()
	}
	if !failed {
		in.apply(done)
		takeNetworkType(&in.db, unnamed.networkType)
		takeOptions(&in.db, unnamed.optionGroup)
		if done.AllocatedStorage != nil || done.StorageType != nil || done.Iops != nil {
			in.optimized = in.due.Add(d.StorageOptimization)
		}
	}
	in.work()
}

// work ends all steps of an instance that can be used: its storage may still be optimised after it grew.
func (in *Instance) work() {
	if in.end != "" {
		in.rest(in.end)
		return
	}
	if in.due.Before(in.optimized) {
		in.rest("storage-optimization")
		return
	}
	in.rest("available")
}

// apply gives the instance the values that are set. Their names are the same on both sides.
func (in *Instance) apply(values rdstypes.PendingModifiedValues) {
	from, to := reflect.ValueOf(values), reflect.ValueOf(&in.db).Elem()
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		if field := to.FieldByName(name); !from.Field(i).IsZero() && field.CanSet() && name != "MasterUserPassword" {
			field.Set(from.Field(i))
		}
	}
	if aws.ToString(values.StorageType) == "gp2" { // which has neither to choose, and shows none
		in.db.Iops, in.db.StorageThroughput = nil, aws.Int32(0)
	}
	in.exportLogs(values.PendingCloudwatchLogsExports)
	if values.CACertificateIdentifier != nil {
		in.certify(in.due)
	}
	if values.Port != nil {
		endpoint := *in.db.Endpoint
		endpoint.Port = values.Port
		in.db.Endpoint = &endpoint
	}
	if values.EngineVersion != nil {
		in.nameGroups()
	}
	if group := values.DBSubnetGroupName; group != nil { // it was there when it was asked for
		vpc, _ := vpcOf(*group)
		in.db.DBSubnetGroup = &rdstypes.DBSubnetGroup{
			DBSubnetGroupName: group, DBSubnetGroupDescription: group, SubnetGroupStatus: aws.String("Complete"), VpcId: &vpc.id,
		}
		in.db.VpcSecurityGroups = in.arrival
	}
}

// subtract clears the values of pending that are set in done.
func subtract(pending *rdstypes.PendingModifiedValues, done rdstypes.PendingModifiedValues) {
	to, from := reflect.ValueOf(pending).Elem(), reflect.ValueOf(done)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).SetZero()
		}
	}
}
