package tenancy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
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
	kinds "github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

// A reference is a field of a kind by which a tenant may name another cloud object, and a value that somebody could set.
type reference struct {
	drv   driver.Driver
	cloud string
	kind  *kinds.Kind
	field driver.Field
	path  string // by which a class allows it
	by    driver.Referrer
	value any // as JSON has it
	name  string
}

func (r reference) String() string { return fmt.Sprintf("%T %s %s", r.drv, r.kind.Name, r.path) }

// described returns all references that the drivers describe.
func described(t *testing.T) (all []reference) {
	t.Helper()
	for _, drv := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{}), mem.New(mem.Options{}).Driver()} {
		description := drv.Describe()
		for _, k := range kinds.All() {
			resource, _ := description.Resource(k.Name)
			for _, field := range resource.Fields {
				block, _, _ := strings.Cut(field.Field, ".")
				if field.Refers == "" || block != description.Name && slices.Contains(v1alpha1.Clouds(), block) {
					continue // the reference driver has the blocks of all clouds, and a class takes that of its own cloud only
				}
				for path, by := range field.Referrers() {
					value, name := valueOf(t, k.Name, description.Name, field.Field, by)
					all = append(all, reference{drv, description.Name, k, field, path, by, value, name})
				}
			}
		}
	}
	return all
}

// valueOf returns what the edits of all fields set, and the first name in it.
func valueOf(t *testing.T, kind, cloud, field string, by driver.Referrer) (value any, name string) {
	t.Helper()
	for _, s := range fieldedit.All() {
		full, err := class.TreeOf(s.With(field))
		if err != nil {
			t.Fatal(err)
		}
		at, found := any(full), s.Kind == kind && (s.Cloud == cloud || !strings.HasPrefix(field, cloud))
		for step := range strings.SplitSeq(field, ".") {
			if tree, is := at.(class.Tree); is && found {
				at, found = tree[step], tree[step] != nil
			}
		}
		if list, is := at.([]any); found && is {
			for _, entry := range list {
				if named := textIn(entry, by.In); by.In != "" && named != "" {
					return []any{entry}, named
				}
			}
			return at, driver.ReferencePrincipal.Names(list)[0] // of a list of texts, the first one
		}
		if found {
			return at, at.(string)
		}
	}
	t.Fatalf("test/fieldedit has no value of %s in %s", field, cloud)
	return nil, ""
}

// textIn returns the text at a path in an object, empty if there is none.
func textIn(object any, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		tree, _ := object.(class.Tree)
		object = tree[step]
	}
	text, _ := object.(string)
	return text
}

// at returns a text as a tree that has it at a path.
func at(path, text string) class.Tree {
	var value any = text
	for _, step := range slices.Backward(strings.Split(path, ".")) {
		value = class.Tree{step: value}
	}
	return value.(class.Tree)
}

// No tenant makes Mooring pass a role, use a key or join a network that its class or own account does not give it.
func TestReferences(t *testing.T) {
	all := described(t)
	if len(all) < 3 {
		t.Fatalf("only %d references show nothing", len(all))
	}
	for _, r := range all {
		t.Run(r.String(), func(t *testing.T) {
			exact := regexp.QuoteMeta(r.name)
			for name, tt := range map[string]struct {
				class   class.Tree
				refused bool
			}{
				"a class that names nothing":        {class.Tree{}, true},
				"a class that names another":        {class.Tree{"defaults": r.spec("another-" + r.name)}, true},
				"a default":                         {class.Tree{"defaults": r.spec(r.name)}, false},
				"what is enforced":                  {class.Tree{"enforced": r.spec(r.name)}, false},
				"what the class allows":             {r.allowing(exact), false},
				"a pattern of the beginning alone":  {r.allowing(regexp.QuoteMeta(r.name[:len(r.name)-1])), true},
				"a pattern of the end alone":        {r.allowing(regexp.QuoteMeta(r.name[1:])), true},
				"a pattern of the middle alone":     {r.allowing(regexp.QuoteMeta(r.name[1 : len(r.name)-1])), true},
				"a pattern of one of several lines": {r.allowing("(?m)^" + exact + "x$"), true},
				"a pattern behind a broken one":     {r.allowing("(", exact), false},
			} {
				o := r.object(r.spec(r.name))
				o.GetResourceSpec().ClassName = "standard"
				r.expect(t, name, o, tt.class, tt.refused)
			}
			own, direct := r.object(r.spec(r.name)), r.object(r.spec(r.name))
			own.GetResourceSpec().ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
			r.expect(t, "the team's own account", own, class.Tree{}, false)
			direct.GetResourceSpec().ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: r.cloud}
			r.expect(t, "a shared account without a class", direct, class.Tree{}, true)
			if strings.HasPrefix(r.field.Field, r.cloud+".") && r.kind.Name == "Database" {
				r.expectSize(t)
			}
		})
	}
}

