package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// instances manages instances of Cloud SQL.
type instances struct {
	*session.Caller
	sql         *sqladmin.Service
	flags       *flagCatalogue
	authorities *authorities
	pools       *pools
	recorded    *recorded
}

type adapter = table.Adapter[databaseParameters, instance, instanceParams]

type request = table.Request[v1alpha1.DatabaseParameters]

// newClient returns the client of Cloud SQL of a session.
func newClient(c *session.Caller) *sqladmin.Service {
	sql, err := sqladmin.NewService(context.Background(), c.Options("/")...)
	c.Made(err)
	return sql
}

// newAdapter returns what manages instances. Settings, the mark among them, go in one patch. The initial database and the administrator
// have calls of their own, and Cloud SQL takes one operation at a time on an instance: so they follow once the patch is done.
func newAdapter(s *session.Session) *adapter {
	c := s.To(api)
	sql := newClient(c)
	d := &instances{Caller: c, sql: sql, flags: &flagCatalogue{Caller: c, sql: sql}, authorities: &authorities{Caller: c, sql: sql}, pools: &pools{Caller: c, sql: sql}, recorded: &recorded{}}
	return &adapter{
		Table: fields, Lacks: lacks, Noun: "instance", ReadCall: "instances.get", Fixed: true,
		Read: d.observe, Learn: d.learnFlags, State: stateOf, Support: supportOf, Login: administrators{d}.lookForLogin, Review: review, Sayable: sayOnce, Snapshot: d.finalBackup, Restorable: (&snapshots{Caller: d.Caller, sql: d.sql}).restorable,
		Following: replicator{d}.following(),
		Tags:      func(p *instanceParams) *table.Delta { return &p.UserLabels },
		Creatable: creatable, Make: d.create, Taken: insertion, Refusals: refusals,
		Parts: []table.Part[databaseParameters, instance, instanceParams]{
			{Write: d.patch, Taken: patch, Refuses: session.RefusesValue, Versioned: true},
			{
				Fields: []string{fieldDatabase}, Read: d.lookForDatabase, Vital: session.MayPass, Later: true,
				Write: d.makeDatabase, Taken: table.Names{"Database"}, Refuses: session.RefusesValue,
				Blind: true, // a call that names the database alone; the instance was observed a moment ago
			},
			{Fields: []string{driver.FieldUsername}, Password: true, Write: administrators{d}.setLogin, Taken: table.Names{}, Refuses: session.RefusesValue},
			{Fields: []string{fieldPool, fieldPoolFlags}, Write: d.pools.change, Taken: table.Names{"ConnectionPoolingEnabled", "ConnectionPoolFlags"}, Refuses: session.RefusesValue},
			{Fields: []string{driver.FieldPowerState}, Write: d.patch, Taken: table.Names{"ActivationPolicy"}, Later: true, Versioned: true},
		},
		Guarded: true, Whole: session.RefusesAll,
		OneOperation: &driver.Error{Code: driver.Busy, Message: "Cloud SQL runs one operation at a time on an instance; this change is next"},
		Listing:      &table.Listing[instance]{Read: d.list},
		Remove:       d.remove,
		Actions:      operator{d}.actions, Act: operator{d}.act,
	}
}

// instanceNames is what Cloud SQL asks of the name of a new instance. https://cloud.google.com/sql/docs/postgres/create-instance
var instanceNames = driver.NameRule{
	MaxLength: 63,
	Patterns: []driver.NamePattern{
		{Match: `^[a-z]([a-z0-9-]*[a-z0-9])?$`,
			Rule: "Cloud SQL accepts names of lower-case letters, digits and hyphens that begin with a letter and do not end with a hyphen"},
	},
	WithAccount:     98,
	WithAccountRule: "Cloud SQL accepts names of at most 98 characters including project and colon",
}

