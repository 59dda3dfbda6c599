package class

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
)

// An Account is a ClusterProviderConfig that a class names.
type Account struct {
	// Config is the name of the ClusterProviderConfig, and Field the path of the class's field that has the name.
	Config, Field string
}

// Accounts returns the ClusterProviderConfigs that the class names, each once. The first one is spec.providerConfigRef,
// for namespaces that no entry of spec.accounts selects.
func (c *Class) Accounts() (all []Account) {
	add := func(config, field string) {
		if config != "" && !slices.ContainsFunc(all, func(a Account) bool { return a.Config == config }) {
			all = append(all, Account{config, field})
		}
	}
	add(c.Spec.ProviderConfigRef.Name, "spec.providerConfigRef")
	for i, entry := range c.Spec.Accounts {
		add(entry.ProviderConfigRef.Name, entryField(i)+".providerConfigRef")
	}
	return all
}

// configs returns the names of the ClusterProviderConfigs in one line.
func (c *Class) configs() string {
	var names []string
	for _, a := range c.Accounts() {
		names = append(names, a.Config)
	}
	return strings.Join(names, ", ")
}

// LeadsTo reports whether the class uses a ClusterProviderConfig for new objects of any namespace.
func (c *Class) LeadsTo(config string) bool {
	return slices.ContainsFunc(c.Accounts(), func(a Account) bool { return a.Config == config })
}

func entryField(i int) string { return fmt.Sprintf("spec.accounts[%d]", i) }

// AccountOf returns the ClusterProviderConfig for new objects of a namespace, or why there is none. It is pure, and the
// only place that decides this. An entry with an invalid selector ends the search, because a later entry may belong to
// other namespaces.
func (c *Class) AccountOf(namespace Namespace) (config string, none *Problem) {
	for i, entry := range c.Spec.Accounts {
		selects, err := metav1.LabelSelectorAsSelector(entry.NamespaceSelector) // nothing, if there is none
		if err != nil {
			return "", &Problem{Reason: v1alpha1.ReasonClassInvalid,
				Message: fmt.Sprintf("class %q: %s; your platform team has to correct it", c.Name(), unreadable(i, err))}
		}
		if selects.Matches(labels.Set(namespace.Labels)) {
			return entry.ProviderConfigRef.Name, nil
		}
	}
	if name := c.Spec.ProviderConfigRef.Name; name != "" {
		return name, nil
	}
	return "", &Problem{Reason: v1alpha1.ReasonClassNotAllowed, Field: "spec.className", Message: fmt.Sprintf(
		"class %q has no account for namespace %s; choose another class, or ask your platform team for an entry in spec.accounts of the class that selects the namespace by its labels",
		c.Name(), namespace.Name)}
}

func unreadable(i int, err error) string {
	return fmt.Sprintf("%s.namespaceSelector: %v", entryField(i), err)
}

// validate says what is wrong with the class itself, nil if nothing is. check is as in a Reconciler.
func (c *Class) validate(clouds map[string]string, check func(c *Class, cloud string) *Problem) *Problem {
	if _, wrong := c.selector(); wrong != nil {
		return wrong
	}
	if wrong := c.checkAccounts(clouds); wrong != nil {
		return wrong
	}
	if wrong := c.checkLocations(); wrong != nil {
		return wrong
	}
	return check(c, c.cloud(clouds))
}

// checkAccounts says what is wrong with the entries, nil if nothing is: a selector that can't be read, or an account of another cloud than the
// class is in. clouds has the cloud of each ClusterProviderConfig that is there.
func (c *Class) checkAccounts(clouds map[string]string) *Problem {
	for i, entry := range c.Spec.Accounts {
		if _, err := metav1.LabelSelectorAsSelector(entry.NamespaceSelector); err != nil {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: entryField(i) + ".namespaceSelector", Message: err.Error()}
		}
	}
	for _, a := range c.Accounts() {
		if p := c.otherCloud(a.Config, clouds); p != nil {
			p.Field = a.Field
			return p
		}
	}
	return nil
}

// otherCloud says that an account is in another cloud than the class; nil if it is not, or if that is not known. A class without a list leads
// to one account, which decides.
func (c *Class) otherCloud(config string, clouds map[string]string) *Problem {
	is, of := clouds[config], c.cloud(clouds)
	if len(c.Spec.Accounts) == 0 || is == "" || of == "" || is == of {
		return nil
	}
	return &Problem{Reason: v1alpha1.ReasonClassInvalid, Message: fmt.Sprintf(
		"ClusterProviderConfig %s is in %s, and the class is in %s: all accounts of a class are in one cloud; name an account in %s, or make another class for %s", config, is, of, of, is)}
}

