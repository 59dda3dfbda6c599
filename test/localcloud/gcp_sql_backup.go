package localcloud

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"
)

// A sqlBackup is a backup that belongs to the project, not to the instance: it outlives it.
type sqlBackup struct {
	sqladmin.Backup
	created time.Time
	ready   time.Time
	expires time.Time
	failed  *sqladmin.OperationError
}

// A sqlBackupRun is a backup that goes with its instance.
type sqlBackupRun struct {
	sqladmin.BackupRun
	ready time.Time
}

// finalBackup returns the backup that a deletion asks for; nil if it asks for none.
func (s *sqlService) finalBackup(r *sqlRequest, in *sqlInstance) (*sqlBackup, error) {
	query := r.URL.Query()
	if query.Get("enableFinalBackup") != "true" {
		return nil, nil
	}
	if in.state != "RUNNABLE" {
		return nil, sqlInvalid("a final backup can't be taken of an instance in state " + in.state + ".")
	}
	expires := r.now.Add(30 * 24 * time.Hour)
	if given := query.Get("finalBackupTtlDays"); given != "" && given != "0" {
		days, err := strconv.Atoi(given)
		if err != nil || days < 1 || days > 365 {
			return nil, sqlInvalid("finalBackupTtlDays must be between 1 and 365.")
		}
		expires = r.now.Add(time.Duration(days) * 24 * time.Hour)
	}
	if given := query.Get("finalBackupExpiryTime"); given != "" {
		at, err := time.Parse(time.RFC3339, given)
		if err != nil || !at.After(r.now) {
			return nil, sqlInvalid("finalBackupExpiryTime must be a time to come.")
		}
		expires = at
	}
	s.serial++
	id := strconv.FormatInt(r.now.UnixMilli()*1000+s.serial%1000, 10)
	b := &sqlBackup{created: r.now, ready: r.now.Add(s.cloud.opts.Durations.Snapshot), expires: expires}
	if r.failLate {
		b.ready = r.now.Add(s.cloud.opts.Durations.Snapshot + s.cloud.opts.Durations.Delete + time.Nanosecond)
	}
	settings := cloned(in.resource)
	b.Backup = sqladmin.Backup{
		Kind: "sql#backup", Name: "projects/" + r.project.id + "/backups/" + id, SelfLink: s.link(r.project.id + "/backups/" + id),
		Type: "FINAL", BackupKind: "SNAPSHOT", Description: query.Get("finalBackupDescription"), Instance: in.name,
		Location: locationOf(in.resource), DatabaseVersion: in.databaseVersion(), TimeZone: "UTC",
		ExpiryTime: sqlTime(expires), InstanceSettings: typed[sqladmin.DatabaseInstance](settings),
		BackupInterval: &sqladmin.Interval{StartTime: sqlTime(b.created)},
	}
	return b, nil
}

// retainedRuns returns the backups that outlive the instance, if it is set so: they become the project's. On-demand ones never expire;
// automatic ones are not made here. No recording shows this.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/manage-backups-deleted-instance
func (s *sqlService) retainedRuns(in *sqlInstance) (retained []*sqlBackup) {
	if in.settings()["retainBackupsOnDelete"] != true {
		return nil
	}
	for _, run := range in.runs {
		if run.Status != "SUCCESSFUL" {
			continue
		}
		id := strconv.FormatInt(run.Id, 10)
		b := &sqlBackup{created: run.ready.Add(-s.cloud.opts.Durations.Snapshot), ready: run.ready, expires: run.ready.AddDate(1000, 0, 0)}
		b.Backup = sqladmin.Backup{
			Kind: "sql#backup", Name: "projects/" + in.project + "/backups/" + id, SelfLink: s.link(in.project + "/backups/" + id), Type: run.Type, BackupKind: run.BackupKind,
			Description: run.Description, Instance: in.name, Location: run.Location, DatabaseVersion: run.DatabaseVersion, TimeZone: "UTC",
			InstanceSettings: typed[sqladmin.DatabaseInstance](cloned(in.resource)),
		}
		retained = append(retained, b)
	}
	return retained
}

func locationOf(resource jsonObject) string {
	region, _ := resource["region"].(string)
	return region
}

// shown returns the backup as the API shows it; nil once it has expired.
func (b *sqlBackup) shown(r *sqlRequest) *sqladmin.Backup {
	if !r.now.Before(b.expires) {
		return nil
	}
	out := b.Backup
	out.State = "RUNNING"
	switch {
	case b.failed != nil:
		out.State, out.Error = "FAILED", b.failed
	case !r.now.Before(b.ready):
		out.State = "SUCCESSFUL"
		out.BackupInterval = &sqladmin.Interval{StartTime: sqlTime(b.created), EndTime: sqlTime(b.ready)}
		if in := r.project.instances[b.Instance]; in != nil && in.gone {
			out.InstanceDeletionTime = sqlTime(in.deleted)
		}
	}
	return &out
}

