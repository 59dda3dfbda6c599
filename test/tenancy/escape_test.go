package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	kinds "github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// certificates is the reference of an account without which the account is usable all the same: the thief's own credentials are good.
const certificates = "databaseCAConfigMapRef.name"

// An attack is an object that a thief makes, with one reference that leads, or seems to, to what is not the thief's.
type attack struct {
	kind string
	// field is the reference, value what it says, with is the rest of the spec in YAML.
	field string
	value any
	with  string
	// from is the object whose left-behind cloud object the thief claims to be allowed to take.
	from string
}

func (a attack) String() string {
	return strings.ReplaceAll(fmt.Sprintf("%s %s=%v %s", a.kind, a.field, a.value, a.with), "/", "|")
}

// attacksOn says for each reference what can be tried, and what the rest of the spec has to be for it to be tried at all.
func attacksOn(t assets, references []reference) map[string][]attack {
	all := map[string][]attack{}
	add := func(kind, field string, values []string, with ...string) {
		key := kind + "." + field
		for _, value := range values {
			for _, w := range with {
				all[key] = append(all[key], attack{kind: kind, field: field, value: value, with: w})
			}
			if strings.HasSuffix(field, "ame") { // a path in place of a name, which would lead out of the namespace
				all[key] = append(all[key], attack{kind: kind, field: field, value: bank + "/" + value, with: with[0]},
					attack{kind: kind, field: field, value: "../" + bank + "/" + value, with: with[0]})
			}
		}
	}
	direct := `{"providerConfigRef":{"kind":"ClusterProviderConfig","name":"aws"}}`
	for _, target := range targets() {
		kind, external := target.Kind, t.external[target.Kind]
		engine := map[string]string{"Database": `"engine":"postgres",`}[kind]
		add(kind, "spec.className", t.classes[kind], `{}`)
		add(kind, "spec.providerConfigRef.name", t.accounts, `{`+engine+`"providerConfigRef":{"kind":"ProviderConfig"}}`)
		add(kind, "spec.providerConfigRef.name", t.clusterAccounts, `{`+engine+`"providerConfigRef":{"kind":"ClusterProviderConfig"}}`)
		var ways []string
		for _, where := range []string{`"className":"for-all"`, strings.Trim(direct, "{}") + "}"} {
			for _, how := range []string{``, `,"adoption":"IfMarked"`, `,"adoption":"IfExists"`, `,"management":"Observe"`, `,"management":"Observe","adoption":"IfExists"`} {
				ways = append(ways, `{`+engine+where+how+`}`)
			}
		}
		add(kind, "spec.externalName", external, ways...)
		left := external[len(external)-1]
		for _, way := range ways {
			key := kind + ".spec.externalName"
			all[key] = append(all[key], attack{kind: kind, field: "spec.externalName", value: left, with: way, from: bank + "/left"})
		}
		add(kind, "spec.connection.secretName", t.secrets, `{`+engine+`"className":"for-bank"}`)
		for _, r := range references {
			if r.kind.Name != kind || r.cloud != "aws" {
				continue
			}
			key := kind + ".spec." + r.field.Field
			for _, where := range []string{`"className":"for-all"`, strings.Trim(direct, "{}") + "}"} {
				all[key] = append(all[key], attack{kind: kind, field: "spec." + r.field.Field, value: r.value, with: `{` + engine + where + `}`})
			}
			// Whoever may write classes is of the platform: a tenant is not.
			for _, layer := range []string{"defaults", "enforced"} {
				key := kind + "Class.spec." + layer + "." + r.field.Field
				all[key] = append(all[key], attack{kind: kind + "Class", field: "spec." + layer + "." + r.field.Field, value: r.value, with: `{"providerConfigRef":{"name":"by-class"},"allowedNamespaces":{}}`})
			}
		}
	}
	add("Database", "spec.credentials.passwordSecretRef.name", t.secrets, `{"className":"for-all"}`)
	addSnapshots(add, t)
	aws, gcp := `{"aws":{"region":"eu-central-1"}}`, `{"gcp":{"project":"mooring-local"}}`
	add("ProviderConfig", "spec.credentials.secretRef.name", t.secrets, aws, gcp)
	add("ProviderConfig", "spec.credentials.webIdentity.serviceAccountName", t.serviceAccounts,
		`{"aws":{"region":"eu-central-1"},"credentials":{"webIdentity":{"roleARN":"arn:aws:iam::123456789012:role/bank"}}}`)
	add("ProviderConfig", "spec."+certificates, t.configMaps, `{"aws":{"region":"eu-central-1"},"credentials":{"secretRef":{"name":"own"}}}`)
	add("ClusterProviderConfig", "spec."+certificates, t.configMaps, `{"aws":{"region":"eu-central-1"},"allowedNamespaces":{},"directUse":true}`)
	for _, k := range kinds.All() {
		if k.Class == nil {
			continue
		}
		add(k.Class.Name, "spec.providerConfigRef.name", t.clusterAccounts, `{"allowedNamespaces":{}}`)
	}
	add("ClusterProviderConfig", "spec.credentials.secretRef.name", t.secrets, `{"aws":{"region":"eu-central-1"},"allowedNamespaces":{},"directUse":true}`)
	add("ClusterProviderConfig", "spec.credentials.webIdentity.serviceAccountName", t.serviceAccounts,
		`{"aws":{"region":"eu-central-1"},"allowedNamespaces":{},"credentials":{"webIdentity":{"roleARN":"arn:aws:iam::123456789012:role/bank"}}}`)
	return all
}

