package kind

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Kind is a kind of object that stands for something in a cloud. All functions are pure.
type Kind struct {
	// Name is the kind's name in the API, Plural that of its resource.
	Name, Plural string
	New          func() v1alpha1.ResourceObject
	NewList      func() client.ObjectList
	// Class is the kind's class; nil for a kind that has none. Objects of such a kind name their provider config, or have a parent.
	Class *Class
	// Parent is the kind within whose objects those of this kind are; nil for a kind without a parent.
	Parent *Parent

	// Login: objects have an administrator with a password.
	Login bool
	// Fixed are the fields that can't change once the cloud object exists.
	Fixed []string
	// KeptReferences are fields that name another cloud object, or have a value that is the class's alone, and that 0.1.0 accepted from everybody: an existing cloud object keeps what it
	// has, also if its class does not allow it. A field that a later release added does not belong here.
	KeptReferences []string
	// DeletionPolicy and WhenVanished are the defaults of the fields of that name.
	DeletionPolicy v1alpha1.DeletionPolicy
	WhenVanished   v1alpha1.WhenVanished

	// Existing returns the name in the cloud of an object that has to exist already: nothing is created for it. It is empty for all others, and nil for
	// kinds that have none.
	Existing func(v1alpha1.ResourceObject) string
	// Restoring says how objects are restored from snapshots when they are created; nil for kinds that are not.
	Restoring *Restoring
	// Replicating says how objects follow others of the kind, as read replicas do; nil for kinds that can't.
	Replicating *Replicating
	// Former points to what an object's status says about the cloud object in whose place its own was put; nil for kinds of which none is.
	Former func(v1alpha1.ResourceObject) **v1alpha1.FormerServer
	// Window returns the maintenance window that a spec asks for; nil if it asks for none. It is nil for kinds that have no such windows.
	Window func(v1alpha1.ResourceObject) *v1alpha1.MaintenanceWindow
	// Regrets returns what a user may regret about a new object, class merged in: a line each, the dangerous first. It is nil if
	// there is nothing to say.
	CreationWarnings func(v1alpha1.ResourceObject) []string
	// Exposes returns those of the Regrets that say who can reach an object: they matter as much once it exists. It is nil for kinds that have none.
	ExposureWarnings func(v1alpha1.ResourceObject) []string
	// SetEndpoint stores in the status where the object answers; nil for kinds whose status does not show it.
	SetEndpoint func(v1alpha1.ResourceObject, driver.Endpoint)
	// SetSnapshotDetails stores in the status what a snapshot says of itself, and whether it is usable. It clears what is nil. It is nil for other kinds.
	SetSnapshotDetails func(object v1alpha1.ResourceObject, is *driver.SnapshotDetails, usable bool)
	// Expiry says when Mooring deletes objects by itself; nil for kinds whose objects stay until somebody deletes them.
	Expiry *Expiry
	// FinalSnapshot returns the object that is to stand for the final snapshot of a deleted object, whose name in the cloud is given, with the status that binds
	// it to the snapshot. want is the deleted object with its class merged in. It is nil for kinds without final snapshots.
	FinalSnapshot func(deleted, want v1alpha1.ResourceObject, snapshot string) v1alpha1.ResourceObject
	// Backup returns the object by which a snapshot of an object is taken before an upgrade to a version. It has the label v1alpha1.LabelBeforeVersion. It is nil for kinds of which
	// Mooring takes none.
	Backup func(of v1alpha1.ResourceObject, version string, now time.Time) v1alpha1.ResourceObject
	// Support says where the status shows until when the cloud supports what objects run on; nil for kinds whose status does not show it.
	Support *Support
	// Rotation returns where the status says when the password is changed; nil for kinds whose password Mooring does not change by itself.
	Rotation func(v1alpha1.ResourceObject) **v1alpha1.PasswordRotation
	// Actions returns where the status says what became of the actions that people ask for; nil for kinds that have none.
	Actions func(v1alpha1.ResourceObject) *[]v1alpha1.ActionStatus
	// Binding returns type and contents of the connection Secret of an object in a cloud. The keys are those of the Service
	// Binding specification; entries without a value are left out. It is nil for a kind whose spec has no connection.
	Binding func(obj v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte)
}

// KeyCertificates is the key of a connection Secret with the authorities, in PEM, that sign the server's certificate.
const KeyCertificates = "certificates"

// KeyServerName is the key of a connection Secret with the name that clients verify in the server's certificate, where that is not the host. It is
// called as in a kubeconfig.
const KeyServerName = "tls-server-name"

// KeyPasswordSecret is the key of a connection Secret that says where the cloud keeps the password of the server, in place of a password and a URI with it.
const KeyPasswordSecret = "password-secret"

// A Class is the class of a kind.
type Class struct {
	// Name is the class's kind in the API, Plural that of its resource.
	Name, Plural string
	New          func() v1alpha1.ClassObject
	NewList      func() client.ObjectList
}

// A deletion looks whether the kind itself is being removed from the cluster, and whoever misses a field in a spec whether the API server hides it.
//
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=bucketclasses.mooring.dev;buckets.mooring.dev;databaseclasses.mooring.dev;databases.mooring.dev;databasesnapshots.mooring.dev

// All returns the kinds in the order in which people meet them. Each call returns kinds of its own.
func All() []*Kind { return []*Kind{Database(), Bucket(), DatabaseSnapshot()} }

// Objects returns a new object of each kind. It leaves out what Check refuses.
func Objects(kinds []*Kind) (objects []v1alpha1.ResourceObject) {
	for _, k := range kinds {
		if k != nil && k.New != nil {
			objects = append(objects, k.New())
		}
	}
	return objects
}

// Has reports whether an object is of the kind.
func (k *Kind) Has(object client.Object) bool {
	return reflect.TypeOf(object) == reflect.TypeOf(k.New())
}

// HasClass reports whether an object is a class of the kind.
func (k *Kind) HasClass(object client.Object) bool {
	return k.Class != nil && reflect.TypeOf(object) == reflect.TypeOf(k.Class.New())
}

// Deletion returns the deletion policy of an object, default applied.
func (k *Kind) Deletion(object v1alpha1.ResourceObject) v1alpha1.DeletionPolicy {
	if p := object.GetDeletionPolicy(); p != "" {
		return p
	}
	return k.DeletionPolicy
}

// ChosenName returns the name in the cloud that an object's spec chooses; empty if it chooses none.
func (k *Kind) ChosenName(object v1alpha1.ResourceObject) string {
	if k.Existing != nil {
		if name := k.Existing(object); name != "" {
			return name
		}
	}
	return object.GetResourceSpec().ExternalName
}

// Definition returns the name of the kind's CustomResourceDefinition.
func (k *Kind) Definition() string { return k.Plural + "." + v1alpha1.GroupVersion.Group }

// Definition returns the name of the class's CustomResourceDefinition.
func (c *Class) Definition() string { return c.Plural + "." + v1alpha1.GroupVersion.Group }

// serviceBinding is a connection Secret: its type in the Service Binding specification, and the entries that have a value.
func serviceBinding(of string, entries map[string]string) (corev1.SecretType, map[string][]byte) {
	data := map[string][]byte{}
	for key, value := range entries {
		if value != "" {
			data[key] = []byte(value)
		}
	}
	return corev1.SecretType("servicebinding.io/" + of), data
}