// cloud returns the cloud that the class is in: that of the settings that only one cloud has, or that of its first account that is known. It is
// empty if no account is known.
func (c *Class) cloud(clouds map[string]string) string {
	if len(c.Spec.Accounts) > 0 {
		layers := []Tree{c.Defaults, c.Enforced}
		for _, size := range c.Sizes {
			layers = append(layers, size.Values)
		}
		for _, cloud := range v1alpha1.Clouds() {
			if slices.ContainsFunc(layers, func(layer Tree) bool { _, has := layer[cloud]; return has }) {
				return cloud
			}
		}
	}
	for _, a := range c.Accounts() {
		if clouds[a.Config] != "" {
			return clouds[a.Config]
		}
	}
	return ""
}

// cloudsOf returns the clouds of a class's accounts, by the names of the ClusterProviderConfigs. One that is there without an account of a
// cloud that this version of the API knows is there with an empty name.
func cloudsOf(ctx context.Context, from client.Reader, c *Class) (map[string]string, error) {
	clouds := map[string]string{}
	for _, a := range c.Accounts() {
		cloud, found, err := CloudOf(ctx, from, a.Config)
		if err != nil {
			return nil, err
		}
		if found {
			clouds[a.Config] = cloud
		}
	}
	return clouds, nil
}

// shadowed says which accounts never serve anybody, because an entry before them selects every namespace.
func (c *Class) shadowed() string {
	for i, entry := range c.Spec.Accounts {
		s := entry.NamespaceSelector
		if s == nil || len(s.MatchLabels) > 0 || len(s.MatchExpressions) > 0 {
			continue
		}
		var idle []string
		for later := i + 1; later < len(c.Spec.Accounts); later++ {
			idle = append(idle, entryField(later))
		}
		if c.Spec.ProviderConfigRef.Name != "" {
			idle = append(idle, "spec.providerConfigRef")
		}
		if len(idle) == 0 {
			return ""
		}
		return fmt.Sprintf("%s selects all namespaces, so these have no effect: %s; move it to the end, or give it a selector", entryField(i), strings.Join(idle, ", "))
	}
	return ""
}

// ConfigOf returns the provider config of an object of a class: the one that the object is bound to, or the one for its
// creation. It returns nil if there is none.
func (r *Resolver) ConfigOf(ctx context.Context, object v1alpha1.ResourceObject, c *Class) (*v1alpha1.BoundProviderConfig, error) {
	in, err := namespaceOf(ctx, r.Client, object)
	if err != nil {
		return nil, err
	}
	return r.configOf(object, c, in), nil
}

// configOf returns the provider config that leads to an object's account: the one it was made by, unless it goes by another class now. If that
// has no account for it, what exists is observed and deleted by the one that it has.
func (r *Resolver) configOf(object v1alpha1.ResourceObject, c *Class, in Namespace) *v1alpha1.BoundProviderConfig {
	status := object.GetResourceStatus()
	bound := status.ProviderConfigRef
	if c == nil || bound != nil && c.Name() == status.ClassName {
		return bound
	}
	if config, _ := c.AccountOf(in); config != "" {
		return &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: config}
	}
	return bound
}

// VerifyRoute returns an error if the class does not lead to the provider config to which an object is about to be
// bound. The binding is permanent, so the class and the labels of the namespace are read from the API server.
func (r *Resolver) VerifyRoute(ctx context.Context, live client.Reader, object v1alpha1.ResourceObject, c *Class, config string) error {
	stored := r.Kind.Class.New()
	if err := live.Get(ctx, client.ObjectKey{Name: c.Name()}, stored); err != nil {
		return fmt.Errorf("read class %q: %w", c.Name(), err)
	}
	c, err := Of(stored)
	if err != nil {
		return err
	}
	in := Namespace{Name: object.GetNamespace()}
	if len(c.Spec.Accounts) > 0 { // labels decide
		if in, err = namespaceOf(ctx, live, object); err != nil {
			return err
		}
	}
	if now, _ := c.AccountOf(in); now != config {
		return fmt.Errorf("class %q or the labels of namespace %s have changed, so that the class no longer leads to ClusterProviderConfig %s: Mooring reconciles the object again",
			c.Name(), object.GetNamespace(), config)
	}
	return nil
}

// namespaceOf reads the namespace of an object.
func namespaceOf(ctx context.Context, from client.Reader, object client.Object) (Namespace, error) {
	ns := &corev1.Namespace{}
	err := from.Get(ctx, client.ObjectKey{Name: object.GetNamespace()}, ns)
	return Namespace{Name: ns.Name, Labels: ns.Labels}, err
}
