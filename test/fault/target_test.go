package fault

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// ownKey is the key of an account that RDS encrypts with where nobody names one. Each account has its own.
var ownKey = regexp.MustCompile(`key/[0-9a-f-]{36}`)

// zones are where the server of a database and its standby are. They change places with a failover, and whether a failover that was asked for in the moment of a
// fault was done is not certain: it is never done twice.
var zones = regexp.MustCompile(`"((aws\.)?availabilityZone|(gcp\.)?(secondaryZ|z)one)": "[^"]*"`)

// A phase is a part of a lifecycle.
type phase string

const (
	creation phase = "create"
	edit     phase = "update"
	power    phase = "power"
	rotation phase = "rotate"
	period   phase = "period"
	deletion phase = "delete"
)

// phasesOf are the phases of a lifecycle, in order. Databases have a server that is stopped and started, a password that can be
// rotated, by a person or because its period has passed, and updates that take more than one call. A Bucket of the real clouds has its objects
// retained, which versions, or their absence, come before. Those with the most writes come early: a lifecycle ends after the last phase in which something
// goes wrong. See also update_test.go.
func phasesOf(t system.Target) []phase {
	switch t.String() {
	case "aws/Database":
		return []phase{creation, snapshot, recovery, edit, power, rotation, period, settings, restart, act, handOver, deletion}
	case "aws/Bucket", "gcp/Bucket":
		return []phase{creation, edit, retention, deletion}
	case "gcp/Database":
		return []phase{creation, snapshot, recovery, edit, power, rotation, period, settings, restart, act, edition, deletion}
	}
	return []phase{creation, edit, deletion}
}

// Names of what is beside the object in its namespace.
const (
	accountName   = "account"    // the ProviderConfig and the Secret with its credentials
	givenPassword = "given"      // the Secret that holds a chosen password
	connection    = "connection" // the connection Secret
)

// console is the lifecycle's own account.
func (l *lifecycle) console() *system.Cloud {
	return system.NewCloudAccount(l.Cloud, l.target.Cloud, l.account)
}

// object returns the object as people declare it first. A Bucket has all that a bucket can have. In AWS a person chooses the password of a Database.
func (l *lifecycle) object() client.Object {
	o := l.target.Typical(l.console(), metav1.ObjectMeta{Namespace: l.name, Name: l.name})
	system.SpecOf(o).ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: accountName}
	system.Connect(o, connection)
	if b, ok := o.(*v1alpha1.Bucket); ok {
		b.Spec.BucketParameters = system.OtherBucket(l.console())
	}
	if l.givesPassword() {
		o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: givenPassword}}
	}
	return o
}

// edit edits the object once it is Ready; of a Bucket it changes all that can change.
func (l *lifecycle) edit(o client.Object) {
	if b, ok := o.(*v1alpha1.Bucket); ok {
		b.Spec.BucketParameters = system.FullBucket(l.console())
		return
	}
	l.target.Edit(o)
}

// givesPassword reports whether a person chooses the password at first.
func (l *lifecycle) givesPassword() bool {
	return l.target.Kind == "Database" && l.target.Cloud == "aws"
}

// unstopped says why the server of an object is not stopped as declared; "" if it is.
func unstopped(o client.Object) string {
	status := system.StatusOf(o)
	for name, want := range map[string]metav1.ConditionStatus{
		v1alpha1.ConditionReady: metav1.ConditionTrue, v1alpha1.ConditionSynced: metav1.ConditionTrue, v1alpha1.ConditionAvailable: metav1.ConditionFalse,
	} {
		c := meta.FindStatusCondition(status.Conditions, name)
		if c == nil || c.Status != want || c.ObservedGeneration != o.GetGeneration() {
			return fmt.Sprintf("generation %d: %s", o.GetGeneration(), conditions(status.Conditions))
		}
	}
	return ""
}

// unready says why an object is not Ready, Synced and quiet at its present generation; "" if it is.
func unready(o client.Object) string {
	status := system.StatusOf(o)
	for _, name := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced, v1alpha1.ConditionAvailable} {
		c := meta.FindStatusCondition(status.Conditions, name)
		if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != o.GetGeneration() {
			return fmt.Sprintf("generation %d: %s", o.GetGeneration(), conditions(status.Conditions))
		}
	}
	for _, name := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
		if meta.FindStatusCondition(status.Conditions, name) != nil {
			return conditions(status.Conditions)
		}
	}
	if status.ObservedGeneration != o.GetGeneration() {
		return fmt.Sprintf("observedGeneration %d of %d", status.ObservedGeneration, o.GetGeneration())
	}
	return ""
}

// conditions says what they are, and is never empty.
func conditions(all []metav1.Condition) string {
	if len(all) == 0 {
		return "no conditions"
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("%s=%s at %d (%s: %s)", c.Type, c.Status, c.ObservedGeneration, c.Reason, c.Message))
	}
	return strings.Join(lines, "\n")
}

// summary is an object's status, without what differs from lifecycle to lifecycle.
func (l *lifecycle) summary(o client.Object) string {
	o = o.DeepCopyObject().(client.Object)
	status := system.StatusOf(o)
	status.ExternalID, status.FirstReadyTime, status.Operation = "", nil, ""
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	var text []byte
	var err error
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		text, err = json.MarshalIndent(o.Status, "", " ")
	case *v1alpha1.Database:
		o.Status.Endpoint = "" // each has its own
		o.Status.Support = nil // each has a certificate of its own
		o.Status.Actions = nil // a fault may leave it unknown what came of one
		if r := o.Status.RestoredFrom; r != nil {
			r.Time, r.Snapshot, r.SnapshotID, r.VanishedID = nil, "", "", "VANISHED"
		}
		if r := o.Status.Rotation; r != nil {
			r.LastTime, r.NextTime = metav1.Time{}, metav1.Time{}
		}
		text, err = json.MarshalIndent(o.Status, "", " ")
	}
	if err != nil {
		panic(err)
	}
	text = zones.ReplaceAll(ownKey.ReplaceAll(text, []byte("key/KEY")), []byte(`"$1": "ZONE"`))
	return strings.NewReplacer(status.ExternalName, "NAME", l.account, "ACCOUNT", l.name, "LIFE").Replace(string(text))
}
