package localcloud

import (
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"
)

// A sqlInstance is a Cloud SQL instance, or what a deleted one left behind.
type sqlInstance struct {
	name     string
	project  string
	engineID string // unique in the cloud
	serial   int64  // in the order of creation
	resource jsonObject
	state    string
	version  int64 // of the settings

	databases []*sqladmin.Database
	users     []*sqladmin.User
	runs      []*sqlBackupRun

	operation *sqlOperation // under way
	last      *sqlOperation

	before        jsonObject // as it was before the last write; nil if it was not there
	pastDatabases []*sqladmin.Database
	pastUsers     []*sqladmin.User
	pastRuns      []*sqlBackupRun

	gone    bool
	deleted time.Time
}

var sqlInstanceNames = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

// sqlInstanceQuota is how many instances a project may have unless it asked for more.
const sqlInstanceQuota = 100

// sqlOutputOnly are the members that only Cloud SQL sets.
var sqlOutputOnly = []string{
	"kind", "state", "etag", "project", "selfLink", "connectionName", "ipAddresses", "serverCaCert", "createTime", "currentDiskSize",
	"serviceAccountEmailAddress", "databaseInstalledVersion", "backendType", "dnsName", "upgradableDatabaseVersions",
	"satisfiesPzs", "satisfiesPzi", "scheduledMaintenance", "suspensionReason", "outOfDiskReport", "writeEndpoint",
}

func (in *sqlInstance) mysql() bool { return strings.HasPrefix(in.databaseVersion(), "MYSQL") }

func (in *sqlInstance) databaseVersion() string {
	v, _ := in.resource["databaseVersion"].(string)
	return v
}

func (in *sqlInstance) settings() jsonObject { return member(in.resource, "settings") }

func (in *sqlInstance) stopped() bool { return in.settings()["activationPolicy"] == "NEVER" }

// shown returns the instance as the API shows it; nil once it is gone.
func (in *sqlInstance) shown() jsonObject {
	if in.gone || in.resource == nil {
		return nil
	}
	out := cloned(in.resource)
	out["state"] = in.state
	out["etag"] = sqlETag(in.version)
	member(out, "settings")["settingsVersion"] = strconv.FormatInt(in.version, 10)
	return out
}

func (s *sqlService) insertInstance(r *sqlRequest) (any, error) {
	asked, want, err := parseResource[sqladmin.DatabaseInstance](r.body)
	if err != nil {
		return nil, err
	}
	switch {
	case !sqlInstanceNames.MatchString(want.Name), len(r.project.id)+1+len(want.Name) > 98:
		return nil, sqlInvalid("instance name (" + want.Name + "). Only lowercase letters, numbers, and hyphens are allowed. It must start with a letter and, with its project and a colon, have at most 98 characters.")
	case want.MasterInstanceName != "" || want.ReplicaConfiguration != nil:
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
	resource := jsonObject{}
	merge(resource, asked)
	if err := settleInstance(resource, nil); err != nil {
		return nil, err
	}
	merge(resource, s.identity(r, want.Name, resource))
	r.project.instances[in.name] = in
	op := s.begin(r, in, s.creation(in, want.DatabaseVersion, want.RootPassword))
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
		"kind": "sql#instance", "name": name, "project": r.project.id, "createTime": sqlTime(r.now),
		"connectionName": r.project.id + ":" + region + ":" + name, "selfLink": s.link(r.project.id + "/instances/" + name),
		"backendType": "SECOND_GEN", "instanceType": "CLOUD_SQL_INSTANCE", "gceZone": region + "-b",
		"serviceAccountEmailAddress": fmt.Sprintf("p%d-%06d@gcp-sa-cloud-sql.iam.gserviceaccount.com", r.caller.number, s.serial),
	}
}

// creation starts the server and says what is there afterwards.
func (s *sqlService) creation(in *sqlInstance, version, password string) sqlWork {
	var started *engine
	spec := engineSpec{ID: in.engineID, Engine: "postgres", Username: "postgres", Password: password, StandardPort: true}
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
	kind := "PRIMARY"
	if member(in.settings(), "ipConfiguration")["ipv4Enabled"] == false {
		kind = "PRIVATE"
	}
	out := jsonObject{
		"ipAddresses":              []any{jsonObject{"type": kind, "ipAddress": e.Host}},
		"databaseInstalledVersion": in.databaseVersion() + "_4",
	}
	if e.CA != "" {
		if cert := sqlServerCert(in.name, e.CA); cert != nil {
			out["serverCaCert"] = cert
		}
	}
	return out
}

