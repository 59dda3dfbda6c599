package tenancy

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/system"
)

// assets are what there is to be stolen, by the kind of object that a reference may name.
type assets struct {
	secrets, accounts, clusterAccounts, serviceAccounts, configMaps []string
	// classes are by kind.
	classes map[string][]string
	// names are those of bank's objects and of their connection Secrets, by kind.
	names map[string]string
	// external are, by kind, the names in the cloud of what bank has there, and last of what it left there: those of this cluster alone.
	external map[string][]string
	// deleted is the name that the server of bank's database "deleted" had, of which automated backups are left.
	deleted string
}

// named are the assets that have their names before anything is made: those of each registered kind among them.
var named = func() assets {
	all := assets{
		secrets:         []string{"payroll", "keys", "aws", "gcp"},
		accounts:        []string{"team"},
		clusterAccounts: []string{"for-bank", "by-class", "aws-of-nobody"},
		classes:         map[string][]string{},
		serviceAccounts: []string{"payer"},
		configMaps:      []string{"authorities"},
		names:           map[string]string{},
	}
	for _, k := range kind.All() {
		all.names[k.Name] = "the-" + strings.ToLower(k.Name)
		all.secrets = append(all.secrets, all.names[k.Name])
		if k.Class != nil {
			all.classes[k.Name] = []string{"for-bank"}
		}
	}
	return all
}()

// classDefaults are what a class must set so that an object with nothing but the class is created in AWS, by kind.
var classDefaults = map[string]string{
	"Database": `{"engine":"postgres","aws":{"instanceClass":"db.t4g.micro"},"storage":{"sizeGiB":20}}`,
}

// newClass returns a class of a kind.
func (h *fixture) newClass(k *kind.Kind, name string, shared v1alpha1.ClassSpec) client.Object {
	h.Helper()
	c := k.Class.New()
	if defaults, has := classDefaults[k.Name]; has {
		h.Must(json.Unmarshal([]byte(`{"spec":{"defaults":`+defaults+`}}`), c))
	}
	c.SetName(name)
	*c.GetClassSpec() = shared
	return c.(client.Object)
}

// prepareAssets fills bank's namespace and the platform's with it.
func (h *fixture) prepareAssets() (all assets) {
	h.Helper()
	id, secret := h.Cloud.AWSKeys(system.AWSAccount)
	keys := map[string]string{v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret}
	in := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: bank, Name: name} }
	account := v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}
	h.Create(
		&corev1.Secret{ObjectMeta: in("payroll"), StringData: map[string]string{"password": "of-the-payroll", "credentials.json": "{}"}},
		&corev1.Secret{ObjectMeta: in("keys"), StringData: keys},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: thief, Name: "own"}, StringData: keys},
		&corev1.ConfigMap{ObjectMeta: in("authorities"), Data: map[string]string{"ca.crt": "of bank alone"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: bank, Name: "payer", Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
		&v1alpha1.ProviderConfig{ObjectMeta: in("team"), Spec: v1alpha1.ProviderConfigSpec{
			Account: account, Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: "keys"}},
		}},
	)
	for name, change := range map[string]func(*v1alpha1.ClusterProviderConfigSpec){
		"for-bank": func(s *v1alpha1.ClusterProviderConfigSpec) {
			s.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"team": bank}}
		},
		"by-class":      func(s *v1alpha1.ClusterProviderConfigSpec) { s.DirectUse = false },
		"aws-of-nobody": func(s *v1alpha1.ClusterProviderConfigSpec) { s.AllowedNamespaces = nil },
	} {
		c := system.ClusterConfig(name, account, h.Cloud.AWSEndpoint())
		c.Spec.Credentials.SecretRef.Name = "aws"
		change(&c.Spec)
		h.Create(c)
	}
	for name, selector := range map[string]*metav1.LabelSelector{
		"for-bank": {MatchLabels: map[string]string{"team": bank}},
		"for-all":  {},
	} {
		shared := v1alpha1.ClassSpec{ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "by-class"}, AllowedNamespaces: selector}
		for _, k := range kind.All() {
			if k.Class != nil {
				h.Create(h.newClass(k, name, shared))
			}
		}
	}
	all = named
	all.external = map[string][]string{}
	for _, target := range targets() {
		left, has := target.New(), target.New()
		left.SetName("left")
		has.SetName(all.names[target.Kind])
		target.SetDeletionPolicy(left, v1alpha1.DeletionRetain)
		target.Connect(has, has.GetName())
		for _, o := range []v1alpha1.ResourceObject{left, has} {
			o.SetNamespace(bank)
			if all.classes[target.Kind] != nil {
				o.GetResourceSpec().ClassName = "for-bank"
			} else {
				o.GetResourceSpec().ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "for-bank"}
			}
			h.Create(o)
		}
		all.external[target.Kind] = []string{h.AwaitReady(has).ExternalName, h.AwaitReady(left).ExternalName}
		h.Must(h.Client.Delete(h.Context(), left))
		h.AwaitDeleted(left)
		// From here on nothing of bank's gives Mooring a reason to read bank's Secrets, but for its account's.
		h.Must(h.Client.Patch(h.Context(), has, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"mooring.dev/paused":"true"}}}`))))
		h.AwaitCondition(has, v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonPaused)
	}
	all.external["DatabaseSnapshot"] = h.prepareSnapshots(all)
	all.deleted = h.prepareDeleted()
	return all
}

// prepareDeleted deletes a database of bank's whose automated backups stay, with its mark, and returns the name that its server had.
func (h *fixture) prepareDeleted() (server string) {
	h.Helper()
	target := system.TargetOf("Database", "aws")
	d := target.New()
	d.SetNamespace(bank)
	d.SetName("deleted")
	d.GetResourceSpec().ClassName = "for-bank"
	target.SetDeletionPolicy(d, v1alpha1.DeletionSnapshot)
	h.Create(d)
	server = h.AwaitReady(d).ExternalName
	h.Must(h.Client.Delete(h.Context(), d))
	h.AwaitDeleted(d)
	return server
}

// prepareSnapshots returns snapshots of bank's database: one that somebody took in the console, which has the database's mark, one of an object, and one that
// an object left.
func (h *fixture) prepareSnapshots(all assets) (names []string) {
	h.Helper()
	of := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: bank, Name: all.names["Database"]}}
	h.Refresh(of)
	aws := system.NewCloudAccount(h.Cloud, "aws", system.AWSAccount)
	aws.Snapshots().TakeSnapshot(h.T, of.Status.ExternalName, "bank-by-hand")
	names = []string{"bank-by-hand"}
	for _, name := range []string{all.names["DatabaseSnapshot"], "left"} {
		s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: bank, Name: name}}
		s.Spec.Source.DatabaseRef, s.Spec.DeletionPolicy = &v1alpha1.DatabaseReference{Name: of.Name}, v1alpha1.DeletionRetain
		h.Create(s)
		names = append(names, h.AwaitReady(s).ExternalName)
		if name == "left" {
			h.Must(h.Client.Delete(h.Context(), s))
			h.AwaitDeleted(s)
		}
	}
	return names
}

// targets are the kinds in the cloud that bank uses.
func targets() []system.Target {
	return slices.DeleteFunc(slices.Clone(system.Targets), func(t system.Target) bool { return t.Cloud != "aws" })
}
