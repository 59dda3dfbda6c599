package class

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// routed is a class with an account for each of two teams.
const routed = `spec: {providerConfigRef: {name: ""}, allowedNamespaces: {matchLabels: null}, accounts: [
	{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: aws-bank}},
	{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}, providerConfigRef: {name: aws-teams}}]}`

// flat makes a YAML document of one that is indented with tabs.
func flat(text string) string { return strings.ReplaceAll(text, "\t", " ") }

func TestAccountOf(t *testing.T) {
	const fallback = `spec: {providerConfigRef: {name: aws}}`
	const broken = `spec: {accounts: [{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: aws-bank}},
		{namespaceSelector: {matchExpressions: [{key: team, operator: Any}]}, providerConfigRef: {name: aws-teams}}, {namespaceSelector: {}, providerConfigRef: {name: aws}}]}`
	for _, tt := range []struct {
		name   string
		class  []string
		labels map[string]string
		want   string
		none   v1alpha1.Reason
		says   string
	}{
		{"one account", nil, nil, "aws", "", ""},
		{"the first entry", []string{routed}, map[string]string{"team": "bank"}, "aws-bank", "", ""},
		{"the first entry that selects it", []string{routed}, map[string]string{"team": "shop"}, "aws-teams", "", ""},
		{"no entry", []string{routed}, nil, "", v1alpha1.ReasonClassNotAllowed, `spec.className: class "standard" has no account for namespace shop; choose another class, or ask your platform team for an entry in spec.accounts`},
		{"no entry, and an account for the rest", []string{routed, fallback}, nil, "aws", "", ""},
		{"an entry before the one that can't be read", []string{broken}, map[string]string{"team": "bank"}, "aws-bank", "", ""},
		{"an entry behind the one that can't be read", []string{broken}, map[string]string{"team": "shop"}, "", v1alpha1.ReasonClassInvalid, `class "standard": spec.accounts[1].namespaceSelector: "Any" is not a valid`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := classOf(t, append([]string{catalogue}, slices.Collect(mapped(tt.class, flat))...)...)
			got, none := c.AccountOf(Namespace{Name: "shop", Labels: tt.labels})
			if got != tt.want || (none == nil) != (tt.none == "") || none != nil && (none.Reason != tt.none || !strings.Contains(none.String(), tt.says)) {
				t.Errorf("got %q, %v; want %q, %s %s", got, none, tt.want, tt.none, tt.says)
			}
		})
	}
}

func mapped(list []string, change func(string) string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range list {
			if !yield(change(s)) {
				return
			}
		}
	}
}

// accounts is a cluster with a class, two namespaces, and accounts in two clouds.
func accounts(t *testing.T, class ...string) client.Client {
	t.Helper()
	c := cluster(t, "")
	stored := &v1alpha1.DatabaseClass{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "standard"}, stored); err != nil {
		t.Fatal(err)
	}
	for _, text := range class {
		if err := yaml.Unmarshal([]byte(flat(text)), stored); err != nil {
			t.Fatal(err)
		}
	}
	create := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bank", Labels: map[string]string{"team": "bank"}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "nobodys"}},
	}
	for _, name := range []string{"aws-bank", "aws-teams", "gcp"} {
		config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if config.Spec.GCP = (&v1alpha1.GCPAccount{Project: "p"}); name != "gcp" {
			config.Spec.Account = v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}}
		}
		create = append(create, config)
	}
	for _, o := range create {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Update(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	return c
}

func resolverOf(c client.Client) *Resolver {
	return &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}
}

func clusterConfig(name string) *v1alpha1.BoundProviderConfig {
	return &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: name}
}

