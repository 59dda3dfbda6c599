package preview

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

var previewTime = time.Date(2026, 1, 2, 3, 12, 0, 0, time.UTC)

func newPreview() *Preview {
	return &Preview{
		Kind: kind.Database(), Drivers: map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver()},
		Observed: func(client.ObjectKey) (time.Time, bool) { return previewTime.Add(-12 * time.Minute), true },
		Now:      func() time.Time { return previewTime },
	}
}

// outlookOf returns what the next plan for an edited object would decide.
func (p *Preview) outlookOf(ctx context.Context, old, object v1alpha1.ResourceObject) (outlook, error) {
	e, err := p.edit(ctx, old, object)
	if err != nil {
		return outlook{}, err
	}
	return e.outlook(e.after)
}

// usual is a Database that is as its spec says, and was Ready.
func usual() *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-1", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Name: "team"}
	d.Spec.DatabaseParameters = v1alpha1.DatabaseParameters{
		Location: new("eu-central-1"), Engine: new(v1alpha1.EnginePostgres), Version: new("16"), DatabaseName: new("app"),
		Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}, Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
		DeletionProtection: new(false), Tags: map[string]v1alpha1.TagValue{"team": "shop"},
		AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")},
	}
	d.Status.Provider, d.Status.ExternalName, d.Status.AppliedGeneration = "aws", "shop-orders-1", 1
	d.Status.FirstReadyTime = &metav1.Time{Time: previewTime}
	d.Status.Observed = d.Spec.DatabaseParameters.DeepCopy()
	d.Status.Observed.Tags["theirs"] = "x"
	d.Status.Fixed = map[string]string{driver.FieldUsername: "postgres"}
	d.Status.Applied = map[string][]string{
		"location": {"eu-central-1"}, "engine": {"postgres"}, "version": {"16"}, "databaseName": {"app"}, "storage.sizeGiB": {"20"},
		"backup.retentionDays": {"7"}, "deletionProtection": {"false"}, "tags": {"team"}, "aws.instanceClass": {"db.t4g.micro"},
	}
	return d
}

func editOf(old *v1alpha1.Database, edits ...func(*v1alpha1.Database)) *v1alpha1.Database {
	d := old.DeepCopy()
	for _, change := range edits {
		change(d)
	}
	if !cmp.Equal(old.Spec, d.Spec) {
		d.Generation++
	}
	return d
}

func largerClass(d *v1alpha1.Database)  { d.Spec.AWS.InstanceClass = new("db.t4g.small") }
func newerVersion(d *v1alpha1.Database) { d.Spec.Version = new("17") }
func olderVersion(d *v1alpha1.Database) { d.Spec.Version = new("15") }
func elsewhere(d *v1alpha1.Database)    { d.Spec.Location = new("eu-west-1") }
func noBackups(d *v1alpha1.Database)    { d.Spec.Backup.RetentionDays = new(int32(0)) }
func moreBackups(d *v1alpha1.Database)  { d.Spec.Backup.RetentionDays = new(int32(14)) }
func moreDisk(d *v1alpha1.Database)     { d.Spec.Storage.SizeGiB = new(int32(50)) }
func noTags(d *v1alpha1.Database)       { d.Spec.Tags = map[string]v1alpha1.TagValue{} }
func renamed(d *v1alpha1.Database) {
	d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("chief")}
}
func onApproval(d *v1alpha1.Database) {
	d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
}
func always(d *v1alpha1.Database) {
	d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways}
}
func observeOnly(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementObserve }
func pausedNow(d *v1alpha1.Database) {
	d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
}
func theirName(d *v1alpha1.Database) {
	d.Spec.ExternalName, d.Status.FirstReadyTime, d.Finalizers = "theirs", nil, nil
}
func adoptFrom(owner string) func(*v1alpha1.Database) {
	return func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationAdoptFrom: owner} }
}
func alsoPaused(d *v1alpha1.Database) { d.Annotations[v1alpha1.AnnotationPaused] = "true" }
func goesOn(d *v1alpha1.Database)     { d.Annotations = nil }

