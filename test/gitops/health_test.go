package gitops

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/test/system"
)

// sample returns the content of a file of config/samples/gitops.
func sample(t *testing.T, name string) string {
	t.Helper()
	path, err := system.ConfigFile("samples", "gitops", name)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestSettingsHoldTheScript demands that the settings which people copy hold the script that is tested here.
func TestSettingsHoldTheScript(t *testing.T) {
	var settings corev1.ConfigMap
	if err := yaml.UnmarshalStrict([]byte(sample(t, "argocd-cm.yaml")), &settings); err != nil {
		t.Fatal(err)
	}
	// https://argo-cd.readthedocs.io/en/stable/operator-manual/health/: wildcards are for this key alone.
	var customizations map[string]map[string]string
	if err := yaml.UnmarshalStrict([]byte(settings.Data["resource.customizations"]), &customizations); err != nil {
		t.Fatal(err)
	}
	group := v1alpha1.GroupVersion.Group + "/*"
	if keys := slices.Collect(maps.Keys(customizations)); !slices.Equal(keys, []string{group}) {
		t.Fatalf("the settings are for %q, want %q", keys, group)
	}
	if got, want := customizations[group]["health.lua"], sample(t, "argocd-health.lua"); got != want {
		t.Errorf("the settings hold another script than argocd-health.lua:\n%s", got)
	}
}

// TestHealth compares the script with kstatus, in every state and after every state, before and after an edit, and
// while the object is deleted or paused.
func TestHealth(t *testing.T) {
	script := program(sample(t, "argocd-health.lua"))
	states := everyState(t)
	seen := map[string]int{}
	for _, before := range states {
		for _, edited := range []bool{false, true} {
			for _, state := range states {
				for _, deleted := range []bool{false, true} {
					for _, paused := range []bool{false, true} {
						o := born().turn(before)
						if edited {
							o.generation++
						}
						o.turn(state)
						o.deleted, o.paused = deleted, paused
						got, want := script.health(t, o.unstructured(t)), o.want(t)
						if got.status != want || got.message == "" {
							t.Errorf("state %d, edited: %t, then state %d, deleted: %t, paused: %t: it is %+v, want %s and a message",
								before, edited, state, deleted, paused, got, want)
						}
						seen[got.status]++
					}
				}
			}
		}
	}
	for _, status := range []string{"Healthy", "Progressing", "Degraded", "Suspended"} {
		if seen[status] == 0 {
			t.Errorf("no object is %s", status)
		}
	}
}

// TestHealthTellsWhy reads what people see in Argo CD beside the word.
func TestHealthTellsWhy(t *testing.T) {
	script := program(sample(t, "argocd-health.lua"))
	bare := &unstructured.Unstructured{Object: map[string]any{}}
	bare.SetGeneration(1)
	for _, tt := range []struct {
		name   string
		object *unstructured.Unstructured
		want   healthStatus
	}{
		{"without status", bare, healthStatus{"Progressing", "Mooring has not reconciled it yet"}},
		{"not reconciled yet", born().unstructured(t), healthStatus{"Progressing", "Mooring has not reconciled it yet"}},
		{"edited, not reconciled yet", born().turn(condition.UpToDate).edit().unstructured(t), healthStatus{"Progressing", "Mooring has not reconciled it yet"}},
		{"usable and as declared", born().turn(condition.UpToDate).unstructured(t), healthStatus{"Healthy", "Ready: so it is"}},
		{"drift waits", born().turn(condition.UpToDate).turn(condition.DriftWaits).unstructured(t), healthStatus{"Healthy", "ApprovalRequired: so it is"}},
		{"an edit waits", born().turn(condition.EditWaits).unstructured(t), healthStatus{"Degraded", "ApprovalRequired: so it is"}},
		{"a deletion that can't go on", born().turn(condition.UpToDate).delete().turn(condition.DeletionStalled).unstructured(t), healthStatus{"Progressing", "DeletionProtected: so it is"}},
	} {
		if got := script.health(t, tt.object); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// everyState returns all rows of the table of conditions: what comes after the last leaves no condition.
func everyState(t *testing.T) (states []condition.State) {
	t.Helper()
	for s := condition.Progressing; len(born().turn(s).status.Conditions) > 0; s++ {
		states = append(states, s)
	}
	if !slices.Contains(states, condition.DeletionStalled) {
		t.Fatalf("the states end with %v", states)
	}
	return states
}

// object is an object of ours as GitOps tools see it.
type object struct {
	generation      int64
	deleted, paused bool
	status          v1alpha1.ResourceStatus
}

// born is an object that nobody has looked at: the CRD's default is all it has.
func born() *object {
	return &object{generation: 1, status: v1alpha1.ResourceStatus{ObservedGeneration: -1}}
}

func (o *object) edit() *object   { o.generation++; return o }
func (o *object) delete() *object { o.deleted = true; return o }

// turn brings the object to a state, as a reconcile does.
func (o *object) turn(s condition.State) *object {
	reasons := map[condition.State]v1alpha1.Reason{
		condition.DriftWaits: v1alpha1.ReasonApprovalRequired, condition.EditWaits: v1alpha1.ReasonApprovalRequired,
		condition.DeletionStalled: v1alpha1.ReasonDeletionProtected,
	}
	reason, known := reasons[s]
	if !known {
		reason = v1alpha1.ReasonReady
	}
	available := s != condition.Progressing
	condition.Set(&o.status.Conditions, condition.Update{
		State: s, Reason: reason, Message: "so it is", Available: &available, Generation: o.generation, Now: metav1.Time{Time: time.Unix(1, 0)},
	})
	if s.Evaluated() {
		o.status.ObservedGeneration = o.generation
	}
	return o
}

func (o *object) unstructured(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.Bucket{Status: v1alpha1.BucketStatus{ResourceStatus: o.status}})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(v1alpha1.GroupVersion.String())
	u.SetKind("Bucket")
	u.SetName("b")
	u.SetGeneration(o.generation)
	if o.deleted {
		u.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(2, 0)})
	}
	if o.paused {
		u.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"})
	}
	return u
}