// passwords is what Cloud SQL asks of an administrator's password. It documents no limit beside what an instance's own password policy demands,
// which is told by its refusal. 256 bytes are what MySQL's caching_sha2_password takes; PostgreSQL takes more.
// https://dev.mysql.com/doc/refman/8.4/en/caching-sha2-pluggable-authentication.html
var passwords = []driver.PasswordRule{{MinLength: 1, MaxLength: 256}}

// DatabaseKind is what the driver has of databases.
var DatabaseKind = table.Kind[*session.Session]{
	Name: "Database",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Google Cloud SQL", Name: instanceNames, Passwords: passwords, Fields: docs(), Lacks: lacks, Known: driver.Known{Locations: resource.Regions, Versions: majorVersions()}, Consequences: consequences(),
			Exempt:       map[string]string{"parametersMode": portable.ParametersModeExempt},
			Capabilities: driver.Capabilities{Login: true, Snapshots: true, Restores: true, PointInTime: true, Copies: true, Replicas: true, Stop: true, List: true, Actions: possibleActions}, Ownership: driver.OwnedByTags,
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, preview)
	},
	Check:   checkDraft,
	Tags:    resource.MostLabels,
	Handler: func(s *session.Session) table.Handler { return table.Handle(newAdapter(s)) },
}

// preview is what driver.Driver says of a preview. Effects look at the engine, the edition, the backups, the connection pool
// and the network of an instance, and at nothing else.
func preview(from, to v1alpha1.DatabaseParameters, applied driver.Applied) []driver.Change {
	from = inWordsOf(&to, from)
	have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		Tier: orNone(gcpOf(&from).Tier), Edition: orNone(gcpOf(&from).Edition), ActivationPolicy: policyOf(&from),
		IpConfiguration: &sqladmin.IpConfiguration{PrivateNetwork: orNone(gcpOf(&from).PrivateNetwork), ServerCaMode: orNone(gcpOf(&from).ServerCAMode)},
	}}}
	have.Settings.BackupConfiguration = backupsOf(&from, have)
	have.Settings.ConnectionPoolConfig = poolOf(&from)
	have.Settings.IpConfiguration.PscConfig = &sqladmin.PscConfig{PscEnabled: pscIn(&from).Enabled != nil && *pscIn(&from).Enabled}
	if from.Engine != nil && from.Version != nil {
		have.DatabaseVersion, _ = versionName(*from.Engine, *from.Version)
	}
	return onceStarted(have, oncePooled(have, fields.Preview(&from, &to, applied, have)))
}

// consequences says what people should know before they create or delete a database.
// https://cloud.google.com/sql/docs/postgres/delete-instance
func consequences() driver.Consequences {
	return driver.Consequences{
		Noun: "Cloud SQL instance", SnapshotKept: fmt.Sprintf("for %d days", finalBackupDays),
		WithSnapshot:    "its other backups are deleted with it, unless the instance retains them (spec.gcp.retainBackupsOnDelete)",
		WithoutSnapshot: "its backups are deleted with it, unless the instance retains them (spec.gcp.retainBackupsOnDelete)",
		Unset: []driver.UnsetField{
			{Field: "gcp.tier", Required: true, Means: "Cloud SQL creates no instance without a tier: set spec.size to a size of the class, or set spec.gcp.tier"},
			{Field: "gcp.privateNetwork", Unless: map[string]string{"network.publicAccess": "^Allowed$", fieldPSC: "^true$"}, Means: "the server gets a public address, because Cloud SQL accepts no server without an address, and until spec.network lets networks in there, only the Cloud SQL Auth Proxy and connectors reach it: set spec.gcp.privateNetwork, or set spec.network.publicAccess to Allowed"},
			{Field: "backup.retentionDays", Unless: map[string]string{"backup.pointInTimeRecovery": "^true$"}, Means: "Cloud SQL takes automatic backups in the edition Enterprise Plus, with spec.availability MultiZone and with spec.backup.pointInTimeRecovery only: set spec.backup.retentionDays"},
		},
	}
}