func (s *sqlService) listBackups(r *sqlRequest) (any, error) {
	want := map[string]string{}
	for term := range strings.FieldsSeq(r.URL.Query().Get("filter")) {
		if term = strings.TrimSuffix(term, ","); term == "AND" {
			continue
		}
		field, value, ok := strings.Cut(term, ":")
		if !ok || !slices.Contains([]string{"instance", "type", "location"}, field) {
			return nil, sqlInvalid("filter term " + term)
		}
		want[field] = strings.Trim(value, `"`)
	}
	var found []*sqladmin.Backup
	for i, b := range slices.Backward(r.project.backups) {
		out := b.shown(r)
		if out == nil || r.stale && i == len(r.project.backups)-1 {
			continue
		}
		have := map[string]string{"instance": out.Instance, "type": out.Type, "location": out.Location}
		fits := true
		for k, v := range want {
			fits = fits && have[k] == v
		}
		if fits {
			found = append(found, out)
		}
	}
	from, to, next, err := pageOf(r.gcpRequest, len(found), "pageSize", 500, 2000)
	if err != nil {
		return nil, err
	}
	return &sqladmin.ListBackupsResponse{Backups: found[from:to], NextPageToken: next}, nil
}

func (r *sqlRequest) backup() (int, *sqladmin.Backup, error) {
	name := "projects/" + r.project.id + "/backups/" + r.PathValue("backup")
	for i, b := range r.project.backups {
		if out := b.shown(r); out != nil && b.Name == name && (!r.stale || i != len(r.project.backups)-1) {
			return i, out, nil
		}
	}
	return 0, nil, gcpErr(http.StatusNotFound, "backupDoesNotExist", "The Cloud SQL backup does not exist.")
}

func (s *sqlService) getBackup(r *sqlRequest) (any, error) {
	_, out, err := r.backup()
	return out, err
}

// deleteBackup is done at once; what it returns is an operation of no instance.
func (s *sqlService) deleteBackup(r *sqlRequest) (any, error) {
	i, b, err := r.backup()
	if err != nil {
		return nil, err
	}
	r.project.backups = slices.Delete(r.project.backups, i, i+1)
	return &sqladmin.Operation{
		Kind: "sql#operation", Name: newSQLOperationName(), OperationType: "DELETE_BACKUP", Status: "DONE", User: r.caller.email,
		TargetProject: r.project.id, TargetId: b.Instance, InsertTime: sqlTime(r.now), StartTime: sqlTime(r.now), EndTime: sqlTime(r.now),
	}, nil
}

func (s *sqlService) insertBackupRun(r *sqlRequest) (any, error) {
	in, err := r.free()
	if err != nil {
		return nil, err
	}
	_, want, err := parseResource[sqladmin.BackupRun](r.body)
	if err != nil {
		return nil, err
	}
	takes := s.cloud.opts.Durations.Snapshot
	run := &sqlBackupRun{ready: r.now.Add(takes)}
	run.BackupRun = sqladmin.BackupRun{
		Kind: "sql#backupRun", Id: r.now.UnixMilli() + int64(len(in.runs)), Instance: in.name, Type: "ON_DEMAND", BackupKind: "SNAPSHOT",
		Description: want.Description, Location: locationOf(in.resource), DatabaseVersion: in.databaseVersion(), Status: "RUNNING",
		EnqueuedTime: sqlTime(r.now), StartTime: sqlTime(r.now), WindowStartTime: sqlTime(r.now),
	}
	run.SelfLink = fmt.Sprintf("%v/backupRuns/%d", in.resource["selfLink"], run.Id)
	op := s.begin(r, in, sqlWork{
		kind: "BACKUP_VOLUME", takes: takes,
		succeed: func() { run.Status, run.EndTime = "SUCCESSFUL", sqlTime(run.ready) },
		abandon: func(failure *sqladmin.OperationError) { run.Status, run.Error = "FAILED", failure },
	})
	in.runs = append(in.runs, run)
	return op, nil
}

func (s *sqlService) listBackupRuns(r *sqlRequest) (any, error) {
	in, err := r.instance()
	if err != nil {
		return nil, err
	}
	var found []*sqladmin.BackupRun
	for _, run := range slices.Backward(in.runsFor(r)) {
		found = append(found, &run.BackupRun)
	}
	from, to, next, err := pageOf(r.gcpRequest, len(found), "maxResults", 500, 500)
	if err != nil {
		return nil, err
	}
	return &sqladmin.BackupRunsListResponse{Kind: "sql#backupRunsList", Items: found[from:to], NextPageToken: next}, nil
}

// runsFor returns the backup runs that a request is to see.
func (in *sqlInstance) runsFor(r *sqlRequest) []*sqlBackupRun {
	if r.stale {
		return in.pastRuns
	}
	return in.runs
}

func (r *sqlRequest) backupRun() (*sqlInstance, *sqlBackupRun, error) {
	in, err := r.instance()
	if err != nil {
		return nil, nil, err
	}
	for _, run := range in.runsFor(r) {
		if strconv.FormatInt(run.Id, 10) == r.PathValue("backup") {
			return in, run, nil
		}
	}
	return nil, nil, gcpErr(http.StatusNotFound, "backupRunDoesNotExist", "The Cloud SQL backup run does not exist.")
}

func (s *sqlService) getBackupRun(r *sqlRequest) (any, error) {
	_, run, err := r.backupRun()
	if err != nil {
		return nil, err
	}
	return &run.BackupRun, nil
}

func (s *sqlService) deleteBackupRun(r *sqlRequest) (any, error) {
	in, run, err := r.backupRun()
	if err != nil {
		return nil, err
	}
	if in.operation != nil {
		return nil, errSQLBusy
	}
	return s.begin(r, in, sqlWork{
		kind: "DELETE_BACKUP", takes: s.cloud.opts.Durations.Modify,
		succeed: func() { in.runs = slices.DeleteFunc(in.runs, func(x *sqlBackupRun) bool { return x == run }) },
	}), nil
}
