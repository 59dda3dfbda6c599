package recordings

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// databaseCall names the call of Cloud SQL that was recorded.
func databaseCall(e exchange) string {
	parts := e.segments() // projects, the project, instances, its name, users, a name
	verb := map[string]string{http.MethodGet: "get", http.MethodPatch: "patch", http.MethodDelete: "delete", http.MethodPost: "insert", http.MethodPut: "update"}[e.Method]
	switch {
	case parts[2] == "operations":
		return "operations.get"
	case len(parts) <= 4:
		return "instances." + verb
	case len(parts) == 5 && e.Method == http.MethodGet:
		return parts[4] + ".list"
	case parts[4] == "users" || parts[4] == "databases":
		return parts[4] + "." + verb
	}
	return "instances." + parts[4]
}

type databaseRequest = table.Request[v1alpha1.DatabaseParameters]

// TestDatabasesReplayed serves the recordings of Cloud SQL to the driver.
func TestDatabasesReplayed(t *testing.T) {
	each(t, "cloudsql.json", replayed, func(t *testing.T, _ string, steps []exchange) {
		server, conn := newReplay(t)
		r := &databaseReplay{T: t, replay: server, cloud: drivertest.Databases(conn), requests: map[string]*databaseRequest{}}
		for i, step := range steps {
			server.answer(step)
			if err := r.step(step); err != nil {
				t.Errorf("step %d: %s %s: %v", i, step.Method, step.Path, err)
			}
		}
	})
}

// A databaseReplay is one case on its way to the driver.
type databaseReplay struct {
	*testing.T
	*replay
	cloud    table.External[v1alpha1.DatabaseParameters]
	requests map[string]*databaseRequest // by the instance's name
	last     *databaseRequest
}

// request returns the request about the instance that a path names.
func (r *databaseReplay) request(e exchange) *databaseRequest {
	parts := e.segments()
	if parts[2] == "operations" {
		return r.last
	}
	name := stringAt(object(r.T, e.Request), "name")
	if len(parts) > 3 {
		name = parts[3]
	}
	if r.requests[name] == nil {
		r.requests[name] = &databaseRequest{Request: driver.Request{Name: name, Location: "us-central1"}, Login: driver.Login{Password: "canary"}}
	}
	r.last = r.requests[name]
	return r.last
}

// step lets the driver make the call that was recorded.
func (r *databaseReplay) step(e exchange) error {
	req := r.request(e)
	switch databaseCall(e) {
	case "instances.get":
		r.observe(*req, e)
		return nil
	case "operations.get":
		with := *req
		with.Operation = stringAt(object(r.T, e.Response), "name")
		seen, err := r.cloud.Observe(r.Context(), with)
		if err == nil && (seen.Operation != "" || seen.OperationError != nil) {
			r.Errorf("an operation that is done is under way as %q, with the error %v", seen.Operation, seen.OperationError)
		}
		return err
	case "instances.insert":
		req.Spec = databaseSpec(object(r.T, e.Request), v1alpha1.DatabaseParameters{})
		asked := *req
		if asked.Spec.Engine == nil { // another engine than Mooring has, and the same answer
			asked.Spec.Engine, asked.Spec.Version = new(v1alpha1.EnginePostgres), nil
		}
		return r.began(e)(r.cloud.Create(r.Context(), asked))
	case "instances.patch", "instances.update":
		req.Spec = databaseSpec(object(r.T, e.Request), req.Spec)
		e.Method = http.MethodPatch // the driver replaces nothing as a whole
		r.answer(e)
		return r.began(e)(r.cloud.Update(r.Context(), *req, driver.Edit{Changes: []driver.Change{{Field: "gcp.tier"}}}))
	case "instances.delete":
		return r.began(e)(r.cloud.Delete(r.Context(), *req))
	case "users.list":
		return r.lookForUsers(*req, e)
	case "users.insert", "users.update":
		with := *req
		with.Login.Username = "recorded"
		edit := map[string]driver.Edit{
			"users.insert": {Changes: []driver.Change{{Field: driver.FieldUsername}}}, "users.update": {Password: driver.SetPassword},
		}[databaseCall(e)]
		return r.began(e)(r.cloud.Update(r.Context(), with, edit))
	case "databases.get":
		with := *req
		with.Spec.DatabaseName = new(e.segments()[5])
		seen, err := r.cloud.Observe(r.Context(), with)
		if missing := hasChange(seen, "databaseName"); err == nil && missing != (e.Status == http.StatusNotFound) {
			r.Errorf("the database is missing: %t, answered with status %d", missing, e.Status)
		}
		return err
	case "databases.insert":
		with := *req
		with.Spec.DatabaseName = new(stringAt(object(r.T, e.Request), "name"))
		return r.began(e)(r.cloud.Update(r.Context(), with, driver.Edit{Changes: []driver.Change{{Field: "databaseName"}}}))
	case "users.delete", "databases.update", "databases.delete", "instances.clone", "instances.promoteReplica":
		return nil // the driver makes no such call
	}
	r.Errorf("no test for %s", databaseCall(e))
	return nil
}

