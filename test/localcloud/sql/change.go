package sql

import (
	"errors"
	"net/http"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

func (s *Service) patchInstance(r *sqlRequest) (any, error) { return s.changeInstance(r, false) }

func (s *Service) updateInstance(r *sqlRequest) (any, error) { return s.changeInstance(r, true) }

// changeInstance accepts a patch, or an update, which replaces the settings.
func (s *Service) changeInstance(r *sqlRequest, whole bool) (any, error) {
	in, err := r.idle()
	if err != nil {
		return nil, err
	}
	asked, want, err := google.ParseResource[sqladmin.DatabaseInstance](r.Body)
	if err != nil {
		return nil, err
	}
	if in.state != "RUNNABLE" {
		return nil, google.Err(http.StatusConflict, "invalidState", "The instance or operation is not in an appropriate state to handle the request.")
	}
	if want.Settings != nil && want.Settings.SettingsVersion != 0 && want.Settings.SettingsVersion != in.version {
		return nil, errSQLStale
	}
	for _, k := range sqlOutputOnly {
		delete(asked, k)
	}
	if asked["rootPassword"] != nil {
		return nil, sqlInvalid("rootPassword can be set at creation only; update the user instead.")
	}
	next := google.Cloned(in.resource)
	if whole {
		if want.Settings == nil || want.Settings.SettingsVersion == 0 || want.Settings.Tier == "" {
			return nil, sqlInvalid("an update needs settings.settingsVersion and settings.tier.")
		}
		disk := in.settings()["dataDiskSizeGb"]
		delete(next, "settings")
		google.Merge(next, asked)
		if settings := google.Member(next, "settings"); settings["dataDiskSizeGb"] == nil {
			settings["dataDiskSizeGb"] = disk
		}
	} else {
		google.Merge(next, asked)
		moveToPlus(next, in.resource, asked)
	}
	if err := settleInstance(next, in.resource); err != nil {
		return nil, err
	}
	if err := validReplication(in, next); err != nil {
		return nil, err
	}
	if err := validPoolPatch(asked, google.Typed[sqladmin.DatabaseInstance](in.resource), google.Typed[sqladmin.DatabaseInstance](next)); err != nil && !whole {
		return nil, err
	}
	if in.stopped() && needsServer(next, in.resource) {
		return nil, errSQLNotRunning
	}
	return s.begin(r, in, s.modification(in, next)), nil
}

// modification makes next the instance's resource. The instance shows what it was until the operation is done.
func (s *Service) modification(in *sqlInstance, next google.Object) sqlWork {
	stop := google.Member(next, "settings")["activationPolicy"] == "NEVER"
	work := sqlWork{
		kind: "UPDATE", takes: s.cloud.Options.Durations.Modify,
		succeed: func() {
			upgraded := next["databaseVersion"] != in.resource["databaseVersion"]
			in.resource, in.state = next, "RUNNABLE"
			in.resource["ipAddresses"] = s.addresses(in, next)
			google.Merge(in.resource, s.certified(in, next))
			in.version++
			if upgraded {
				in.resource["databaseInstalledVersion"] = in.databaseVersion() + "_4"
			}
		},
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}
	switch {
	case stop && !in.stopped():
		work.server, work.down = func() error { return s.cloud.Engines.Suspend(in.engineID) }, true
	case !stop && in.stopped():
		work.server = func() error { return s.cloud.Engines.Resume(in.engineID) }
	case restarts(in.resource, next):
		work.state = "MAINTENANCE"
	}
	if next["databaseVersion"] != in.resource["databaseVersion"] && work.server == nil {
		work.server = in.checkedUpgrade
	}
	work.server = s.flagChange(in, next, work.server)
	if only := tlsOnly(next); only != tlsOnly(in.resource) {
		power := work.server
		work.server = func() error {
			err := s.cloud.Engines.RequireTLS(in.engineID, only)
			if err == nil && power != nil {
				err = power()
			}
			return err
		}
	}
	return s.recoveryChange(in, next, work)
}

func (s *Service) restartInstance(r *sqlRequest) (any, error) {
	in, err := r.free()
	if err != nil {
		return nil, err
	}
	return s.begin(r, in, sqlWork{
		kind: "RESTART", takes: s.cloud.Options.Durations.Modify, state: "MAINTENANCE",
		server:  func() error { return s.cloud.Engines.Restart(in.engineID) },
		succeed: func() { in.state = "RUNNABLE" },
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}), nil
}

func (s *Service) deleteInstance(r *sqlRequest) (any, error) {
	in, err := r.idle()
	if err != nil {
		return nil, err
	}
	if len(in.replication.replicas) > 0 {
		return nil, errSQLOfPrimary
	}
	if in.settings()["deletionProtectionEnabled"] == true {
		return nil, sqlInvalid("The instance is protected. Please disable the deletion protection and try again. To disable deletion protection, update the instance settings with deletionProtectionEnabled set to false.")
	}
	backup, err := s.finalBackup(r, in)
	if err != nil {
		return nil, err
	}
	state, takes := in.state, s.cloud.Options.Durations.Delete
	if backup != nil {
		takes += s.cloud.Options.Durations.Snapshot
		r.project.backups = append(r.project.backups, backup)
	}
	return s.begin(r, in, sqlWork{
		kind: "DELETE", takes: takes, state: "PENDING_DELETE",
		server: s.takeDown(in, backup),
		succeed: func() {
			r.project.backups = append(r.project.backups, s.retainedRuns(in)...)
			in.gone, in.deleted = true, in.last.ended
			in.leave()
			in.resource = google.Object{}
		},
		abandon: func(failure *sqladmin.OperationError) {
			in.state = state
			if backup != nil && !backup.content.complete() {
				backup.failed = failure
			}
		},
	}), nil
}

// takeDown returns what ends the server of an instance once its final backup has the data. The data of its other backups go with it, unless these outlive it.
func (s *Service) takeDown(in *sqlInstance, final *sqlBackup) func() error {
	lost := []string{in.recovery.log} // which may be empty, and dropping that does nothing
	if in.settings()["retainBackupsOnDelete"] != true {
		for _, run := range in.runs {
			lost = append(lost, run.content.copy)
		}
	}
	return func() error {
		if final != nil {
			if err := final.content.take(s.cloud.Engines, in.engineID); err != nil {
				return err
			}
		}
		err := s.cloud.Engines.Stop(in.engineID)
		for _, copied := range lost {
			err = errors.Join(err, s.cloud.Engines.Drop(copied))
		}
		return err
	}
}
