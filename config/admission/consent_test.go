package admission_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/mooring-dev/mooring/config/admission"
)

// manifest reads the document of a name in a file.
func manifest[T any](t *testing.T, file, name string) *T {
	t.Helper()
	content, err := admission.Files.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	documents := yaml.NewYAMLOrJSONDecoder(content, 4096)
	for {
		var raw unstructured.Unstructured
		if err := documents.Decode(&raw.Object); errors.Is(err, io.EOF) {
			t.Fatalf("%s has no %s", file, name)
		} else if err != nil {
			t.Fatal(err)
		}
		into := new(T)
		if raw.GetName() != name || !strings.HasSuffix(strings.ToLower(typeName(into)), strings.ToLower(raw.GetKind())) {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw.Object, into); err != nil {
			t.Fatal(err)
		}
		return into
	}
}

func typeName(v any) string {
	switch v.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return "ValidatingAdmissionPolicy"
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		return "ValidatingWebhookConfiguration"
	}
	return ""
}

// An expression is one of a manifest.
type expression struct{ name, text string }

func (e expression) GetExpression() string    { return e.text }
func (e expression) GetName() string          { return e.name }
func (expression) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType} }

func expressions(texts ...string) (all []cel.ExpressionAccessor) {
	for _, text := range texts {
		all = append(all, expression{text: text})
	}
	return all
}

// evaluate returns what the API server makes of expressions about a request. may says whether the user has a verb.
func evaluate(t *testing.T, variables []admissionregistrationv1.Variable, all []cel.ExpressionAccessor, old, object *unstructured.Unstructured, may bool) []any {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	declared := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	for _, v := range variables {
		if r := compiler.CompileAndStoreVariable(expression{v.Name, v.Expression}, declared, environment.StoredExpressions); r.Error != nil {
			t.Fatalf("variable %s: %v", v.Name, r.Error)
		}
	}
	evaluator := compiler.CompileCondition(all, declared, environment.StoredExpressions)
	for _, err := range evaluator.CompilationErrors() {
		t.Fatal(err)
	}
	operation, before := apiadmission.Create, runtime.Object(nil)
	if old != nil {
		operation, before = apiadmission.Update, old
	}
	kind, resource := schema.GroupVersionKind{Group: "mooring.dev", Version: "v1alpha1", Kind: "Database"}, schema.GroupVersionResource{Group: "mooring.dev", Version: "v1alpha1", Resource: "databases"}
	attributes := apiadmission.NewAttributesRecord(object, before, kind, "shop", "orders", resource, "", operation, nil, false, &user.DefaultInfo{Name: "dev"})
	versioned := &apiadmission.VersionedAttributes{Attributes: attributes, VersionedObject: apiadmission.NewLazyObject(object), VersionedOldObject: apiadmission.NewLazyObject(before), VersionedKind: kind}
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(kind))
	rights := authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if may && a.GetVerb() == "approve" && a.GetResource() == "databases" && a.GetNamespace() == "shop" {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
	results, _, err := evaluator.ForInput(compiler.CreateContext(t.Context()), versioned, request, cel.OptionalVariableBindings{Authorizer: rights}, nil, celconfig.RuntimeCELCostBudget)
	if err != nil {
		t.Fatal(err)
	}
	var values []any
	for _, r := range results {
		if r.Error != nil {
			t.Fatalf("%s: %v", r.ExpressionAccessor.GetExpression(), r.Error)
		}
		values = append(values, r.EvalResult.Value())
	}
	return values
}