// docs returns what the reference says of each row.
func docs() []driver.Field {
	return append(fields.Docs(), driver.Field{Field: driver.FieldUsername, Effects: table.OnceSet(usernameInstead)})
}

// observe reads an instance, and while an operation is known to be under way that too: first the operation, so that what is read of the
// instance is what it made. Of the initial database it knows what was applied.
func (d *instances) observe(ctx context.Context, req *request, o *driver.Observation) (*instance, error) {
	op, err := d.operation(ctx, req)
	if err != nil {
		return nil, err
	}
	o.OperationError = op.failure()
	seen, err := d.read(ctx, req.Name)
	if err != nil {
		return nil, session.UnlessNotFound(err)
	}
	have := &instance{DatabaseInstance: seen, op: op}
	have.deny = findDenied(have.settings().DenyMaintenancePeriods, gcpOf(&req.Spec).DenyMaintenancePeriod, req.Applied)
	if have.certificates, err = d.authorities.of(ctx, seen); err != nil {
		return nil, err
	}
	if made := req.Applied[fieldDatabase]; len(made) > 0 {
		have.database = resource.Present(made[0])
	}
	return have, nil
}

// stateOf is what an instance says of itself. Cloud SQL gives instances no id; a later one of the same name was made at another
// time.
func stateOf(req *request, have *instance, o *driver.Observation) {
	o.ID, o.Mark, o.Location = have.CreateTime, driver.MarkFrom(have.labels()), strings.ToLower(have.Region)
	o.Protected = have.settings().DeletionProtectionEnabled
	o.Replication = &driver.Replication{Follows: following(have), Followers: followers(have)}
	o.Operation, o.Work = have.op.underWay(), have.op.work()
	noteCheck(req, have, o)
	setState(o, have, have.op)
	if o.State != driver.Deleting {
		o.Endpoint = endpointOf(req, have)
	}
}

// setState says what the instance is up to.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#SqlInstanceState
func setState(o *driver.Observation, have *instance, op *operation) {
	switch have.State {
	case "PENDING_CREATE":
		o.State, o.Problem = driver.Pending, "Cloud SQL is creating the instance"
	case "RUNNABLE", "STOPPED":
		o.State, o.Available = driver.Ready, true
		if have.stopped() {
			o.Available, o.Stopped, o.Problem = false, true, "the instance is stopped"
		}
	case "MAINTENANCE", "REPAIRING":
		o.State, o.Problem = driver.Pending, "the instance is down for maintenance"
		if o.Work.What == "" {
			o.Work.What = works["MAINTENANCE"]
		}
	case "ONLINE_MAINTENANCE":
		o.State, o.Available = driver.Pending, true
	case "PENDING_DELETE":
		o.State, o.Problem = driver.Deleting, "Cloud SQL is deleting the instance"
	case "FAILED", "SUSPENDED":
		o.State, o.Problem = driver.Failed, problemOf(have, op)
	default: // a state of tomorrow: nothing is done until it has passed
		o.State, o.Problem = driver.Pending, "Cloud SQL reports the instance as "+strings.ToLower(have.State)
	}
	if op.underWay() == "" {
		return
	}
	switch {
	case op.kind() == "DELETE":
		o.State = driver.Deleting
	case o.State == driver.Ready:
		o.State, o.Stopped = driver.Pending, false // it may be on its way up or down
	}
}

// problemOf says why an instance is of no use.
func problemOf(have *instance, op *operation) string {
	text := "Cloud SQL reports the instance as " + strings.ToLower(have.State)
	if len(have.SuspensionReason) > 0 {
		text += " (" + strings.Join(have.SuspensionReason, ", ") + ")"
	}
	if failure := op.failure(); failure != nil {
		text += ": " + failure.Message
	}
	return text
}