// began demands that a call began an operation which has to be waited for, or was done with its answer.
func (r *databaseReplay) began(e exchange) func(driver.Result, error) error {
	done := stringAt(object(r.T, e.Response), "status") == "DONE"
	return func(result driver.Result, err error) error {
		if err == nil && (result.Operation == "" != done || len(result.Failed) > 0) {
			r.Errorf("operation %q, failed %v", result.Operation, result.Failed)
		}
		return err
	}
}

func hasChange(seen driver.Observation, name string) bool {
	for _, c := range seen.Changes {
		if c.Field == name {
			return true
		}
	}
	return false
}

// lookForUsers holds the driver to the list of users: those that it has are found, another is not, unless the instance is a read replica.
func (r *databaseReplay) lookForUsers(req databaseRequest, e exchange) error {
	names := map[string]bool{"nobody-of-that-name": false}
	items, _ := at(object(r.T, e.Response), "items").([]any)
	for _, item := range items {
		if host := stringAt(item, "host"); host == "" || host == "%" {
			names[stringAt(item, "name")] = true
		}
	}
	for name, there := range names {
		req.Login.Username = name
		seen, err := r.cloud.Observe(r.Context(), req)
		if err != nil {
			return err
		}
		if seen.Replication.GetFollows() != nil { // no user is made on a read replica, so none is missing
			there = true
		}
		if found := !hasChange(seen, driver.FieldUsername); found != there {
			r.Errorf("the user %q is found: %t, want %t", name, found, there)
		}
	}
	return nil
}

