package class

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// catalogue is a class with a bit of everything.
const catalogue = `
metadata: {name: standard}
spec:
  providerConfigRef: {name: aws}
  allowedNamespaces: {matchLabels: {team: shop}}
  maxPerNamespace: 2
  deletionPolicy: Retain
  updates: {disruptive: OnApproval}
  defaults: {engine: postgres, version: "16", backup: {retentionDays: 3}, tags: {tier: back, team: shop}}
  enforced: {deletionProtection: true, tags: {cost: shop}}
  sizes:
  - {name: small, description: 2 vCPU, cost: 20 EUR, aws: {instanceClass: db.t4g.small}, storage: {minGiB: 20, maxGiB: 100}}
  - {name: large, aws: {instanceClass: db.t4g.large}, storage: {minGiB: 200}}
  defaultSize: small
`

func classOf(t *testing.T, texts ...string) *Class {
	t.Helper()
	o := &v1alpha1.DatabaseClass{}
	for _, text := range texts {
		if err := yaml.UnmarshalStrict([]byte(text), o); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Of(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEvaluate(t *testing.T) {
	none := []Rule(nil)
	for _, tt := range []struct {
		name, class, spec string
		change            func(*Input)
		rules             []Rule
		want              string // the merged spec; empty: not looked at
		problems          []string
	}{
		{
			name: "a window of the class's", class: `spec: {updates: {timing: MaintenanceWindow}, defaults: {maintenance: {window: {day: Sunday, startTime: "03:00"}}}}`, spec: `{}`,
		},
		{
			name: "a window of its own", class: `spec: {updates: {timing: MaintenanceWindow}}`, spec: `{"maintenance":{"window":{"day":"Monday","startTime":"04:00"}}}`,
		},
		{
			name: "no window", class: `spec: {updates: {timing: MaintenanceWindow}}`, spec: `{}`,
			problems: []string{"spec.updates.timing: MaintenanceWindow needs spec.maintenance.window, and neither the spec nor its class sets it; set it, or set spec.updates.timing to Immediate"},
		},
		{
			name: "no window, only observed", class: `spec: {updates: {timing: MaintenanceWindow}, allowAdoption: Any}`, spec: `{"management":"Observe"}`,
			change: func(o *Input) { o.Observed = true },
		},
		{
			name: "no window, and none needed", class: `spec: {updates: {timing: MaintenanceWindow}}`, spec: `{"updates":{"timing":"Immediate"}}`,
		},
		{
			name: "nothing said", spec: `{}`,
			want: `{"aws":{"instanceClass":"db.t4g.small"},"backup":{"retentionDays":3},"deletionPolicy":"Retain","deletionProtection":true,"engine":"postgres",` +
				`"storage":{"sizeGiB":20},"tags":{"cost":"shop","team":"shop","tier":"back"},"updates":{"disruptive":"OnApproval"},"version":"16"}`,
		},
		{
			name: "all said", spec: `{"engine":"mysql","version":"8.0","backup":{"retentionDays":0},"size":"large","storage":{"sizeGiB":300},"tags":{"team":"b"},"deletionPolicy":"Delete","updates":{"disruptive":"Always"}}`,
			want: `{"aws":{"instanceClass":"db.t4g.large"},"backup":{"retentionDays":0},"deletionPolicy":"Delete","deletionProtection":true,"engine":"mysql","size":"large",` +
				`"storage":{"sizeGiB":300},"tags":{"cost":"shop","team":"b","tier":"back"},"updates":{"disruptive":"Always"},"version":"8.0"}`,
		},
		{name: "the class's default disk is too small for the size", class: `spec: {defaults: {storage: {sizeGiB: 50}}}`, spec: `{"size":"large"}`,
			want: `{"aws":{"instanceClass":"db.t4g.large"},"backup":{"retentionDays":3},"deletionPolicy":"Retain","deletionProtection":true,"engine":"postgres","size":"large",` +
				`"storage":{"sizeGiB":200},"tags":{"cost":"shop","team":"shop","tier":"back"},"updates":{"disruptive":"OnApproval"},"version":"16"}`},

		{name: "days of final snapshots by default", class: `spec: {sizes: null, defaultSize: "", defaults: null, enforced: null, updates: null, finalSnapshot: {retainDays: 30}}`, spec: `{}`,
			want: `{"deletionPolicy":"Retain","finalSnapshot":{"retainDays":30}}`},
		{name: "days of final snapshots of its own", class: `spec: {sizes: null, defaultSize: "", defaults: null, enforced: null, updates: null, finalSnapshot: {retainDays: 30}}`, spec: `{"finalSnapshot":{"retainDays":7}}`,
			want: `{"deletionPolicy":"Retain","finalSnapshot":{"retainDays":7}}`},
		{name: "days of final snapshots that the class enforces", class: `spec: {sizes: null, defaultSize: "", defaults: null, enforced: null, updates: null, enforcedFinalSnapshot: {retainDays: 30}}`, spec: `{"finalSnapshot":{"retainDays":3650}}`,
			want: `{"deletionPolicy":"Retain","finalSnapshot":{"retainDays":30}}`, problems: []string{`spec.finalSnapshot.retainDays: class "standard" enforces 30, not 3650`}},
		{name: "a size that is none", spec: `{"size":"huge"}`, problems: []string{`spec.size: there is no size "huge" in class "standard"; choose one of small (2 vCPU, 20 EUR), large`}},
		{name: "a size is needed", class: `spec: {defaultSize: ""}`, spec: `{}`, problems: []string{"spec.size: a size is required: choose one of small"}},
		{name: "a size where there are none", class: `spec: {sizes: null, defaultSize: ""}`, spec: `{"size":"small"}`, problems: []string{`spec.size: class "standard" has no sizes`}},
		{name: "an instance class beside the catalogue", spec: `{"aws":{"instanceClass":"db.r6g.16xlarge"}}`, problems: []string{"spec.aws.instanceClass: class \"standard\" has sizes, so this field can't be set"}},
		{name: "an instance class where there is no catalogue", class: `spec: {sizes: null, defaultSize: ""}`, spec: `{"aws":{"instanceClass":"db.r6g.16xlarge"}}`},
		{name: "a disk too small", spec: `{"storage":{"sizeGiB":10}}`, problems: []string{"spec.storage.sizeGiB: 10 is too small for size \"small\": set 20 or more"}},
		{name: "a disk too large", spec: `{"storage":{"sizeGiB":101}}`, problems: []string{"spec.storage.sizeGiB: 101 is too large for size \"small\": set 100 or less"}},
		{name: "against what is enforced", spec: `{"deletionProtection":false}`, problems: []string{`spec.deletionProtection: class "standard" enforces true, not false`}},
		{name: "as is enforced", spec: `{"deletionProtection":true,"tags":{"cost":"shop"}}`},
		{name: "against a tag that is enforced", spec: `{"tags":{"cost":"bank"}}`, problems: []string{`spec.tags.cost: class "standard" enforces shop, not bank`}},
		{name: "another cloud's block", spec: `{"gcp":{"tier":"db-f1-micro"}}`, problems: []string{"so spec.gcp can't be set"}},
		{name: "what the cloud lacks", spec: `{"backup":{"retentionDays":5}}`, change: lacking, problems: []string{"spec.backup.retentionDays: 5 is not supported, because it keeps 3: set 3"}},
		{name: "what the cloud lacks, from the class", class: `spec: {enforced: {backup: {retentionDays: 5}}}`, spec: `{}`, change: lacking, problems: []string{"spec.backup.retentionDays: 5"}},
		{name: "what the cloud has", spec: `{"backup":{"retentionDays":4}}`, change: lacking},
		{name: "what the cloud lacks, and the class was moved away", spec: `{"backup":{"retentionDays":5}}`,
			change:   func(o *Input) { lacking(o); o.Bound, o.Joined, o.Leads = true, true, "gcp" },
			problems: []string{"spec.backup.retentionDays: 5"}},
		{name: "another namespace", spec: `{}`, change: func(o *Input) { o.Namespace.Labels = nil }, problems: []string{`spec.className: class "standard" is not allowed in namespace shop`}},
		{name: "one too many", spec: `{}`, change: func(o *Input) { o.Older = 2 }, problems: []string{"the maximum number of objects of class \"standard\" (2)"}},
		{name: "one too many, and there already", spec: `{}`, change: func(o *Input) { o.Older, o.Bound, o.Joined = 2, true, true }},
		{name: "one too many, and there by another class", spec: `{}`, change: func(o *Input) { o.Older, o.Bound = 2, true }, problems: []string{"the maximum number of objects of class \"standard\" (2)"}},
		{name: "none at all", class: `spec: {maxPerNamespace: 0}`, spec: `{}`, problems: []string{"takes no new objects"}},
		{name: "made elsewhere by another class", class: `spec: {enforced: {location: us-east-1}}`, spec: `{}`,
			change: func(o *Input) {
				o.Bound, o.Before = true, Effective{Defaults: Tree{"location": "eu-central-1"}}.Stored(nil)
			},
			problems: []string{"enforces location us-east-1, but this object has eu-central-1"}},
		{name: "made by a size that is no longer there", spec: `{"size":"huge"}`,
			change: func(o *Input) {
				o.Bound, o.Joined = true, true
				o.Before = Effective{Size: "huge", Sized: Tree{"aws": Tree{"instanceClass": "db.r6g.large"}}}.Stored(nil)
			},
			want: `{"aws":{"instanceClass":"db.r6g.large"},"backup":{"retentionDays":3},"deletionPolicy":"Retain","deletionProtection":true,"size":"huge",` +
				`"tags":{"cost":"shop","team":"shop","tier":"back"},"updates":{"disruptive":"OnApproval"},"version":"16"}`,
			problems: []string{`there is no size "huge"`}},
		{name: "a class that leads nowhere", spec: `{}`,
			change: func(o *Input) {
				o.Bound, o.Joined, o.Leads = true, true, ""
				o.Before = Effective{Defaults: Tree{"version": "15"}}.Stored(nil)
			},
			want: `{"version":"15"}`},

		{name: "adoption", spec: `{"adoption":"IfExists"}`, problems: []string{"spec.adoption: class"}},
		{name: "adoption, allowed", class: `spec: {allowAdoption: Any}`, spec: `{"adoption":"IfExists"}`},
		{name: "all that is wrong is told", spec: `{"size":"huge","deletionProtection":false}`, problems: []string{"spec.size", "spec.deletionProtection"}},

		{name: "a rule kept", class: `spec: {constraints: [{rule: r, message: m}]}`, spec: `{}`, rules: []Rule{says(true, nil)}},
		{name: "a rule broken", class: `spec: {constraints: [{rule: r, message: only on weekdays, field: spec.engine}]}`, spec: `{}`, rules: []Rule{says(false, nil)},
			problems: []string{"spec.engine: only on weekdays"}},
		{name: "a rule that fails", class: `spec: {constraints: [{rule: r, message: m}]}`, spec: `{}`, rules: []Rule{says(false, errors.New("no such key: storage"))},
			problems: []string{"spec.constraints[0].rule: no such key: storage; your platform team has to correct it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Input{
				Spec: tree(t, tt.spec), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
				Fixed: []string{"location", "engine", "databaseName"},
			}
			if tt.change != nil {
				tt.change(&o)
			}
			rules := none
			if tt.rules != nil {
				rules = tt.rules
			}
			got := Evaluate(classOf(t, catalogue, tt.class), o, rules)
			if tt.want != "" {
				if diff := cmp.Diff(tree(t, tt.want), got.Spec); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if len(got.Problems) != len(tt.problems) {
				t.Fatalf("problems %q, want %q", got.Problems, tt.problems)
			}
			for i, want := range tt.problems {
				if !strings.Contains(got.Problems[i].String(), want) {
					t.Errorf("problem %q, want %q", got.Problems[i], want)
				}
			}
		})
	}
}

// lacking has an object in a cloud that keeps no backups for 5 days.
func lacking(o *Input) {
	o.Lacks = []driver.Lack{{Field: "backup.retentionDays", Match: "^5$", Values: "5", Why: "it keeps 3", Instead: "set 3"}}
}

func says(keeps bool, err error) Rule {
	return func(Tree, Namespace) (bool, error) { return keeps, err }
}

// What can't change later is what it was when the cloud object was made, whatever becomes of the class.
func TestFixedFieldsStay(t *testing.T) {
	c := classOf(t, `spec: {providerConfigRef: {name: aws}, allowedNamespaces: {}, defaults: {engine: postgres, location: eu-central-1, version: "16"}}`)
	o := Input{Spec: Tree{}, Fixed: []string{"location", "engine", "databaseName"}}
	made := Evaluate(c, o, nil)
	o.Bound, o.Joined, o.Before = true, true, made.Effective.Stored(nil)

	changed := classOf(t, `spec: {providerConfigRef: {name: aws}, allowedNamespaces: {}, defaults: {engine: mysql, version: "17", databaseName: app}, enforced: {location: us-east-1}}`)
	got := Evaluate(changed, o, nil)
	if diff := cmp.Diff(tree(t, `{"engine":"postgres","location":"eu-central-1","version":"17"}`), got.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Fields{"version"}, got.Effective.Changed(o.Before, func(string) bool { return false }, nil)); diff != "" {
		t.Errorf("what the class changed (-want +got):\n%s", diff)
	}
	if len(got.Problems) > 0 {
		t.Errorf("what exists has problems: %q", got.Problems)
	}
	if frozen := EvaluateStored(o); cmp.Diff(made.Spec, frozen.Spec) != "" {
		t.Errorf("without its class it is %v, was %v", frozen.Spec, made.Spec)
	}
}

// A class that is moved to another cloud leaves what it made as it is.
func TestMovedClass(t *testing.T) {
	o := Input{Spec: tree(t, `{"size":"small"}`), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws"}
	made := Evaluate(classOf(t, catalogue), o, nil)
	o.Bound, o.Before, o.Leads = true, made.Effective.Stored(nil), "gcp"
	moved := classOf(t, catalogue, `spec: {sizes: [{name: small, gcp: {tier: db-g1-small}}, {name: large, gcp: {tier: db-custom-2-7680}}]}`)
	got := Evaluate(moved, o, nil)
	if diff := cmp.Diff(made.Spec, got.Spec); diff != "" || len(got.Problems) > 0 {
		t.Errorf("problems %q (-before +after):\n%s", got.Problems, diff)
	}
	o.Spec["size"] = "large"
	if got := Evaluate(moved, o, nil).Problems; len(got) != 1 || got[0].Field != "spec.size" {
		t.Errorf("another size: problems %q", got)
	}
}

// An object keeps what its class gave it at its creation and its cloud can't change. What the class says of such a field only later is no part of that:
// the object lacks it, and that is told.
func TestImmutableIsBound(t *testing.T) {
	keyed := `spec: {enforced: {encryption: {key: arn:one}}}`
	o := Input{Spec: Tree{}, Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws", Immutable: []string{"encryption.key"}}
	made := Evaluate(classOf(t, catalogue, keyed), o, nil)
	o.Bound, o.Joined, o.Before = true, true, made.Effective.Stored(nil)
	key := func(o Input) any {
		e := Evaluate(classOf(t, catalogue, `spec: {enforced: {encryption: {key: arn:two}}}`), o, nil)
		if len(e.Problems) > 0 {
			t.Errorf("problems %q", e.Problems)
		}
		is, _ := get(e.Spec, path{"encryption", "key"})
		return is
	}
	if got := key(o); got != "arn:one" {
		t.Errorf("the key of an object that was made with another is to be %v", got)
	}
	o.Spec = tree(t, `{"encryption":{"key":"arn:one"}}`) // its owner may write down what it has
	if got := key(o); got != "arn:one" {
		t.Errorf("the key of an object whose owner names it is to be %v", got)
	}
	o.Spec, o.Before = Tree{}, &v1alpha1.Effective{Size: "small"}
	if got := key(o); got != "arn:two" {
		t.Errorf("the key of an object of which the class said nothing is to be %v", got)
	}
}

// What the class changed is told from what an edit of the spec left to it.
func TestChanged(t *testing.T) {
	before := classOf(t, catalogue)
	o := Input{Spec: tree(t, `{"version":"15"}`), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}}
	stored := Evaluate(before, o, nil).Effective.Stored(nil)
	set := func(field string) bool { return field == "version" || field == "backup.retentionDays" }
	for _, tt := range []struct {
		name, class, spec string
		want              Fields
	}{
		{"nothing", ``, `{"version":"15"}`, nil},
		{"a value of the class", `spec: {defaults: {backup: {retentionDays: 9}}}`, `{"version":"15"}`, Fields{"backup.retentionDays"}},
		{"a value that the class did not have", `spec: {defaults: {databaseName: app}}`, `{"version":"15"}`, Fields{"databaseName"}},
		{"a value that the spec no longer has", ``, `{}`, nil},
		{"a value that the spec now has", ``, `{"version":"15","backup":{"retentionDays":9}}`, nil},
		{"another size", ``, `{"version":"15","size":"large"}`, nil},
		{"another default size", `spec: {defaultSize: large}`, `{"version":"15"}`, Fields{"aws.instanceClass", "storage.sizeGiB"}},
		{"a default that the class has no more", `spec: {defaults: {backup: {retentionDays: null}}}`, `{"version":"15"}`, Fields{"backup.retentionDays"}},
		{"a default that the class has no more, and the spec now has", `spec: {defaults: {backup: {retentionDays: null}}}`, `{"version":"15","backup":{"retentionDays":9}}`, nil},
		{"what the size stands for", `spec: {sizes: [{name: small, aws: {instanceClass: db.t4g.xlarge}}]}`, `{"version":"15"}`, Fields{"aws.instanceClass"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o.Spec = tree(t, tt.spec)
			got := Evaluate(classOf(t, catalogue, tt.class), o, nil).Effective.Changed(stored, set, nil)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdopts(t *testing.T) {
	for _, tt := range []struct {
		allow       v1alpha1.AllowAdoption
		asked, want v1alpha1.Adoption
	}{
		{"", v1alpha1.AdoptionIfMarked, v1alpha1.AdoptionIfMarked},
		{"", v1alpha1.AdoptionIfExists, v1alpha1.AdoptionIfMarked},
		{"", v1alpha1.AdoptionNever, v1alpha1.AdoptionNever},
		{v1alpha1.AllowAdoptionNone, v1alpha1.AdoptionIfMarked, v1alpha1.AdoptionNever},
		{v1alpha1.AllowAdoptionAny, v1alpha1.AdoptionIfExists, v1alpha1.AdoptionIfExists},
	} {
		c := &Class{Object: &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, Spec: &v1alpha1.ClassSpec{AllowAdoption: tt.allow}}
		if got := c.Adopts(tt.asked); got != tt.want {
			t.Errorf("%q of %q: %q, want %q", tt.asked, tt.allow, got, tt.want)
		}
	}
}
