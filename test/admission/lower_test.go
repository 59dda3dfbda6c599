package admission

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Below what the class says about updates, only somebody with the verb approve may go: by the object's own spec, by a laxer class, or by an account in place of a
// class, whether or not something waits. To be stricter, and to leave all as it is, asks nobody. What the class enforces holds for everybody.
func TestNoRuleIsLoweredBelowTheClass(t *testing.T) {
	checked(t)
	_, edit, owner := policies(t)
	for name, rules := range map[string]string{
		"asking":    `updates: {disruptive: OnApproval, timing: MaintenanceWindow}, `,
		"lax":       ``,
		"enforcing": `enforcedUpdates: {disruptive: OnApproval}, `,
	} {
		stored(t, "DatabaseClass", `{metadata: {name: `+name+`}, spec: {`+rules+`providerConfigRef: {name: checked-aws}, allowedNamespaces: {}, defaults: {`+defaults["aws"]+`, maintenance: {window: {day: Sunday, startTime: "12:00"}}}}}`, "")
	}
	const (
		violates = "enforcing"
		of       = `{spec: {className: asking}}`
		own      = `{spec: {className: lax, updates: {disruptive: OnApproval}}}`
		below    = `{spec: {className: asking, updates: {disruptive: OnSpecChange}}}`
		before   = `{spec: {className: enforcing}}`
	)
	for _, tt := range []struct{ name, object, patch, editor, owner string }{
		{"a new object as its class says", "", of, "", ""},
		{"a new object that says the same", "", `{spec: {className: asking, updates: {disruptive: OnApproval}}}`, "", ""},
		{"a new object below its class", "", below, needsApprove, ""},
		{"a new object of a lax class", "", `{spec: {className: lax, updates: {disruptive: OnSpecChange}}}`, "", ""},
		{"a new object that asks for less time", "", `{spec: {className: asking, updates: {timing: Immediate}}}`, needsApprove, ""},
		{"a new object below what is enforced", "", `{spec: {className: enforcing, updates: {disruptive: OnSpecChange}}}`, violates, violates},
		{"a new object as is enforced", "", before, "", ""},

		{"an edit below the class", of, `{spec: {updates: {disruptive: OnSpecChange}}}`, needsApprove, ""},
		{"an edit to another time", of, `{spec: {updates: {timing: Immediate}}}`, needsApprove, ""},
		{"a laxer class", of, `{spec: {className: lax}}`, needsApprove, ""},
		{"a laxer class and the rule of the former, which the next edit would take back", of, `{spec: {className: lax, updates: {disruptive: OnApproval, timing: MaintenanceWindow}}}`, needsApprove, ""},
		{"an account in place of the class", of, `{spec: {className: null, providerConfigRef: {name: aws}, engine: postgres, version: "16", storage: {sizeGiB: 100}, aws: {instanceClass: db.m7g.large}}}`, needsApprove, ""},
		{"a stricter class", `{spec: {className: lax}}`, `{spec: {className: asking}}`, "", ""},
		{"its own rule goes", own, `{spec: {updates: null}}`, needsApprove, ""},
		{"its own rule goes, and the class has it", `{spec: {className: asking, updates: {disruptive: OnApproval}}}`, `{spec: {updates: null}}`, "", ""},
		{"what is below stays below", below, `{spec: {updates: {timing: MaintenanceWindow}}}`, "", ""},
		{"what is below gets another field", below, `{spec: {tags: {a: b}}}`, "", ""},
		{"an edit below what is enforced", before, `{spec: {updates: {disruptive: Always}}}`, needsApprove, violates},
	} {
		t.Run(tt.name, func(t *testing.T) {
			do := func(c client.Client) error {
				if tt.object == "" {
					return c.Create(t.Context(), object(t, "Database", tt.patch), client.DryRunAll)
				}
				return c.Patch(t.Context(), stored(t, "Database", tt.object, "").DeepCopy(), merge(t, tt.patch), client.DryRunAll)
			}
			err := do(edit)
			answered(t, err, tt.editor)
			if tt.editor == needsApprove && !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
				t.Errorf("the editor is told %v", err)
			}
			answered(t, do(owner), tt.owner)
		})
	}
}
