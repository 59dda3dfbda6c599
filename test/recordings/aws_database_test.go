package recordings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// TestInstancesReplayed serves the recordings of RDS to the SDK and to the driver. The SDK must decode every answer without
// loss. Of the calls that the driver makes it must understand the answers.
func TestInstancesReplayed(t *testing.T) {
	whole := each(t, "rds.json", replayed, func(t *testing.T, name string, answers []rdsAnswer) {
		r := &instanceReplay{T: t, awsReplay: newAWSReplay(t), title: name}
		for _, a := range answers {
			r.recorded(a)
			r.decoded(a)
			r.classified(a)
			if !setAside(uncalledByDatabases, a.Call) {
				r.step(a)
			}
		}
	})
	if whole {
		wantNoStaleCalls(t, uncalledByDatabases)
		wantNoStale(t, knownOfDecoding)
	}
}

// An instanceReplay is one case on its way to the driver.
type instanceReplay struct {
	*testing.T
	*awsReplay
	title string         // of the case
	last  map[string]any // the instance that was served last
}

// recorded makes an answer known as it was recorded.
func (r *instanceReplay) recorded(a rdsAnswer) {
	r.answer(a.Call, awsAnswer{status: a.Status, body: a.document()})
}

// decoded demands that the SDK decodes an answer without loss.
func (r *instanceReplay) decoded(a rdsAnswer) {
	r.Helper()
	got, err := a.decode(r.T, r.URL)
	var lost []difference
	switch failed := a.Status >= http.StatusBadRequest; {
	case (err != nil) != failed:
		lost = []difference{{"", nil, fmt.Sprint(err)}}
	case !failed: // classified looks at errors
		lost = compare(withoutUnset(any(a.Response)), got, nil)
	}
	for _, d := range judge(knownOfDecoding, r.title+"/"+a.Call, lost) {
		r.Errorf("%s %d: lost on the way through the SDK: %v", a.Call, a.N, d)
	}
}

// rdsErrors says what the recorded errors mean.
var rdsErrors = map[string]driver.Code{
	"SnapshotQuotaExceeded":    driver.Quota,
	"DBSnapshotAlreadyExists":  driver.Conflict,
	"DBParameterGroupNotFound": driver.Invalid, // in an answer to a call about an instance: the spec names none that is there
}

// classified answers a call of the driver with a recorded error, whichever call it was recorded of. What the code does not
// say the driver must not take it for: nothing is absent because a group is.
func (r *instanceReplay) classified(a rdsAnswer) {
	r.Helper()
	if a.Status < http.StatusBadRequest {
		return
	}
	code, message := stringAt(a.Response, "Error", "Code"), stringAt(a.Response, "Error", "Message")
	r.answer("DescribeDBInstances", awsAnswer{status: a.Status, body: a.document()})
	seen, err := drivertest.Databases(r.open("us-east-1")).Observe(r.Context(), databaseRequest{Request: driver.Request{Name: "recorded", Location: "us-east-1"}})
	if want, ok := rdsErrors[code]; !ok || driver.CodeOf(err) != want || seen.State != driver.Unknown {
		r.Errorf("%s: classified as %v, state %v; the test wants %v", code, driver.CodeOf(err), seen.State, want)
	}
	if err == nil || !strings.Contains(err.Error(), message) {
		r.Errorf("%s: the cloud's words are lost: %v", code, err)
	}
}

