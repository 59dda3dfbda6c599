package sql

import (
	"net/http"
	"strconv"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// Service is the Cloud SQL Admin API, versions v1 and v1beta4.
type Service struct {
	cloud    *cloud.Shared
	g        *google.Endpoint
	projects map[string]*sqlProject
	serial   int64
	// root is above the authorities that servers share, of which each region has one.
	root     *engine.Authority
	regional map[string]*engine.Authority
}

// A sqlProject is what one project has in Cloud SQL.
type sqlProject struct {
	id         string
	Instances  map[string]*sqlInstance // deleted ones stay, for stale reads and reserved names
	operations []*sqlOperation         // oldest first
	backups    []*sqlBackup
}

var (
	errSQLDenied     = google.Err(http.StatusForbidden, "notAuthorized", "The client is not authorized to make this request.")
	errSQLNoInstance = google.Err(http.StatusNotFound, "instanceDoesNotExist", "The Cloud SQL instance does not exist.")
	errSQLBusy       = google.Err(http.StatusConflict, "operationInProgress", "Operation failed because another operation was already in progress. Try your request after the current operation is complete.")
	errSQLStale      = google.Err(http.StatusPreconditionFailed, "staleData", "Condition does not match.")
	errSQLNotRunning = sqlInvalid("Invalid request since instance is not running.")
	errSQLThrottled  = google.Err(http.StatusTooManyRequests, "rateLimitExceeded", "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user' of service 'sqladmin.googleapis.com'.")
)

func sqlInvalid(message string) *google.Error {
	return google.Err(http.StatusBadRequest, "invalid", "Invalid request: "+message)
}

// New adds Cloud SQL, without instances, to the endpoint.
func New(c *cloud.Shared, g *google.Endpoint) *Service {
	s := &Service{cloud: c, g: g, projects: map[string]*sqlProject{}, regional: map[string]*engine.Authority{}}
	g.Faults["sqladmin"] = sqlFaults
	s.route(g)
	return s
}

// sqlFaults are the errors that Cloud SQL has words of its own for.
func sqlFaults(kind traffic.FaultKind, _ traffic.Call) *google.Error {
	return map[traffic.FaultKind]*google.Error{traffic.Throttled: errSQLThrottled, traffic.Denied: errSQLDenied, traffic.Conflict: errSQLBusy}[kind]
}

// operationTarget returns the instance that an operation works on.
func (s *Service) operationTarget(r *http.Request) string {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	if op := s.Project(r.PathValue("project")).Operation(r.PathValue("operation")); op != nil {
		return op.Instance.Name
	}
	return ""
}

func (s *Service) route(g *google.Endpoint) {
	const instance = "/projects/{project}/instances/{instance}"
	for _, r := range []struct {
		method, path, operation, resource string
		do                                func(*sqlRequest) (any, error)
	}{
		{"POST", "/projects/{project}/instances", "instances.insert", "name", s.insertInstance},
		{"GET", "/projects/{project}/instances", "instances.list", "", s.listInstances},
		{"GET", instance, "instances.get", "instance", s.getInstance},
		{"PATCH", instance, "instances.patch", "instance", s.patchInstance},
		{"PUT", instance, "instances.update", "instance", s.updateInstance},
		{"DELETE", instance, "instances.delete", "instance", s.deleteInstance},
		{"POST", instance + "/restart", "instances.restart", "instance", s.restartInstance},
		{"POST", instance + "/failover", "instances.failover", "instance", s.failOverInstance},
		{"POST", instance + "/promoteReplica", "instances.promoteReplica", "instance", s.promoteReplica},
		{"POST", instance + "/preCheckMajorVersionUpgrade", "instances.preCheckMajorVersionUpgrade", "instance", s.preCheck},
		{"POST", instance + "/restoreBackup", "instances.restoreBackup", "instance", s.restoreBackup},
		{"POST", instance + "/clone", "instances.clone", "instance", s.cloneInstance},
		{"GET", instance + "/getLatestRecoveryTime", "instances.getLatestRecoveryTime", "instance", s.getRecoveryTime},
		{"GET", instance + "/listServerCas", "instances.listServerCas", "instance", s.listServerCas},
		{"POST", instance + "/addServerCa", "instances.addServerCa", "instance", s.addServerCa},
		{"POST", instance + "/rotateServerCa", "instances.rotateServerCa", "instance", s.rotateServerCa},
		{"GET", instance + "/listServerCertificates", "instances.ListServerCertificates", "instance", s.listServerCertificates},
		{"POST", instance + "/addServerCertificate", "instances.AddServerCertificate", "instance", s.addServerCertificate},
		{"POST", instance + "/rotateServerCertificate", "instances.RotateServerCertificate", "instance", s.rotateServerCertificate},
		{"GET", instance + "/connectSettings", "connect.get", "instance", s.getConnectSettings},
		{"GET", "/projects/{project}/operations", "operations.list", "", s.listOperations},
		{"GET", "/projects/{project}/operations/{operation}", "operations.get", "operation", s.getOperation},
		{"POST", instance + "/databases", "databases.insert", "instance", s.insertDatabase},
		{"GET", instance + "/databases", "databases.list", "instance", s.listDatabases},
		{"GET", instance + "/databases/{database}", "databases.get", "instance", s.getDatabase},
		{"DELETE", instance + "/databases/{database}", "databases.delete", "instance", s.deleteDatabase},
		{"POST", instance + "/users", "users.insert", "instance", s.insertUser},
		{"GET", instance + "/users", "users.list", "instance", s.listUsers},
		{"GET", instance + "/users/{user}", "users.get", "instance", s.getUser},
		{"PUT", instance + "/users", "users.update", "instance", s.updateUser},
		{"DELETE", instance + "/users", "users.delete", "instance", s.deleteUser},
		{"POST", instance + "/backupRuns", "backupRuns.insert", "instance", s.insertBackupRun},
		{"GET", instance + "/backupRuns", "backupRuns.list", "instance", s.listBackupRuns},
		{"GET", instance + "/backupRuns/{backup}", "backupRuns.get", "instance", s.getBackupRun},
		{"DELETE", instance + "/backupRuns/{backup}", "backupRuns.delete", "instance", s.deleteBackupRun},
		{"GET", "/projects/{project}/backups", "Backups.ListBackups", "", s.listBackups},
		{"POST", "/projects/{project}/backups", "Backups.CreateBackup", "body.instance", s.createBackup},
		{"PATCH", "/projects/{project}/backups/{backup}", "Backups.UpdateBackup", "backup", s.updateBackup},
		{"GET", "/projects/{project}/backups/{backup}", "Backups.GetBackup", "backup", s.getBackup},
		{"DELETE", "/projects/{project}/backups/{backup}", "Backups.DeleteBackup", "backup", s.deleteBackup},
	} {
		route := google.Route{Service: "sqladmin", Operation: r.operation, Resource: r.resource, Do: func(call *google.Request) (any, error) {
			if call.Caller.ID != call.PathValue("project") {
				return nil, errSQLDenied
			}
			s.cloud.Clock.Note()
			p := s.Project(call.Caller.ID)
			p.settle(call.Now)
			return r.do(&sqlRequest{call, p})
		}}
		if r.resource == "operation" {
			route.Find = s.operationTarget
		}
		for _, version := range []string{"/v1", "/sql/v1beta4"} {
			g.Handle(r.method+" "+version+r.path, route)
		}
	}
	for _, version := range []string{"/v1", "/sql/v1beta4"} {
		g.Handle("GET "+version+"/flags", google.Route{Service: "sqladmin", Operation: "flags.list", Do: s.listFlags})
	}
}

// A sqlRequest is a call to Cloud SQL by somebody who may make it. What the clock has brought
// about in the project is settled.
type sqlRequest struct {
	*google.Request
	project *sqlProject
}

// Project returns what a project has, made on first use.
func (s *Service) Project(id string) *sqlProject {
	p := s.projects[id]
	if p == nil {
		p = &sqlProject{id: id, Instances: map[string]*sqlInstance{}}
		s.projects[id] = p
	}
	return p
}

// instance returns the instance that the path names, as it is.
func (r *sqlRequest) instance() (*sqlInstance, error) {
	in := r.project.Instances[r.PathValue("instance")]
	if in == nil || in.gone {
		return nil, errSQLNoInstance
	}
	return in, nil
}

// idle returns the instance if no operation is under way.
func (r *sqlRequest) idle() (*sqlInstance, error) {
	in, err := r.instance()
	if err == nil && in.operation != nil {
		return nil, errSQLBusy
	}
	return in, err
}

// running returns the instance if its server takes connections: what databases and users demand.
func (r *sqlRequest) running() (*sqlInstance, error) {
	in, err := r.instance()
	if err == nil && (in.state != "RUNNABLE" || in.stopped()) {
		return nil, errSQLNotRunning
	}
	return in, err
}

// free returns the instance if it is running and no operation is under way.
func (r *sqlRequest) free() (*sqlInstance, error) {
	if _, err := r.idle(); err != nil {
		return nil, err
	}
	return r.running()
}

func (s *Service) link(path string) string { return s.cloud.GCPEndpoint() + "/v1/projects/" + path }

func sqlTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func sqlETag(serial int64) string { return strconv.FormatInt(serial, 16) + "d1" }
