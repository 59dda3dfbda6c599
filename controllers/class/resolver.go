package class

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Index is the name of the index that finds objects by their class. Default is the key of objects that use the default
// class, and are not bound to a class yet.
const (
	Index   = "class"
	Default = "(default)"
)

// Key returns an object's key in the index. It is empty if the object names its provider config itself, and so has no
// class.
func Key(object v1alpha1.ResourceObject) string {
	spec, status := object.GetResourceSpec(), object.GetResourceStatus()
	switch {
	case spec.ProviderConfigRef != nil:
		return ""
	case spec.ClassName != "":
		return spec.ClassName
	case status.ClassName != "":
		return status.ClassName
	default:
		return Default
	}
}

// A Resolver finds the classes of the objects of one kind, and evaluates the objects.
type Resolver struct {
	Kind *kind.Kind
	// Parent is the kind of the parent of Kind's objects, for example Database for DatabaseSnapshot; nil for a kind
	// without a parent.
	Parent *kind.Kind
	// Client reads from a cache that has the index Index for the kind.
	Client client.Reader
	// Rules returns the compiled constraints of a class.
	Rules func(*Class) []Rule
	// Lacks returns the fields and values of the kind that a cloud does not support. It is nil if every cloud supports
	// all of them.
	Lacks func(cloud string) []driver.Lack
	// Same returns the alternatives of a cloud; see AlternativesOf. It is nil if there are none in any cloud.
	Same func(cloud string) Alternatives
	// References returns the references of the kind in a cloud; see ReferencesOf. It is nil if there are none in any
	// cloud.
	References func(cloud string) References
	// Immutable returns the immutable fields of the kind in a cloud; see ImmutableOf. It is nil if there are none in
	// any cloud.
	Immutable func(cloud string) []string
}

// ImmutableOf returns a function that returns a kind's immutable fields in a cloud, from the drivers' descriptions.
func ImmutableOf(kind string, drivers map[string]driver.Driver) func(cloud string) []string {
	all := map[string][]string{}
	for cloud, drv := range drivers {
		description := drv.Describe()
		resource, _ := description.Resource(kind)
		for _, field := range resource.Fields {
			if field.Immutable() {
				all[cloud] = append(all[cloud], field.Field)
			}
		}
	}
	return func(cloud string) []string { return all[cloud] }
}

// immutable returns the fields that can't change in a cloud.
func (r *Resolver) immutable(cloud string) []string {
	if r.Immutable == nil {
		return nil
	}
	return r.Immutable(cloud)
}

// lacks returns what a cloud does not have of the kind; nothing of a cloud that is not known.
func (r *Resolver) lacks(cloud string) []driver.Lack {
	if r.Lacks == nil || cloud == "" {
		return nil
	}
	return r.Lacks(cloud)
}

// same returns the fields that say the same as others in a cloud.
func (r *Resolver) same(cloud string) Alternatives {
	if r.Same == nil {
		return nil
	}
	return r.Same(cloud)
}

// A Resolution is the class of an object, and the evaluation of the object.
type Resolution struct {
	// Name is the name of the class. It is empty if the object names none, and there is no default class. Class is nil
	// if no class has the name.
	Name  string
	Class *Class
	// Config is the provider config that leads to the object's account; nil if it is not known.
	Config *v1alpha1.BoundProviderConfig
	// Same are the alternatives of the object's cloud.
	Same Alternatives
	Evaluation
}

func (r *Resolution) problems() []Problem {
	if r == nil {
		return nil
	}
	return r.Problems
}

// Resolve finds the class of an object, and evaluates the object. Problems of the object are in the resolution. An
// error says that the cluster could not be read.
func (r *Resolver) Resolve(ctx context.Context, object v1alpha1.ResourceObject) (*Resolution, error) {
	c, name, err := r.classOf(ctx, object)
	if err != nil {
		return nil, err
	}
	found := &Resolution{Name: name, Class: c}
	if c == nil {
		found.Config = r.configOf(object, nil, Namespace{})
		o, err := r.ownInput(object)
		if err != nil {
			return nil, err
		}
		found.Evaluation = EvaluateStored(o)
		found.Problems = []Problem{r.missing(name)}
		return found, nil
	}
	o, err := r.inputOf(ctx, object, c)
	if err != nil {
		return nil, err
	}
	found.Config, found.Same = r.configOf(object, c, o.Namespace), o.Same
	found.Evaluation = Evaluate(c, o, r.Rules(c))
	return found, nil
}