// step lets the driver make the call that was recorded, for every object in the answer.
func (r *instanceReplay) step(a rdsAnswer) {
	r.Helper()
	if r.ofGroup(a) {
		return
	}
	switch one, _ := a.Response["DBInstance"].(map[string]any); a.Call {
	case "DescribeDBInstances":
		for _, i := range objects(a.Response["DBInstances"]) {
			r.observe(i)
		}
		r.listed(a)
	case "DescribeDBSnapshots":
		for _, s := range objects(a.Response["DBSnapshots"]) {
			r.lookForSnapshot(s)
		}
	case "CreateDBInstance":
		req := r.request(one)
		result, err := drivertest.Databases(r.open(req.Location)).Create(r.Context(), req)
		if err != nil || result.ID != stringAt(one, "DbiResourceId") {
			r.Errorf("create: %v, id %q", err, result.ID)
		}
		r.observe(one)
	case "ModifyDBInstance":
		r.present(one)
		req := r.request(one)
		req.Spec.DeletionProtection = new(true)
		r.updated(req, "ModifyDBInstance", driver.Change{Field: "deletionProtection"})
		r.observe(one)
	case "StartDBInstance":
		r.present(one)
		req := r.request(one)
		req.Spec.PowerState = new(v1alpha1.PowerStateRunning)
		r.updated(req, a.Call, driver.Change{Field: driver.FieldPowerState})
		r.observe(one)
	case "RemoveTagsFromResource": // the instance itself is recorded in the same case
		req := r.request(r.last)
		req.Spec.Tags = map[string]v1alpha1.TagValue{}
		r.updated(req, a.Call, driver.Change{Field: "tags", Remove: slices.Sorted(maps.Keys(tagList(r.last)))})
	case "DeleteDBInstance":
		req := r.request(one)
		if _, err := drivertest.Databases(r.open(req.Location)).Delete(r.Context(), req); err != nil {
			r.Errorf("delete: %v", err)
		}
		r.observe(one)
	default:
		r.Errorf("no test for the call %s: the driver makes it, or it belongs in uncalledByDatabases with the reason", a.Call)
	}
}

// listed demands that a list of a recorded answer has each instance as it is observed alone.
func (r *instanceReplay) listed(a rdsAnswer) {
	r.Helper()
	for _, instance := range objects(a.Response["DBInstances"]) {
		region := arnRegion(instance)
		if region == "" {
			continue // of the oldest recordings, which do not say where it is
		}
		kind := drivertest.Databases(r.open(region))
		r.present(instance)
		req := databaseRequest{Request: driver.Request{
			Name: stringAt(instance, "DBInstanceIdentifier"), Location: region, Mark: driver.MarkFrom(tagList(instance)),
		}}
		seen, err := kind.Observe(r.Context(), req)
		if err != nil {
			r.Errorf("%s: %v", req.Name, err)
		}
		r.recorded(a)
		page, err := kind.List(r.Context(), driver.ListRequest{})
		i := slices.IndexFunc(page.Objects, func(o driver.Listed) bool { return o.Name == req.Name })
		if err != nil || i < 0 || page.Next != "" || !slices.Equal(page.Lacks, []string{"parameters", "tls"}) {
			r.Errorf("%s is not in the list: error %v, next %q, lacks %q", req.Name, err, page.Next, page.Lacks)
			continue
		}
		want := driver.Listed{
			Name: req.Name, State: seen.State, ID: seen.ID, Mark: &seen.Mark, Location: region, Available: seen.Available,
			Stopped: seen.Stopped, Protected: seen.Protected, Problem: seen.Problem, Work: seen.Work, Mirror: seen.Mirror,
		}
		if diff := gocmp.Diff(want, page.Objects[i]); diff != "" {
			r.Errorf("%s (-observed +listed):\n%s", req.Name, diff)
		}
	}
}

// objects returns the entries of a list.
func objects(list any) []map[string]any {
	entries, _ := list.([]any)
	out := make([]map[string]any, len(entries))
	for i, entry := range entries {
		out[i], _ = entry.(map[string]any)
	}
	return out
}

// present makes an instance the answer to the driver's question for it.
func (r *instanceReplay) present(instance map[string]any) {
	r.recorded(rdsAnswer{Call: "DescribeDBInstances", Status: http.StatusOK, Response: map[string]any{"DBInstances": []any{instance}}})
}

// updated demands that an update succeeds by a call.
func (r *instanceReplay) updated(req databaseRequest, call string, change driver.Change) {
	r.Helper()
	r.took()
	result, err := drivertest.Databases(r.open(req.Location)).Update(r.Context(), req, driver.Edit{Changes: []driver.Change{change}})
	if err != nil || len(result.Failed) > 0 || !slices.Contains(r.took(), call) {
		r.Errorf("update of %s: %v, failed %v", change.Field, err, result.Failed)
	}
}