// New objects go by the labels of their namespace. What exists stays in its account, whatever becomes of the labels and the list.
func TestAnObjectIsBoundToTheAccountOfItsNamespace(t *testing.T) {
	const reordered = `spec: {accounts: [{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}, providerConfigRef: {name: aws-teams}},
		{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: aws-bank}}]}`
	const removed = `spec: {accounts: [{namespaceSelector: {matchLabels: {team: shop}}, providerConfigRef: {name: aws-teams}}]}`
	const missing = `spec: {accounts: [{namespaceSelector: {}, providerConfigRef: {name: absent}}]}`
	const elsewhere = `spec: {sizes: null, defaultSize: "", accounts: [{namespaceSelector: {}, providerConfigRef: {name: gcp}}]}`
	const mixed = `spec: {sizes: null, defaultSize: "", providerConfigRef: {name: aws}, accounts: [{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: gcp}}]}`
	const byBank, byOther = "standard aws-bank", "other aws-bank"
	for _, tt := range []struct{ name, class, namespace, bound, want, problem string }{
		{"new", "", "bank", "", "aws-bank", ""},
		{"new, of another namespace", "", "shop", "", "aws-teams", ""},
		{"new, of a namespace that no entry selects", "", "nobodys", "", "", `ClassNotAllowed spec.className: class "standard" has no account for namespace nobodys`},
		{"new, and the account is not there", missing, "bank", "", "absent", ""},
		{"the namespace has other labels now", "", "shop", byBank, "aws-bank", ""},
		{"the namespace has no label now", "", "nobodys", byBank, "aws-bank", ""},
		{"the list has another order", reordered, "bank", byBank, "aws-bank", ""},
		{"new, in another order", reordered, "bank", "", "aws-teams", ""},
		{"the entry is gone", removed, "bank", byBank, "aws-bank", ""},
		{"made by another class, which led to the same account", "", "bank", byOther, "aws-bank", ""},
		{"made by another class, and this one leads elsewhere", "", "shop", byOther, "aws-teams", ""},
		{"made by another class, and this one leads nowhere", "", "nobodys", byOther, "aws-bank", "ClassNotAllowed"},
		{"new, and the account is in another cloud", mixed, "bank", "", "gcp", `ClassInvalid class "standard": ClusterProviderConfig gcp is in gcp, and the class is in aws`},
		{"new, and another's account is in another cloud", mixed, "shop", "", "aws", ""},
		{"made when the account was in the list of another cloud", mixed, "bank", byBank, "aws-bank", ""},
		{"the class moved to another cloud", elsewhere, "bank", byBank, "aws-bank", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := accounts(t, routed, tt.class)
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: tt.namespace, Name: "orders"}}
			d.Spec.ClassName = "standard"
			if class, config, bound := strings.Cut(tt.bound, " "); bound {
				d.Status.ExternalName, d.Status.ClassName, d.Status.ProviderConfigRef = "orders-1", class, clusterConfig(config)
			}
			found, err := resolverOf(c).Resolve(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			want := clusterConfig(tt.want)
			if tt.want == "" {
				want = nil
			}
			if diff := gocmp.Diff(want, found.Config); diff != "" {
				t.Errorf("the account (-want +got):\n%s", diff)
			}
			p, says := Join(found.Problems), ""
			if p != nil {
				says = string(p.Reason) + " " + p.String()
			}
			if !strings.HasPrefix(says, tt.problem) || (says == "") != (tt.problem == "") {
				t.Errorf("problem %q, want %q", says, tt.problem)
			}
		})
	}
}

