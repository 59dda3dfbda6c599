package sql

import (
	"fmt"
	"net/http"
	"regexp"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var sqlInstanceNames = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

// sqlInstanceQuota is how many instances a project may have unless it asked for more.
const sqlInstanceQuota = 100

func (s *Service) insertInstance(r *sqlRequest) (any, error) {
	asked, want, err := google.ParseResource[sqladmin.DatabaseInstance](r.Body)
	if err != nil {
		return nil, err
	}
	if want.MasterInstanceName != "" { // without one the cloud keeps a configuration of replicas, and makes none
		return s.insertReplica(r, asked, want)
	}
	switch {
	case want.InstanceType == "READ_REPLICA_INSTANCE":
		return nil, sqlInvalid("a read replica needs a masterInstanceName.")
	case want.Project != "" && want.Project != r.project.id:
		return nil, sqlInvalid("project of the instance differs from the request's.")
	case want.Settings == nil:
		return nil, sqlInvalid("settings are required.")
	}
	if err := s.checkName(r, want.Name); err != nil {
		return nil, err
	}
	for _, k := range append([]string{"rootPassword"}, sqlOutputOnly...) {
		delete(asked, k)
	}
	in := s.newInstance(r, want.Name)
	resource := google.Object{"project": r.project.id}
	google.Merge(resource, asked)
	if err := settleInstance(resource, nil); err != nil {
		return nil, err
	}
	admin := sqlAdministrator(google.Typed[sqladmin.DatabaseInstance](resource).DatabaseVersion)
	if broken := breach(resource, admin, want.RootPassword, nil, r.Now); broken != "" {
		return nil, sqlInvalid("Root user's password is not policy compliant: " + broken)
	}
	in.remember(r, admin, want.RootPassword)
	return s.make(r, in, resource, engine.Spec{Username: admin, Password: want.RootPassword}, "CREATE", in.furnish)
}

// checkName refuses a name for a new instance that is none, is taken or is reserved, and an instance too many.
func (s *Service) checkName(r *sqlRequest, name string) error {
	if !sqlInstanceNames.MatchString(name) || len(r.project.id)+1+len(name) > 98 {
		return sqlInvalid("instance name (" + name + "). Only lowercase letters, numbers, and hyphens are allowed. It must start with a letter and, with its project and a colon, have at most 98 characters.")
	}
	if old := r.project.Instances[name]; old != nil {
		switch reserved := s.cloud.Options.Durations.NameReserved; {
		case !old.gone:
			return google.Err(http.StatusConflict, "instanceAlreadyExists", "The Cloud SQL instance already exists.")
		case r.Now.Before(old.deleted.Add(reserved)):
			return google.Err(http.StatusConflict, "instanceAlreadyExists", "The Cloud SQL instance already exists. When you delete an instance, you can't reuse the name of the deleted instance until one week from the deletion date.")
		}
	}
	if s.full(r.project) {
		return google.Err(http.StatusForbidden, "errorMaxInstancePerLabel", "Failed to create instance because the project has reached the max instance per project limit.")
	}
	return nil
}

// newInstance begins to make an instance known.
func (s *Service) newInstance(r *sqlRequest, name string) *sqlInstance {
	s.serial++
	return &sqlInstance{Name: name, project: r.project.id, serial: s.serial, version: 1, engineID: fmt.Sprintf("cloudsql-%d", s.serial)}
}

// make begins the creation of an instance of which all is settled. spec says what its server has, kind what the operation is, and furnish notes the
// databases and users that are there at its end.
func (s *Service) make(r *sqlRequest, in *sqlInstance, resource google.Object, spec engine.Spec, kind string, furnish func()) (any, error) {
	google.Merge(resource, s.identity(r, in.Name, resource))
	if err := usableDiskKey(r, google.Typed[sqladmin.DatabaseInstance](resource)); err != nil {
		return nil, err
	}
	r.project.Instances[in.Name] = in
	certificate, err := s.firstCertificate(in, resource)
	if err != nil {
		return nil, err
	}
	spec.ID, spec.Engine, spec.StandardPort, spec.TLSOnly, spec.Signed = in.engineID, "postgres", true, tlsOnly(resource), certificate
	spec.Parameters = flagValues(google.Typed[sqladmin.DatabaseInstance](resource))
	if version, _ := resource["databaseVersion"].(string); sqlFamily(version) == "MYSQL" {
		spec.Engine = "mysql"
	}
	if !r.FailLate {
		spec.Log = s.newLog(resource)
	}
	op := s.begin(r, in, s.creation(in, spec, kind, furnish))
	in.resource = resource // only now: before this write there was nothing
	return op, nil
}

func (s *Service) full(p *sqlProject) bool {
	quota := s.cloud.Options.InstanceQuota
	if quota == 0 {
		quota = sqlInstanceQuota
	}
	count := 0
	for _, in := range p.Instances {
		if !in.gone {
			count++
		}
	}
	return quota > 0 && count >= quota
}

// identity is what Cloud SQL says about an instance from its first moment on.
func (s *Service) identity(r *sqlRequest, name string, resource google.Object) google.Object {
	region, _ := resource["region"].(string)
	kind := "CLOUD_SQL_INSTANCE"
	if resource["masterInstanceName"] != nil {
		kind = "READ_REPLICA_INSTANCE"
	}
	return google.Object{
		"satisfiesPzi": true, "sqlNetworkArchitecture": "NEW_NETWORK_ARCHITECTURE",
		"kind": "sql#instance", "name": name, "project": r.project.id, "createTime": sqlTime(r.Now),
		"connectionName": r.project.id + ":" + region + ":" + name, "selfLink": s.link(r.project.id + "/instances/" + name),
		"backendType": "SECOND_GEN", "instanceType": kind,
		"serviceAccountEmailAddress": fmt.Sprintf("p%d-%06d@gcp-sa-cloud-sql.iam.gserviceaccount.com", r.Caller.Number, s.serial),
	}
}

// creation starts the server and says what is there afterwards.
func (s *Service) creation(in *sqlInstance, spec engine.Spec, kind string, furnish func()) sqlWork {
	var started *engine.Engine
	return sqlWork{
		kind: kind, takes: s.cloud.Options.Durations.Create, state: "PENDING_CREATE", primary: in.replication.primary,
		server: func() (err error) {
			started, err = s.cloud.Engines.Start(spec)
			return err
		},
		succeed: func() {
			in.state = "RUNNABLE"
			google.Merge(in.resource, s.reached(in, started))
			furnish()
			in.recovery = sqlRecovery{log: spec.Log, since: cloud.WholeMillisecond(in.last.ended)}
		},
		abandon: func(*sqladmin.OperationError) { in.state = "FAILED" },
	}
}

// reached is what Cloud SQL says about an instance once its server answers.
func (s *Service) reached(in *sqlInstance, e *engine.Engine) google.Object {
	in.server = e.Host
	out := google.Object{
		"ipAddresses":              s.addresses(in, in.resource),
		"databaseInstalledVersion": in.databaseVersion() + "_4",
	}
	google.Merge(out, s.certified(in, in.resource))
	google.Merge(out, attachment(in, in.resource))
	return out
}

// usableDiskKey refuses a key that Cloud SQL may not use yet. No recording shows that: the words are those that people report, and the status is that of Cloud Storage.
// https://gist.github.com/gbrayut/c493eeb04f819faa70c0d2ad3af5ee41
func usableDiskKey(r *sqlRequest, want *sqladmin.DatabaseInstance) error {
	if e := want.DiskEncryptionConfiguration; e != nil && r.Cloud.Fresh.Has(e.KmsKeyName, r.Now) {
		return google.Err(http.StatusForbidden, "forbidden", "Insufficient permission to use KMS key "+e.KmsKeyName)
	}
	return nil
}