// ownInput is what the object itself says.
func (r *Resolver) ownInput(object v1alpha1.ResourceObject) (Input, error) {
	spec, err := TreeOf(object.GetSpec())
	status := object.GetResourceStatus()
	return Input{
		Spec: spec, Bound: status.ExternalName != "", Observed: object.GetResourceSpec().Management == v1alpha1.ManagementObserve,
		Unedited: status.AppliedGeneration != 0 && status.AppliedGeneration == object.GetGeneration(),
		Location: status.Location, Same: r.same(status.Provider), Before: status.Effective, Fixed: r.Kind.Fixed, Kept: r.Kind.KeptReferences,
	}, err
}

// inputOf is what Evaluate needs to know of an object.
func (r *Resolver) inputOf(ctx context.Context, object v1alpha1.ResourceObject, c *Class) (Input, error) {
	o, err := r.ownInput(object)
	if err != nil {
		return o, err
	}
	o.Joined = o.Bound && object.GetResourceStatus().ClassName == c.Name()
	if o.Namespace, err = namespaceOf(ctx, r.Client, object); err != nil {
		return o, err
	}
	if err := r.surveyClouds(ctx, object, c, &o); err != nil {
		return o, err
	}
	o.Lacks, o.References, o.Same, o.Immutable = r.lacks(o.Cloud), r.references(o.Cloud), r.same(o.Cloud), r.immutable(o.Cloud)
	return o, r.survey(ctx, object, c, &o)
}

func (r *Resolver) missing(name string) Problem {
	if r.Kind.Class == nil {
		return Problem{Reason: v1alpha1.ReasonInvalid, Field: "spec.providerConfigRef",
			Message: fmt.Sprintf("the kind %s has no classes, so spec.providerConfigRef is required; set it, and remove spec.className if it is there", r.Kind.Name)}
	}
	p := Problem{Reason: v1alpha1.ReasonClassNotFound, Field: "spec.className",
		Message: fmt.Sprintf("there is no %s %q; to list them, run kubectl get %s", r.Kind.Class.Name, name, r.Kind.Class.Plural)}
	if name == "" {
		p.Message = fmt.Sprintf("no %s is the default, so spec.className is required; to list the classes, run kubectl get %s", r.Kind.Class.Name, r.Kind.Class.Plural)
	}
	return p
}

// classOf returns the class that an object goes by and its name; the class is nil if there is none of that name.
func (r *Resolver) classOf(ctx context.Context, object v1alpha1.ResourceObject) (*Class, string, error) {
	name := Key(object)
	if r.Kind.Class == nil {
		return nil, name, nil
	}
	if name == Default {
		return r.defaultClass(ctx)
	}
	found := r.Kind.Class.New()
	err := r.Client.Get(ctx, client.ObjectKey{Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil, name, nil
	}
	if err != nil {
		return nil, name, err
	}
	c, err := Of(found)
	return c, name, err
}

// defaultClass returns the default class: of several the one made last, as with StorageClasses, so that one default can
// take another's place without a gap.
func (r *Resolver) defaultClass(ctx context.Context) (*Class, string, error) {
	list := r.Kind.Class.NewList()
	if err := r.Client.List(ctx, list); err != nil {
		return nil, "", err
	}
	var newest v1alpha1.ClassObject
	err := meta.EachListItem(list, func(item runtime.Object) error {
		o, ok := item.(v1alpha1.ClassObject)
		if ok && IsDefault(o) && (newest == nil || younger(o, newest)) {
			newest = o
		}
		return nil
	})
	if err != nil || newest == nil {
		return nil, "", err
	}
	c, err := Of(newest)
	return c, newest.GetName(), err
}

// IsDefault reports whether a class has the annotation of the default class.
func IsDefault(class client.Object) bool {
	return class.GetAnnotations()[v1alpha1.AnnotationDefaultClass] == "true"
}

// younger orders objects by their age, and those of the same second by their names.
func younger(a, b client.Object) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if at.Equal(&bt) {
		return a.GetName() > b.GetName()
	}
	return bt.Before(&at)
}