func (s *sqlService) getInstance(r *sqlRequest) (any, error) {
	in := r.project.instances[r.PathValue("instance")]
	if in == nil {
		return nil, errSQLNoInstance
	}
	out := in.shown()
	if r.stale {
		out = in.before
	}
	if out == nil {
		return nil, errSQLNoInstance
	}
	return out, nil
}

func (s *sqlService) listInstances(r *sqlRequest) (any, error) {
	matches, err := parseSQLFilter(r.URL.Query().Get("filter"))
	if err != nil {
		return nil, err
	}
	var all []*sqlInstance
	for _, in := range r.project.instances {
		all = append(all, in)
	}
	slices.SortFunc(all, func(a, b *sqlInstance) int { return strings.Compare(a.name, b.name) })
	newest := int64(0)
	for _, in := range all {
		if !in.gone {
			newest = max(newest, in.serial)
		}
	}
	var found []any
	for _, in := range all {
		out := in.shown()
		if r.stale {
			out = in.before
			if in.serial == newest {
				out = nil
			}
		}
		if out != nil && matches(out) {
			found = append(found, out)
		}
	}
	from, to, next, err := pageOf(r.gcpRequest, len(found), "maxResults", 500, 1000)
	if err != nil {
		return nil, err
	}
	out := jsonObject{"kind": "sql#instancesList"}
	if from < to {
		out["items"] = found[from:to]
	}
	if next != "" {
		out["nextPageToken"] = next
	}
	return out, nil
}

// parseSQLFilter parses "field.path:value" terms, all of which must hold. OR is not served here.
func parseSQLFilter(filter string) (func(jsonObject) bool, error) {
	var paths [][]string
	var values []string
	for term := range strings.FieldsSeq(filter) {
		if term == "AND" {
			continue
		}
		path, value, ok := strings.Cut(term, ":")
		if !ok {
			path, value, ok = strings.Cut(term, "=")
		}
		if !ok {
			return nil, sqlInvalid("filter term " + term)
		}
		paths, values = append(paths, strings.Split(path, ".")), append(values, strings.Trim(value, `"'`))
	}
	return func(object jsonObject) bool {
		for i, path := range paths {
			var at any = object
			for _, k := range path {
				inner, _ := at.(jsonObject)
				at = inner[k]
			}
			if at == nil || fmt.Sprint(at) != values[i] {
				return false
			}
		}
		return true
	}, nil
}

func (s *sqlService) patchInstance(r *sqlRequest) (any, error) { return s.changeInstance(r, false) }

func (s *sqlService) updateInstance(r *sqlRequest) (any, error) { return s.changeInstance(r, true) }