// No tenant gives up by a word of its own what protects others in a shared account: each value that a driver reserves has to come from the class.
func TestReservedValues(t *testing.T) {
	found := 0
	for _, drv := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{}), mem.New(mem.Options{}).Driver()} {
		description := drv.Describe()
		for _, k := range kinds.All() {
			resource, _ := description.Resource(k.Name)
			for _, reserved := range resource.Reserved {
				found++
				r := reference{drv: drv, cloud: description.Name, kind: k, field: driver.Field{Field: reserved.Field}, path: reserved.Field, name: reserved.Value}
				var value any
				if json.Unmarshal([]byte(reserved.Value), &value) != nil {
					value = reserved.Value
				}
				t.Run(r.String(), func(t *testing.T) { r.expectReserved(t, r.at(value), r.at(reservedOther[reserved.Field])) })
			}
		}
	}
	if found != len(reservedOther)+1 { // both clouds have retention.locked
		t.Errorf("%d values are reserved, and the test knows %d", found, len(reservedOther)+1)
	}
}

// reservedOther are values of fields with a reserved one that need nobody's word.
var reservedOther = map[string]any{"aws.policyMode": "Merge", "aws.confirmRemoveSelfBucketAccess": false, "retention.locked": false}

// expectReserved checks of a field who may set its reserved value, and that everybody may set another.
func (r reference) expectReserved(t *testing.T, value, other class.Tree) {
	t.Helper()
	if other[strings.Split(r.field.Field, ".")[0]] == nil {
		t.Fatalf("the test knows no other value of %s", r.field.Field)
	}
	for name, tt := range map[string]struct {
		class   class.Tree
		spec    class.Tree
		refused bool
	}{
		"a class that says nothing":            {class.Tree{}, value, true},
		"a class that says otherwise":          {class.Tree{"defaults": other}, value, true},
		"a class that allows names of objects": {r.allowing(".*"), value, true},
		"a default":                            {class.Tree{"defaults": value}, value, false},
		"what is enforced":                     {class.Tree{"enforced": value}, value, false},
		"another value":                        {class.Tree{}, other, false},
		"another value than the default":       {class.Tree{"defaults": value}, other, false},
		"none":                                 {class.Tree{"defaults": value}, class.Tree{}, false},
	} {
		o := r.object(tt.spec)
		o.GetResourceSpec().ClassName = "standard"
		r.expect(t, name, o, tt.class, tt.refused)
	}
	own, direct, harmless := r.object(value), r.object(value), r.object(other)
	own.GetResourceSpec().ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
	r.expect(t, "the team's own account", own, class.Tree{}, false)
	for _, o := range []v1alpha1.ResourceObject{direct, harmless} {
		o.GetResourceSpec().ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: r.cloud}
	}
	r.expect(t, "a shared account without a class", direct, class.Tree{}, true)
	r.expect(t, "another value in a shared account without a class", harmless, class.Tree{}, false)
}

// allowing returns a class that allows what matches one of the patterns.
func (r reference) allowing(patterns ...string) class.Tree {
	var entries []any
	for _, pattern := range patterns {
		entries = append(entries, class.Tree{"field": "spec." + r.path, "pattern": pattern})
	}
	return class.Tree{"allowedReferences": entries}
}

// spec returns what names an object in the field, as a part of a spec.
func (r reference) spec(name string) class.Tree {
	var value any = name
	if list, is := r.value.([]any); is && r.by.Sort == driver.ReferencePrincipal {
		value = []any{letting(list, name)}
	} else if is {
		if object, is := list[0].(class.Tree); is {
			object = class.Merge(object, at(r.by.In, name))
			for _, other := range r.field.Referrers() { // each is judged by itself
				if other.In != r.by.In {
					object = class.Merge(object, at(other.In, ""))
				}
			}
			value = object
		}
		value = []any{value}
	}
	return r.at(value)
}

