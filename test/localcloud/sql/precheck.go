package sql

import (
	"errors"
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// preCheck is instances.preCheckMajorVersionUpgrade: an operation that changes nothing, and shows once it is done what is in the way of an upgrade to another major version. A read replica takes none, and
// the target has to be a later version. No recording shows the call, an answer, or any refusal. What Cloud SQL looks for in the databases (extensions, objects that the next version does not have, the number of relations), and
// with which words, no document shows in full: here a primary with replicas is an error, since the stand-in upgrades none (validReplication), and all else is for tests to say (SetSQLPreCheck).
// https://docs.cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/preCheckMajorVersionUpgrade
// https://docs.cloud.google.com/sql/docs/sqlserver/reference/mcp/tools_list/postgres_upgrade_precheck
// https://docs.cloud.google.com/sdk/gcloud/reference/sql/instances/pre-check-major-version-upgrade
func (s *Service) preCheck(r *sqlRequest) (any, error) {
	_, want, err := google.ParseResource[sqladmin.InstancesPreCheckMajorVersionUpgradeRequest](r.Body)
	if err != nil {
		return nil, err
	}
	asked := want.PreCheckMajorVersionUpgradeContext
	if asked == nil || asked.TargetDatabaseVersion == "" {
		return nil, sqlInvalid("preCheckMajorVersionUpgradeContext.targetDatabaseVersion is required.")
	}
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	versions, now := sqlVersions[sqlFamily(in.databaseVersion())], in.databaseVersion()
	switch to := slices.Index(versions, asked.TargetDatabaseVersion); {
	case to <= slices.Index(versions, now): // those that there are not are before all
		return nil, sqlInvalid("Can't upgrade from " + now + " to " + asked.TargetDatabaseVersion + ".")
	case asked.MaxRuntime != "" && !in.mysql():
		return nil, sqlInvalid("maxRuntime applies to MySQL only.")
	}
	work := sqlWork{kind: "PRE_CHECK_MAJOR_VERSION_UPGRADE", takes: s.cloud.Options.Durations.Modify, succeed: func() {}}
	work.check = &sqladmin.PreCheckMajorVersionUpgradeContext{
		Kind: "sql#preCheckMajorVersionUpgradeContext", TargetDatabaseVersion: asked.TargetDatabaseVersion, MaxRuntime: asked.MaxRuntime,
		PreCheckResponse: slices.Clone(in.checks),
	}
	if len(in.replication.replicas) > 0 {
		work.check.PreCheckResponse = append(work.check.PreCheckResponse, &sqladmin.PreCheckResponse{
			MessageType: "ERROR", Message: "The instance has read replicas.", ActionsRequired: []string{"Delete or promote the read replicas before the upgrade."},
		})
	}
	return s.begin(r, in, work), nil
}

// errSQLPreCheck fails an upgrade in whose way something is.
var errSQLPreCheck = errors.New("pre-checks of the major version upgrade failed")

// checkedUpgrade is what the server of an instance does at an upgrade: nothing, but it fails if a check would find an error. Which code Cloud SQL has for it no recording shows.
func (in *sqlInstance) checkedUpgrade() error {
	if slices.ContainsFunc(in.checks, func(c *sqladmin.PreCheckResponse) bool { return c.MessageType == "ERROR" }) {
		return errSQLPreCheck
	}
	return nil
}

// shownCheck is what an operation shows of a check: what was found, once it is done.
func (op *sqlOperation) shownCheck() *sqladmin.PreCheckMajorVersionUpgradeContext {
	if op.check == nil {
		return nil
	}
	shown := *op.check
	if op.ended.IsZero() || op.failure != nil {
		shown.PreCheckResponse = nil
	}
	return &shown
}

// SetPreCheck says what checks before an upgrade find. It reports whether there is such an instance.
func (s *Service) SetPreCheck(project, instance string, found ...*sqladmin.PreCheckResponse) bool {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	in := s.Project(project).Instances[instance]
	if in == nil || in.gone {
		return false
	}
	in.checks = found
	return true
}