// An object that has an account of its team goes by the cloud that it is in, if its class has no account for it. What exists is of the class's cloud as
// long as the class has any account there.
func TestTheCloudOfAnObject(t *testing.T) {
	const mixed = `spec: {sizes: null, defaultSize: "", providerConfigRef: {name: gcp}, accounts: [{namespaceSelector: {matchLabels: {team: shop}}, providerConfigRef: {name: aws-bank}}]}`
	for _, tt := range []struct {
		name, class, namespace string
		status                 v1alpha1.ResourceStatus
		cloud, leads           string
	}{
		{"an account of its team", "", "nobodys", v1alpha1.ResourceStatus{Provider: "gcp", ProviderConfigRef: &v1alpha1.BoundProviderConfig{Kind: identity.KindProviderConfig, Name: "aws"}}, "gcp", "aws"},
		{"an account that is no longer of the class", mixed, "bank", v1alpha1.ResourceStatus{Provider: "aws", ClassName: "standard", ProviderConfigRef: clusterConfig("aws-teams")}, "aws", "aws"},
		{"an account of a cloud that the class has left", `spec: {sizes: null, defaultSize: "", accounts: [{namespaceSelector: {}, providerConfigRef: {name: gcp}}]}`, "bank",
			v1alpha1.ResourceStatus{Provider: "aws", ClassName: "standard", ProviderConfigRef: clusterConfig("aws-teams")}, "aws", "gcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := accounts(t, routed, tt.class)
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: tt.namespace, Name: "orders"}}
			d.Spec.ClassName, d.Status.ResourceStatus = "standard", tt.status
			d.Status.ExternalName = "orders-1"
			c, _, err := resolverOf(client).classOf(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			o, err := resolverOf(client).inputOf(t.Context(), d, c)
			if err != nil || o.Cloud != tt.cloud || o.Leads != tt.leads {
				t.Errorf("cloud %q, the class leads to %q, %v; want %q, %q", o.Cloud, o.Leads, err, tt.cloud, tt.leads)
			}
		})
	}
}

// A namespace without an account is told at once, with what to do.
func TestNoAccountIsRefused(t *testing.T) {
	c := accounts(t, routed)
	a := &Admission{Resolver: resolverOf(c), Live: c, MayUse: allUse}
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "nobodys", Name: "orders"}}
	d.Spec.ClassName = "standard"
	refusals, _, err := a.Object(t.Context(), nil, d)
	if err != nil || len(refusals) != 1 || refusals[0].Reason != v1alpha1.ReasonClassNotAllowed || !strings.Contains(refusals[0].Message, "ask your platform team for an entry in spec.accounts") {
		t.Errorf("refusals %q, %v", refusals, err)
	}
}

