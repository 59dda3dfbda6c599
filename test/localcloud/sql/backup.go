package sql

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlBackup is a backup that belongs to the project, not to the instance: it outlives it.
type sqlBackup struct {
	sqladmin.Backup
	created time.Time
	ready   time.Time
	expires time.Time
	failed  *sqladmin.OperationError
	content *sqlContent
}

// A sqlBackupRun is a backup that goes with its instance.
type sqlBackupRun struct {
	sqladmin.BackupRun
	ready   time.Time
	content *sqlContent
}

// finalBackup returns the backup that a deletion asks for; nil if it asks for none.
func (s *Service) finalBackup(r *sqlRequest, in *sqlInstance) (*sqlBackup, error) {
	query := r.URL.Query()
	if query.Get("enableFinalBackup") != "true" {
		return nil, nil
	}
	if in.replica() { // which has no backups
		return nil, errSQLOfReplica
	}
	if in.state != "RUNNABLE" {
		return nil, sqlInvalid("a final backup can't be taken of an instance in state " + in.state + ".")
	}
	expires := r.Now.Add(30 * 24 * time.Hour)
	if given := query.Get("finalBackupTtlDays"); given != "" && given != "0" {
		days, err := strconv.Atoi(given)
		if err != nil || days < 1 || days > 365 {
			return nil, sqlInvalid("finalBackupTtlDays must be between 1 and 365.")
		}
		expires = r.Now.Add(time.Duration(days) * 24 * time.Hour)
	}
	if given := query.Get("finalBackupExpiryTime"); given != "" {
		at, err := time.Parse(time.RFC3339, given)
		if err != nil || !at.After(r.Now) {
			return nil, sqlInvalid("finalBackupExpiryTime must be a time to come.")
		}
		expires = at
	}
	s.serial++
	id := strconv.FormatInt(r.Now.UnixMilli()*1000+s.serial%1000, 10)
	b := &sqlBackup{created: r.Now, ready: r.Now.Add(s.cloud.Options.Durations.Snapshot), expires: expires, content: s.content(in)}
	if r.FailLate {
		b.ready = r.Now.Add(s.cloud.Options.Durations.Snapshot + s.cloud.Options.Durations.Delete + time.Nanosecond)
	}
	b.Backup = sqladmin.Backup{
		Kind: "sql#backup", Name: "projects/" + r.project.id + "/backups/" + id, SelfLink: s.link(r.project.id + "/backups/" + id),
		Type: "FINAL", BackupKind: "SNAPSHOT", Description: query.Get("finalBackupDescription"), Instance: in.Name,
		Location: locationOf(in.resource), DatabaseVersion: in.databaseVersion(), TimeZone: "UTC",
		ExpiryTime: sqlTime(expires), InstanceSettings: google.Typed[sqladmin.DatabaseInstance](b.content.resource),
		BackupInterval: &sqladmin.Interval{StartTime: sqlTime(b.created)},
	}
	return b, nil
}

// retainedRuns returns the backups that outlive the instance, if it is set so: they become the project's. On-demand ones never expire;
// automatic ones are not made here. No recording shows this.
// https://cloud.google.com/sql/docs/postgres/backup-recovery/manage-backups-deleted-instance
func (s *Service) retainedRuns(in *sqlInstance) (retained []*sqlBackup) {
	if in.settings()["retainBackupsOnDelete"] != true {
		return nil
	}
	for _, run := range in.runs {
		if run.Status != "SUCCESSFUL" {
			continue
		}
		retained = append(retained, &sqlBackup{
			Backup: *s.runAsBackup(in, run), created: run.ready.Add(-s.cloud.Options.Durations.Snapshot), ready: run.ready, expires: run.ready.AddDate(1000, 0, 0), content: run.content,
		})
	}
	return retained
}

func locationOf(resource google.Object) string {
	region, _ := resource["region"].(string)
	return region
}

// shown returns the backup as the API shows it; nil once it has expired. The copy of its data goes with the cloud then.
func (b *sqlBackup) shown(r *sqlRequest) *sqladmin.Backup {
	if !r.Now.Before(b.expires) {
		return nil
	}
	out := b.Backup
	out.State = "RUNNING"
	switch {
	case b.failed != nil:
		out.State, out.Error = "FAILED", b.failed
	case !r.Now.Before(b.ready) && b.content.complete():
		out.State = "SUCCESSFUL"
		out.BackupInterval = &sqladmin.Interval{StartTime: sqlTime(b.created), EndTime: sqlTime(b.ready)}
		if in := r.project.Instances[b.Instance]; in != nil && in.gone {
			out.InstanceDeletionTime = sqlTime(in.deleted)
		}
	}
	return &out
}

func (s *Service) listBackups(r *sqlRequest) (any, error) {
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
	for _, out := range s.backupsFor(r) {
		have := map[string]string{"instance": out.Instance, "type": out.Type, "location": out.Location}
		fits := true
		for k, v := range want {
			fits = fits && have[k] == v
		}
		if fits {
			found = append(found, out)
		}
	}
	page, next, err := google.PageOf(r.Request, found, "pageSize", 500, 2000)
	if err != nil {
		return nil, err
	}
	return &sqladmin.ListBackupsResponse{Backups: page, NextPageToken: next}, nil
}

// backupsFor returns the backups that a request is to see, the newest first: those of the project, and those of its instances.
func (s *Service) backupsFor(r *sqlRequest) (all []*sqladmin.Backup) {
	for i, b := range slices.Backward(r.project.backups) {
		if out := b.shown(r); out != nil && (!r.Stale || i != len(r.project.backups)-1) {
			all = append(all, out)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.project.Instances)) {
		if in := r.project.Instances[name]; !in.gone {
			for _, run := range slices.Backward(in.runsFor(r)) {
				all = append(all, s.runAsBackup(in, run))
			}
		}
	}
	return all
}

func (r *sqlRequest) backup() (int, *sqladmin.Backup, error) {
	name := "projects/" + r.project.id + "/backups/" + r.PathValue("backup")
	for i, b := range r.project.backups {
		if out := b.shown(r); out != nil && b.Name == name && (!r.Stale || i != len(r.project.backups)-1) {
			return i, out, nil
		}
	}
	return 0, nil, google.Err(http.StatusNotFound, "backupDoesNotExist", "The Cloud SQL backup does not exist.")
}

func (s *Service) getBackup(r *sqlRequest) (any, error) {
	if in, run := r.liveRun(); run != nil {
		return s.runAsBackup(in, run), nil
	}
	_, out, err := r.backup()
	return out, err
}

// deleteBackup is an operation of the instance for a backup that goes with it. It is done at once for one of the project, and what it returns is an
// operation of no instance then.
func (s *Service) deleteBackup(r *sqlRequest) (any, error) {
	if in, run := r.liveRun(); run != nil {
		return s.dropRun(r, in, run)
	}
	i, b, err := r.backup()
	if err != nil {
		return nil, err
	}
	dropped := r.project.backups[i].content
	r.project.backups = slices.Delete(r.project.backups, i, i+1)
	if err := s.cloud.Engines.Drop(dropped.copy); err != nil {
		return nil, err
	}
	return &sqladmin.Operation{
		Kind: "sql#operation", Name: newSQLOperationName(), OperationType: "DELETE_BACKUP", Status: "DONE", User: r.Caller.Email,
		TargetProject: r.project.id, TargetId: b.Instance, InsertTime: sqlTime(r.Now), StartTime: sqlTime(r.Now), EndTime: sqlTime(r.Now),
	}, nil
}