func (r *databaseReplay) observe(req databaseRequest, e exchange) {
	r.Helper()
	seen, err := r.cloud.Observe(r.Context(), req)
	switch {
	case err != nil:
		r.Errorf("%s: %v", e.Path, err)
		return
	case e.Status == http.StatusNotFound:
		if seen.State != driver.Absent {
			r.Errorf("%s: state is %v, want Absent", e.Path, seen.State)
		}
		return
	}
	have := object(r.T, e.Response)
	stopped := stringAt(have, "settings", "activationPolicy") == "NEVER"
	if seen.State != driver.Ready || seen.Stopped != stopped || seen.Available == stopped || seen.Location != stringAt(have, "region") || seen.ID != stringAt(have, "createTime") {
		r.Errorf("%s: observed %v, stopped %t, available %t, in %q, id %q", e.Path, seen.State, seen.Stopped, seen.Available, seen.Location, seen.ID)
	}
	if len(seen.Changes) > 0 || len(seen.Unreadable) > 0 {
		r.Errorf("%s: differs from the specification that asked for it: %v, unreadable %v", e.Path, seen.Changes, seen.Unreadable)
	}
	if until, _ := time.Parse(time.RFC3339, stringAt(have, "serverCaCert", "expirationTime")); seen.Support == nil || !seen.Support.CertificateExpires.Equal(until) {
		r.Errorf("%s: its authority ends at %v, observed %+v", e.Path, until, seen.Support)
	}
	if seen.Endpoint.Host == "" {
		r.Errorf("%s: no address", e.Path)
	}
	if gcp := req.Spec.GCP; gcp != nil && gcp.SSLMode != nil && *gcp.SSLMode != "" {
		req.Spec.TLS = nil // one object can't have both: a mirror for both has both
		if seen, err = r.cloud.Observe(r.Context(), req); err != nil {
			r.Errorf("%s: %v", e.Path, err)
			return
		}
	}
	want := databaseSpec(have, v1alpha1.DatabaseParameters{})
	want.Version = nil
	saidOnce(req.Spec, &want)
	if want.Engine == nil { // the mirror says what is there, in the manner of the spec
		family, _, _ := strings.Cut(stringAt(have, "databaseVersion"), "_")
		want.Engine = new(v1alpha1.Engine(strings.ToLower(family)))
		wantMirror(r.T, seen.Mirror, want)
		return // of an engine that no spec can have
	}
	if version := stringAt(have, "databaseInstalledVersion"); version != "" {
		_, number, _ := strings.Cut(version, "_")
		want.Version = new(strings.ReplaceAll(number, "_", "."))
	}
	wantMirror(r.T, seen.Mirror, want)
	wantSayable(r.T, ofGCP, "Database", seen, func(spec json.RawMessage) (driver.Observation, error) {
		return observeAs(r.T, r.cloud, req, spec)
	})
}

// saidOnce takes out of a specification what it says twice, so that the mirror has it once: in the words of what was asked for.
func saidOnce(asked v1alpha1.DatabaseParameters, s *v1alpha1.DatabaseParameters) {
	switch {
	case s.GCP == nil || s.TLS == nil || s.GCP.SSLMode == nil || *s.GCP.SSLMode == "":
	case asked.TLS != nil:
		s.GCP.SSLMode = nil
	default:
		s.TLS = nil
	}
	for name := range s.Parameters {
		if strings.HasSuffix(name, "iam_authentication") {
			delete(s.Parameters, name)
		}
	}
	if len(s.Parameters) == 0 {
		s.Parameters = nil
	}
}

// networksIn returns the networks that an answer lets in; nil if there are none.
func networksIn(settings any) (networks []string) {
	entries, _ := at(settings, "ipConfiguration", "authorizedNetworks").([]any)
	for _, entry := range entries {
		networks = append(networks, stringAt(entry, "value"))
	}
	return networks
}

// standbyOf returns the zone of the standby; nil if there is none, whatever zone one would have.
func standbyOf(settings any) *string {
	zone := stringAt(settings, "locationPreference", "secondaryZone")
	if zone == "" || stringAt(settings, "availabilityType") != "REGIONAL" {
		return nil
	}
	return &zone
}

// policyOf returns what an answer or a request says of a password policy. An answer that says nothing is one of a server that checks no passwords.
func policyOf(settings any, answer bool) *v1alpha1.PasswordValidationPolicy {
	rules, ok := at(settings, "passwordValidationPolicy").(map[string]any)
	if !ok && !answer {
		return nil
	}
	policy := &v1alpha1.PasswordValidationPolicy{Enabled: new(rules["enablePasswordPolicy"] == true)}
	if !ok {
		return policy
	}
	number := func(name string) *int32 {
		v, _ := rules[name].(float64)
		return new(int32(v))
	}
	policy.MinLength, policy.ReuseInterval, policy.Complexity = number("minLength"), number("reuseInterval"), new("COMPLEXITY_UNSPECIFIED")
	policy.DisallowUsernameSubstring, policy.PasswordChangeIntervalSeconds = new(rules["disallowUsernameSubstring"] == true), new(int32(0))
	if complexity := stringAt(rules, "complexity"); complexity != "" {
		policy.Complexity = &complexity
	}
	if interval, err := time.ParseDuration(stringAt(rules, "passwordChangeInterval")); err == nil {
		policy.PasswordChangeIntervalSeconds = new(int32(interval.Seconds()))
	}
	return policy
}

