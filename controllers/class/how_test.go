package class

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

// edits of a server that is as databaseBefore, by its cloud and the field that they change.
var disruptiveEdits = []struct{ cloud, name, to, want string }{
	{"aws", "backup.retentionDays", `{"backup":{"retentionDays":0}}`,
		"loses backups: automatic backups end, and with them the restore to a point in time; the server is away for a few seconds to a few minutes, by its size and class; waits for approval"},
	{"aws", "backup.retentionDays", `{"backup":{"retentionDays":3}}`, "loses backups: restore points older than 3 days are deleted; waits for approval"},
	{"aws", "version", `{"version":"16.8"}`, "restarts: the server and its standby are away for minutes, until the upgrade is done; AWS says only that it takes longer the larger the server is; waits for approval"},
	{"aws", "version", `{"version":"17"}`, "can't be taken back: the server and its standby are away for minutes, until the upgrade is done; AWS says only that it takes longer the larger the server is; waits for approval"},
	{"aws", "version", `{"version":"15"}`, "can't change: RDS can't take version 16.4 back to 15: restore a snapshot into another Database"},
	{"aws", "aws.instanceClass", `{"aws":{"instanceClass":"db.t4g.small"}}`, "restarts: the server is away for a few minutes, until it runs on another host and has recovered; waits for approval"},
	{"aws", "location", `{"location":"b"}`, "can't change: create another Database with the new location and move the data"},
	{"aws", "engine", `{"engine":"mysql"}`, "can't change: create another Database and move the data"},
	{"aws", "databaseName", `{"databaseName":"b"}`, "can't change: create further databases with SQL"},
	{"gcp", "backup.retentionDays", `{"backup":{"retentionDays":0}}`, "loses backups: automatic backups end, and with them the restore to a point in time; waits for approval"},
	{"gcp", "network.publicAccess", `{"network":{"publicAccess":"Blocked"}}`, "can't change: Cloud SQL accepts no server without an address, and without a private network the public address is the only one: set spec.gcp.privateNetwork to the VPC network of the clients, or set spec.network.publicAccess to Allowed"},
	{"gcp", "version", `{"version":"17"}`, "can't be taken back: the server is away for minutes, until the upgrade is done; Google says only that it takes longer the more databases and tables there are; waits for approval"},
	{"gcp", "version", `{"version":"15"}`, "can't change: Cloud SQL can't go back to an older version: name the major version only, and none that is older than the one that runs, or create another Database and move the data there"},
	{"gcp", "gcp.tier", `{"gcp":{"tier":"db-custom-2-7680"}}`, "restarts: the server is away for less than 60 seconds; in the edition Enterprise Plus downtime is near zero, and connections break; waits for approval"},
	{"gcp", "location", `{"location":"b"}`, "can't change: create another Database in the new location and move the data there"},
	{"gcp", "engine", `{"engine":"mysql"}`, "can't change: create another Database with the new engine and move the data there"},
	{"gcp", "databaseName", `{"databaseName":"b"}`, "can't change: put the earlier name back, and make further databases in SQL"},
}

const databaseBefore = `{"location":"a","engine":"postgres","version":"16.4","databaseName":"app","backup":{"retentionDays":7},
	"aws":{"instanceClass":"db.t4g.micro"},"gcp":{"tier":"db-custom-1-3840"}}`

