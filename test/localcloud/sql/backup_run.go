package sql

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// createBackup is Backups.CreateBackup, which takes on-demand backups alone. What it takes is the same as backupRuns.insert: it is in both lists. No
// recording shows it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backups/CreateBackup
func (s *Service) createBackup(r *sqlRequest) (any, error) {
	body, want, err := google.ParseResource[sqladmin.Backup](r.Body)
	if err != nil {
		return nil, err
	}
	for field := range body {
		if !slices.Contains([]string{"instance", "description", "location", "expiryTime", "ttlDays"}, field) {
			return nil, sqlInvalid("field " + field + " is output only.")
		}
	}
	if want.Instance == "" {
		return nil, sqlInvalid("instance is required.")
	}
	r.SetPathValue("instance", want.Instance)
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	return s.takeRun(r, in, want.Description), nil
}

// updateBackup is Backups.UpdateBackup: "You can use this API to update final backups only." No recording shows it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backups/UpdateBackup
func (s *Service) updateBackup(r *sqlRequest) (any, error) {
	_, want, err := google.ParseResource[sqladmin.Backup](r.Body)
	if err != nil {
		return nil, err
	}
	if mask := r.URL.Query().Get("updateMask"); mask != "description" {
		return nil, sqlInvalid("updateMask " + mask)
	}
	if _, run := r.liveRun(); run != nil {
		return nil, sqlInvalid("only final backups can be updated.")
	}
	i, b, err := r.backup()
	switch {
	case err != nil:
		return nil, err
	case b.Type != "FINAL":
		return nil, sqlInvalid("only final backups can be updated.")
	}
	r.project.backups[i].Description = want.Description
	return &sqladmin.Operation{
		Kind: "sql#operation", Name: newSQLOperationName(), OperationType: "UPDATE_BACKUP", Status: "DONE", User: r.Caller.Email,
		TargetProject: r.project.id, TargetId: b.Instance, InsertTime: sqlTime(r.Now), StartTime: sqlTime(r.Now), EndTime: sqlTime(r.Now),
	}, nil
}

// liveRun returns the backup that the path names if it goes with an instance; nil if it does not.
func (r *sqlRequest) liveRun() (*sqlInstance, *sqlBackupRun) {
	for _, in := range r.project.Instances {
		for _, run := range in.runsFor(r) {
			if !in.gone && strconv.FormatInt(run.Id, 10) == r.PathValue("backup") {
				return in, run
			}
		}
	}
	return nil, nil
}

// runAsBackup returns a backup run as the API of the project's backups shows it.
func (s *Service) runAsBackup(in *sqlInstance, run *sqlBackupRun) *sqladmin.Backup {
	id := strconv.FormatInt(run.Id, 10)
	return &sqladmin.Backup{
		Kind: "sql#backup", Name: "projects/" + in.project + "/backups/" + id, SelfLink: s.link(in.project + "/backups/" + id), Type: run.Type, BackupKind: run.BackupKind,
		State: backupStates(run.Status), Error: run.Error, Description: run.Description, Instance: in.Name, Location: run.Location, DatabaseVersion: run.DatabaseVersion, TimeZone: "UTC",
		InstanceSettings: google.Typed[sqladmin.DatabaseInstance](run.content.resource), BackupInterval: &sqladmin.Interval{StartTime: run.StartTime, EndTime: run.EndTime},
		BackupRun: "projects/" + in.project + "/instances/" + in.Name + "/backupRuns/" + id,
	}
}

// backupStates returns the state of a backup whose run has a status: the two APIs have words of their own.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/SqlBackupRunStatus
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backup#SqlBackupState
func backupStates(status string) string {
	if status == "DELETION_PENDING" {
		return "DELETING"
	}
	return status
}

func (s *Service) insertBackupRun(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[sqladmin.BackupRun](r.Body)
	if err != nil {
		return nil, err
	}
	return s.takeRun(r, in, want.Description), nil
}

// takeRun begins an on-demand backup of an instance, which takes no other operation meanwhile.
func (s *Service) takeRun(r *sqlRequest, in *sqlInstance, text string) *sqladmin.Operation {
	s.serial++
	takes := s.cloud.Options.Durations.Snapshot
	run := &sqlBackupRun{ready: r.Now.Add(takes), content: s.content(in)}
	run.BackupRun = sqladmin.BackupRun{
		Kind: "sql#backupRun", Id: r.Now.UnixMilli()*1000 + s.serial%1000, // no other backup of the project has it
		Instance: in.Name, Type: "ON_DEMAND", BackupKind: "SNAPSHOT",
		Description: text, Location: locationOf(in.resource), DatabaseVersion: in.databaseVersion(), Status: "RUNNING",
		EnqueuedTime: sqlTime(r.Now), StartTime: sqlTime(r.Now), WindowStartTime: sqlTime(r.Now),
	}
	run.SelfLink = fmt.Sprintf("%v/backupRuns/%d", in.resource["selfLink"], run.Id)
	op := s.begin(r, in, sqlWork{
		kind: "BACKUP_VOLUME", takes: takes,
		backup:  &sqladmin.BackupContext{Kind: "sql#backupContext", BackupId: run.Id, Name: "projects/" + in.project + "/backups/" + strconv.FormatInt(run.Id, 10)},
		server:  func() error { return run.content.take(s.cloud.Engines, in.engineID) },
		succeed: func() { run.Status, run.EndTime = "SUCCESSFUL", sqlTime(run.ready) },
		abandon: func(failure *sqladmin.OperationError) { run.Status, run.Error = "FAILED", failure },
	})
	in.runs = append(in.runs, run)
	return op
}

func (s *Service) listBackupRuns(r *sqlRequest) (any, error) {
	in, err := r.instance()
	if err != nil {
		return nil, err
	}
	var found []*sqladmin.BackupRun
	for _, run := range slices.Backward(in.runsFor(r)) {
		found = append(found, &run.BackupRun)
	}
	page, next, err := google.PageOf(r.Request, found, "maxResults", 500, 500)
	if err != nil {
		return nil, err
	}
	return &sqladmin.BackupRunsListResponse{Kind: "sql#backupRunsList", Items: page, NextPageToken: next}, nil
}

// runsFor returns the backup runs that a request is to see.
func (in *sqlInstance) runsFor(r *sqlRequest) []*sqlBackupRun {
	if r.Stale {
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
	return nil, nil, google.Err(http.StatusNotFound, "backupRunDoesNotExist", "The Cloud SQL backup run does not exist.")
}

func (s *Service) getBackupRun(r *sqlRequest) (any, error) {
	_, run, err := r.backupRun()
	if err != nil {
		return nil, err
	}
	return &run.BackupRun, nil
}

func (s *Service) deleteBackupRun(r *sqlRequest) (any, error) {
	in, run, err := r.backupRun()
	if err != nil {
		return nil, err
	}
	return s.dropRun(r, in, run)
}

func (s *Service) dropRun(r *sqlRequest, in *sqlInstance, run *sqlBackupRun) (any, error) {
	if in.operation != nil {
		return nil, errSQLBusy
	}
	op := s.begin(r, in, sqlWork{
		kind: "DELETE_BACKUP", takes: s.cloud.Options.Durations.Modify,
		server:  func() error { return s.cloud.Engines.Drop(run.content.copy) },
		succeed: func() { in.runs = slices.DeleteFunc(in.runs, func(x *sqlBackupRun) bool { return x == run }) },
		abandon: func(*sqladmin.OperationError) { run.Status = "DELETION_FAILED" },
	})
	run.Status = "DELETION_PENDING"
	return op, nil
}