// The condition of a class names every account that can't be used, and says that the others can.
func TestReadyNamesEveryAccount(t *testing.T) {
	const entry = `{namespaceSelector: {matchLabels: {team: `
	denied := func(c *v1alpha1.ClusterProviderConfig) {
		meta.SetStatusCondition(&c.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: "Denied", Message: "no such role"})
	}
	for _, tt := range []struct {
		name, class string
		change      func(*v1alpha1.ClusterProviderConfig)
		reason      v1alpha1.Reason
		says        []string
		provider    string
		accounts    string
	}{
		{"all are there", routed, nil, v1alpha1.ReasonReady, []string{"the class can be used"}, "aws", "aws-bank, aws-teams"},
		{"one account", ``, nil, v1alpha1.ReasonReady, nil, "aws", "aws"},
		{"one is not there", `spec: {accounts: [` + entry + `bank}}, providerConfigRef: {name: absent}}]}`, nil, v1alpha1.ReasonProviderConfigNotFound,
			[]string{"there is no ClusterProviderConfig absent; create it, or change spec.accounts[0].providerConfigRef", "objects in the other accounts of the class are not affected"}, "aws", "aws, absent"},
		{"none is there", `spec: {providerConfigRef: {name: gone}, accounts: [` + entry + `bank}}, providerConfigRef: {name: absent}}]}`, nil, v1alpha1.ReasonProviderConfigNotFound,
			[]string{"there is no ClusterProviderConfig gone; create it, or change spec.providerConfigRef; there is no ClusterProviderConfig absent"}, "aws", "gone, absent"},
		{"one is refused, one is not there", `spec: {accounts: [` + entry + `bank}}, providerConfigRef: {name: aws-bank}}, ` + entry + `shop}}, providerConfigRef: {name: absent}}]}`, denied, "Denied",
			[]string{"ClusterProviderConfig aws-bank: no such role", "there is no ClusterProviderConfig absent"}, "aws", "aws, aws-bank, absent"},
		{"many are not there", `spec: {accounts: [` + entry + `a}}, providerConfigRef: {name: absent-a}}, ` + entry + `b}}, providerConfigRef: {name: absent-b}}, ` +
			entry + `c}}, providerConfigRef: {name: absent-c}}, ` + entry + `d}}, providerConfigRef: {name: absent-d}}]}`, nil, v1alpha1.ReasonProviderConfigNotFound,
			[]string{"ClusterProviderConfig absent-c;", "nor can these be used: absent-d"}, "aws", "aws, absent-a, absent-b, absent-c, absent-d"},
		{"another cloud", `spec: {accounts: [` + entry + `bank}}, providerConfigRef: {name: gcp}}]}`, nil, v1alpha1.ReasonClassInvalid,
			[]string{"spec.accounts[0].providerConfigRef: ClusterProviderConfig gcp is in gcp, and the class is in aws"}, "", "aws, gcp"},
		{"another cloud than the sizes", `spec: {providerConfigRef: {name: ""}, accounts: [` + entry + `bank}}, providerConfigRef: {name: gcp}}]}`, nil, v1alpha1.ReasonClassInvalid,
			[]string{"spec.accounts[0].providerConfigRef: ClusterProviderConfig gcp is in gcp, and the class is in aws"}, "", "gcp"},
		{"a selector that can't be read", `spec: {accounts: [{namespaceSelector: {matchExpressions: [{key: team, operator: Any}]}, providerConfigRef: {name: aws-bank}}]}`, nil, v1alpha1.ReasonClassInvalid,
			[]string{"spec.accounts[0].namespaceSelector"}, "", "aws, aws-bank"},
		{"a default elsewhere", `spec: {locations: [eu-west-1], defaults: {location: eu-central-1}}`, nil, v1alpha1.ReasonClassInvalid, []string{"spec.defaults.location: eu-central-1 is not in spec.locations (eu-west-1)"}, "", "aws"},
		{"it insists on elsewhere", `spec: {locations: [eu-west-1, eu-west-3], enforced: {location: eu-central-1}}`, nil, v1alpha1.ReasonClassInvalid, []string{"spec.enforced.location: eu-central-1 is not in spec.locations (eu-west-1, eu-west-3)"}, "", "aws"},
		{"it insists on one of the list", `spec: {locations: [eu-west-1, eu-west-3], enforced: {location: eu-west-3}}`, nil, v1alpha1.ReasonReady, nil, "aws", "aws"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := accounts(t, tt.class, `spec: {allowedNamespaces: {matchLabels: null}}`)
			if tt.change != nil {
				config := &v1alpha1.ClusterProviderConfig{}
				if err := c.Get(t.Context(), client.ObjectKey{Name: "aws-bank"}, config); err != nil {
					t.Fatal(err)
				}
				tt.change(config)
				if err := c.Update(t.Context(), config); err != nil {
					t.Fatal(err)
				}
			}
			key, got := client.ObjectKey{Name: "standard"}, &v1alpha1.DatabaseClass{}
			check := func(*Class, string) *Problem { return nil }
			if _, err := (&Reconciler{Resolver: resolverOf(c), Client: c, Check: check}).Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), key, got); err != nil {
				t.Fatal(err)
			}
			ready := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionReady)
			if ready == nil || ready.Reason != string(tt.reason) || got.Status.Provider != tt.provider || got.Status.Accounts != tt.accounts {
				t.Fatalf("status %+v, want %s, %q, %q", got.Status, tt.reason, tt.provider, tt.accounts)
			}
			for _, text := range tt.says {
				if !strings.Contains(ready.Message, text) {
					t.Errorf("message %q, want %q", ready.Message, text)
				}
			}
			refusals, _, err := (&Admission{Resolver: resolverOf(c), Live: c, Check: check}).Class(t.Context(), nil, got)
			if err != nil || len(refusals) > 0 != (tt.reason == v1alpha1.ReasonClassInvalid) {
				t.Errorf("the webhook: refusals %q, %v", refusals, err)
			}
		})
	}
}