// What a class edit announces is what the cloud does: no disruptive change of any field is announced as online.
func TestHowAClassEditIsAnnounced(t *testing.T) {
	clouds := map[string]driver.Driver{"aws": aws.New(aws.Options{}), "gcp": gcp.New(gcp.Options{})}
	announced := map[string][]string{}
	for _, e := range disruptiveEdits {
		changes, err := clouds[e.cloud].Preview("Database", json.RawMessage(databaseBefore), json.RawMessage(e.to), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := how(changes, e.name, Tree{}); got != e.want {
			t.Errorf("%s %s: %q, want %q", e.cloud, e.to, got, e.want)
		}
		for _, c := range changes {
			announced[e.cloud+" "+c.Field] = append(announced[e.cloud+" "+c.Field], string(c.Effect))
		}
		_, always := how(changes, e.name, Tree{"updates": Tree{"disruptive": "Always"}})
		if strings.Contains(always, "waits") || always == "online" {
			t.Errorf("%s %s, applied always: %q", e.cloud, e.to, always)
		}
		for policy, end := range map[string]string{"Always": "waits for the maintenance window Sunday 03:00–04:00 UTC", "OnSpecChange": "waits for approval, then for the maintenance window Sunday 03:00–04:00 UTC"} {
			_, timed := how(changes, e.name, Tree{
				"updates":     Tree{"disruptive": policy, "timing": "MaintenanceWindow"},
				"maintenance": Tree{"window": Tree{"day": "Sunday", "startTime": "03:00"}},
			})
			if disruptive := changes[0].Effect.Disruptive(); strings.HasSuffix(timed, end) != disruptive {
				t.Errorf("%s %s, in the window, %s: %q", e.cloud, e.to, policy, timed)
			}
		}
	}
	for _, s := range fieldedit.All() {
		for _, step := range steps(t, s) {
			changes, err := clouds[s.Cloud].Preview(s.Kind, document(step, step.From), document(step, step.To), nil)
			if err == nil && len(changes) > 0 && len(changes[0].Foreign) > 0 { // the spec of before had set them
				changes, err = clouds[s.Cloud].Preview(s.Kind, document(step, step.From), document(step, step.To), driver.Applied{step.Field: changes[0].Foreign})
			}
			if err != nil {
				t.Fatal(err)
			}
			effect := foretold(s, step, changes)
			if _, got := how(changes, step.Field, Tree{}); !strings.HasPrefix(got, effectWords[effect]) || effect.Disruptive() && !strings.HasSuffix(got, "waits for approval") {
				t.Errorf("%s %s: %s becomes %v: %q, although the change is %s", s.Cloud, s.Kind, step.Field, step.To, got, effect)
			}
			if s.Kind == "Database" {
				announced[s.Cloud+" "+step.Field] = append(announced[s.Cloud+" "+step.Field], string(step.Effect), string(effect))
			}
		}
	}
	except := map[string]string{
		"aws backup.retentionDays Interrupts": "of backups that begin, below", "gcp version Restarts": "of MySQL", "gcp gcp.sslMode Restarts": "of MySQL", "gcp tls Restarts": "of MySQL",
		"aws aws.iops Interrupts": "with aws.storageType", "aws aws.throughputMiBps Interrupts": "with aws.storageType",
		"aws powerState Impossible":         "of a server with read replicas, which no spec declares",
		"aws parameters Impossible":         "RDS's list says so, and an announcement does not ask for it",
		"gcp parameters Impossible":         "Cloud SQL's list says so, and an announcement does not ask for it",
		"aws aws.networkType Restarts":      "of a server in two zones",
		"gcp gcp.allocatedIPRange Restarts": "with gcp.privateNetwork",
		"gcp network.publicAccess Restarts": "of a server whose certificates come from a CA pool",
		"gcp gcp.tier LosesBackups":         "of a server of Enterprise Plus: see the driver's own test of it", "gcp gcp.edition LosesBackups": "likewise",
		"gcp iamAuthentication Interrupts":    "the cloud says so, and a preview does not ask it",
		"aws credentials.username Impossible": "no class decides it", "gcp credentials.username Impossible": "no class decides it",
	}
	for cloud, drv := range clouds {
		description := drv.Describe()
		resource, _ := description.Resource("Database")
		for _, d := range resource.Fields {
			for _, possible := range d.Effects {
				key := cloud + " " + d.Field
				if possible.Effect != driver.Online && !slices.Contains(announced[key], string(possible.Effect)) && except[key+" "+string(possible.Effect)] == "" {
					t.Errorf("no edit shows how %s is announced when it is %s", key, possible.Effect)
				}
			}
		}
	}
	begin, err := clouds["aws"].Preview("Database", json.RawMessage(`{"backup":{"retentionDays":0}}`), json.RawMessage(`{"backup":{"retentionDays":7}}`), nil)
	if _, got := how(begin, "backup.retentionDays", Tree{}); err != nil || got != "interrupts: the server is away for a few seconds to a few minutes, by its size and class; waits for approval" {
		t.Errorf("backups that begin: %q, %v", got, err)
	}
}

// steps returns the edits that the tests of all fields have, each with the value before and the effect.
func steps(t *testing.T, s fieldedit.Subject) (all []fieldedit.Step) {
	t.Helper()
	full, err := TreeOf(s.Full())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Fields {
		given := maps.Clone(f.Given)
		if beside, ok := get(full, strings.Split(f.With, ".")); ok {
			given = map[string]any{f.With: beside}
			maps.Copy(given, f.Given)
		}
		all = append(all, fieldedit.Step{Field: f.Name, From: f.Given[f.Name], To: f.To, Effect: cmp.Or(f.Effect, driver.Online), Given: given})
	}
	all = append(all, s.More...)
	for i, step := range all {
		if step.From == nil {
			all[i].From, _ = get(full, strings.Split(step.Field, "."))
		}
	}
	return all
}

// foretold returns the effect that the announcement of a step has: that of the change, or a worse one where only the cloud knows it.
func foretold(s fieldedit.Subject, step fieldedit.Step, changes []driver.Change) driver.Effect {
	unknown := slices.ContainsFunc(s.Fields, func(f drivertest.Field) bool { return f.Name == step.Field && f.Worst })
	for _, c := range changes {
		if unknown && c.Field == step.Field && c.Effect.Compare(step.Effect) >= 0 {
			return c.Effect
		}
	}
	return step.Effect
}

// An edit of one field is one change, which names that field: what people read in status.pendingChanges is what they wrote.
func TestAChangeNamesTheFieldThatWasEdited(t *testing.T) {
	clouds := map[string]driver.Driver{"aws": aws.New(aws.Options{}), "gcp": gcp.New(gcp.Options{})}
	for _, s := range fieldedit.All() {
		for _, step := range steps(t, s) {
			changes, err := clouds[s.Cloud].Preview(s.Kind, document(step, step.From), document(step, step.To), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) != 1 || changes[0].Field != step.Field {
				t.Errorf("%s %s: an edit of %s from %v to %v is %v", s.Cloud, s.Kind, step.Field, step.From, step.To, changes)
			}
		}
	}
}

// document returns a spec in which the field of a step has a value, and others are given.
func document(step fieldedit.Step, value any) json.RawMessage {
	values := map[string]any{step.Field: value}
	for field, given := range step.Given {
		if given != nil && field != step.Field {
			values[field] = given
		}
	}
	raw, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(raw, &values)
	}
	if err != nil {
		panic(err)
	}
	tree := Tree{}
	for field, value := range values {
		put(tree, strings.Split(field, "."), value)
	}
	content, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return content
}