// references finds every field by which a spec names something else.
func references(kind string, s apiextensionsv1.JSONSchemaProps, at string) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		below, here := s.Properties[name], at+"."+name
		isName := name == "name" && strings.HasSuffix(at, "Ref") || strings.HasSuffix(name, "Name") && below.Type == "string"
		if isName && name != "databaseName" {
			found = append(found, kind+here)
		}
		found = append(found, references(kind, below, here)...)
	}
	return found
}

func TestEscapes(t *testing.T) {
	for name, answers := range map[string]bool{"with the webhook": true, "without the webhook": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, answers)
			attacks := attacksOn(h.prepareAssets(), described(t))
			h.complete(attacks)
			h.tryAll(attacks)
			own := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: thief, Name: "own"}}
			own.Spec.ClassName = "for-all"
			h.Must(h.thief.Create(h.Context(), own)) // the thief may do what is allowed, so it is not that nothing works
			h.AwaitReady(own)
			again := system.TargetOf("Database", "aws").New().(*v1alpha1.Database) // what nobody else could restore can be restored
			again.Namespace, again.Name, again.Spec.ClassName = bank, "again", "for-bank"
			again.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: "deleted"}}}
			h.Create(again)
			h.AwaitReady(again)
		})
	}
}

// addSnapshots adds what can be tried with snapshots: to take one of bank's database, and to get hold of those that there are.
func addSnapshots(add func(kind, field string, values []string, with ...string), t assets) {
	const kind = "DatabaseSnapshot"
	theirs := func(rest string) string {
		return `{"source":{"externalName":"` + t.external[kind][0] + `"}` + rest + `}`
	}
	add(kind, "spec.className", t.classes["Database"], theirs(``))
	add(kind, "spec.providerConfigRef.name", t.accounts, theirs(`,"providerConfigRef":{"kind":"ProviderConfig"}`))
	add(kind, "spec.providerConfigRef.name", t.clusterAccounts, theirs(`,"providerConfigRef":{"kind":"ClusterProviderConfig"}`))
	add(kind, "spec.source.databaseRef.name", []string{t.names["Database"]}, `{}`, `{"deletionPolicy":"Retain"}`)
	var ways []string
	for _, how := range []string{``, `,"adoption":"IfMarked"`, `,"adoption":"IfExists"`, `,"management":"Observe"`, `,"management":"Observe","adoption":"IfExists"`} {
		ways = append(ways, `{"providerConfigRef":{"kind":"ClusterProviderConfig","name":"aws"}`+how+`}`)
	}
	add(kind, "spec.source.externalName", t.external[kind], ways...)
	add(kind, "spec.externalName", t.external[kind], `{"source":{"databaseRef":{"name":"own"}}}`, `{"source":{"databaseRef":{"name":"own"}},"adoption":"IfExists"}`)
	addRestores(add, t)
}

// addRestores adds what can be tried with a database that is made of a snapshot or of another database: all else about it is right.
func addRestores(add func(kind, field string, values []string, with ...string), t assets) {
	var ways []string
	for _, how := range []string{``, `,"adoption":"IfExists"`, `,"whenVanished":"Recreate"`} {
		rest := `"engine":"postgres","aws":{"instanceClass":"db.t4g.micro"}` + how
		ways = append(ways, `{"className":"for-all",`+rest+`}`, `{"providerConfigRef":{"kind":"ClusterProviderConfig","name":"aws"},`+rest+`}`)
	}
	add("Database", "spec.restoreFrom.externalSnapshotName", t.external["DatabaseSnapshot"], ways...)
	add("Database", "spec.restoreFrom.pointInTime.databaseRef.name", []string{t.names["Database"], "deleted"}, append(ways, `{"className":"for-all","engine":"postgres","aws":{"instanceClass":"db.t4g.micro"},"externalName":"`+t.deleted+`"}`)...)
	add("Database", "spec.replica.primaryRef.name", []string{t.names["Database"]}, append(ways, `{"className":"for-all","engine":"postgres","aws":{"instanceClass":"db.t4g.micro"},"replica":{"role":"Primary"}}`)...)
	add("Database", "spec.restoreFrom.snapshotRef.name", []string{t.names["DatabaseSnapshot"], "left"}, ways...)
}

// complete demands that something is tried with each reference that there is.
func (h *fixture) complete(attacks map[string][]attack) {
	h.Helper()
	definitions := &apiextensionsv1.CustomResourceDefinitionList{}
	h.Must(h.Client.List(h.Context(), definitions))
	for _, crd := range definitions.Items {
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for _, reference := range references(crd.Spec.Names.Kind, spec, ".spec") {
			if len(attacks[reference]) == 0 {
				h.Errorf("nothing is tried with %s", reference)
			}
		}
	}
}