// Before an edit of the list is stored, the webhook says which namespaces it leads elsewhere, and that nothing moves.
func TestAnEditOfAccountsIsPreviewed(t *testing.T) {
	const old = `spec: {allowedNamespaces: {matchLabels: null}, providerConfigRef: {name: aws}}`
	for _, tt := range []struct {
		name, before, after string
		user                bool
		want                []string
	}{
		{"a list", old, `spec: {accounts: [{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: aws-bank}}]}`, true,
			[]string{"new objects in bank: ClusterProviderConfig aws-bank (until now ClusterProviderConfig aws)", "objects that exist stay in the account that they were created in"}},
		{"nothing for the rest", old, routed, false, []string{
			"new objects in nobodys: refused (until now ClusterProviderConfig aws)",
			"new objects in bank: ClusterProviderConfig aws-bank (until now ClusterProviderConfig aws)",
			"new objects in shop: ClusterProviderConfig aws-teams (until now ClusterProviderConfig aws)",
		}},
		{"another account for all", old, `spec: {providerConfigRef: {name: aws-teams}}`, false,
			[]string{"new objects in bank, nobodys, shop: ClusterProviderConfig aws-teams (until now ClusterProviderConfig aws)"}},
		{"who may not use the class is led nowhere", `spec: {providerConfigRef: {name: aws}}`, `spec: {providerConfigRef: {name: aws-teams}}`, false,
			[]string{"new objects in shop: ClusterProviderConfig aws-teams (until now ClusterProviderConfig aws)"}},
		{"other namespaces", old, `spec: {allowedNamespaces: {matchLabels: {team: bank}}}`, false,
			[]string{"new objects in nobodys, shop: refused (until now ClusterProviderConfig aws)"}},
		{"more namespaces", `spec: {providerConfigRef: {name: aws}}`, `spec: {allowedNamespaces: {matchLabels: null}}`, false,
			[]string{"new objects in bank, nobodys: ClusterProviderConfig aws (until now refused)"}},
		{"an entry that serves nobody", old, `spec: {accounts: [{namespaceSelector: {}, providerConfigRef: {name: aws}}, {namespaceSelector: {}, providerConfigRef: {name: aws-bank}}]}`, false,
			[]string{"spec.accounts[0] selects all namespaces, so these have no effect: spec.accounts[1], spec.providerConfigRef; move it to the end, or give it a selector"}},
		{"an account that is not there", old, `spec: {accounts: [{namespaceSelector: {matchLabels: {team: none}}, providerConfigRef: {name: absent}}]}`, false,
			[]string{"there is no ClusterProviderConfig absent (spec.accounts[0].providerConfigRef), and nothing is created for its namespaces without it; create it first"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := accounts(t, tt.before)
			if tt.user {
				d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "orders"}}
				d.Spec.ClassName, d.Status.ClassName, d.Status.ExternalName, d.Status.ProviderConfigRef = "standard", "standard", "orders-1", clusterConfig("aws")
				if err := c.Create(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			before, after := &v1alpha1.DatabaseClass{}, &v1alpha1.DatabaseClass{}
			for _, o := range []client.Object{before, after} {
				if err := c.Get(t.Context(), client.ObjectKey{Name: "standard"}, o); err != nil {
					t.Fatal(err)
				}
			}
			if err := yaml.Unmarshal([]byte(flat(tt.after)), after); err != nil {
				t.Fatal(err)
			}
			a := &Admission{Resolver: resolverOf(c), Live: c, Check: func(*Class, string) *Problem { return nil },
				Preview: func(string, v1alpha1.ResourceObject, Tree, Tree) ([]driver.Change, error) { return nil, nil }}
			refusals, warnings, err := a.Class(t.Context(), before, after)
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.HasPrefix(w, "objects of kind Database") })
			if err != nil || len(refusals) > 0 || !slices.Equal(warnings, tt.want) {
				t.Errorf("refusals %q, %v, warnings\n%s\nwant\n%s", refusals, err, strings.Join(warnings, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// What waits to be created, and has no account after the edit, is named.
func TestAnEditThatTakesAnAccountAwayIsPreviewed(t *testing.T) {
	c := accounts(t, `spec: {allowedNamespaces: {matchLabels: null}, providerConfigRef: {name: aws}}`)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "nobodys", Name: "orders"}}
	d.Spec.ClassName = "standard"
	before := &v1alpha1.DatabaseClass{}
	if err := cmp.Or(c.Create(t.Context(), d), c.Get(t.Context(), client.ObjectKey{Name: "standard"}, before)); err != nil {
		t.Fatal(err)
	}
	after := before.DeepCopy()
	if err := yaml.Unmarshal([]byte(flat(routed)), after); err != nil {
		t.Fatal(err)
	}
	a := &Admission{Resolver: resolverOf(c), Live: c, Check: func(*Class, string) *Problem { return nil },
		Preview: func(string, v1alpha1.ResourceObject, Tree, Tree) ([]driver.Change, error) { return nil, nil }}
	_, warnings, err := a.Class(t.Context(), before, after)
	if want := `nobodys/orders (spec.className: class "standard" has no account for namespace nobodys`; err != nil || !strings.Contains(strings.Join(warnings, "\n"), want) {
		t.Errorf("warnings %q, %v, want %q", warnings, err, want)
	}
}

// What waits to be created is compared in the cloud that it would be led to.
func TestAnEditThatLeadsToAnotherCloudIsPreviewed(t *testing.T) {
	c := accounts(t, `spec: {sizes: null, defaultSize: "", allowedNamespaces: {matchLabels: null}, providerConfigRef: {name: aws}}`)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "orders"}}
	d.Spec.ClassName, d.Spec.AWS = "standard", &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	before := &v1alpha1.DatabaseClass{}
	if err := cmp.Or(c.Create(t.Context(), d), c.Get(t.Context(), client.ObjectKey{Name: "standard"}, before)); err != nil {
		t.Fatal(err)
	}
	after := before.DeepCopy()
	after.Spec.ProviderConfigRef.Name = "gcp"
	a := &Admission{Resolver: resolverOf(c), Live: c, Check: func(*Class, string) *Problem { return nil },
		Preview: func(string, v1alpha1.ResourceObject, Tree, Tree) ([]driver.Change, error) { return nil, nil }}
	_, warnings, err := a.Class(t.Context(), before, after)
	if want := "bank/orders (spec.aws: the class is in gcp, so spec.aws can't be set"; err != nil || !strings.Contains(strings.Join(warnings, " "), want) {
		t.Errorf("warnings %q, %v, want %q", warnings, err, want)
	}
}

// Before an object is bound for good, the class and the labels are read from the API server.
func TestABehindCacheBindsNothing(t *testing.T) {
	live := accounts(t, routed)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "orders"}}
	c := classOf(t, catalogue, flat(routed))
	if err := resolverOf(live).VerifyRoute(t.Context(), live, d, c, "aws-bank"); err != nil {
		t.Errorf("the class leads there: %v", err)
	}
	if err := resolverOf(live).VerifyRoute(t.Context(), live, d, c, "aws-teams"); err == nil {
		t.Error("the class leads elsewhere, and nobody noticed")
	}
	for name, old := range map[string]*Class{"that had no list": classOf(t, catalogue), "with another list": classOf(t, catalogue, flat(routed), flat(
		`spec: {accounts: [{namespaceSelector: {}, providerConfigRef: {name: aws}}]}`))} {
		if err := resolverOf(live).VerifyRoute(t.Context(), live, d, old, "aws"); err == nil {
			t.Errorf("a class %s leads elsewhere by now, and nobody noticed", name)
		}
	}
	if err := live.Delete(t.Context(), c.Object); err != nil {
		t.Fatal(err)
	}
	if err := resolverOf(live).VerifyRoute(t.Context(), live, d, c, "aws-bank"); err == nil {
		t.Error("the class is gone, and nobody noticed")
	}
	live = accounts(t, `spec: {providerConfigRef: {name: aws-teams}}`)
	if err := resolverOf(live).VerifyRoute(t.Context(), live, d, classOf(t, catalogue), "aws"); err == nil {
		t.Error("the only account is another by now, and nobody noticed")
	}
	if err := resolverOf(live).VerifyRoute(t.Context(), live, d, classOf(t, catalogue), "aws-teams"); err != nil {
		t.Errorf("the class leads there by now: %v", err)
	}
}