// reconciled is a database whose plan was told.
func reconciled(d *v1alpha1.Database) {
	said, err := newPreview().outlookOf(context.Background(), usual(), d)
	if err != nil {
		panic(err)
	}
	d.Status.Plan = &v1alpha1.PlanStatus{Hash: said.Hash}
}

// passwordWaits is a database whose password only others know, and waits to be replaced.
func passwordWaits(d *v1alpha1.Database) {
	unapplied(d)
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	d.Status.PendingChanges = []v1alpha1.PendingChange{{
		Field: plan.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: string(driver.Irreversible),
	}}
	reconciled(d)
}
func approvedNow(d *v1alpha1.Database) {
	d.Annotations = map[string]string{v1alpha1.AnnotationApprove: d.Status.Plan.Hash}
}
func approvedAnother(d *v1alpha1.Database) {
	d.Annotations = map[string]string{v1alpha1.AnnotationApprove: "another"}
}
func elsewhereClass(d *v1alpha1.Database) { d.Status.Observed.AWS.InstanceClass = new("db.t4g.large") }
func unobserved(d *v1alpha1.Database)     { d.Status.Observed, d.Status.Applied = nil, nil }
func unborn(d *v1alpha1.Database)         { unobserved(d); d.Status.ExternalName, d.Status.Provider = "", "" }
func unapplied(d *v1alpha1.Database)      { d.Status.Applied = nil }
func neverManaged(d *v1alpha1.Database) {
	observeOnly(d)
	d.Finalizers, d.Status.ExternalName = nil, ""
}
func unconnected(d *v1alpha1.Database) { d.Spec.Connection = nil }
func connected(d *v1alpha1.Database) {
	d.Spec.Connection, d.Status.Binding = &v1alpha1.Connection{SecretName: "orders-db"}, &v1alpha1.Binding{Name: "orders-db"}
}
func keeping(p v1alpha1.DeletionPolicy) func(*v1alpha1.Database) {
	return func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = p }
}
func inAzure(d *v1alpha1.Database)   { d.Status.Provider = "azure" }
func managed(d *v1alpha1.Database)   { d.Spec.Management = "" }
func young(d *v1alpha1.Database)     { d.Status.FirstReadyTime = nil }
func recreated(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate }
func inPlace(d *v1alpha1.Database)   { d.Spec.WhenVanished = v1alpha1.WhenVanishedRestore }
func adopting(d *v1alpha1.Database)  { d.Spec.Adoption = v1alpha1.AdoptionIfExists }
func otherConfig(d *v1alpha1.Database) {
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Name: "other"}
}
func stalledBy(reason v1alpha1.Reason, message string) func(*v1alpha1.Database) {
	return func(d *v1alpha1.Database) {
		d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(reason), Message: message}}
	}
}

// inWindow makes disruptive changes in a window that opens after a while; windowIn is what a preview calls it.
func inWindow(after time.Duration) func(*v1alpha1.Database) {
	return func(d *v1alpha1.Database) {
		opens := previewTime.UTC().Add(after).Truncate(time.Minute)
		day := v1alpha1.Weekday(opens.Weekday().String())
		d.Spec.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: &day, StartTime: new(opens.Format("15:04"))}}
		d.Spec.Updates = &v1alpha1.Updates{Timing: v1alpha1.TimingMaintenanceWindow}
	}
}

func windowIn(after time.Duration) string {
	opens := previewTime.UTC().Add(after).Truncate(time.Minute)
	return opens.Format("Monday 15:04–") + opens.Add(time.Hour).Format("15:04 UTC")
}

// asleep is a Database that is stopped, as its spec says.
func asleep(d *v1alpha1.Database) {
	d.Spec.PowerState, d.Status.Observed.PowerState = new(v1alpha1.PowerStateStopped), new(v1alpha1.PowerStateStopped)
	d.Status.Applied[driver.FieldPowerState] = []string{"Stopped"}
}
func awake(d *v1alpha1.Database) { d.Spec.PowerState = new(v1alpha1.PowerStateRunning) }

func approvalToo(d *v1alpha1.Database) { d.Spec.Updates.Disruptive = v1alpha1.DisruptiveOnApproval }
func noWindow(d *v1alpha1.Database)    { d.Spec.Updates = nil }