// at returns a value of the field as a part of a spec.
func (r reference) at(value any) class.Tree {
	for _, step := range slices.Backward(strings.Split(r.field.Field, ".")) {
		value = class.Tree{step: value}
	}
	return value.(class.Tree)
}

// letting returns that entry of a list which lets principals in, for one alone.
func letting(list []any, name string) class.Tree {
	for _, entry := range list {
		entry, is := entry.(class.Tree)
		if !is || len(driver.ReferencePrincipal.Names(entry)) == 0 {
			continue
		}
		if entry = maps.Clone(entry); entry["principals"] != nil {
			entry["principals"] = class.Tree{"aws": []any{name}}
		} else {
			entry["members"] = []any{name}
		}
		return entry
	}
	panic("no entry lets anybody in")
}

func (r reference) object(spec class.Tree) v1alpha1.ResourceObject {
	o := r.kind.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"spec": spec}, o); err != nil {
		panic(err)
	}
	o.SetNamespace("shop")
	o.SetName("tenants")
	return o
}

// resolver returns what finds the class "standard" with a spec.
func (r reference) resolver(t *testing.T, spec class.Tree) *class.Resolver {
	t.Helper()
	c := r.kind.Class.New()
	spec = class.Merge(class.Tree{"providerConfigRef": class.Tree{"name": r.cloud}, "allowedNamespaces": class.Tree{}}, spec)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"metadata": class.Tree{"name": "standard"}, "spec": spec}, c); err != nil {
		t.Fatal(err)
	}
	objects := []client.Object{c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}}
	for _, cloud := range []string{"aws", "gcp"} {
		config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: cloud}}
		if err := json.Unmarshal(fmt.Appendf(nil, `{"spec":{%q:{}}}`, cloud), config); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, config)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return &class.Resolver{
		Kind: r.kind, Rules: func(*class.Class) []class.Rule { return nil }, References: class.ReferencesOf(r.kind.Name, map[string]driver.Driver{r.cloud: r.drv}),
		Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(),
	}
}

// admission answers for a resolver; who may use a provider config is another's question.
func admission(resolver *class.Resolver) *class.Admission {
	return &class.Admission{Resolver: resolver, Live: resolver.Client,
		MayUse: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*class.Problem, error) {
			return nil, nil
		}}
}

// expect checks what the webhook says of a new object, and that the loop says the same.
func (r reference) expect(t *testing.T, name string, o v1alpha1.ResourceObject, spec class.Tree, refused bool) {
	t.Helper()
	resolver := r.resolver(t, spec)
	refusals, _, err := admission(resolver).Object(t.Context(), nil, o)
	if err != nil || len(refusals) > 0 != refused {
		t.Errorf("%s: refusals %q, %v; want refused %v", name, refusals, err, refused)
	}
	for _, p := range refusals {
		if p.Field != "spec."+r.path || !strings.Contains(p.Message, r.name) || !strings.Contains(p.Message, string(r.by.Sort)) || !strings.Contains(p.Message, "remove the field") {
			t.Errorf("%s: the refusal %q lacks the field, the value, its sort, or what to do", name, p)
		}
	}
	if o.GetResourceSpec().ProviderConfigRef != nil {
		return // TestEscapes has the loop refuse it, and package gather
	}
	found, err := resolver.Resolve(t.Context(), o)
	if err != nil || class.Join(found.Problems) != nil != refused {
		t.Errorf("%s: the loop finds %q, %v; want refused %v", name, found.Problems, err, refused)
	}
}

// expectSize checks that a size of the class may name what nobody else may.
func (r reference) expectSize(t *testing.T) {
	t.Helper()
	size := class.Merge(class.Tree{"name": "small"}, r.spec(r.name))
	o := r.object(class.Tree{"size": "small", "className": "standard"})
	found, err := r.resolver(t, class.Tree{"sizes": []any{size}}).Resolve(t.Context(), o)
	if err != nil || len(found.Problems) > 0 || !reflect.DeepEqual(class.Merge(found.Spec, r.spec(r.name)), found.Spec) {
		t.Errorf("by a size: problems %q, %v, spec %v", found.Problems, err, found.Spec)
	}
}
