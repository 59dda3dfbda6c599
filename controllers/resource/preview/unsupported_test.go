package preview

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// A without is a driver of a cloud that lacks version 13.
type without struct{ driver.Driver }

func (w without) Describe() driver.Description {
	d := w.Driver.Describe()
	for i := range d.Resources {
		d.Resources[i].Lacks = []driver.Lack{{Field: "version", Match: "^13$", Values: "13", Why: "it is too old", Instead: "set 16"}}
	}
	return d
}

// An object that stalls because its spec asks for what the cloud does not have is changed once the spec no longer does, and can be deleted.
func TestWhatTheCloudLacksKeepsNobodyFromMendingIt(t *testing.T) {
	p := newPreview()
	p.Drivers["aws"] = without{mem.New(mem.Options{}).Driver()}
	stalled := usual()
	stalled.Spec.Version = new("13")
	stalled.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: "True", Reason: string(v1alpha1.ReasonNotSupported), Message: "13 is not supported"}}
	for name, tt := range map[string]struct {
		to   func(*v1alpha1.Database)
		want string // the first line; none if empty
	}{
		"nothing is done as long as it asks for it": {moreBackups, ""},
		"taken out, and another change":             {func(d *v1alpha1.Database) { d.Spec.Version = new("16"); moreBackups(d) }, "Online, at once: backup.retentionDays"},
		"released, and another change":              {func(d *v1alpha1.Database) { d.Spec.Version = nil; largerClass(d) }, "Restarts: aws.instanceClass"},
	} {
		lines, err := linesOf(p.Edit(t.Context(), stalled, editOf(stalled, tt.to)))
		if err != nil || (tt.want == "") != (len(lines) == 0) || !strings.HasPrefix(strings.Join(lines, ""), tt.want) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
		if text := strings.Join(lines, " "); strings.Contains(text, "none of these changes") {
			t.Errorf("%s: %q", name, text)
		}
	}
	lines, err := linesOf(p.Deletion(t.Context(), stalled))
	if text := strings.Join(lines, " "); err != nil || len(lines) == 0 || strings.Contains(text, "put right") {
		t.Errorf("its deletion: %q, %v", lines, err)
	}
	for _, reason := range []v1alpha1.Reason{v1alpha1.ReasonAccountChanged, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonProviderConfigNotFound} {
		stalled.Status.Conditions[0].Reason, stalled.Status.Conditions[0].Message = string(reason), "mend it"
		lines, err := linesOf(p.Deletion(t.Context(), stalled))
		if text := strings.Join(lines, " "); err != nil || !strings.Contains(text, "nothing happens until this is put right: mend it") {
			t.Errorf("its deletion while it is stalled for %s: %q, %v", reason, lines, err)
		}
	}
}

// What the cloud lacks of one field keeps no other from being changed.
func TestWhatTheCloudLacksOfAFieldStopsNothing(t *testing.T) {
	p, stalled := newPreview(), usual()
	stalled.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: "True", Reason: string(v1alpha1.ReasonNotSupported), Message: "tags: not implemented"}}
	lines, err := linesOf(p.Edit(t.Context(), stalled, editOf(stalled, moreBackups)))
	if text := strings.Join(lines, "\n"); err != nil || !strings.Contains(text, "Online, at once: backup.retentionDays") || !strings.Contains(text, "may be unable") {
		t.Errorf("%q, %v", text, err)
	}
}
