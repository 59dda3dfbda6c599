package class

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// classes is a cluster with the class standard, and others of the same text but for a name and spec.updates.
func classes(t *testing.T, standard string, others map[string]string) client.Client {
	t.Helper()
	c := cluster(t, standard)
	for name, updates := range others {
		other := &v1alpha1.DatabaseClass{}
		if err := yaml.Unmarshal([]byte(catalogue), other); err != nil {
			t.Fatal(err)
		}
		other.Name, other.Spec.MaxPerNamespace = name, nil
		if err := yaml.Unmarshal([]byte(updates), other); err != nil {
			t.Fatal(err)
		}
		if err := c.Create(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func lowering(c client.Client) *Admission {
	return &Admission{Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}, Live: c}
}

// A user without the verb approve may set a stricter rule than the class, and no laxer one: not by a value, by none, by another class or by no class.
func TestLowers(t *testing.T) {
	const (
		approval = `spec: {updates: {disruptive: OnApproval}}`
		windowed = `spec: {updates: {disruptive: "", timing: MaintenanceWindow}, defaults: {maintenance: {window: {day: Sunday, startTime: "03:00"}}}}`
		bluegrn  = `spec: {updates: {disruptive: "", strategy: BlueGreen}}`
		silent   = `spec: {updates: null}`
	)
	bound := func(effective string) string {
		return "\nstatus: {externalName: x, className: standard, effective: " + effective + "}"
	}
	for _, tt := range []struct{ name, class, old, object, want string }{
		{"a creation that says nothing", approval, "", `spec: {className: standard}`, ""},
		{"a creation that asks for less", approval, "", `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, "spec.updates.disruptive: OnSpecChange in place of OnApproval, as class \"standard\" says"},
		{"a creation that asks for nothing", approval, "", `spec: {className: standard, updates: {disruptive: Always}}`, "spec.updates.disruptive: Always"},
		{"a creation that asks for more", silent, "", `spec: {className: standard, updates: {disruptive: OnApproval}}`, ""},
		{"a creation with what the class leaves open", silent, "", `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, ""},
		{"a creation without a class", approval, "", `spec: {providerConfigRef: {name: own}, updates: {disruptive: OnSpecChange}}`, ""},
		{"a creation of a class that is not there", approval, "", `spec: {className: none, updates: {disruptive: OnSpecChange}}`, ""},
		{"a creation at any time", windowed, "", `spec: {className: standard, updates: {timing: Immediate}}`, "spec.updates.timing: Immediate in place of MaintenanceWindow"},
		{"a creation in place", bluegrn, "", `spec: {className: standard, updates: {strategy: InPlace}}`, "spec.updates.strategy: InPlace in place of BlueGreen"},
		{"a creation against what the class enforces", `spec: {updates: null, enforcedUpdates: {disruptive: OnApproval}}`, "", `spec: {className: standard, updates: {disruptive: Always}}`, ""}, // which is overruled

		{"an edit below the class", approval, `spec: {className: standard}`, `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, "spec.updates.disruptive"},
		{"the own rule becomes laxer, and not below the class", silent, `spec: {className: standard, updates: {disruptive: OnApproval}}`, `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, "spec.updates.disruptive: OnSpecChange in place of OnApproval needs"},
		{"the own rule goes", silent, `spec: {className: standard, updates: {disruptive: OnApproval}}`, `spec: {className: standard}`, "spec.updates.disruptive"},
		{"the own rule goes, and the class asks", approval, `spec: {className: standard, updates: {disruptive: OnApproval}}`, `spec: {className: standard}`, ""},
		{"the own rule becomes stricter", approval, `spec: {className: standard, updates: {disruptive: Always}}`, `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, ""},
		{"what is below the class already", approval, `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, `spec: {className: standard, updates: {disruptive: OnSpecChange, timing: Immediate}}`, ""},
		{"a window below the class", windowed, `spec: {className: standard}`, `spec: {className: standard, updates: {timing: Immediate}}`, "spec.updates.timing"},
		{"the own window goes", silent, `spec: {className: standard, updates: {timing: MaintenanceWindow}}`, `spec: {className: standard}`, ""},
		{"the own strategy goes", silent, `spec: {className: standard, updates: {strategy: BlueGreen}}`, `spec: {className: standard}`, ""},

		{"a laxer class", approval, `spec: {className: standard}` + bound(`{defaults: {updates: {disruptive: OnApproval}}}`), `spec: {className: lax}` + bound(`{defaults: {updates: {disruptive: OnApproval}}}`), "spec.updates.disruptive: OnSpecChange in place of OnApproval needs"},
		{"a laxer class, and the own rule says the same", approval, `spec: {className: standard}`, `spec: {className: lax, updates: {disruptive: OnApproval}}`, ""},
		{"an equal class", approval, `spec: {className: standard}`, `spec: {className: strict}`, ""},
		{"a stricter class, and the own rule is below it", silent, `spec: {className: standard, updates: {disruptive: OnSpecChange}}`, `spec: {className: strict, updates: {disruptive: OnSpecChange}}`, "spec.updates.disruptive: OnSpecChange in place of OnApproval, as class \"strict\" says"},
		{"no class", approval, `spec: {className: standard}`, `spec: {providerConfigRef: {name: own}}`, "spec.updates.disruptive"},
		{"a class that is not there, and the class comes back", approval, `spec: {className: none}` + bound(`{defaults: {updates: {disruptive: OnApproval}}}`), `spec: {className: lax}` + bound(`{defaults: {updates: {disruptive: OnApproval}}}`), "spec.updates.disruptive"},
		{"a class without a window", windowed, `spec: {className: standard}`, `spec: {className: lax}`, "spec.updates.timing: Immediate in place of MaintenanceWindow needs"},
		{"a class without a window, and the own rule says the same until the next edit", windowed, `spec: {className: standard}`, `spec: {className: lax, updates: {timing: MaintenanceWindow}}`,
			"spec.updates.timing: Immediate in place of MaintenanceWindow, as the former class \"standard\" says,"},
		{"a class without a strategy, and the own rule says the same until the next edit", bluegrn, `spec: {className: standard}`, `spec: {className: lax, updates: {strategy: BlueGreen}}`,
			"spec.updates.strategy: InPlace in place of BlueGreen, as the former class \"standard\" says,"},
		{"no class, and the own rule says the same until the next edit", windowed, `spec: {className: standard}`, `spec: {providerConfigRef: {name: own}, updates: {timing: MaintenanceWindow}}`, "spec.updates.timing"},
		{"a class that asks by default becomes one that enforces", approval, `spec: {className: standard}`, `spec: {className: enforcing}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := lowering(classes(t, tt.class, map[string]string{
				"lax": silent, "strict": `spec: {updates: {disruptive: OnApproval}}`, "enforcing": `spec: {updates: null, enforcedUpdates: {disruptive: OnApproval}}`,
			}))
			read := func(text string) *v1alpha1.Database {
				d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
				if err := yaml.Unmarshal([]byte(text), d); err != nil {
					t.Fatal(err)
				}
				return d
			}
			var old v1alpha1.ResourceObject
			if tt.old != "" {
				old = read(tt.old)
			}
			problems, err := a.LoweredUpdateRules(t.Context(), old, read(tt.object))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(problems) > 0 {
				got = problems[0].String()
			}
			if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
			if got != "" && !strings.Contains(got, `needs the verb "approve" on databases.mooring.dev, which you lack in namespace shop`) && !strings.Contains(got, "says needs the verb") {
				t.Errorf("it does not say what to do: %q", got)
			}
		})
	}
}

// What a class enforces of updates holds whatever an object says.
func TestEnforcedUpdates(t *testing.T) {
	c := cluster(t, `spec: {updates: {disruptive: OnSpecChange}, enforcedUpdates: {disruptive: OnApproval}}`)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ClassName, d.Spec.Updates = "standard", &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways, Timing: v1alpha1.TimingImmediate}
	found, err := lowering(c).Resolver.Resolve(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if got := consentOf(found.Spec); got.disruptive != string(v1alpha1.DisruptiveOnApproval) {
		t.Errorf("the consent is %+v", got)
	}
	told := slices.ContainsFunc(found.Problems, func(p Problem) bool {
		return p.Field == "spec.updates.disruptive" && p.Overruled && strings.Contains(p.Message, `class "standard" enforces`)
	})
	if !told {
		t.Errorf("nobody is told: %q", found.Problems)
	}
}

// The preview of a class says that what waits still waits, and whose own spec is below what the class says.
func TestImpactOfLessConsent(t *testing.T) {
	waiting := v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	waiting.Spec.ClassName = "standard"
	waiting.Status.ClassName, waiting.Status.ExternalName = "standard", "orders"
	waiting.Status.PendingChanges = []v1alpha1.PendingChange{{Field: "aws.instanceClass", From: "a", To: "b", Effect: "Restarts", WaitsFor: v1alpha1.WaitsForApproval}}
	waiting.Status.Effective = &v1alpha1.Effective{Defaults: &runtime.RawExtension{Raw: []byte(`{"updates":{"disruptive":"OnApproval"}}`)}}
	inWindow := *waiting.DeepCopy()
	inWindow.Name, inWindow.Status.PendingChanges[0].WaitsFor = "bills", v1alpha1.WaitsForMaintenanceWindow
	asleep, asleepInWindow := *waiting.DeepCopy(), *inWindow.DeepCopy()
	asleep.Status.PendingChanges[0].WaitsFor, asleep.Status.PendingChanges[0].NeedsApproval = v1alpha1.WaitsForStart, true
	asleepInWindow.Status.PendingChanges[0].WaitsFor, asleepInWindow.Status.PendingChanges[0].DueIn = v1alpha1.WaitsForStart, "Sunday 03:00–04:00 UTC"
	fewerDays := *waiting.DeepCopy()
	fewerDays.Status.PendingChanges[0] = v1alpha1.PendingChange{Field: "backup.retentionDays", From: "9", To: "7", Effect: "LosesBackups", WaitsFor: v1alpha1.WaitsForApproval}
	own := *waiting.DeepCopy()
	own.Name, own.Status.PendingChanges, own.Spec.Updates = "carts", nil, &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnSpecChange}
	const window, other = `defaults: {maintenance: {window: {day: Sunday, startTime: "03:00"}}}`, `defaults: {maintenance: {window: {day: Monday, startTime: "03:00"}}}`
	for _, tt := range []struct {
		name, before, after string
		users               []v1alpha1.Database
		want                []string
	}{
		{"what waits for approval", `{updates: {disruptive: OnApproval}}`, `{updates: {disruptive: Always}}`, []v1alpha1.Database{waiting},
			[]string{"of 1: aws.instanceClass (restarts) still waits for approval: an edit of the class releases nothing that waits"}},
		{"what waits for approval, and gets another value by the same edit", `{updates: {disruptive: OnApproval}, defaults: {backup: {retentionDays: 7}}}`, `{updates: {disruptive: Always}, defaults: {backup: {retentionDays: 3}}}`,
			[]v1alpha1.Database{fewerDays}, []string{"of 1: backup.retentionDays becomes 3 (loses backups)"}},
		{"what waits for the window", `{updates: {timing: MaintenanceWindow}, ` + window + `}`, `{updates: {timing: Immediate}, ` + window + `}`, []v1alpha1.Database{inWindow},
			[]string{"of 1: aws.instanceClass (restarts) still waits for the maintenance window Sunday 03:00–04:00 UTC: an edit of the class releases nothing that waits"}},
		{"what waits for the start, and then for approval", `{updates: {disruptive: OnApproval}}`, `{updates: {disruptive: Always}}`, []v1alpha1.Database{asleep},
			[]string{"of 1: aws.instanceClass (restarts) still waits for approval: an edit of the class releases nothing that waits"}},
		{"what waits for the start, and then for the window", `{updates: {timing: MaintenanceWindow}, ` + window + `}`, `{updates: {timing: Immediate}, ` + window + `}`, []v1alpha1.Database{asleepInWindow},
			[]string{"of 1: aws.instanceClass (restarts) still waits for the maintenance window Sunday 03:00–04:00 UTC: an edit of the class releases nothing that waits"}},
		{"another window", `{updates: {timing: MaintenanceWindow}, ` + window + `}`, `{updates: {timing: MaintenanceWindow}, ` + other + `}`, []v1alpha1.Database{inWindow},
			[]string{"of 1: aws.instanceClass (restarts) waits for the maintenance window Monday 03:00–04:00 UTC in place of Sunday 03:00–04:00 UTC"}},
		{"a stricter class, and an object that says less", `{updates: {disruptive: OnSpecChange}}`, `{updates: {disruptive: OnApproval}}`, []v1alpha1.Database{own},
			[]string{"of 1: spec.updates.disruptive of the object itself says OnSpecChange, and stays below what the class says; spec.enforcedUpdates of the class would overrule it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := crowd{cluster(t, "spec: "+tt.before), tt.users}
			old := &v1alpha1.DatabaseClass{}
			if err := c.Get(t.Context(), client.ObjectKey{Name: "standard"}, old); err != nil {
				t.Fatal(err)
			}
			edited := old.DeepCopy()
			if err := yaml.Unmarshal([]byte("spec: "+tt.after), edited); err != nil {
				t.Fatal(err)
			}
			a := lowering(c)
			a.Check = func(*Class, string) *Problem { return nil }
			a.Preview = func(_ string, _ v1alpha1.ResourceObject, was, is Tree) ([]driver.Change, error) {
				if from, to := FormatField(was, "backup.retentionDays"), FormatField(is, "backup.retentionDays"); from != to {
					return []driver.Change{{Field: "backup.retentionDays", From: from, To: to, Effect: driver.LosesBackups}}, nil
				}
				return nil, nil
			}
			refusals, warnings, err := a.Class(t.Context(), old, edited)
			if err != nil || len(refusals) > 0 {
				t.Fatalf("refusals %q, %v", refusals, err)
			}
			for _, want := range tt.want {
				if !slices.Contains(warnings, want) {
					t.Errorf("warnings %q, want %q", warnings, want)
				}
			}
			if said := strings.Join(warnings, "; "); strings.Contains(said, "becomes 3") && strings.Contains(said, "still waits") {
				t.Errorf("it says that what is applied still waits: %q", said)
			}
		})
	}
}