// databaseSpec is the specification that asks for what an instance is, in so far as a Database can.
func databaseSpec(instance map[string]any, before v1alpha1.DatabaseParameters) v1alpha1.DatabaseParameters {
	spec := before
	if region := stringAt(instance, "region"); region != "" {
		spec.Location = &region
	}
	family, number, _ := strings.Cut(stringAt(instance, "databaseVersion"), "_")
	if engine, ok := map[string]v1alpha1.Engine{"POSTGRES": v1alpha1.EnginePostgres, "MYSQL": v1alpha1.EngineMySQL}[family]; ok {
		spec.Engine, spec.Version = &engine, new(strings.ReplaceAll(number, "_", "."))
	}
	settings := at(instance, "settings")
	if tier := stringAt(settings, "tier"); tier != "" {
		spec.GCP = &v1alpha1.DatabaseGCP{
			Tier: &tier, Zone: new(stringAt(settings, "locationPreference", "zone")), SecondaryZone: standbyOf(settings), DataDiskType: new(stringAt(settings, "dataDiskType")), ConnectorEnforcement: new(stringAt(settings, "connectorEnforcement")),
			SSLMode: new(stringAt(settings, "ipConfiguration", "sslMode")), RetainBackupsOnDelete: new(at(settings, "retainBackupsOnDelete") == true),
		}
	}
	if spec.GCP != nil {
		spec.GCP.PasswordValidationPolicy = policyOf(settings, stringAt(instance, "state") != "")
	}
	if edition := stringAt(settings, "edition"); edition != "" && spec.GCP != nil {
		spec.GCP.Edition = &edition
	}
	if public, ok := at(settings, "ipConfiguration", "ipv4Enabled").(bool); ok {
		spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(map[bool]v1alpha1.PublicAccess{true: v1alpha1.PublicAccessAllowed, false: v1alpha1.PublicAccessBlocked}[public])}
		if network := stringAt(settings, "ipConfiguration", "privateNetwork"); network != "" && spec.GCP != nil {
			spec.GCP.PrivateNetwork = &network
			if addresses := stringAt(settings, "ipConfiguration", "allocatedIpRange"); addresses != "" {
				spec.GCP.AllocatedIPRange = &addresses
			}
		}
		if stringAt(instance, "state") != "" { // the requests' networks are not in the answers: see knownOfDatabases
			spec.Network.AllowedCIDRs = networksIn(settings)
		}
	}
	if availability, ok := map[string]v1alpha1.Availability{
		"ZONAL": v1alpha1.AvailabilitySingleZone, "REGIONAL": v1alpha1.AvailabilityMultiZone,
	}[stringAt(settings, "availabilityType")]; ok {
		spec.Availability = &availability
	}
	if size := stringAt(settings, "dataDiskSizeGb"); size != "" {
		spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(number32(size))}
		if at(settings, "storageAutoResize") == false {
			spec.Storage.MaxSizeGiB = spec.Storage.SizeGiB
		} else if most, ok := at(settings, "storageAutoResizeLimit").(string); ok && most != "0" {
			spec.Storage.MaxSizeGiB = new(number32(most))
		}
	}
	if protected, ok := at(settings, "deletionProtectionEnabled").(bool); ok {
		spec.DeletionProtection = &protected
	}
	switch enabled := at(settings, "backupConfiguration", "enabled"); enabled {
	case true:
		kept, _ := at(settings, "backupConfiguration", "backupRetentionSettings", "retainedBackups").(float64)
		spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(kept))}
	case false:
		spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
	}
	if b := at(settings, "backupConfiguration"); spec.Backup != nil && b != nil {
		spec.Backup = spec.Backup.DeepCopy()
		on := at(b, "pointInTimeRecoveryEnabled") == true || at(b, "binaryLogEnabled") == true
		if before.Backup != nil && stringAt(instance, "state") == "" { // a request says what it changes
			on = on || before.Backup.PointInTimeRecovery != nil && *before.Backup.PointInTimeRecovery && at(b, "pointInTimeRecoveryEnabled") == nil
		}
		spec.Backup.PointInTimeRecovery = &on
	}
	if start := stringAt(settings, "backupConfiguration", "startTime"); start != "" {
		spec.Backup = spec.Backup.DeepCopy()
		if spec.Backup == nil {
			spec.Backup = &v1alpha1.DatabaseBackup{}
		}
		spec.Backup.StartTime = &start
	}
	if day, ok := at(settings, "maintenanceWindow", "day").(float64); ok {
		hour, _ := at(settings, "maintenanceWindow", "hour").(float64)
		spec.Maintenance = spec.Maintenance.DeepCopy()
		if spec.Maintenance == nil {
			spec.Maintenance = &v1alpha1.DatabaseMaintenance{}
		}
		if track := stringAt(settings, "maintenanceWindow", "updateTrack"); track != "" && spec.GCP != nil {
			spec.GCP.MaintenanceTrack = &track
		}
		spec.Maintenance.Window = &v1alpha1.MaintenanceWindow{
			Day: new(v1alpha1.Weekday(time.Weekday(int(day) % 7).String())), StartTime: new(fmt.Sprintf("%02d:00", int(hour))),
		}
	}
	if mode := stringAt(settings, "ipConfiguration", "sslMode"); mode != "" {
		spec.TLS = new(v1alpha1.TLSRequired)
		if mode == "ALLOW_UNENCRYPTED_AND_ENCRYPTED" {
			spec.TLS = new(v1alpha1.TLSOptional)
		}
	}
	insights, configured := at(settings, "insightsConfig").(map[string]any)
	switch stringAt(settings, "activationPolicy") {
	case "ALWAYS":
		spec.PowerState = new(v1alpha1.PowerStateRunning)
	case "NEVER":
		spec.PowerState = new(v1alpha1.PowerStateStopped)
	}
	if stringAt(instance, "state") != "" {
		if spec.GCP != nil {
			spec.GCP.DataCache, spec.GCP.ServerCAMode = new(false), new("GOOGLE_MANAGED_INTERNAL_CA") // nobody recorded others
			spec.GCP.ConnectionPool, spec.GCP.PSCConfig = &v1alpha1.ConnectionPool{Enabled: new(false)}, &v1alpha1.PSCConfig{Enabled: new(false)}
		}
		spec.IAMAuthentication, spec.Insights = new(false), new(insights["queryInsightsEnabled"] == true)
	} else if on, ok := insights["queryInsightsEnabled"].(bool); ok {
		spec.Insights = &on
	}
	if spec.GCP != nil && (configured || stringAt(instance, "state") != "") {
		spec.GCP.Insights = &v1alpha1.QueryInsights{RecordApplicationTags: new(insights["recordApplicationTags"] == true), RecordClientAddress: new(insights["recordClientAddress"] == true)}
		if length, ok := insights["queryStringLength"].(float64); ok {
			spec.GCP.Insights.QueryStringLength = new(int32(length))
		}
		if plans, ok := insights["queryPlansPerMinute"].(float64); ok {
			spec.GCP.Insights.QueryPlansPerMinute = new(int32(plans))
		}
	}
	if flags, ok := at(settings, "databaseFlags").([]any); ok {
		spec.Parameters = map[string]v1alpha1.ParameterValue{}
		for _, f := range flags {
			if strings.HasSuffix(stringAt(f, "name"), "iam_authentication") {
				spec.IAMAuthentication = new(stringAt(f, "value") == "on")
				if stringAt(instance, "state") == "" { // to ask for it twice is refused
					continue
				}
			}
			spec.Parameters[stringAt(f, "name")] = v1alpha1.ParameterValue(stringAt(f, "value"))
		}
	}
	if labels := at(settings, "userLabels"); labels != nil {
		spec.Tags = tags(labels)
	}
	return spec
}
