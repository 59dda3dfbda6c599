package localcloud

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"google.golang.org/api/sqladmin/v1"
)

var sqlInstanceNames = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

// sqlInstanceQuota is how many instances a project may have unless it asked for more.
const sqlInstanceQuota = 100

func (s *sqlService) insertInstance(r *sqlRequest) (any, error) {
	asked, want, err := parseResource[sqladmin.DatabaseInstance](r.body)
	if err != nil {
		return nil, err
	}
	switch {
	case !sqlInstanceNames.MatchString(want.Name), len(r.project.id)+1+len(want.Name) > 98:
		return nil, sqlInvalid("instance name (" + want.Name + "). Only lowercase letters, numbers, and hyphens are allowed. It must start with a letter and, with its project and a colon, have at most 98 characters.")
	case want.MasterInstanceName != "": // without one the cloud keeps a configuration of replicas, and makes none
		return nil, sqlInvalid("read replicas are not served here.")
	case want.Project != "" && want.Project != r.project.id:
		return nil, sqlInvalid("project of the instance differs from the request's.")
	case want.Settings == nil:
		return nil, sqlInvalid("settings are required.")
	}
	if old := r.project.instances[want.Name]; old != nil {
		switch reserved := s.cloud.opts.Durations.NameReserved; {
		case !old.gone:
			return nil, gcpErr(http.StatusConflict, "instanceAlreadyExists", "The Cloud SQL instance already exists.")
		case r.now.Before(old.deleted.Add(reserved)):
			return nil, gcpErr(http.StatusConflict, "instanceAlreadyExists", "The Cloud SQL instance already exists. When you delete an instance, you can't reuse the name of the deleted instance until one week from the deletion date.")
		}
	}
	if s.full(r.project) {
		return nil, gcpErr(http.StatusForbidden, "errorMaxInstancePerLabel", "Failed to create instance because the project has reached the max instance per project limit.")
	}
	for _, k := range append([]string{"rootPassword"}, sqlOutputOnly...) {
		delete(asked, k)
	}
	s.serial++
	in := &sqlInstance{name: want.Name, project: r.project.id, serial: s.serial, version: 1}
	in.engineID = fmt.Sprintf("cloudsql-%d", s.serial)
	resource := jsonObject{"project": r.project.id}
	merge(resource, asked)
	if err := settleInstance(resource, nil); err != nil {
		return nil, err
	}
	admin := sqlAdministrator(typed[sqladmin.DatabaseInstance](resource).DatabaseVersion)
	if broken := breach(resource, admin, want.RootPassword, nil, r.now); broken != "" {
		return nil, sqlInvalid("Root user's password is not policy compliant: " + broken)
	}
	in.remember(r, admin, want.RootPassword)
	merge(resource, s.identity(r, want.Name, resource))
	r.project.instances[in.name] = in
	certificate, err := s.firstCertificate(in, resource)
	if err != nil {
		return nil, err
	}
	op := s.begin(r, in, s.creation(in, want.DatabaseVersion, want.RootPassword, tlsOnly(resource), certificate))
	in.resource = resource // only now: before this write there was nothing
	return op, nil
}

func (s *sqlService) full(p *sqlProject) bool {
	quota := s.cloud.opts.InstanceQuota
	if quota == 0 {
		quota = sqlInstanceQuota
	}
	count := 0
	for _, in := range p.instances {
		if !in.gone {
			count++
		}
	}
	return quota > 0 && count >= quota
}

// identity is what Cloud SQL says about an instance from its first moment on.
func (s *sqlService) identity(r *sqlRequest, name string, resource jsonObject) jsonObject {
	region, _ := resource["region"].(string)
	return jsonObject{
		"satisfiesPzi": true, "sqlNetworkArchitecture": "NEW_NETWORK_ARCHITECTURE",
		"kind": "sql#instance", "name": name, "project": r.project.id, "createTime": sqlTime(r.now),
		"connectionName": r.project.id + ":" + region + ":" + name, "selfLink": s.link(r.project.id + "/instances/" + name),
		"backendType": "SECOND_GEN", "instanceType": "CLOUD_SQL_INSTANCE",
		"serviceAccountEmailAddress": fmt.Sprintf("p%d-%06d@gcp-sa-cloud-sql.iam.gserviceaccount.com", r.caller.number, s.serial),
	}
}

// creation starts the server and says what is there afterwards.
func (s *sqlService) creation(in *sqlInstance, version, password string, tlsOnly bool, certificate *signed) sqlWork {
	var started *engine
	spec := engineSpec{ID: in.engineID, Engine: "postgres", Username: "postgres", Password: password, StandardPort: true, TLSOnly: tlsOnly, Signed: certificate}
	if strings.HasPrefix(version, "MYSQL") {
		spec.Engine, spec.Username = "mysql", "root"
	}
	return sqlWork{
		kind: "CREATE", takes: s.cloud.opts.Durations.Create, state: "PENDING_CREATE",
		server: func() (err error) {
			started, err = s.cloud.engines.start(spec)
			return err
		},
		succeed: func() {
			in.state = "RUNNABLE"
			merge(in.resource, s.reached(in, started))
			in.furnish()
		},
		abandon: func(*sqladmin.OperationError) { in.state = "FAILED" },
	}
}

// reached is what Cloud SQL says about an instance once its server answers.
func (s *sqlService) reached(in *sqlInstance, e *engine) jsonObject {
	in.server = e.Host
	out := jsonObject{
		"ipAddresses":              s.addresses(in, in.resource),
		"databaseInstalledVersion": in.databaseVersion() + "_4",
	}
	merge(out, s.certified(in, in.resource))
	merge(out, attachment(in, in.resource))
	return out
}