// database is one by its spec and status.
func database(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	if text == "" {
		return nil
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetNamespace("shop")
	o.SetName("orders")
	return o
}

const (
	waitsForApproval = `, status: {pendingChanges: [{field: aws.instanceClass, waitsFor: Approval}]}`
	waitsForWindow   = `, status: {pendingChanges: [{field: aws.instanceClass, waitsFor: MaintenanceWindow}]}`
	approvedWaits    = `, status: {pendingChanges: [{field: storage.sizeGiB}, {field: aws.instanceClass, approved: true, waitsFor: MaintenanceWindow}]}`
)

// Whom a consent rule of the object itself restricts can't lift it, whether or not something waits, and while something waits nobody asks for less.
func TestOwnRuleNeedsTheVerb(t *testing.T) {
	policy := manifest[admissionregistrationv1.ValidatingAdmissionPolicy](t, "consent.yaml", "mooring-approve")
	var texts, messages []string
	for _, v := range policy.Spec.Validations {
		texts, messages = append(texts, v.Expression), append(messages, v.MessageExpression)
	}
	for _, tt := range []struct{ name, old, object, want string }{
		{"a creation that says nothing", "", `{spec: {className: std}}`, ""},
		{"a creation that asks", "", `{spec: {className: std, updates: {disruptive: OnApproval}}}`, ""},
		{"a creation with the default", "", `{spec: {className: std, updates: {disruptive: OnSpecChange}}}`, ""},
		{"a creation that waives", "", `{spec: {className: std, updates: {disruptive: Always}}}`, "spec.updates.disruptive: Always"},
		{"OnApproval becomes OnSpecChange", `{spec: {updates: {disruptive: OnApproval}}}`, `{spec: {updates: {disruptive: OnSpecChange}}}`, "spec.updates.disruptive: to ask for less than OnApproval"},
		{"OnApproval becomes Always", `{spec: {updates: {disruptive: OnApproval}}}`, `{spec: {updates: {disruptive: Always}}}`, "spec.updates.disruptive"},
		{"OnApproval goes, without a class", `{spec: {providerConfigRef: {name: aws}, updates: {disruptive: OnApproval}}}`, `{spec: {providerConfigRef: {name: aws}}}`, "spec.updates.disruptive: to ask for less than OnApproval"},
		{"OnApproval goes with all of updates, without a class", `{spec: {providerConfigRef: {name: aws}, updates: {disruptive: OnApproval, timing: Immediate}}}`,
			`{spec: {providerConfigRef: {name: aws}, updates: {timing: Immediate}}}`, "spec.updates.disruptive: to ask for less than OnApproval"},
		{"OnApproval goes, and the class decides: Mooring is asked", `{spec: {className: std, updates: {disruptive: OnApproval}}}`, `{spec: {className: std}}`, ""},
		{"OnApproval goes while something waits", `{spec: {className: std, updates: {disruptive: OnApproval}}` + waitsForApproval + `}`, `{spec: {className: std}` + waitsForApproval + `}`, "spec.updates.disruptive"},
		{"OnSpecChange is said while something waits", `{spec: {className: std}` + waitsForApproval + `}`, `{spec: {className: std, updates: {disruptive: OnSpecChange}}` + waitsForApproval + `}`,
			"spec.updates.disruptive: to ask for less than before while changes wait for approval"},
		{"OnSpecChange is said while something waits for its window", `{spec: {className: std}` + waitsForWindow + `}`, `{spec: {className: std, updates: {disruptive: OnSpecChange}}` + waitsForWindow + `}`, ""},
		{"OnSpecChange becomes OnApproval while something waits", `{spec: {updates: {disruptive: OnSpecChange}}` + waitsForApproval + `}`, `{spec: {updates: {disruptive: OnApproval}}` + waitsForApproval + `}`, ""},
		{"another edit while something waits", `{spec: {updates: {disruptive: OnSpecChange}}` + waitsForApproval + `}`, `{spec: {updates: {disruptive: OnSpecChange}, tags: {a: b}}` + waitsForApproval + `}`, ""},
		{"what is Always already", `{spec: {updates: {disruptive: Always}}}`, `{spec: {updates: {disruptive: Always}, tags: {a: b}}}`, ""},
		{"Always becomes OnSpecChange", `{spec: {updates: {disruptive: Always}}}`, `{spec: {updates: {disruptive: OnSpecChange}}}`, ""},
		{"own timing becomes Immediate", `{spec: {updates: {timing: MaintenanceWindow}}}`, `{spec: {updates: {timing: Immediate}}}`, ""},
		{"timing becomes Immediate while what was agreed to waits", `{spec: {updates: {timing: MaintenanceWindow}}` + waitsForWindow + `}`, `{spec: {updates: {timing: Immediate}}` + waitsForWindow + `}`, ""},
		{"timing becomes Immediate while what was approved waits", `{spec: {updates: {timing: MaintenanceWindow}}` + approvedWaits + `}`, `{spec: {updates: {timing: Immediate}}` + approvedWaits + `}`, "spec: approved changes wait"},
		{"timing goes while what was approved waits", `{spec: {updates: {timing: MaintenanceWindow}}` + approvedWaits + `}`, `{spec: {}` + approvedWaits + `}`, "spec: approved changes wait"},
		{"the window moves while what was approved waits", `{spec: {maintenance: {window: {day: Sunday, startTime: "03:00"}}}` + approvedWaits + `}`,
			`{spec: {maintenance: {window: {day: Sunday, startTime: "12:00"}}}` + approvedWaits + `}`, "spec: approved changes wait"},
		{"the class changes while what was approved waits", `{spec: {className: a}` + approvedWaits + `}`, `{spec: {className: b}` + approvedWaits + `}`, "spec: approved changes wait"},
		{"another edit while what was approved waits", `{spec: {className: a}` + approvedWaits + `}`, `{spec: {className: a, tags: {a: b}}` + approvedWaits + `}`, ""},
		{"the window moves while nothing waits", `{spec: {maintenance: {window: {day: Sunday, startTime: "03:00"}}}}`, `{spec: {maintenance: {window: {day: Monday, startTime: "03:00"}}}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, object := database(t, tt.old), database(t, tt.object)
			got := ""
			for i, holds := range evaluate(t, policy.Spec.Variables, expressions(texts...), old, object, false) {
				if holds != true && got == "" {
					got = evaluate(t, policy.Spec.Variables, expressions(messages[i]), old, object, false)[0].(string)
				}
			}
			needs := `needs the verb "approve" on databases.mooring.dev, which you lack in namespace shop`
			if !strings.HasPrefix(got, tt.want) || (tt.want == "") != (got == "") || got != "" && !strings.Contains(got, needs) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
			for _, holds := range evaluate(t, policy.Spec.Variables, expressions(texts...), old, object, true) {
				if holds != true {
					t.Error("somebody with the verb is refused")
				}
			}
		})
	}
}

// Mooring is asked, and has to answer, only about what may lower a rule, of users who may not approve: the others go on while Mooring is down.
func TestMooringIsAskedAboutConsent(t *testing.T) {
	configuration := manifest[admissionregistrationv1.ValidatingWebhookConfiguration](t, "webhook.yaml", "mooring")
	var webhook *admissionregistrationv1.ValidatingWebhook
	for i, w := range configuration.Webhooks {
		if closed := *w.FailurePolicy == admissionregistrationv1.Fail; closed != (w.Name == "consent.mooring.dev") {
			t.Errorf("webhook %s, which fails closed: %v", w.Name, closed)
		} else if closed {
			webhook = &configuration.Webhooks[i]
		}
	}
	if webhook == nil {
		t.Fatal("nobody asks about consent")
	}
	var conditions []string
	for _, c := range webhook.MatchConditions {
		conditions = append(conditions, c.Expression)
	}
	for _, tt := range []struct {
		name, old, object string
		asked             bool
	}{
		{"a creation that says nothing", "", `{spec: {className: std}}`, false},
		{"a creation that says something", "", `{spec: {className: std, updates: {disruptive: OnSpecChange}}}`, true},
		{"an edit elsewhere", `{spec: {className: std, updates: {disruptive: OnSpecChange}}}`, `{spec: {className: std, updates: {disruptive: OnSpecChange}, tags: {a: b}}}`, false},
		{"the rule changes", `{spec: {className: std, updates: {disruptive: OnApproval}}}`, `{spec: {className: std, updates: {disruptive: OnSpecChange}}}`, true},
		{"the rule goes", `{spec: {className: std, updates: {disruptive: OnApproval}}}`, `{spec: {className: std}}`, true},
		{"the timing changes", `{spec: {className: std}}`, `{spec: {className: std, updates: {timing: Immediate}}}`, true},
		{"the class changes", `{spec: {className: std}}`, `{spec: {className: lax}}`, true},
		{"the class goes", `{spec: {className: std}}`, `{spec: {providerConfigRef: {name: own}}}`, true},
		{"it is being deleted", `{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {className: std}}`, `{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {className: lax}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, may := range []bool{false, true} {
				asked := true
				for _, holds := range evaluate(t, nil, expressions(conditions...), database(t, tt.old), database(t, tt.object), may) {
					asked = asked && holds == true
				}
				if asked != (tt.asked && !may) {
					t.Errorf("a user who may approve: %v; Mooring is asked: %v", may, asked)
				}
			}
		})
	}
}
