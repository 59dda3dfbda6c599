package sql

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlRecovery is what an instance with point-in-time recovery has.
type sqlRecovery struct {
	log     string    // names the log of the server's writes; empty for none
	since   time.Time // when the log began
	history []sqlPast // oldest first
}

// A sqlPast is which databases and users an instance had from a time on.
type sqlPast struct {
	at        time.Time
	databases []*sqladmin.Database
	users     []*sqladmin.User
}

// note notes what an instance has once an operation is done.
func (p *sqlRecovery) note(in *sqlInstance, at time.Time) {
	if p.log != "" {
		p.history = append(p.history, sqlPast{at, slices.Clone(in.databases), slices.Clone(in.users)})
	}
}

// newLog names the log for an instance; empty if it has no point-in-time recovery. MySQL has no log here.
func (s *Service) newLog(resource google.Object) string {
	version, _ := resource["databaseVersion"].(string)
	if google.Member(google.Cloned(resource), "settings", "backupConfiguration")[recoveryMember(version)] != true {
		return ""
	}
	if !s.cloud.Options.ListenersOnly {
		if sqlFamily(version) != "POSTGRES" {
			return ""
		}
		s.cloud.Clock.Watch(s.cloud.Closing)
	}
	s.serial++
	return fmt.Sprintf("cloudsql-log-%d", s.serial)
}

// recoveryChange adds to a change of an instance what it means for its log: one that is switched on begins anew.
func (s *Service) recoveryChange(in *sqlInstance, next google.Object, work sqlWork) sqlWork {
	id, old, begun := in.engineID, in.recovery.log, s.newLog(next)
	if (old == "") == (begun == "") {
		return work
	}
	server, succeed := work.server, work.succeed
	work.server = func() error {
		if server != nil {
			if err := server(); err != nil {
				return err
			}
		}
		if begun != "" {
			return s.cloud.Engines.KeepLog(id, begun)
		}
		return errors.Join(s.cloud.Engines.EndLog(id), s.cloud.Engines.Drop(old))
	}
	work.succeed = func() {
		succeed()
		in.recovery = sqlRecovery{log: begun, since: cloud.WholeMillisecond(in.last.ended)}
	}
	return work
}

// recoveryWindow is from when until when an instance can be recovered.
func (r *sqlRequest) recoveryWindow(in *sqlInstance) (earliest, latest time.Time, err error) {
	version := in.databaseVersion()
	backup := google.Typed[sqladmin.DatabaseInstance](in.resource).Settings.BackupConfiguration
	switch {
	case !backup.PointInTimeRecoveryEnabled && !backup.BinaryLogEnabled:
		return time.Time{}, time.Time{}, sqlInvalid("point-in-time recovery is not enabled for instance " + in.Name + ".")
	case in.recovery.log == "" && sqlFamily(version) == "MYSQL":
		return time.Time{}, time.Time{}, google.Err(501, "notImplemented", engine.ErrNoLog.Error())
	}
	earliest = r.Now.AddDate(0, 0, -int(backup.TransactionLogRetentionDays))
	if earliest.Before(in.recovery.since) {
		earliest = in.recovery.since
	}
	return earliest, r.Now, nil
}

// getRecoveryTime says from when until when an instance can be recovered. The reference has it for instances that are not available, too. No recording shows it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/projects.instances/getLatestRecoveryTime
func (s *Service) getRecoveryTime(r *sqlRequest) (any, error) {
	in, err := r.instance()
	if err != nil {
		return nil, err
	}
	earliest, latest, err := r.recoveryWindow(in)
	if err != nil {
		return nil, err
	}
	return &sqladmin.SqlInstancesGetLatestRecoveryTimeResponse{
		Kind: "sql#getLatestRecoveryTime", EarliestRecoveryTime: sqlTime(earliest), LatestRecoveryTime: sqlTime(latest),
	}, nil
}

// cloneInstance makes an instance with the settings of another one, its labels among them, and with its data as they are or were at a time. A recording shows a clone of the data as
// they are. No recording shows one of a time, one to another zone, or any refusal. Clones of a deleted instance and to another project are not served here.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/clone
// https://cloud.google.com/sql/docs/postgres/backup-recovery/pitr
func (s *Service) cloneInstance(r *sqlRequest) (any, error) {
	asked, want, err := google.ParseResource[sqladmin.InstancesCloneRequest](r.Body)
	if err != nil {
		return nil, err
	}
	given, _ := asked["cloneContext"].(google.Object)
	if want.CloneContext == nil || want.CloneContext.DestinationInstanceName == "" {
		return nil, sqlInvalid("cloneContext.destinationInstanceName is required.")
	}
	for field := range given {
		if !slices.Contains([]string{"kind", "destinationInstanceName", "pointInTime", "preferredZone", "preferredSecondaryZone"}, field) {
			return nil, sqlInvalid("field " + field + " of cloneContext is not served here.")
		}
	}
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	name := want.CloneContext.DestinationInstanceName
	if err := s.checkName(r, name); err != nil {
		return nil, err
	}
	from := s.content(in)
	spec := engine.Spec{CopyOf: in.engineID}
	if want.CloneContext.PointInTime != "" {
		if spec, err = s.recoveryOf(r, in, from, want.CloneContext.PointInTime); err != nil {
			return nil, err
		}
	}
	resource, err := clonedResource(r, name, from.resource, want.CloneContext)
	if err != nil {
		return nil, err
	}
	return s.makeFrom(r, name, resource, from, spec, "CLONE")
}

// clonedResource is what a clone is.
func clonedResource(r *sqlRequest, name string, source google.Object, want *sqladmin.CloneContext) (google.Object, error) {
	resource := google.Cloned(source)
	for _, k := range sqlOutputOnly {
		delete(resource, k)
	}
	preference := google.Member(resource, "settings", "locationPreference")
	if want.PreferredZone != "" {
		preference["zone"] = want.PreferredZone
	}
	if want.PreferredSecondaryZone != "" {
		preference["secondaryZone"] = want.PreferredSecondaryZone
	}
	resource["project"], resource["name"] = r.project.id, name
	return resource, settleInstance(resource, nil)
}

// recoveryOf says where the data of a time come from, and puts into content the databases and users of that time.
func (s *Service) recoveryOf(r *sqlRequest, in *sqlInstance, content *sqlContent, text string) (engine.Spec, error) {
	earliest, latest, err := r.recoveryWindow(in)
	if err != nil {
		return engine.Spec{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Before(earliest) || at.After(latest) {
		return engine.Spec{}, sqlInvalid(fmt.Sprintf("Invalid value at 'cloneContext.pointInTime': %q. It must be a time between %s and %s.", text, sqlTime(earliest), sqlTime(latest)))
	}
	for _, past := range in.recovery.history {
		if !past.at.After(at) {
			content.databases, content.users = past.databases, past.users
		}
	}
	spec := engine.Spec{From: in.recovery.log, Flush: in.engineID}
	if wall, ok := s.cloud.Clock.WallAt(at); ok {
		spec.Until = wall
	}
	return spec, nil
}
