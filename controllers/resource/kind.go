package resource

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Kind tells the reconciler how one kind of object reads. T is the kind's Go type, S its merged
// spec. All functions are pure.
type Kind[T client.Object, S any] struct {
	// Name is the kind's name, Plural its resource's.
	Name   string
	Plural string
	New    func() T
	List   func() client.ObjectList

	// Spec, Status and Connection point into the object.
	Spec       func(T) *v1alpha1.ResourceSpec
	Status     func(T) *v1alpha1.ResourceStatus
	Connection func(T) *v1alpha1.Connection
	// Credentials returns what the spec says of the administrator's login; it is nil for kinds that have none.
	Credentials func(T) *v1alpha1.DatabaseCredentials
	// Parameters returns the merged spec, sharing nothing with the object, and the location in it.
	Parameters func(T) (parameters S, location string)
	// Observed stores a mirror in the status, Mirror returns it; nil if there is none.
	Observed func(T, json.RawMessage) error
	Mirror   func(T) *S
	// Endpoint stores in the status where the object answers; nil for kinds that do not show it.
	Endpoint func(T, driver.Endpoint)

	// Deletion returns the deletion policy, default applied, and whether contents may go too.
	Deletion func(T) (policy v1alpha1.DeletionPolicy, force bool)
	// Regrets says what a user may regret of a new object, class merged in: the dangerous first, a line each.
	Regrets func(T) []string
	// WhenVanished is the default.
	WhenVanished v1alpha1.WhenVanished
	// Binding returns the contents of the connection Secret of an object in a cloud.
	Binding func(obj T, cloud *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte)
}

// policy returns what the spec says about how to go about it, defaults applied.
func (k *Kind[T, S]) policy(obj T) Policy {
	spec := k.Spec(obj)
	deletion, _ := k.Deletion(obj)
	p := Policy{
		Management:   or(spec.Management, v1alpha1.ManagementFull),
		Adoption:     or(spec.Adoption, v1alpha1.AdoptionIfMarked),
		WhenVanished: or(spec.WhenVanished, k.WhenVanished),
		Deletion:     deletion,
		Disruptive:   v1alpha1.DisruptiveOnSpecChange,
	}
	if spec.Updates != nil {
		p.Disruptive = or(spec.Updates.Disruptive, p.Disruptive)
	}
	return p
}

func or[V ~string](v, otherwise V) V {
	if v == "" {
		return otherwise
	}
	return v
}
