package sql

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlContent is what a backup has of an instance: a copy of the data, and what the API said of the instance and of what is in it.
type sqlContent struct {
	copy      string // its name
	resource  google.Object
	databases []*sqladmin.Database
	users     []*sqladmin.User
	passwords map[string][]sqlPassword

	copied chan struct{} // closed when the data are copied, or could not be
	err    error         // readable then
}

// content notes what a backup of an instance is going to have.
func (s *Service) content(in *sqlInstance) *sqlContent {
	s.serial++
	c := &sqlContent{
		copy: fmt.Sprintf("%s-backup-%d", in.engineID, s.serial), resource: google.Cloned(in.resource), databases: slices.Clone(in.databases), users: slices.Clone(in.users),
		passwords: map[string][]sqlPassword{}, copied: make(chan struct{}),
	}
	for user, all := range in.passwords {
		c.passwords[user] = slices.Clone(all)
	}
	return c
}

// take copies the data of the server.
func (c *sqlContent) take(e *engine.Engines, engineID string) error {
	c.err = e.Snapshot(engineID, c.copy)
	close(c.copied)
	return c.err
}

// complete reports whether the data are copied.
func (c *sqlContent) complete() bool {
	select {
	case <-c.copied:
		return c.err == nil
	default:
		return false
	}
}

// restoreBackup restores a backup to an instance that does not exist, with the settings that the instance of the backup had and those that the request has in their place. Databases, users and
// passwords are those in the data. Fields are merged as in a patch, so that a label of the source stays unless the request has another value for it: the reference
// says "overrides any instance settings stored in the backup", not whether it replaces maps. A restore to an instance that exists, and one by the number of a backup run, are
// not served here. No recording shows a restore.
//
// About restores that overwrite an instance, pages say that the target keeps its flags. None says that a new instance has other backups
// than the backup's settings have: here they are as in these. The root password in a restore is refused, since the data have one; no document says what becomes of it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/restoreBackup
// https://cloud.google.com/sql/docs/postgres/backup-recovery/restoring
// https://cloud.google.com/sdk/gcloud/reference/sql/backups/restore (what can be overridden)
func (s *Service) restoreBackup(r *sqlRequest) (any, error) {
	asked, want, err := google.ParseResource[sqladmin.InstancesRestoreBackupRequest](r.Body)
	if err != nil {
		return nil, err
	}
	for field := range asked {
		if field != "backup" && field != "restoreInstanceSettings" {
			return nil, sqlInvalid("field " + field + " of restoreBackup is not served here.")
		}
	}
	name := r.PathValue("instance")
	if in := r.project.Instances[name]; in != nil && !in.gone {
		return nil, sqlInvalid("a restore to an instance that exists (" + name + ") is not served here.")
	}
	from, err := s.restorable(r, want.Backup)
	if err != nil {
		return nil, err
	}
	if err := s.checkName(r, name); err != nil {
		return nil, err
	}
	overrides, _ := asked["restoreInstanceSettings"].(google.Object)
	resource, err := restoredResource(r, name, from, overrides, want.RestoreInstanceSettings)
	if err != nil {
		return nil, err
	}
	return s.makeFrom(r, name, resource, from, engine.Spec{From: from.copy}, "RESTORE_VOLUME")
}

// makeFrom begins the creation of an instance with the databases, users and passwords of another one. spec says where its data come from.
func (s *Service) makeFrom(r *sqlRequest, name string, resource google.Object, from *sqlContent, spec engine.Spec, kind string) (any, error) {
	in := s.newInstance(r, name)
	in.passwords = maps.Clone(from.passwords)
	if spec.From != "" && !r.FailLate {
		var err error
		if spec.Held, err = s.cloud.Engines.Hold(spec.From); err != nil {
			return nil, sqlInvalid(err.Error())
		}
	}
	op, err := s.make(r, in, resource, spec, kind, func() { in.take(from) })
	if err != nil && spec.Held != nil {
		spec.Held()
	}
	return op, err
}

// take notes the databases and users that are in a backup.
func (in *sqlInstance) take(from *sqlContent) {
	for _, d := range from.databases {
		in.databases = append(in.databases, in.database(d.Name, d.Charset, d.Collation))
	}
	for _, u := range from.users {
		in.users = append(in.users, in.user(u.Name, u.Host))
	}
}

// restorable returns the content of a backup that can be restored: one of the project that is complete.
func (s *Service) restorable(r *sqlRequest, name string) (*sqlContent, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[0] != "projects" || parts[2] != "backups" {
		return nil, sqlInvalid(fmt.Sprintf("Invalid value at 'backup': %q. It must be projects/{project}/backups/{backup}.", name))
	}
	if parts[1] != r.project.id {
		return nil, errSQLDenied
	}
	r.SetPathValue("backup", parts[3])
	if _, run := r.liveRun(); run != nil {
		if run.Status != "SUCCESSFUL" {
			return nil, sqlInvalid("the backup " + name + " is in state " + run.Status + " and can't be restored.")
		}
		return run.content, nil
	}
	i, b, err := r.backup()
	switch {
	case err != nil:
		return nil, err
	case b.State != "SUCCESSFUL":
		return nil, sqlInvalid("the backup " + name + " is in state " + b.State + " and can't be restored.")
	}
	return r.project.backups[i].content, nil
}

// restoredResource is what an instance is that is made of a backup. "You can't change the instance's major database version and you can only increase the disk size" is what
// the reference says.
func restoredResource(r *sqlRequest, name string, from *sqlContent, overrides google.Object, want *sqladmin.DatabaseInstance) (google.Object, error) {
	was, resource := google.Typed[sqladmin.DatabaseInstance](from.resource), google.Cloned(from.resource)
	if want == nil {
		want = &sqladmin.DatabaseInstance{}
	}
	switch {
	case want.Name != "" && want.Name != name:
		return nil, sqlInvalid("restoreInstanceSettings.name differs from the instance of the request.")
	case want.Project != "" && want.Project != r.project.id:
		return nil, sqlInvalid("restoreInstanceSettings.project differs from the request's.")
	case want.MasterInstanceName != "":
		return nil, sqlInvalid("a backup can't be restored to a read replica.")
	case want.RootPassword != "":
		return nil, sqlInvalid("restoreInstanceSettings.rootPassword can't be set; update the user once the instance is restored.")
	case want.DatabaseVersion != "" && want.DatabaseVersion != was.DatabaseVersion:
		return nil, sqlInvalid("the major database version can't be changed by a restore: the backup is of " + was.DatabaseVersion + ".")
	case want.Settings != nil && want.Settings.DataDiskSizeGb != 0 && want.Settings.DataDiskSizeGb < was.Settings.DataDiskSizeGb:
		return nil, sqlInvalid(fmt.Sprintf("the disk can't be smaller than that of the backup: %d GB.", was.Settings.DataDiskSizeGb))
	}
	overrides = google.Cloned(overrides)
	for _, k := range sqlOutputOnly {
		delete(resource, k)
		delete(overrides, k)
	}
	if want.Region != "" && want.Region != was.Region { // its zones are others
		delete(google.Member(resource, "settings"), "locationPreference")
	}
	google.Merge(resource, overrides)
	resource["project"], resource["name"] = r.project.id, name
	return resource, settleInstance(resource, nil)
}
