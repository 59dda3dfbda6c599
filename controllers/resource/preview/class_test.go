package preview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What another class gives or enforces is previewed as if the object's own spec said it; what is bound at creation stays, and nothing is said.
func TestEveryFieldOfAClass(t *testing.T) {
	for _, s := range subjects(t) {
		if s.kind.Class == nil {
			continue
		}
		for _, layer := range []string{"defaults", "enforced"} {
			for _, step := range s.steps {
				from := s.given(step)
				if step.From != nil {
					from = with(from, step.Field, step.From)
				}
				t.Run(fmt.Sprintf("%s/%s/%s/%s becomes %v", s.cloud, s.kind.Name, layer, step.Field, step.To), func(t *testing.T) {
					p := s.preview()
					p.Classes = s.classes(t, layer, from, with(from, step.Field, step.To))
					old := s.classed(t, layer, from)
					edited := old.DeepCopyObject().(v1alpha1.ResourceObject)
					edited.GetResourceSpec().ClassName = "two"
					edited.SetGeneration(2)
					got, err := linesOf(p.Edit(t.Context(), old, edited))
					if err != nil {
						t.Fatal(err)
					}
					if slices.Contains(slices.Concat(s.kind.Fixed, p.Classes.Immutable(s.cloud)), step.Field) {
						if len(got) > 0 {
							t.Errorf("lines %q of a field that is bound at creation", got)
						}
						return
					}
					s.announces(t, got, step.Field, step.Effect)
				})
			}
		}
	}
}

// announces checks that lines announce one change at once, or one that is not done.
func (s subject) announces(t *testing.T, lines []string, field string, effect driver.Effect) {
	t.Helper()
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, field+" is ") }) // who can reach it: TestEditThatOpensAServer
	want, when := fmt.Sprintf("%s: %s ", effect, field), ", at once: "
	if effect == driver.Impossible {
		when = ", not done: "
	}
	harmless := len(lines) > 0 && effect == driver.Online && (strings.HasPrefix(lines[0], "Online, at once: "+field+" ") || inParts(lines[0], field, "Online, at once", "")) // it brings nothing about
	said := len(lines) > 0 && (strings.HasPrefix(lines[0], want) && strings.Contains(lines[0], when) || inParts(lines[0], field, effect, strings.Trim(when, ", :")))
	if len(lines) != 2 || !harmless && !said {
		t.Errorf("lines %q, want first %q with %q", lines, want, when)
	}
}

// classed is an object that has all its fields from the class "one".
func (s subject) classed(t *testing.T, layer string, gives class.Tree) v1alpha1.ResourceObject {
	t.Helper()
	o := s.object(t, gives, gives)
	bare := s.object(t, class.Tree{"className": "one"}, gives)
	bare.GetResourceSpec().ProviderConfigRef = nil
	status := bare.GetResourceStatus()
	*status = *o.GetResourceStatus()
	status.ClassName = "one"
	status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: s.cloud}
	status.Effective = &v1alpha1.Effective{}
	if content := (&runtime.RawExtension{Raw: raw(t, gives)}); layer == "defaults" {
		status.Effective.Defaults = content
	} else {
		status.Effective.Enforced = content
	}
	return bare
}

// classes returns the classes "one" and "two", which differ in what a layer gives.
func (s subject) classes(t *testing.T, layer string, one, two class.Tree) *class.Resolver {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	config := &v1alpha1.ClusterProviderConfig{}
	accounts := map[string]class.Tree{"aws": {"region": "eu-central-1"}, "gcp": {"projectID": "p", "region": "europe-west3"}}
	decode(t, class.Tree{"metadata": class.Tree{"name": s.cloud}, "spec": class.Tree{s.cloud: accounts[s.cloud]}}, config)
	objects := []client.Object{config, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}}
	for name, gives := range map[string]class.Tree{"one": one, "two": two} {
		c := s.kind.Class.New()
		decode(t, class.Tree{"metadata": class.Tree{"name": name}, "spec": class.Tree{
			"providerConfigRef": class.Tree{"name": s.cloud}, "allowedNamespaces": class.Tree{}, layer: gives,
		}}, c)
		objects = append(objects, c)
	}
	return &class.Resolver{
		Kind: s.kind, Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(),
		Rules: func(*class.Class) []class.Rule { return nil }, Immutable: class.ImmutableOf(s.kind.Name, map[string]driver.Driver{s.cloud: s.drv}),
	}
}

func decode(t *testing.T, tree class.Tree, into any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(tree, into); err != nil {
		t.Fatal(err)
	}
}
