package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlInstance is a Cloud SQL instance, or what a deleted one left behind.
type sqlInstance struct {
	Name     string
	project  string
	engineID string // unique in the cloud
	serial   int64  // in the order of creation
	resource google.Object
	state    string
	version  int64 // of the settings

	databases []*sqladmin.Database
	users     []*sqladmin.User
	passwords map[string][]sqlPassword // of each user, the latest last
	runs      []*sqlBackupRun
	recovery  sqlRecovery

	replication sqlReplication
	lag         cloud.ReplicaLag
	checks      []*sqladmin.PreCheckResponse // what is in the way of an upgrade

	operation *sqlOperation // under way
	last      *sqlOperation

	before        google.Object // as it was before the last write; nil if it was not there
	pastDatabases []*sqladmin.Database
	pastUsers     []*sqladmin.User
	pastRuns      []*sqlBackupRun

	// server is where the server listens; public and private are the addresses that the instance has, and network is that of the latter.
	server, public, private, network string
	addressed                        bool // one of them was the server's
	authorities                      sqlAuthorities

	gone    bool
	deleted time.Time
}

// sqlOutputOnly are the members that only Cloud SQL sets.
var sqlOutputOnly = []string{

	"kind", "state", "etag", "project", "selfLink", "connectionName", "ipAddresses", "serverCaCert", "createTime", "currentDiskSize",
	"serviceAccountEmailAddress", "databaseInstalledVersion", "backendType", "dnsName", "dnsNames", "upgradableDatabaseVersions",
	"satisfiesPzs", "satisfiesPzi", "scheduledMaintenance", "suspensionReason", "outOfDiskReport", "writeEndpoint",
	"gceZone", "secondaryGceZone", "pscServiceAttachmentLink", "replicaNames",
}

func (in *sqlInstance) mysql() bool { return strings.HasPrefix(in.databaseVersion(), "MYSQL") }

func (in *sqlInstance) databaseVersion() string {
	v, _ := in.resource["databaseVersion"].(string)
	return v
}

func (in *sqlInstance) settings() google.Object { return google.Member(in.resource, "settings") }

func (in *sqlInstance) stopped() bool { return in.settings()["activationPolicy"] == "NEVER" }

// Shown returns the instance as the API shows it; nil once it is gone.
func (in *sqlInstance) Shown() google.Object {
	if in.gone || in.resource == nil {
		return nil
	}
	out := google.Cloned(in.resource)
	out["state"] = in.state
	out["etag"] = sqlETag(in.version)
	var replicas []any
	for _, replica := range in.replication.replicas {
		replicas = append(replicas, replica.Name)
	}
	if replicas != nil {
		out["replicaNames"] = replicas
	}
	google.Member(out, "settings")["settingsVersion"] = strconv.FormatInt(in.version, 10)
	return out
}

func (s *Service) getInstance(r *sqlRequest) (any, error) {
	in := r.project.Instances[r.PathValue("instance")]
	if in == nil {
		return nil, errSQLNoInstance
	}
	out := in.Shown()
	if r.Stale {
		out = in.before
	}
	if out == nil {
		return nil, errSQLNoInstance
	}
	return out, nil
}

func (s *Service) listInstances(r *sqlRequest) (any, error) {
	matches, err := parseSQLFilter(r.URL.Query().Get("filter"))
	if err != nil {
		return nil, err
	}
	var all []*sqlInstance
	for _, in := range r.project.Instances {
		all = append(all, in)
	}
	slices.SortFunc(all, func(a, b *sqlInstance) int { return strings.Compare(a.Name, b.Name) })
	newest := int64(0)
	for _, in := range all {
		if !in.gone {
			newest = max(newest, in.serial)
		}
	}
	var found []any
	for _, in := range all {
		out := in.Shown()
		if r.Stale {
			out = in.before
			if in.serial == newest {
				out = nil
			}
		}
		if out != nil && matches(out) {
			found = append(found, out)
		}
	}
	page, next, err := google.PageOf(r.Request, found, "maxResults", 500, 1000)
	if err != nil {
		return nil, err
	}
	out := google.Object{"kind": "sql#instancesList"}
	if len(page) > 0 {
		out["items"] = page
	}
	if next != "" {
		out["nextPageToken"] = next
	}
	return out, nil
}

// parseSQLFilter parses "field.path:value" terms, all of which must hold. OR is not served here.
func parseSQLFilter(filter string) (func(google.Object) bool, error) {
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
	return func(object google.Object) bool {
		for i, path := range paths {
			var at any = object
			for _, k := range path {
				inner, _ := at.(google.Object)
				at = inner[k]
			}
			if at == nil || fmt.Sprint(at) != values[i] {
				return false
			}
		}
		return true
	}, nil
}

func (s *Service) getConnectSettings(r *sqlRequest) (any, error) {
	in, err := r.instance()
	if err != nil {
		return nil, err
	}
	out := google.Object{"kind": "sql#connectSettings", "backendType": "SECOND_GEN"}
	for _, k := range []string{"region", "databaseVersion", "ipAddresses", "serverCaCert", "dnsNames"} {
		if v := in.resource[k]; v != nil {
			out[k] = v
		}
	}
	return out, nil
}