func (d *instances) read(ctx context.Context, name string) (*sqladmin.DatabaseInstance, error) {
	have, err := session.Do(ctx, d.Caller, "instances.get", func(ctx context.Context) (*sqladmin.DatabaseInstance, error) {
		return d.sql.Instances.Get(d.Project, name).Context(ctx).Do()
	})
	if err == nil {
		withoutExpired(have, d.Now())
	}
	return have, err
}

// endpointOf says how to reach the instance: by its private address if the spec names the network that it is in, or did before it named another, or else by its public address if it has
// one: a server that is to come into another network keeps its endpoint until it is there. A server that somebody gave a private address besides keeps its endpoint so.
// A server with a service attachment and without an address has its DNS name as endpoint.
func endpointOf(req *request, have *instance) driver.Endpoint {
	addresses := map[string]string{}
	for _, ip := range have.IpAddresses {
		addresses[ip.Type] = ip.IpAddress
	}
	preferred := []string{publicAddress, privateAddress}
	present := resource.NetworkPath(have.ipConfiguration().PrivateNetwork)
	named := func(network string) bool { return resource.NetworkPath(network) == present }
	if wanted := gcpOf(&req.Spec).PrivateNetwork; wanted != nil && (named(*wanted) || slices.ContainsFunc(req.Applied["gcp.privateNetwork"], named)) {
		slices.Reverse(preferred)
	}
	preferred = slices.DeleteFunc(preferred, func(kind string) bool { return addresses[kind] == "" })
	if have.State == "PENDING_CREATE" {
		return driver.Endpoint{}
	}
	e := driver.Endpoint{Username: loginOf(req, have.engine()).name, Certificates: have.certificates, ServiceAttachment: have.PscServiceAttachmentLink}
	switch name := have.attachedName(); {
	case len(preferred) > 0:
		e.Host, e.ServerName = addresses[preferred[0]], have.serverName(preferred[0])
	case name != "": // clients verify the host itself
		e.Host = name
	default:
		return driver.Endpoint{ServiceAttachment: e.ServiceAttachment}
	}
	switch have.engine() {
	case v1alpha1.EngineMySQL:
		e.Port = 3306
	case v1alpha1.EnginePostgres:
		e.Port, e.Database = 5432, "postgres"
	case v1alpha1.EngineMariaDB: // Cloud SQL has none
	}
	if req.Spec.DatabaseName != nil {
		e.Database = *req.Spec.DatabaseName
	}
	return e
}

// list returns a page of the project's instances in all locations, replicas among them. The permission is cloudsql.instances.list for
// the project. Operations are calls of their own, so an instance that takes a change right now is Ready here. A region that does not
// answer is left out, and Cloud SQL says so by a warning, which changes nothing here: no list is complete.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/list
func (d *instances) list(ctx context.Context, req driver.ListRequest) ([]table.Found[instance], string, error) {
	out, err := session.Do(ctx, d.Caller, "instances.list", func(ctx context.Context) (*sqladmin.InstancesListResponse, error) {
		call := d.sql.Instances.List(d.Project).PageToken(req.Page).MaxResults(session.ListPage).Context(ctx)
		if filter := markFilter(req.Cluster); filter != "" {
			call.Filter(filter)
		}
		return call.Do()
	})
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[instance], 0, len(out.Items))
	for _, item := range out.Items {
		withoutExpired(item, d.Now())
		found = append(found, table.Found[instance]{Name: item.Name, Have: &instance{DatabaseInstance: item, certificates: d.authorities.known(item)}})
	}
	return found, out.NextPageToken, nil
}

// labelValue is what a label's value can be. In a filter anything else could be taken for another term.
var labelValue = regexp.MustCompile(`^[a-z0-9_-]{1,63}$`)

// markFilter returns the filter for instances with the mark of a cluster; empty for all.
func markFilter(cluster string) string {
	if !labelValue.MatchString(cluster) {
		return ""
	}
	return fmt.Sprintf("settings.userLabels.%s:%s", driver.LabelCluster, cluster)
}