// request is about an instance, and asks for what it is, or was asked to become.
func (r *instanceReplay) request(instance map[string]any) databaseRequest {
	return databaseRequest{
		Request: driver.Request{
			Name:     stringAt(instance, "DBInstanceIdentifier"),
			Location: cmp.Or(arnRegion(instance), "us-east-1"),
		},
		Login: driver.Login{Username: stringAt(instance, "MasterUsername"), Password: "canary-canary"},
		Spec:  instanceSpec(instance, true),
	}
}

// arnRegion returns the region of an instance; an empty one for the oldest recordings, whose answers to changes have no ARN.
func arnRegion(instance map[string]any) string {
	if parts := strings.Split(stringAt(instance, "DBInstanceArn"), ":"); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

// rdsStates says what the recorded states mean. An instance that shows no state is not known to take changes.
var rdsStates = map[string]struct {
	state     driver.State
	available bool
}{
	"available": {driver.Ready, true}, "backing-up": {driver.Ready, true}, "modifying": {driver.Pending, true}, "stopped": {driver.Ready, false},
	"creating": {driver.Pending, false}, "starting": {driver.Pending, false}, "stopping": {driver.Pending, false}, "": {driver.Pending, false},
	"deleting": {driver.Deleting, false}, "failed": {driver.Failed, false},
}

// observe serves an instance to the driver.
func (r *instanceReplay) observe(instance map[string]any) {
	r.Helper()
	r.present(instance)
	r.last = instance
	name, status := stringAt(instance, "DBInstanceIdentifier"), stringAt(instance, "DBInstanceStatus")
	req := r.request(instance)
	conn := r.open(req.Location)
	seen, err := drivertest.Databases(conn).Observe(r.Context(), req)
	if err != nil {
		r.Errorf("%s: %v", name, err)
		return
	}
	want, known := rdsStates[status]
	if waits(instance) && want.state == driver.Ready {
		want.state = driver.Pending
	}
	host := stringAt(instance, "Endpoint", "Address")
	if !known || seen.State != want.state || seen.Available != (want.available && host != "") || seen.Stopped != (status == "stopped") {
		r.Errorf("%s is %q: observed %v, available %t, stopped %t", name, status, seen.State, seen.Available, seen.Stopped)
	}
	if (seen.Problem != "") != (want.state == driver.Failed) {
		r.Errorf("%s is %q: the problem is %q", name, status, seen.Problem)
	}
	protected, _ := instance["DeletionProtection"].(bool)
	if seen.Location != arnRegion(instance) || seen.ID != stringAt(instance, "DbiResourceId") || seen.Protected != protected || seen.Endpoint.Host != host {
		r.Errorf("%s: in %q, id %q, protected %t, at %q", name, seen.Location, seen.ID, seen.Protected, seen.Endpoint.Host)
	}
	if until, _ := time.Parse(time.RFC3339, stringAt(instance, "CertificateDetails", "ValidTill")); seen.State != driver.Deleting && (seen.Support == nil || !seen.Support.CertificateExpires.Equal(until)) {
		r.Errorf("%s: its certificate is valid until %v, observed %+v", name, until, seen.Support)
	}
	if port, ok := at(instance, "Endpoint", "Port").(float64); ok && float64(seen.Endpoint.Port) != port {
		r.Errorf("%s: port %d, want %v", name, seen.Endpoint.Port, port)
	}
	if len(seen.Changes) > 0 || len(seen.Unreadable) > 0 {
		r.Errorf("%s: differs from the specification that asked for it: %v, unreadable %v", name, seen.Changes, seen.Unreadable)
	}
	mirror := instanceSpec(instance, false)
	if instance["MultiAZ"] == true { // RDS chooses both zones
		mirror.AWS.AvailabilityZone = nil
	}
	wantMirror(r.T, seen.Mirror, mirror)
	if want.state == driver.Ready {
		wantSayable(r.T, ofAWS, "Database", seen, func(spec json.RawMessage) (driver.Observation, error) {
			return observeAs(r.T, drivertest.Databases(conn), req, spec)
		})
	}
	if want.state != driver.Deleting {
		r.differs(conn, req)
	}
}

// waits reports whether an instance is to become what its specification wants and what it is not yet.
func waits(instance map[string]any) bool {
	pending, _ := instance["PendingModifiedValues"].(map[string]any)
	for _, k := range []string{"EngineVersion", "AllocatedStorage", "BackupRetentionPeriod", "CACertificateIdentifier", "DBInstanceClass", "DedicatedLogVolume", "IAMDatabaseAuthenticationEnabled", "MasterUserPassword", "MultiAZ", "StorageType"} {
		if pending[k] != nil && pending[k] != instance[k] {
			return true
		}
	}
	return false
}

// differs demands that what is not as wanted is reported, and nothing else.
func (r *instanceReplay) differs(conn driver.Session, req databaseRequest) {
	r.Helper()
	for name, edit := range map[string]func(*v1alpha1.DatabaseParameters){
		"engine":  func(s *v1alpha1.DatabaseParameters) { s.Engine = new(v1alpha1.Engine("another")) },
		"version": func(s *v1alpha1.DatabaseParameters) { s.Version = new("99") },
		"storage.sizeGiB": func(s *v1alpha1.DatabaseParameters) {
			s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60000))}
		},
		"storage.maxSizeGiB": func(s *v1alpha1.DatabaseParameters) {
			s.Storage = &v1alpha1.DatabaseStorage{MaxSizeGiB: new(int32(60000))}
		},
		"availability": func(s *v1alpha1.DatabaseParameters) { s.Availability = otherAvailability(s.Availability) },
		"encryption.key": func(s *v1alpha1.DatabaseParameters) {
			s.Encryption = &v1alpha1.Encryption{Key: new("38db0a99-0bec-40f1-0000-c73a1a16e83a")}
		},
		"databaseName": func(s *v1alpha1.DatabaseParameters) { s.DatabaseName = new("another") },
		"backup.retentionDays": func(s *v1alpha1.DatabaseParameters) {
			s.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(34))}
		},
		"backup.startTime": func(s *v1alpha1.DatabaseParameters) { s.Backup = &v1alpha1.DatabaseBackup{StartTime: new("20:00")} },
		"tags":             func(s *v1alpha1.DatabaseParameters) { s.Tags = map[string]v1alpha1.TagValue{"another": "tag"} },
		"maintenance.window.day": func(s *v1alpha1.DatabaseParameters) {
			s.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Weekday("Someday"))}}
		},
		"maintenance.window.startTime": func(s *v1alpha1.DatabaseParameters) {
			s.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{StartTime: new("20:00")}}
		},
		"maintenance.minorUpgrades": func(s *v1alpha1.DatabaseParameters) {
			to := v1alpha1.MinorUpgradesManual
			if s.Maintenance != nil && s.Maintenance.MinorUpgrades != nil && *s.Maintenance.MinorUpgrades == to {
				to = v1alpha1.MinorUpgradesAutomatic
			}
			s.Maintenance = &v1alpha1.DatabaseMaintenance{MinorUpgrades: &to}
		},
		"aws.instanceClass": func(s *v1alpha1.DatabaseParameters) { s.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.another")} },
		"aws.caCertificateIdentifier": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{CACertificateIdentifier: new("rds-ca-another")}
		},
		"aws.storageType": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{StorageType: new("another")}
		},
		"aws.associatedRoles": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{AssociatedRoles: []v1alpha1.AssociatedRole{{FeatureName: "another", RoleARN: "arn:aws:iam::123456789012:role/another"}}}
		},
		"aws.networkType":      func(s *v1alpha1.DatabaseParameters) { s.AWS = &v1alpha1.DatabaseAWS{NetworkType: new("another")} },
		"aws.availabilityZone": func(s *v1alpha1.DatabaseParameters) { s.AWS = &v1alpha1.DatabaseAWS{AvailabilityZone: new("another")} },
		"aws.port":             func(s *v1alpha1.DatabaseParameters) { s.AWS = &v1alpha1.DatabaseAWS{Port: new(int32(1))} },
		"network.publicAccess": func(s *v1alpha1.DatabaseParameters) {
			to := v1alpha1.PublicAccessAllowed
			if s.Network != nil && *s.Network.PublicAccess == to {
				to = v1alpha1.PublicAccessBlocked
			}
			s.Network = &v1alpha1.DatabaseNetwork{PublicAccess: &to}
		},
		"aws.dbSubnetGroupName": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{DBSubnetGroupName: new("another")}
		},
		"aws.dbParameterGroupName": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{DBParameterGroupName: new("another")}
		},
		"aws.optionGroupName": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{OptionGroupName: new("another")}
		},
		"aws.vpcSecurityGroupIDs": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{VPCSecurityGroupIDs: []string{"sg-another"}}
		},
		"aws.copyTagsToSnapshot": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{CopyTagsToSnapshot: new(!*s.AWS.CopyTagsToSnapshot)}
		},
		"iamAuthentication": func(s *v1alpha1.DatabaseParameters) { s.IAMAuthentication = new(!*s.IAMAuthentication) },
		"aws.dedicatedLogVolume": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{DedicatedLogVolume: new(!*s.AWS.DedicatedLogVolume)}
		},
		"aws.monitoring.intervalSeconds": func(s *v1alpha1.DatabaseParameters) {
			s.AWS = &v1alpha1.DatabaseAWS{Monitoring: &v1alpha1.EnhancedMonitoring{IntervalSeconds: new(int32(7))}}
		},
		"insights": func(s *v1alpha1.DatabaseParameters) { s.Insights = new(!*s.Insights) },
		"powerState": func(s *v1alpha1.DatabaseParameters) {
			s.PowerState = new(map[v1alpha1.PowerState]v1alpha1.PowerState{"Running": "Stopped", "Stopped": "Running"}[*s.PowerState])
		},
		"deletionProtection": func(s *v1alpha1.DatabaseParameters) {
			s.DeletionProtection = new(s.DeletionProtection == nil || !*s.DeletionProtection)
		},
	} {
		if name == "aws.port" && req.Spec.AWS.Port == nil { // as long as RDS does not report the port, another is no difference
			continue
		}
		other := req
		edit(&other.Spec)
		seen, err := drivertest.Databases(conn).Observe(r.Context(), other)
		if slices.Contains(withheldOfReplicas, name) && err == nil && seen.Replication.GetFollows() != nil && len(seen.Changes) == 0 {
			continue
		}
		if err != nil || !slices.Equal(driver.Names(seen.Changes), []string{name}) {
			r.Errorf("%s: another %s shows the differences %v, error %v", req.Name, name, driver.Names(seen.Changes), err)
		}
	}
}