func TestPreview(t *testing.T) {
	type edits = []func(*v1alpha1.Database)
	const age = "Compared with what Mooring last observed, 12 minutes ago"
	for _, tt := range []struct {
		name       string
		old, edits edits
		want       []string
	}{
		{"nothing changes", nil, nil, nil},
		{"only how to go about it", nil, edits{always}, nil},
		{"a restart", nil, edits{largerClass},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, at once: the server is away while it restarts", age}},
		{"a restart that has to be approved", nil, edits{largerClass, onApproval},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, after approval: the server is away while it restarts", age}},
		{"a restart in the window", edits{inWindow(24 * time.Hour)}, edits{largerClass, moreDisk}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, waits for the maintenance window " + windowIn(24*time.Hour) + ": the server is away while it restarts",
			"Online, at once: storage.sizeGiB 20 -> 50", age,
		}},
		{"a restart while the window is open", edits{inWindow(0)}, edits{largerClass},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, at once: the server is away while it restarts", age}},
		{"a restart to be approved, and made in the window", edits{inWindow(24 * time.Hour)}, edits{largerClass, approvalToo},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, after approval, in the maintenance window " + windowIn(24*time.Hour) + ": the server is away while it restarts", age}},
		{"approved, and made in the window", edits{inWindow(24 * time.Hour), largerClass, approvalToo, reconciled}, edits{approvedNow},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, waits for the maintenance window " + windowIn(24*time.Hour) + ": the server is away while it restarts", age}},
		{"no longer in the window", edits{inWindow(24 * time.Hour), largerClass}, edits{noWindow},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, at once: the server is away while it restarts", age}},
		{"backups end", nil, edits{noBackups},
			[]string{"LosesBackups: backup.retentionDays 7 -> 0, at once: automatic backups end, and with them the restore to a point in time", age}},
		{"what can't change", nil, edits{elsewhere},
			[]string{"Impossible: location eu-central-1 -> eu-west-1, not done: create another Database with the new location and move the data", age}},
		{"a downgrade", nil, edits{olderVersion},
			[]string{"Impossible: version 16 -> 15, not done: a server can't go back to an older version: declare the version it has, or create another Database and move the data", age}},
		{"an administrator", nil, edits{renamed},
			[]string{"Impossible: credentials.username postgres -> chief, not done: create the user on the server by SQL, or another Database with this administrator", age}},
		{"the harmless in one line, and others' tags stay", nil, edits{moreDisk, noTags, moreBackups},
			[]string{"Online, at once: storage.sizeGiB 20 -> 50, backup.retentionDays 7 -> 14, tags.team shop -> (none)", age}},
		{"the dangerous first", nil, edits{moreDisk, largerClass, newerVersion, noBackups, elsewhere}, []string{
			"Impossible: location eu-central-1 -> eu-west-1, not done: create another Database with the new location and move the data",
			"LosesBackups: backup.retentionDays 7 -> 0, withheld until you revert the Impossible change: automatic backups end, and with them the restore to a point in time",
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, withheld until you revert the Impossible change: the server is away while it restarts",
			"Interrupts: version 16 -> 17, withheld until you revert the Impossible change: connections break for a moment",
			"Online, at once: storage.sizeGiB 20 -> 50", age,
		}},
		{"the harmless while it is stopped", edits{asleep}, edits{moreDisk, moreBackups},
			[]string{"Online, once the database runs: storage.sizeGiB 20 -> 50, backup.retentionDays 7 -> 14", age}},
		{"the harmless in part while it is stopped", edits{asleep}, edits{moreDisk, noTags, moreBackups}, []string{
			"Online, once the database runs: storage.sizeGiB 20 -> 50, backup.retentionDays 7 -> 14", "Online, at once: tags.team shop -> (none)", age,
		}},
		{"a restart while it is stopped", edits{asleep}, edits{largerClass},
			[]string{"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, once the database runs: the server is away while it restarts", age}},
		{"a restart while it is stopped, OnApproval", edits{asleep, onApproval}, edits{largerClass, awake}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, once the database runs, after approval: the server is away while it restarts",
			"Online, at once: powerState Stopped -> Running", age,
		}},
		{"a restart while it is stopped, in the window", edits{asleep, inWindow(24 * time.Hour)}, edits{largerClass}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, once the database runs, in the maintenance window " + windowIn(24*time.Hour) + ": the server is away while it restarts", age,
		}},
		{"a restart while it is stopped, to be approved and made in the window", edits{asleep, inWindow(24 * time.Hour), approvalToo}, edits{largerClass}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, once the database runs, after approval, in the maintenance window " + windowIn(24*time.Hour) + ": the server is away while it restarts", age,
		}},
		{"a restart that sleeps, and is to be approved from now on", edits{asleep, largerClass}, edits{onApproval}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, once the database runs, after approval: the server is away while it restarts", age,
		}},
		{"observed only", edits{observeOnly}, edits{largerClass}, []string{
			"Mooring applies none of these changes while spec.management is Observe",
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, not applied: the server is away while it restarts", age,
		}},
		{"paused", edits{pausedNow}, edits{moreDisk}, []string{
			"Mooring applies none of these changes while the annotation mooring.dev/paused is set", "Online, not applied: storage.sizeGiB 20 -> 50", age,
		}},
		{"no longer paused", edits{moreDisk, pausedNow}, edits{goesOn}, []string{"Online, at once: storage.sizeGiB 20 -> 50", age}},
		{"paused, and nothing would be done", nil, edits{pausedNow}, nil},
		{"approved", edits{largerClass, onApproval, reconciled}, edits{approvedNow}, []string{
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, at once: the server is away while it restarts", age,
		}},
		{"an approval of something else", edits{largerClass, onApproval, reconciled}, edits{approvedAnother}, nil},
		{"an approval that replaces a password", edits{passwordWaits}, edits{approvedNow}, []string{
			"Irreversible: credentials.password (secret) -> (secret), at once: " + plan.WhyReplaced, age,
		}},
		{"an annotation is no edit of the spec: drift waits on", edits{unapplied, elsewhereClass}, edits{approvedAnother}, nil},
		{"no longer observed only", edits{observeOnly, elsewhereClass}, edits{managed},
			[]string{"Restarts: aws.instanceClass db.t4g.large -> db.t4g.micro, after approval: the server is away while it restarts", age}},
		{"no longer observed only, without a mark", edits{neverManaged, elsewhereClass}, edits{managed}, []string{
			"Mooring applies none of these changes while this object is stalled (NotOwned): a cloud object of this name exists and does not have Mooring's mark; set spec.adoption: IfExists to take it over, or choose another spec.externalName",
			"Restarts: aws.instanceClass db.t4g.large -> db.t4g.micro, not applied: the server is away while it restarts", age,
		}},
		{"no longer observed only, and to be taken over", edits{neverManaged, elsewhereClass}, edits{managed, adopting}, []string{
			"Mooring first tries to take over the cloud object, and applies these changes afterwards",
			"Restarts: aws.instanceClass db.t4g.large -> db.t4g.micro, after approval: the server is away while it restarts", age,
		}},
		{"still being created", edits{young}, edits{largerClass}, []string{
			"Mooring applies these changes later: the cloud is creating it",
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, afterwards: the server is away while it restarts", age,
		}},
		{"deleted in the cloud", edits{stalledBy(v1alpha1.ReasonVanished, "it is gone; restore it")}, edits{largerClass}, []string{
			"Mooring applies none of these changes while this object is stalled (Vanished): it is gone; restore it",
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, not applied: the server is away while it restarts", age,
		}},
		{"deleted in the cloud, and to be created again", edits{stalledBy(v1alpha1.ReasonVanished, "it is gone; restore it")}, edits{recreated, moreDisk}, []string{
			"whenVanished Stop -> Recreate: if the cloud object is deleted outside Mooring, Mooring creates a new, empty one under its name, and does not ask",
			"Mooring changes nothing that exists: the cloud object was deleted outside Mooring, and Mooring creates a new, empty one by this spec",
			"Online, not applied: storage.sizeGiB 20 -> 50", age,
		}},
		{"deleted in the cloud, and to be restored", edits{stalledBy(v1alpha1.ReasonVanished, "it is gone; restore it")}, edits{inPlace, moreDisk}, []string{
			"Mooring changes nothing that exists: the cloud object was deleted outside Mooring, and Mooring restores it by this spec from the newest state that the cloud still has of it, if there is any",
			"Online, not applied: storage.sizeGiB 20 -> 50", age,
		}},
		{"another's", edits{stalledBy(v1alpha1.ReasonNotOwned, "it was released; set spec.adoption")}, edits{largerClass}, []string{
			"Mooring applies none of these changes while this object is stalled (NotOwned): it was released; set spec.adoption",
			"Restarts: aws.instanceClass db.t4g.micro -> db.t4g.small, not applied: the server is away while it restarts", age,
		}},
		{"in another account", edits{stalledBy(v1alpha1.ReasonAccountChanged, "it is in account 1; change the provider config back")}, edits{moreDisk}, []string{
			"Mooring applies none of these changes while this object is stalled (AccountChanged): it is in account 1; change the provider config back",
			"Online, not applied: storage.sizeGiB 20 -> 50", age,
		}},
		{"in another account, and led elsewhere", edits{stalledBy(v1alpha1.ReasonAccountChanged, "it is in account 1")}, edits{moreDisk, otherConfig},
			[]string{
				"the object now uses the ProviderConfig other: if that leads to another account, this object stalls (AccountChanged), and the cloud object stays as it is in its account",
				"Online, at once: storage.sizeGiB 20 -> 50", age}},
		{"with wrong credentials", edits{stalledBy(v1alpha1.ReasonCredentialsInvalid, "the key is unknown")}, edits{moreDisk}, []string{
			"Mooring applies none of these changes while this object is stalled (CredentialsInvalid): the key is unknown",
			"Online, not applied: storage.sizeGiB 20 -> 50", age,
		}},
		{"failed in the cloud", edits{stalledBy(v1alpha1.ReasonFailed, "it failed in the cloud: storage is full")}, edits{moreDisk}, []string{
			"Mooring may be unable to apply these changes: this object is stalled (Failed): it failed in the cloud: storage is full",
			"Online, at once: storage.sizeGiB 20 -> 50", age,
		}},
		{"waiting for approval", edits{stalledBy(v1alpha1.ReasonApprovalRequired, "waiting for approval")}, edits{moreDisk}, []string{
			"Online, at once: storage.sizeGiB 20 -> 50", age,
		}},
		{"no final snapshot", nil, edits{keeping(v1alpha1.DeletionDelete)}, []string{
			"deletionPolicy Snapshot -> Delete: a deletion of this object deletes the cloud object without a final snapshot, and its data is lost for good",
		}},
		{"no longer retained", edits{keeping(v1alpha1.DeletionRetain)}, edits{keeping("")}, []string{
			"deletionPolicy Retain -> Snapshot: a deletion of this object deletes the cloud object after a final snapshot",
		}},
		{"retained", nil, edits{keeping(v1alpha1.DeletionRetain)}, nil},
		{"to be observed only", nil, edits{observeOnly}, []string{
			"management Full -> Observe: Mooring no longer changes the cloud object, and a deletion of this object leaves it in the cloud",
		}},
		{"without its connection, before other changes", edits{connected}, edits{unconnected, keeping(v1alpha1.DeletionDelete), moreDisk}, []string{
			"deletionPolicy Snapshot -> Delete: a deletion of this object deletes the cloud object without a final snapshot, and its data is lost for good",
			"spec.connection is removed: Mooring deletes the connection Secret orders-db, and what uses it no longer learns the address and the password",
			"Online, at once: storage.sizeGiB 20 -> 50", age,
		}},
		{"in a cloud without a driver", edits{inAzure}, edits{largerClass},
			[]string{"no driver for cloud azure is in this controller; nothing happens in the cloud until a controller with that driver runs"}},
		{"in a cloud without a driver, and nothing changes there", edits{inAzure}, edits{always}, nil},
		{"drift that waits already is no news", edits{elsewhereClass}, edits{recreated}, []string{
			"whenVanished Stop -> Recreate: if the cloud object is deleted outside Mooring, Mooring creates a new, empty one under its name, and does not ask"}},
		{"drift that is no longer asked about", edits{elsewhereClass}, edits{always},
			[]string{"Restarts: aws.instanceClass db.t4g.large -> db.t4g.micro, at once: the server is away while it restarts", age}},
		{"not observed yet", edits{unobserved}, edits{largerClass, elsewhere}, []string{
			"Impossible: location eu-central-1 -> eu-west-1, not done: create another Database with the new location and move the data",
			"Compared with the earlier spec: the cloud object was not observed yet",
		}},
		{"not created yet", edits{unborn}, edits{largerClass, elsewhere}, nil},
		{"consent to what another object released", edits{unborn, theirName, adopting}, edits{adoptFrom("bank/ledger")}, []string{
			"mooring.dev/adopt-from bank/ledger: if bank/ledger released the cloud object theirs (deletionPolicy: Retain), Mooring takes it over, and status.pendingChanges lists what then differs from the spec"}},
		{"consent to observe what another object released", edits{unborn, theirName, observeOnly}, edits{adoptFrom("bank/ledger")}, []string{
			"mooring.dev/adopt-from bank/ledger: if bank/ledger released the cloud object theirs (deletionPolicy: Retain), this object observes it, and nothing changes in the cloud"}},
		{"consent to another, while paused", edits{unborn, theirName, adopting, adoptFrom("bank/ledger")}, edits{adoptFrom("bank/vault"), alsoPaused}, []string{
			"Mooring applies none of these changes while the annotation mooring.dev/paused is set",
			"mooring.dev/adopt-from bank/vault: if bank/vault released the cloud object theirs (deletionPolicy: Retain), Mooring takes it over, and status.pendingChanges lists what then differs from the spec",
			"mooring.dev/adopt-from no longer names bank/ledger: this object does not take over or observe what bank/ledger released"}},
		{"consent without adoption", edits{unborn, theirName}, edits{adoptFrom("bank/ledger")}, nil},
		{"consent to an earlier namespace of its own name", edits{unborn, theirName, adopting}, edits{adoptFrom("shop/ledger")}, []string{
			"mooring.dev/adopt-from shop/ledger: if shop/ledger released the cloud object theirs (deletionPolicy: Retain), Mooring takes it over, and status.pendingChanges lists what then differs from the spec"}},
		{"consent to what is no name", edits{unborn, theirName, adopting}, edits{adoptFrom("ledger")}, nil},
		{"consent where it has its own already", edits{adopting}, edits{adoptFrom("bank/ledger")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := editOf(usual(), tt.old...)
			old.Generation = 1
			object := editOf(old, tt.edits...)
			got, err := linesOf(newPreview().Edit(t.Context(), old, object))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// Another replica has not observed anything, and says so.
func TestPreviewByAReplicaThatObservesNothing(t *testing.T) {
	p := newPreview()
	p.Observed = func(client.ObjectKey) (time.Time, bool) { return time.Time{}, false }
	got, err := linesOf(p.Edit(t.Context(), usual(), editOf(usual(), moreDisk)))
	if want := "Compared with what Mooring last observed, at a time that this replica of Mooring does not know"; err != nil || len(got) == 0 || got[len(got)-1] != want {
		t.Errorf("got %q, %v; want %q at last", got, err, want)
	}
}

// Whatever is edited, the plan then makes, asks and refuses what the preview said.
func TestPlanDoesWhatThePreviewSaid(t *testing.T) {
	states := map[string]func(*v1alpha1.Database){
		"as declared": func(*v1alpha1.Database) {}, "drifted": elsewhereClass, "adopted": unapplied,
		"adopted and drifted": func(d *v1alpha1.Database) { unapplied(d); elsewhereClass(d) },
		"never Ready":         func(d *v1alpha1.Database) { elsewhereClass(d); d.Status.FirstReadyTime = nil },
	}
	parts := []func(*v1alpha1.Database){largerClass, newerVersion, olderVersion, elsewhere, noBackups, moreBackups, moreDisk, noTags}
	policies := []func(*v1alpha1.Database){func(*v1alpha1.Database) {}, onApproval, always}
	n := 0
	for name, state := range states {
		for set := range 1 << len(parts) {
			for i, policy := range policies {
				old := editOf(usual(), state)
				object := editOf(old, policy)
				for bit, part := range parts {
					if set&(1<<bit) != 0 {
						part(object)
					}
				}
				object.Generation = 2
				said, err := newPreview().outlookOf(t.Context(), old, object)
				if err != nil {
					t.Fatal(err)
				}
				n += len(said.Changes)
				if diff := cmp.Diff(promised(said), done(t, mem.New(mem.Options{}).Driver(), kind.Database(), object)); diff != "" {
					t.Fatalf("%s, edits %b, policy %d (-previewed +planned):\n%s", name, set, i, diff)
				}
			}
		}
	}
	if n == 0 {
		t.Error("nothing ever changed")
	}
}

// kept is what becomes of changes: by their fields.
type kept struct {
	AtOnce, All []string
	Hash        string
	Impossible  bool
}

func promised(o outlook) kept {
	k := kept{AtOnce: []string{}, All: []string{}, Hash: o.Hash, Impossible: len(o.With(plan.Never)) > 0}
	for _, c := range o.Changes {
		k.All = append(k.All, c.Field+" "+c.Cause)
	}
	slices.Sort(k.All)
	k.AtOnce = append(k.AtOnce, driver.Names(o.With(plan.AtOnce))...)
	return k
}

// done is what the plan does once the edit is stored and the cloud is observed.
func done(t *testing.T, drv driver.Driver, k *kind.Kind, object v1alpha1.ResourceObject) kept {
	t.Helper()
	from, _ := json.Marshal(object.GetObserved())
	to, _ := json.Marshal(object.GetParameters())
	status := object.GetResourceStatus()
	changes, err := drv.Preview(k.Name, from, to, status.Applied) // what Observe reports: drivertest
	if err != nil {
		t.Fatal(err)
	}
	v := plan.ViewOf(object, status, nil)
	v.HasFinalizer, v.ID, v.Mark = true, "db-1", driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "uid-1"}
	a := plan.Plan(v, driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: v.Mark, Changes: changes}, plan.PolicyOf(k, object))
	out := kept{AtOnce: append([]string{}, driver.Names(slices.DeleteFunc(slices.Clone(a.Changes), func(c driver.Change) bool { return len(c.Foreign) > 0 && len(c.Foreign) == len(c.Names) }))...), All: []string{}, Hash: a.Hash}
	for _, c := range a.Pending {
		out.All = append(out.All, c.Field+" "+c.Cause)
		out.Impossible = out.Impossible || c.Effect == string(driver.Impossible)
	}
	slices.Sort(out.All)
	return out
}

// An Online change that brings something about says what, in a line of its own between the dangerous and the harmless.
func TestOnlineChangeSaysWhatItBringsAbout(t *testing.T) {
	change := func(field string, effect driver.Effect, why string) plan.Decided {
		return plan.Decided{Change: driver.Change{Field: field, From: "1", To: "2", Effect: effect, Why: why}, Fate: plan.AtOnce}
	}
	got := reportOf([]plan.Decided{
		change("a", driver.Online, ""), change("b", driver.Online, "clients are left out"), change("c", driver.Restarts, "down"), change("d", driver.Online, ""),
	}, obstacle{}, "the last").Lines()
	want := []string{"Restarts: c 1 -> 2, at once: down", "Online: b 1 -> 2, at once: clients are left out", "Online, at once: a 1 -> 2, d 1 -> 2", "Compared with the last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPreviewKeepsToTheLimits(t *testing.T) {
	var changes []plan.Decided
	for range 60 {
		changes = append(changes, plan.Decided{Change: driver.Change{Field: "a.b", From: strings.Repeat("ä", 300), To: "b", Effect: driver.Restarts, Why: strings.Repeat("ö", 300)}, Fate: plan.AtOnce})
	}
	changes = append(changes, plan.Decided{Change: driver.Change{Field: "c", From: "1", To: "2", Effect: driver.Irreversible}, Fate: plan.AtOnce})
	lines, total := reportOf(changes, obstacle{}, "what is there").Lines(), 0
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > warningLength {
			t.Errorf("%d characters: %q", n, line)
		}
		total += utf8.RuneCountInString(line)
	}
	if total > warningsLength || len(lines) < 8 {
		t.Errorf("%d lines of %d characters", len(lines), total)
	}
	if !strings.HasPrefix(lines[0], "Irreversible: c 1 -> 2") || lines[len(lines)-1] != "and 53 more changes" {
		t.Errorf("got %q first and %q last", lines[0], lines[len(lines)-1])
	}
}

// Two values that differ look different, however long they are.
func TestClipPair(t *testing.T) {
	const key = "arn:aws:kms:eu-central-1:111122223333:key/"
	for _, tt := range []struct{ name, from, to, wantFrom, wantTo string }{
		{"short", "db.t4g.micro", "db.t4g.small", "db.t4g.micro", "db.t4g.small"},
		{"two keys of an account", key + "1234", key + "5678", "…333:key/1234", "…333:key/5678"},
		{"a key, and none before", "(none)", key + "1234", "(none)", "arn:aws:kms:eu-centr…1122223333:key/1234"},
		{"the one begins with the other", key, key + "1234", "…333:key/", "…333:key/1234"},
		{"long after the difference", "a" + strings.Repeat("x", 60), "b" + strings.Repeat("x", 60),
			"a" + strings.Repeat("x", 19) + "…" + strings.Repeat("x", 19), "b" + strings.Repeat("x", 19) + "…" + strings.Repeat("x", 19)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, to := clipPair(tt.from, tt.to)
			if utf8.RuneCountInString(from) > valueLength || utf8.RuneCountInString(to) > valueLength || from == to {
				t.Errorf("%q -> %q", from, to)
			}
			if from != tt.wantFrom || to != tt.wantTo {
				t.Errorf("%q -> %q, want %q -> %q", from, to, tt.wantFrom, tt.wantTo)
			}
		})
	}
}

// refusing is a driver that can't say what changes.
type refusing struct{ driver.Driver }

func (refusing) Preview(string, json.RawMessage, json.RawMessage, driver.Applied) ([]driver.Change, error) {
	return nil, errors.New("no such spec")
}

// What a driver can't say is an error of the preview, and not that nothing changes. The webhook makes a warning of it.
func TestPreviewOfADriverThatFails(t *testing.T) {
	p := newPreview()
	p.Drivers["aws"] = refusing{p.Drivers["aws"]}
	if lines, err := linesOf(p.Edit(t.Context(), usual(), editOf(usual(), moreDisk))); err == nil {
		t.Errorf("the edit: %q, and no error", lines)
	}
	if lines, err := linesOf(p.Deletion(t.Context(), usual())); err == nil {
		t.Errorf("the deletion: %q, and no error", lines)
	}
}

// Who deletes a parent is told first what it waits for, or what becomes of what is within it.
func TestDeletionOfAParentIsForetold(t *testing.T) {
	const (
		waits = "the deletion waits, because User app would be gone with it; delete it first"
		stays = "User app is within it and stays in the cloud too; Mooring does not reconcile it until a Database of this name manages database server shop-orders-1 again, and deletes it only if you delete it"
	)
	gone := func(d *v1alpha1.Database) {
		d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(v1alpha1.ReasonVanished)}}
	}
	for _, test := range []struct {
		name     string
		change   func(*v1alpha1.Database)
		children []string
		want     string // empty: nothing about children
	}{
		{name: "nothing is within it", change: func(*v1alpha1.Database) {}},
		{name: "it is deleted", change: func(*v1alpha1.Database) {}, children: []string{"User app"}, want: waits},
		{name: "it is protected", change: func(d *v1alpha1.Database) { d.Spec.DeletionProtection = new(true) }, children: []string{"User app"}, want: waits},
		{name: "several", change: func(*v1alpha1.Database) {}, children: []string{"User a", "User b"}, want: "the deletion waits, because User a, User b would be gone with it; delete them first"},
		{name: "it is retained", change: func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionRetain }, children: []string{"User app"}, want: stays},
		{name: "it is only observed", change: func(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementObserve }, children: []string{"User app"}, want: stays},
		{name: "it is gone already", change: gone, children: []string{"User app"}, want: "User app was within it; delete it too"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, d := newPreview(), usual()
			test.change(d)
			p.Children = func(context.Context, v1alpha1.ResourceObject) ([]string, error) { return test.children, nil }
			lines, err := linesOf(p.Deletion(t.Context(), d))
			if err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(strings.Join(lines, "\n"), "User"); told != (test.want != "") || told && lines[0] != test.want {
				t.Errorf("got %q", lines)
			}
		})
	}
}
