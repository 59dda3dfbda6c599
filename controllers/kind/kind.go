package kind

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Kind describes a kind of Kubernetes object that represents a cloud object. All functions are pure.
type Kind struct {
	// Name is the kind's name in the API. Plural is the name of its resource.
	Name, Plural string
	New          func() v1alpha1.ResourceObject
	NewList      func() client.ObjectList
	// Class is the kind's class; nil for a kind without one. Objects of such a kind have a parent, or name their
	// provider config themselves.
	Class *Class
	// Parent describes the kind of the parent object; nil for a kind without one.
	Parent *Parent

	// Login: the cloud object has an administrator with a password.
	Login bool
	// Fixed are the fields that can't change once the cloud object exists.
	Fixed []string
	// KeptReferences are fields that need the permission of the class, and that 0.1.0 accepted from every user. A cloud
	// object that exists keeps its value of such a field, even if the class does not allow it. A field of a later
	// release does not belong here.
	KeptReferences []string
	// DeletionPolicy and WhenVanished are the defaults of the spec fields of the same name.
	DeletionPolicy v1alpha1.DeletionPolicy
	WhenVanished   v1alpha1.WhenVanished

	// Existing returns the name of a cloud object that must exist already, because the spec refers to it. Nothing is
	// created for such an object. It returns an empty name for all other objects, and is nil for kinds without such a
	// field.
	Existing func(v1alpha1.ResourceObject) string
	// Restoring describes how an object is restored from a snapshot at its creation; nil for kinds that can't be
	// restored.
	Restoring *Restoring
	// Replicating describes how an object can be a read replica of another object of the kind; nil for kinds without
	// replicas.
	Replicating *Replicating
	// Former points to the part of the status about the former server, which the present cloud object replaced. It is
	// nil for kinds whose objects are never replaced.
	Former func(v1alpha1.ResourceObject) **v1alpha1.FormerServer
	// Window returns the maintenance window that a spec declares; nil if it declares none. It is nil for kinds without
	// maintenance windows.
	Window func(v1alpha1.ResourceObject) *v1alpha1.MaintenanceWindow
	// CreationWarnings returns warnings about a new object, one line each, the most dangerous first. The class is
	// merged into the object. It is nil for kinds without warnings.
	CreationWarnings func(v1alpha1.ResourceObject) []string
	// ExposureWarnings returns those of the CreationWarnings that say who can reach the object. They also apply to an
	// edit of an object that exists. It is nil for kinds without such warnings.
	ExposureWarnings func(v1alpha1.ResourceObject) []string
	// SetEndpoint writes the object's endpoint to the status; nil for kinds whose status does not have it.
	SetEndpoint func(v1alpha1.ResourceObject, driver.Endpoint)
	// SetSnapshotDetails writes the details of a snapshot to the status, and whether the snapshot is usable. Details
	// that are nil are cleared. It is nil for kinds that are not snapshots.
	SetSnapshotDetails func(object v1alpha1.ResourceObject, is *driver.SnapshotDetails, usable bool)
	// Expiry describes when Mooring deletes objects by itself; nil for kinds whose objects do not expire.
	Expiry *Expiry
	// FinalSnapshot returns a new object that represents the final snapshot of a deleted object. snapshot is the name
	// of the snapshot in the cloud; the status of the new object is bound to it. want is the deleted object with its
	// class merged in. It is nil for kinds without final snapshots.
	FinalSnapshot func(deleted, want v1alpha1.ResourceObject, snapshot string) v1alpha1.ResourceObject
	// Backup returns a new object that takes a snapshot of an object before its upgrade to a version. It has the label
	// v1alpha1.LabelBeforeVersion. It is nil for kinds that Mooring does not back up.
	Backup func(of v1alpha1.ResourceObject, version string, now time.Time) v1alpha1.ResourceObject
	// Support describes where the status shows how long the cloud supports the object's engine version; nil for kinds
	// whose status does not show it.
	Support *Support
	// Rotation points to the part of the status about the rotation of the password; nil for kinds without password
	// rotation.
	Rotation func(v1alpha1.ResourceObject) **v1alpha1.PasswordRotation
	// Actions points to the part of the status about the outcome of requested actions; nil for kinds without actions.
	Actions func(v1alpha1.ResourceObject) *[]v1alpha1.ActionStatus
	// Binding returns the type and the data of an object's connection Secret. The keys are those of the Service Binding
	// specification. Keys without a value are left out. It is nil for a kind whose spec has no connection.
	Binding func(obj v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte)
}

// KeyCertificates is the key in a connection Secret that holds the CA certificates of the server, in PEM.
const KeyCertificates = "certificates"

// KeyServerName is the key in a connection Secret that holds the name in the server's certificate, if it is not the
// host. Clients have to verify this name. A kubeconfig has the same key.
const KeyServerName = "tls-server-name"

// KeyPasswordSecret is the key in a connection Secret that says where the cloud stores the server's password. Such a
// Secret has neither a password nor a URI.
const KeyPasswordSecret = "password-secret"

// A Class describes the class of a kind, for example DatabaseClass.
type Class struct {
	// Name is the class's kind in the API. Plural is the name of its resource.
	Name, Plural string
	New          func() v1alpha1.ClassObject
	NewList      func() client.ObjectList
}

// A deletion looks whether the kind itself is being removed from the cluster, and whoever misses a field in a spec whether the API server hides it.
//
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=bucketclasses.mooring.dev;buckets.mooring.dev;databaseclasses.mooring.dev;databases.mooring.dev;databasesnapshots.mooring.dev

// All returns all kinds, in the order in which the documents present them. Each call returns new values.
func All() []*Kind { return []*Kind{Database(), Bucket(), DatabaseSnapshot()} }

// Objects returns one new object of each kind. Kinds without a constructor, which Check reports, are left out.
func Objects(kinds []*Kind) (objects []v1alpha1.ResourceObject) {
	for _, k := range kinds {
		if k != nil && k.New != nil {
			objects = append(objects, k.New())
		}
	}
	return objects
}

// Has reports whether an object is of this kind.
func (k *Kind) Has(object client.Object) bool {
	return reflect.TypeOf(object) == reflect.TypeOf(k.New())
}

// HasClass reports whether an object is a class of this kind.
func (k *Kind) HasClass(object client.Object) bool {
	return k.Class != nil && reflect.TypeOf(object) == reflect.TypeOf(k.Class.New())
}

// Deletion returns the deletion policy of an object, or the kind's default.
func (k *Kind) Deletion(object v1alpha1.ResourceObject) v1alpha1.DeletionPolicy {
	if p := object.GetDeletionPolicy(); p != "" {
		return p
	}
	return k.DeletionPolicy
}

// ChosenName returns the name in the cloud that an object's spec sets; empty if it sets none.
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