// want is what Argo CD is to say: what kstatus says, in other words, and that somebody paused it.
func (o *object) want(t *testing.T) string {
	t.Helper()
	if o.paused {
		return "Suspended"
	}
	result, err := kstatus.Compute(o.unstructured(t))
	if err != nil {
		t.Fatal(err)
	}
	return map[kstatus.Status]string{
		kstatus.CurrentStatus: "Healthy", kstatus.InProgressStatus: "Progressing",
		kstatus.FailedStatus: "Degraded", kstatus.TerminatingStatus: "Progressing",
	}[result.Status]
}

// program is a script that is run as Argo CD runs it: with the base and table libraries, and the object in the variable obj.
// https://github.com/argoproj/argo-cd/blob/master/util/lua/lua.go
type program string

type healthStatus struct{ status, message string }

func (p program) health(t *testing.T, object *unstructured.Unstructured) healthStatus {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}
	state.SetGlobal("obj", value(state, object.Object))
	if err := state.DoString(string(p)); err != nil {
		t.Fatal(err)
	}
	result, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returned %v, want a table", state.Get(-1))
	}
	return healthStatus{lua.LVAsString(result.RawGetString("status")), lua.LVAsString(result.RawGetString("message"))}
}

// value turns what is in an object into a value of Lua.
func value(state *lua.LState, of any) lua.LValue {
	switch of := of.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(of)
	case string:
		return lua.LString(of)
	case int64:
		return lua.LNumber(of)
	case float64:
		return lua.LNumber(of)
	case []any:
		list := state.NewTable()
		for _, item := range of {
			list.Append(value(state, item))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for key, item := range of {
			table.RawSetString(key, value(state, item))
		}
		return table
	default:
		panic(fmt.Sprintf("%T is in no object", of))
	}
}
