package system

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Targets are the kinds of objects in the clouds that tests about all of them iterate over. The file of each kind adds its own, so that a
// new kind is a new file.
var Targets []Target

// MadeOf are the kinds whose objects are made of others, in the clouds. An object of such a kind takes another one to be there first, so that the tests of
// Targets do not apply, and each has tests of its own in the packages that iterate over Targets. The file of each kind adds its own.
var MadeOf []Made

// A Made is a kind whose objects are made of others, in one cloud.
type Made struct {
	Kind, Cloud string
	// New returns an empty object, to read into.
	New func() v1alpha1.ResourceObject
	// Observe, Create, Mark and Delete are calls of the cloud's API, as the ledger names them. Mark is empty where the cloud can't change a mark.
	Observe, Create, Mark, Delete string
	// Restore is the call that makes an object of which such objects are made, of one of them.
	Restore string
}

// A Target is a kind of object in one cloud.
type Target struct {
	Kind, Cloud string
	// Service is the cloud's API in the ledger.
	Service string
	Operations
	// New returns an empty object, to read into.
	New func() v1alpha1.ResourceObject
	// Minimal declares what the cloud demands, Typical what a developer declares, with the tag team=shop, and Full all that can be
	// declared. The objects lead to the cloud by the provider config of its name.
	Minimal, Typical, Full func(*Cloud, metav1.ObjectMeta) client.Object
	// Connect sets the name of the connection Secret.
	Connect func(client.Object, string)
	// SetDeletionPolicy sets the deletion policy.
	SetDeletionPolicy func(client.Object, v1alpha1.DeletionPolicy)
	// SecretType is that of the connection Secret.
	SecretType corev1.SecretType
	// SetTags sets the tags, and SetPassword the Secret that the administrator's password is taken from; it is nil if the kind has no login.
	SetTags     func(o client.Object, tags map[string]v1alpha1.TagValue)
	SetPassword func(o client.Object, secret string)
	// More declares fields that some clouds set by a call of their own, after the creation.
	More func(client.Object)
	// Edit changes a typical object online, in fields that take separate calls where the cloud has such. Disrupt changes a field that
	// interrupts or restarts; it is nil if the kind has none.
	Edit    func(client.Object)
	Disrupt func(*Cloud, client.Object)
	// Console returns what people do to such objects beside Mooring.
	Console func(*Cloud) Console
	// Field is one that status.observed shows of what Make makes, and Mirror its value.
	Field, Mirror string
}

// Operations are calls of a cloud's API, as the ledger names them.
type Operations struct {
	// Observe is the read that every observation begins with. The others are writes: Mark puts the ownership mark on what exists, Unmark
	// takes a tag away where that is a call of its own, Disrupt is what Target.Disrupt costs, and Password sets a password.
	Observe, Create, Mark, Unmark, Delete, Disrupt, Password string
	// CreateMore is what the creation of an object takes that Target.More was called for, and ObserveMore what else an observation reads of
	// one that declares all.
	CreateMore, ObserveMore []string
}

// String is the name of the target's sub-tests.
func (t Target) String() string { return t.Cloud + "/" + t.Kind }

// Make makes the cloud object beside Mooring, without a mark.
func (t Target) Make(c *Cloud, tb testing.TB, name string, tags map[string]string) {
	tb.Helper()
	c.consoles[t.Kind].Make(tb, name, tags)
}

// Tags returns the tags of the cloud object, nil if it does not exist.
func (t Target) Tags(c *Cloud, tb testing.TB, name string) map[string]string {
	tb.Helper()
	return c.consoles[t.Kind].Tags(tb, name)
}

// Tag sets tags of the cloud object, and takes those away that are empty.
func (t Target) Tag(c *Cloud, tb testing.TB, name string, tags map[string]string) {
	tb.Helper()
	c.consoles[t.Kind].Tag(tb, name, tags)
}

// Drop deletes the cloud object.
func (t Target) Drop(c *Cloud, tb testing.TB, name string) {
	tb.Helper()
	c.consoles[t.Kind].Delete(tb, name)
}

// TargetOf returns the target of a kind in a cloud, which must exist.
func TargetOf(kind, cloud string) Target {
	for _, t := range Targets {
		if t.Kind == kind && t.Cloud == cloud {
			return t
		}
	}
	panic("there is no target " + cloud + "/" + kind)
}

// Calls returns one of the operations of each target, each once: of all of them, what creates an object, for example.
func Calls(which func(Operations) string) (calls []string) {
	for _, t := range Targets {
		if call := which(t.Operations); !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	return calls
}

// KindOf returns the kind of an object of one of the targets.
func KindOf(o client.Object) string {
	for _, t := range Targets {
		if reflect.TypeOf(t.New()) == reflect.TypeOf(o) {
			return t.Kind
		}
	}
	for _, m := range MadeOf {
		if reflect.TypeOf(m.New()) == reflect.TypeOf(o) {
			return m.Kind
		}
	}
	panic(fmt.Sprintf("%T is the kind of no target", o))
}

// StatusOf points to the part of an object's status that all kinds share.
func StatusOf(o client.Object) *v1alpha1.ResourceStatus {
	return o.(v1alpha1.ResourceObject).GetResourceStatus()
}

// SpecOf points to the part of an object's spec that all kinds share.
func SpecOf(o client.Object) *v1alpha1.ResourceSpec {
	return o.(v1alpha1.ResourceObject).GetResourceSpec()
}

// Connect sets the name of an object's connection Secret.
func Connect(o client.Object, secret string) {
	for _, t := range Targets {
		if t.Kind == KindOf(o) {
			t.Connect(o, secret)
			return
		}
	}
}