// withheldOfReplicas are fields that RDS does not let every read replica have as a spec says, so that they are no difference as long as it follows its source.
var withheldOfReplicas = []string{"databaseName", "powerState", "version", "backup.retentionDays"}

func otherAvailability(a *v1alpha1.Availability) *v1alpha1.Availability {
	if a == nil || *a == v1alpha1.AvailabilitySingleZone {
		return new(v1alpha1.AvailabilityMultiZone)
	}
	return new(v1alpha1.AvailabilitySingleZone)
}

// lookForSnapshot serves a snapshot as the final one of an instance that is gone.
func (r *instanceReplay) lookForSnapshot(snapshot map[string]any) {
	r.Helper()
	r.recorded(gone)
	r.recorded(rdsAnswer{Call: "DescribeDBSnapshots", Status: http.StatusOK, Response: map[string]any{"DBSnapshots": []any{snapshot}}})
	name := stringAt(snapshot, "DBSnapshotIdentifier")
	req := databaseRequest{Request: driver.Request{Name: "gone", Location: "us-east-1", Deletion: &driver.Deletion{Snapshot: name}}}
	seen, err := drivertest.Databases(r.open("us-east-1")).Observe(r.Context(), req)
	want := map[string]driver.State{"available": driver.Ready, "pending": driver.Pending}[stringAt(snapshot, "Status")]
	if err != nil || seen.State != driver.Absent || want == driver.Unknown || seen.Backup.GetFinalSnapshot() != want {
		r.Errorf("snapshot %s is %q: observed %v, want %v, error %v", name, stringAt(snapshot, "Status"), seen.Backup.GetFinalSnapshot(), want, err)
	}
}