// What the API server cuts is at the end, so the dangerous lines come first.
func TestImpactSaysTheDangerousFirst(t *testing.T) {
	i := &impact{users: 1, compared: 1, touched: map[touch]int{}}
	i.add(Tree{"a": "1", "b": "1", "c": "1", "d": "1", "e": "1"}, Tree{"a": "2", "b": "2", "c": "2", "d": "2"}, []driver.Change{
		{Field: "a", Effect: driver.Online}, {Field: "b", Effect: driver.Restarts}, {Field: "c", Effect: driver.LosesBackups},
	})
	want := []string{
		"objects of kind Database that use this class: 1; of these would change: 1",
		"of 1: c becomes 2 (loses backups, waits for approval)", "of 1: b becomes 2 (restarts, waits for approval)", "of 1: a becomes 2 (online)",
		"of 1: d becomes 2 (at once)", "of 1: e is no longer managed",
	}
	if diff := gocmp.Diff(want, i.warnings("Database")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What no cloud can change is announced as what stays, and no object is counted as one that would change by it.
func TestImpactOfWhatCannotChange(t *testing.T) {
	key := []driver.Change{{Field: "encryption.key", From: "aws/rds", To: "alias/shop", Effect: driver.Impossible, Why: "RDS encrypts a server once, when it makes it"}}
	for _, tt := range []struct {
		name, is string
		want     []string
	}{
		{"alone", `{"encryption":{"key":"alias/shop"}}`, []string{
			"objects of kind Database that use this class: 1; of these would change: 0",
			"of 1: encryption.key does not become alias/shop (can't change: RDS encrypts a server once, when it makes it)"}},
		{"beside what can", `{"encryption":{"key":"alias/shop"},"version":"16"}`, []string{
			"objects of kind Database that use this class: 1; of these would change: 1",
			"of 1: encryption.key does not become alias/shop (can't change: RDS encrypts a server once, when it makes it)",
			"of 1: version becomes 16 (at once)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := &impact{users: 1, compared: 1, touched: map[touch]int{}}
			i.add(Tree{}, tree(t, tt.is), key)
			if diff := gocmp.Diff(tt.want, i.warnings("Database")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What a class has no more is told as what the cloud does then, and as no longer managed only where it does nothing.
func TestImpactOfWhatIsTakenOut(t *testing.T) {
	was := tree(t, `{"network":{"publicAccess":"Allowed"},"parameters":{"max_connections":"200","work_mem":"8192"},"backup":{"retentionDays":3}}`)
	is := tree(t, `{"parameters":{"work_mem":"8192"}}`)
	i := &impact{touched: map[touch]int{}}
	i.add(was, is, []driver.Change{
		{Field: "network.publicAccess", From: "Allowed", To: "Blocked", Effect: driver.Interrupts, Why: "clients at the public address stay out", Release: true},
		{Field: "parameters", From: "max_connections=200", Effect: driver.Restarts, Entries: true, Remove: []string{"max_connections"}},
	})
	var got []string
	for _, t := range slices.SortedFunc(maps.Keys(i.touched), touch.compare) {
		got = append(got, t.line)
	}
	want := []string{
		"parameters.max_connections is taken out (restarts, waits for approval)",
		"network.publicAccess is taken out (interrupts: clients at the public address stay out; waits for approval)",
		"backup.retentionDays is no longer managed",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
