package fault

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A phase is a part of a life.
type phase string

const (
	creation phase = "create"
	edit     phase = "update"
	rotation phase = "rotate"
	deletion phase = "delete"
)

// A subject is what a life is the life of.
type subject struct{ cloud, kind string }

var subjects = []subject{{"aws", "Bucket"}, {"gcp", "Bucket"}, {"aws", "Database"}, {"gcp", "Database"}}

func (s subject) String() string { return s.cloud + "/" + s.kind }

func (s subject) phases() []phase {
	if s.kind == "Database" {
		return []phase{creation, edit, rotation, deletion}
	}
	return []phase{creation, edit, deletion}
}

// Names of what is beside the object in its namespace.
const (
	accountName   = "account"    // the ProviderConfig and the Secret with its credentials
	givenPassword = "given"      // the Secret that holds a chosen password
	connection    = "connection" // the connection Secret
)

// empty returns an object of the subject's kind.
func (s subject) empty() client.Object {
	if s.kind == "Bucket" {
		return &v1alpha1.Bucket{}
	}
	return &v1alpha1.Database{}
}

// object returns the object as people declare it first.
func (s subject) object(name string) client.Object {
	at := metav1.ObjectMeta{Namespace: name, Name: name}
	shared := v1alpha1.ResourceSpec{ProviderConfigRef: &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: accountName}}
	if s.kind == "Bucket" {
		return &v1alpha1.Bucket{ObjectMeta: at, Spec: v1alpha1.BucketSpec{
			ResourceSpec: shared,
			BucketParameters: v1alpha1.BucketParameters{
				Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"},
			},
			Connection: &v1alpha1.Connection{SecretName: connection},
		}}
	}
	d := &v1alpha1.Database{ObjectMeta: at, Spec: v1alpha1.DatabaseSpec{
		ResourceSpec: shared,
		DatabaseParameters: v1alpha1.DatabaseParameters{
			Engine: new(v1alpha1.EnginePostgres), Version: new("16"), DatabaseName: new("orders"),
			Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))},
			Backup:  &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
			Tags:    map[string]v1alpha1.TagValue{"team": "shop"},
		},
		Connection: &v1alpha1.Connection{SecretName: connection},
	}}
	if s.cloud == "aws" {
		d.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: givenPassword}}
	} else {
		d.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")}
	}
	return d
}

// change edits the spec, in fields that take separate calls where the cloud has such.
func (subject) change(o client.Object) {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		o.Spec.Versioning = new(v1alpha1.VersioningSuspended)
		o.Spec.Tags = map[string]v1alpha1.TagValue{"team": "sales"}
	case *v1alpha1.Database:
		o.Spec.Backup.RetentionDays = new(int32(9))
		o.Spec.Tags = map[string]v1alpha1.TagValue{"team": "sales"}
	}
}

func (s subject) accountOf(account string) v1alpha1.Account {
	if s.cloud == "aws" {
		return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}
	}
	return v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: account, Region: system.GCPRegion}}
}

func statusOf(o client.Object) *v1alpha1.ResourceStatus {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return &o.Status.ResourceStatus
	case *v1alpha1.Database:
		return &o.Status.ResourceStatus
	default:
		panic(fmt.Sprintf("no cloud kind: %T", o))
	}
}

// unready says why an object is not Ready, Synced and quiet at its present generation; "" if it is.
func unready(o client.Object) string {
	status := statusOf(o)
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

// summary is an object's status, without what differs from life to life.
func (l *life) summary(o client.Object) string {
	o = o.DeepCopyObject().(client.Object)
	status := statusOf(o)
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
		text, err = json.MarshalIndent(o.Status, "", " ")
	}
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(status.ExternalName, "NAME", l.account, "ACCOUNT", l.name, "LIFE").Replace(string(text))
}