// tryAll makes all attempts and looks what has become of them.
func (h *fixture) tryAll(attacks map[string][]attack) {
	h.Helper()
	mark, err := h.Cluster.Audit().Mark()
	h.Must(err)
	calls := len(h.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}))
	var made []*unstructured.Unstructured
	tried, refused := 0, 0
	for _, key := range slices.Sorted(maps.Keys(attacks)) {
		for _, a := range attacks[key] {
			o := h.object(a, tried)
			switch err := h.thief.Create(h.Context(), o); {
			case err == nil:
				made = append(made, o)
			case apierrors.IsInvalid(err), apierrors.IsForbidden(err):
				refused++
			default:
				h.Errorf("%s: %v", a, err)
			}
			tried++
		}
	}
	h.Logf("%d attempts, of which %d were refused at once", tried, refused)
	if tried < 100 || refused == 0 || len(made) == 0 {
		h.Fatalf("%d attempts, of which %d were refused at once and %d taken, show nothing", tried, refused, len(made))
	}
	for _, o := range made {
		h.awaitRefused(o)
	}
	if after := h.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}); len(after) > calls {
		h.Errorf("the cloud was written to: %v", after[calls:])
	}
	h.audit(mark)
}

// object is the object of an attack. Fields that can't be, as a namespace in a reference, are sent too.
func (h *fixture) object(a attack, number int) *unstructured.Unstructured {
	h.Helper()
	spec := map[string]any{}
	h.Must(yaml.Unmarshal([]byte(a.with), &spec))
	path := strings.Split(strings.TrimPrefix(a.field, "spec."), ".")
	h.Must(unstructured.SetNestedField(spec, a.value, path...))
	if last := path[len(path)-1]; last == "name" {
		h.Must(unstructured.SetNestedField(spec, bank, append(slices.Clone(path[:len(path)-1]), "namespace")...))
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	o.SetAPIVersion("mooring.dev/v1alpha1")
	o.SetKind(a.kind)
	o.SetName(fmt.Sprintf("attempt-%d", number))
	if named.names[a.kind] != "" || a.kind == "ProviderConfig" {
		o.SetNamespace(thief)
	}
	o.SetAnnotations(map[string]string{"attack": a.String()})
	if a.from != "" {
		o.SetAnnotations(map[string]string{"attack": a.String(), v1alpha1.AnnotationAdoptFrom: a.from})
	}
	return o
}

// awaitRefused waits until the controller has said that an object is not to be, and checks that nothing was told of what it wanted.
func (h *fixture) awaitRefused(o *unstructured.Unstructured) {
	h.Helper()
	attack := o.GetAnnotations()["attack"]
	var status struct {
		Conditions []metav1.Condition `json:"conditions"`
		Observed   map[string]any     `json:"observed"`
		Binding    map[string]any     `json:"binding"`
	}
	h.Eventually("it is known what becomes of "+attack, func() bool {
		h.Must(h.Client.Get(h.Context(), client.ObjectKeyFromObject(o), o))
		found, _, err := unstructured.NestedMap(o.Object, "status")
		h.Must(err)
		h.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(found, &status))
		return meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionReady) || meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionReady)
	})
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	switch {
	case strings.Contains(attack, certificates):
		if !strings.Contains(ready.Message, "there is no ConfigMap") || !strings.Contains(ready.Message, "in namespace "+thief) {
			h.Errorf("%s: it is %s, and does not say that the thief has no such ConfigMap: %s", attack, ready.Reason, ready.Message)
		}
	case ready.Status != metav1.ConditionFalse:
		h.Errorf("%s: it is %s: %s", attack, ready.Reason, ready.Message)
	}
	if len(status.Observed) > 0 || len(status.Binding) > 0 {
		h.Errorf("%s: it tells of what is not the thief's: %+v", attack, status)
	}
}

// audit checks which Secrets Mooring read, and whose tokens it asked for: bank's own account is the one reason to.
func (h *fixture) audit(since cluster.Mark) {
	h.Helper()
	all, err := h.Cluster.Audit().Since(since)
	h.Must(err)
	ours := all.Where(cluster.By(system.Installed))
	if ours.Count(cluster.On("buckets/status")) == 0 {
		h.Error("the audit log tells nothing of Mooring")
	}
	for _, r := range ours.Where(cluster.On("secrets", "serviceaccounts/*", "configmaps")) {
		own := r.Namespace == thief || r.Namespace == system.Namespace && !slices.Contains(named.secrets[:2], r.Name) && !slices.Contains(slices.Collect(maps.Values(named.names)), r.Name)
		account := r.Namespace == bank && r.Name == "keys" && r.Verb == "get"
		if !own && !account || r.Verb == "list" || r.Verb == "watch" {
			h.Errorf("it read what it had no reason to: %s", r)
		}
	}
	for _, r := range all.Where(cluster.By(thief), cluster.Succeeded) {
		if r.Namespace != thief {
			h.Errorf("a thief did something elsewhere: %s", r)
		}
	}
}