// weekdays are the days under RDS's names.
var weekdays = map[string]v1alpha1.Weekday{
	"mon": v1alpha1.Monday, "tue": v1alpha1.Tuesday, "wed": v1alpha1.Wednesday, "thu": v1alpha1.Thursday,
	"fri": v1alpha1.Friday, "sat": v1alpha1.Saturday, "sun": v1alpha1.Sunday,
}

// instanceSpec is the specification of an instance as it is, or as it was asked to be, in so far as a Database can.
func instanceSpec(instance map[string]any, asked bool) v1alpha1.DatabaseParameters {
	value := func(name string) any {
		if pending := at(instance, "PendingModifiedValues", name); asked && pending != nil {
			return pending
		}
		return instance[name]
	}
	text := func(name string) *string {
		if s, ok := value(name).(string); ok {
			return &s
		}
		return nil
	}
	protected, _ := instance["DeletionProtection"].(bool) // older answers have none
	spec := v1alpha1.DatabaseParameters{
		Version: text("EngineVersion"), DatabaseName: text("DBName"), DeletionProtection: &protected,
	}
	iam, _ := value("IAMDatabaseAuthenticationEnabled").(bool)
	insights, _ := instance["PerformanceInsightsEnabled"].(bool)
	spec.IAMAuthentication, spec.Insights = &iam, &insights
	spec.PowerState = new(v1alpha1.PowerStateRunning)
	if status := value("DBInstanceStatus"); status == "stopped" || status == "stopping" {
		spec.PowerState = new(v1alpha1.PowerStateStopped)
	}
	if region := arnRegion(instance); region != "" {
		spec.Location = &region
	}
	if engine := text("Engine"); engine != nil {
		spec.Engine = (*v1alpha1.Engine)(engine)
		if *engine == "postgres" {
			spec.DatabaseName = new(cmp.Or(stringAt(instance, "DBName"), "postgres"))
		}
	}
	if standby, ok := value("MultiAZ").(bool); ok {
		spec.Availability = new(v1alpha1.AvailabilitySingleZone)
		if standby {
			spec.Availability = otherAvailability(spec.Availability)
		}
	}
	if key := stringAt(instance, "KmsKeyId"); key != "" {
		spec.Encryption = &v1alpha1.Encryption{Key: &key}
	}
	if size, ok := value("AllocatedStorage").(float64); ok {
		spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(size)), MaxSizeGiB: new(int32(size))}
		if most, ok := value("MaxAllocatedStorage").(float64); ok {
			spec.Storage.MaxSizeGiB = new(int32(most))
		}
	}
	if days, ok := value("BackupRetentionPeriod").(float64); ok {
		spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(days))}
	}
	if start, _, ok := strings.Cut(stringAt(instance, "PreferredBackupWindow"), "-"); ok {
		if spec.Backup == nil {
			spec.Backup = &v1alpha1.DatabaseBackup{}
		}
		spec.Backup.StartTime = &start
	}
	maintenance := v1alpha1.DatabaseMaintenance{}
	if day, start, ok := strings.Cut(stringAt(instance, "PreferredMaintenanceWindow"), ":"); ok {
		maintenance.Window = &v1alpha1.MaintenanceWindow{Day: new(weekdays[day]), StartTime: new(start[:len("00:00")])}
	}
	if automatic, ok := instance["AutoMinorVersionUpgrade"].(bool); ok {
		maintenance.MinorUpgrades = new(v1alpha1.MinorUpgradesManual)
		if automatic {
			maintenance.MinorUpgrades = new(v1alpha1.MinorUpgradesAutomatic)
		}
	}
	if maintenance != (v1alpha1.DatabaseMaintenance{}) {
		spec.Maintenance = &maintenance
	}
	copies, _ := instance["CopyTagsToSnapshot"].(bool)
	spec.AWS = &v1alpha1.DatabaseAWS{
		DatabaseInsightsMode: new("standard"), // no recording has a mode, and none is what standard asks for
		InstanceClass:        text("DBInstanceClass"), CopyTagsToSnapshot: &copies, CACertificateIdentifier: text("CACertificateIdentifier"),
		StorageType: text("StorageType"), NetworkType: text("NetworkType"), AvailabilityZone: text("AvailabilityZone"),
	}
	port, ok := value("Port").(float64)
	if !ok {
		port, ok = at(instance, "Endpoint", "Port").(float64)
	}
	if ok && port > 0 {
		spec.AWS.Port = new(int32(port))
	}
	logs, _ := value("DedicatedLogVolume").(bool)
	spec.AWS.DedicatedLogVolume = &logs
	recorded := v1alpha1.PerformanceInsights{Key: text("PerformanceInsightsKMSKeyId")}
	if days, ok := instance["PerformanceInsightsRetentionPeriod"].(float64); ok {
		recorded.RetentionDays = new(int32(days))
	}
	if recorded != (v1alpha1.PerformanceInsights{}) {
		spec.AWS.PerformanceInsights = &recorded
	}
	seconds, _ := instance["MonitoringInterval"].(float64)
	spec.AWS.Monitoring = &v1alpha1.EnhancedMonitoring{IntervalSeconds: new(int32(seconds)), RoleARN: text("MonitoringRoleArn")}
	exports, _ := instance["EnabledCloudwatchLogsExports"].([]any)
	for _, name := range exports {
		spec.AWS.CloudwatchLogsExports = append(spec.AWS.CloudwatchLogsExports, name.(string))
	}
	slices.Sort(spec.AWS.CloudwatchLogsExports)
	for _, role := range objects(instance["AssociatedRoles"]) {
		spec.AWS.AssociatedRoles = append(spec.AWS.AssociatedRoles, v1alpha1.AssociatedRole{FeatureName: stringAt(role, "FeatureName"), RoleARN: stringAt(role, "RoleArn")})
	}
	size, _ := value("AllocatedStorage").(float64)
	if iops, ok := value("Iops").(float64); ok && (strings.HasPrefix(stringAt(instance, "StorageType"), "io") || size >= 400) {
		spec.AWS.IOPS = new(int32(iops))
	}
	public, _ := instance["PubliclyAccessible"].(bool)
	spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(map[bool]v1alpha1.PublicAccess{true: v1alpha1.PublicAccessAllowed, false: v1alpha1.PublicAccessBlocked}[public])}
	if group := stringAt(instance, "DBSubnetGroup", "DBSubnetGroupName"); group != "" {
		spec.AWS.DBSubnetGroupName = &group
	}
	for _, group := range objects(instance["DBParameterGroups"]) { // one that waits for a restart is not as a specification asks
		if name := stringAt(group, "DBParameterGroupName"); !asked || stringAt(group, "ParameterApplyStatus") != "pending-reboot" {
			spec.AWS.DBParameterGroupName = &name
		}
	}
	for _, member := range objects(instance["OptionGroupMemberships"]) {
		if name := stringAt(member, "OptionGroupName"); stringAt(instance, "Engine") != "postgres" && stringAt(member, "Status") == "in-sync" {
			spec.AWS.OptionGroupName = &name
		}
	}
	for _, member := range objects(instance["VpcSecurityGroups"]) {
		if stringAt(member, "Status") != "removing" {
			spec.AWS.VPCSecurityGroupIDs = append(spec.AWS.VPCSecurityGroupIDs, stringAt(member, "VpcSecurityGroupId"))
		}
	}
	slices.Sort(spec.AWS.VPCSecurityGroupIDs)
	spec.Tags = tags(anyMap(tagList(instance)))
	return spec
}

// tagList returns the tags of an instance, without those that are AWS's own.
func tagList(instance map[string]any) map[string]string {
	out := map[string]string{}
	for _, tag := range objects(instance["TagList"]) {
		if key := stringAt(tag, "Key"); !strings.HasPrefix(key, "aws:") {
			out[key] = stringAt(tag, "Value")
		}
	}
	return out
}

func anyMap(m map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