// changeInstance accepts a patch, or an update, which replaces the settings.
func (s *sqlService) changeInstance(r *sqlRequest, whole bool) (any, error) {
	in, err := r.idle()
	if err != nil {
		return nil, err
	}
	asked, want, err := parseResource[sqladmin.DatabaseInstance](r.body)
	if err != nil {
		return nil, err
	}
	if in.state != "RUNNABLE" {
		return nil, gcpErr(http.StatusConflict, "invalidState", "The instance or operation is not in an appropriate state to handle the request.")
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
	next := cloned(in.resource)
	if whole {
		if want.Settings == nil || want.Settings.SettingsVersion == 0 || want.Settings.Tier == "" {
			return nil, sqlInvalid("an update needs settings.settingsVersion and settings.tier.")
		}
		disk := in.settings()["dataDiskSizeGb"]
		delete(next, "settings")
		merge(next, asked)
		if settings := member(next, "settings"); settings["dataDiskSizeGb"] == nil {
			settings["dataDiskSizeGb"] = disk
		}
	} else {
		merge(next, asked)
	}
	if err := settleInstance(next, in.resource); err != nil {
		return nil, err
	}
	return s.begin(r, in, s.modification(in, next)), nil
}

// modification makes next the instance's resource. The instance shows what it was until the operation is done.
func (s *sqlService) modification(in *sqlInstance, next jsonObject) sqlWork {
	stop := member(next, "settings")["activationPolicy"] == "NEVER"
	work := sqlWork{
		kind: "UPDATE", takes: s.cloud.opts.Durations.Modify,
		succeed: func() {
			upgraded := next["databaseVersion"] != in.resource["databaseVersion"]
			in.resource, in.state = next, "RUNNABLE"
			in.version++
			if upgraded {
				in.resource["databaseInstalledVersion"] = in.databaseVersion() + "_4"
			}
		},
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}
	switch {
	case stop && !in.stopped():
		work.server = func() error { return s.cloud.engines.suspend(in.engineID) }
	case !stop && in.stopped():
		work.server = func() error { return s.cloud.engines.resume(in.engineID) }
	case restarts(in.resource, next):
		work.state = "MAINTENANCE"
	}
	return work
}

// restarts reports whether a change takes the server down.
func restarts(old, next jsonObject) bool {
	a, b := typed[sqladmin.DatabaseInstance](old), typed[sqladmin.DatabaseInstance](next)
	return a.DatabaseVersion != b.DatabaseVersion || a.Settings.Tier != b.Settings.Tier ||
		a.Settings.Edition != b.Settings.Edition || a.Settings.AvailabilityType != b.Settings.AvailabilityType
}

func (s *sqlService) restartInstance(r *sqlRequest) (any, error) {
	in, err := r.free()
	if err != nil {
		return nil, err
	}
	return s.begin(r, in, sqlWork{
		kind: "RESTART", takes: s.cloud.opts.Durations.Modify, state: "MAINTENANCE",
		server: func() error {
			if err := s.cloud.engines.suspend(in.engineID); err != nil {
				return err
			}
			return s.cloud.engines.resume(in.engineID)
		},
		succeed: func() { in.state = "RUNNABLE" },
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}), nil
}

func (s *sqlService) deleteInstance(r *sqlRequest) (any, error) {
	in, err := r.idle()
	if err != nil {
		return nil, err
	}
	if in.settings()["deletionProtectionEnabled"] == true {
		return nil, sqlInvalid("The instance is protected. Please disable the deletion protection and try again. To disable deletion protection, update the instance settings with deletionProtectionEnabled set to false.")
	}
	backup, err := s.finalBackup(r, in)
	if err != nil {
		return nil, err
	}
	state, takes := in.state, s.cloud.opts.Durations.Delete
	if backup != nil {
		takes += s.cloud.opts.Durations.Snapshot
		r.project.backups = append(r.project.backups, backup)
	}
	return s.begin(r, in, sqlWork{
		kind: "DELETE", takes: takes, state: "PENDING_DELETE",
		server: func() error { return s.cloud.engines.stop(in.engineID) },
		succeed: func() {
			in.gone, in.deleted = true, in.last.ended
			in.resource = jsonObject{}
		},
		abandon: func(failure *sqladmin.OperationError) {
			in.state = state
			if backup != nil && in.last.late {
				backup.failed = failure
			}
		},
	}), nil
}

func (s *sqlService) getConnectSettings(r *sqlRequest) (any, error) {
	in, err := r.instance()
	if err != nil {
		return nil, err
	}
	out := jsonObject{"kind": "sql#connectSettings", "backendType": "SECOND_GEN"}
	for _, k := range []string{"region", "databaseVersion", "ipAddresses", "serverCaCert"} {
		if v := in.resource[k]; v != nil {
			out[k] = v
		}
	}
	return out, nil
}

// sqlServerCert is the certificate of the authority that signed the server's.
func sqlServerCert(instance, ca string) jsonObject {
	block, _ := pem.Decode([]byte(ca))
	if block == nil {
		return nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	sum := sha1.Sum(cert.Raw)
	return jsonObject{
		"kind": "sql#sslCert", "certSerialNumber": "0", "cert": ca, "instance": instance,
		"commonName":      "C=US,O=Google\\, Inc,CN=Google Cloud SQL Server CA," + cert.Subject.String(),
		"sha1Fingerprint": hex.EncodeToString(sum[:]), "createTime": sqlTime(cert.NotBefore), "expirationTime": sqlTime(cert.NotAfter),
	}
}