// surveyClouds adds to a case where the object is or is to be, and where its class leads.
func (r *Resolver) surveyClouds(ctx context.Context, object v1alpha1.ResourceObject, c *Class, o *Input) (err error) {
	config := r.configOf(object, c, o.Namespace)
	if config == nil {
		return nil
	}
	if config.Kind != identity.KindClusterProviderConfig { // the class has no account for it, and it keeps the one that it has
		o.Cloud = object.GetResourceStatus().Provider
	} else if o.Cloud, _, err = CloudOf(ctx, r.Client, config.Name); err != nil {
		return err
	}
	o.Leads = o.Cloud
	if c.LeadsTo(config.Name) && (o.Joined || len(c.Spec.Accounts) == 0) {
		return nil
	}
	clouds, err := cloudsOf(ctx, r.Client, c)
	if err != nil {
		return err
	}
	if !slices.Contains(slices.Collect(maps.Values(clouds)), o.Cloud) {
		o.Leads = c.cloud(clouds)
	}
	if !o.Joined {
		o.OtherCloud = c.otherCloud(config.Name, clouds)
	}
	return nil
}

// survey adds to a case how many objects of the class come before it in the namespace.
func (r *Resolver) survey(ctx context.Context, object v1alpha1.ResourceObject, c *Class, o *Input) error {
	if c.Spec.MaxPerNamespace == nil || o.Joined {
		return nil
	}
	list := r.Kind.NewList()
	if err := r.Client.List(ctx, list, client.InNamespace(object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		if other, ok := item.(v1alpha1.ResourceObject); ok && other.GetName() != object.GetName() && r.before(other, object, c) {
			o.Older++
		}
		return nil
	})
}

// LimitReached returns a problem if the namespace has the maximum number of objects of a class in the cloud. The object
// itself does not count. It reads from the API server, because other objects may have been bound since the cache was
// read.
func (r *Resolver) LimitReached(ctx context.Context, live client.Reader, object v1alpha1.ResourceObject, c *Class) (*Problem, error) {
	if c.Spec.MaxPerNamespace == nil {
		return nil, nil
	}
	list, has := r.Kind.NewList(), 0
	if err := live.List(ctx, list, client.InNamespace(object.GetNamespace())); err != nil {
		return nil, err
	}
	err := meta.EachListItem(list, func(item runtime.Object) error {
		other, ok := item.(v1alpha1.ResourceObject)
		if ok && other.GetName() != object.GetName() && Key(other) == c.Name() && other.GetResourceStatus().ExternalName != "" {
			has++
		}
		return nil
	})
	if err != nil || has < int(*c.Spec.MaxPerNamespace) {
		return nil, err
	}
	p := tooMany(c, object.GetNamespace())
	return &p, nil
}

// before reports whether another object of a class comes before this one: because it is in the cloud already, or older. An
// object that is not stored yet has no age, and comes last.
func (r *Resolver) before(other, object v1alpha1.ResourceObject, c *Class) bool {
	key := Key(other)
	if key != c.Name() && (key != Default || !IsDefault(c.Object)) {
		return false
	}
	unstored := object.GetCreationTimestamp()
	return other.GetResourceStatus().ExternalName != "" || unstored.IsZero() || younger(object, other)
}

// CloudOf returns the cloud to which a ClusterProviderConfig leads. found reports whether the config exists. The cloud
// is empty if this version of the API does not know it.
func CloudOf(ctx context.Context, from client.Reader, config string) (cloud string, found bool, err error) {
	c := &v1alpha1.ClusterProviderConfig{}
	if err := from.Get(ctx, client.ObjectKey{Name: config}, c); err != nil {
		return "", false, client.IgnoreNotFound(err)
	}
	return c.Spec.Cloud(), true, nil
}

// unknownCloud says that a class's ClusterProviderConfig, which is there, leads to no cloud that this version of the API knows.
func unknownCloud(a Account) string {
	return fmt.Sprintf("ClusterProviderConfig %s has no account of a cloud that this release of Mooring knows; install a release that knows the cloud, or change %s", a.Config, a.Field)
}
