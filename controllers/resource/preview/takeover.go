package preview

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// takeoverLines says what another value of the annotation adopt-from changes: which cloud object that another object released this one may
// take over or observe. It says nothing of an object to which the annotation makes no difference.
func (e *edit) takeoverLines() (lines []string) {
	from, to := e.before.object.GetAnnotations()[v1alpha1.AnnotationAdoptFrom], e.after.object.GetAnnotations()[v1alpha1.AnnotationAdoptFrom]
	if from == to {
		return nil
	}
	if takesReleased(e.after, to) && !takesReleased(e.before, to) {
		does := "Mooring takes it over, and status.pendingChanges lists what then differs from the spec"
		if e.after.policy.Management == v1alpha1.ManagementObserve {
			does = "this object observes it, and nothing changes in the cloud"
		}
		noun := strings.TrimSpace("the cloud object " + cmp.Or(e.after.object.GetResourceStatus().ExternalName, e.Kind.ChosenName(e.after.object)))
		lines = append(lines, fmt.Sprintf("%s %s: if %s released %s (deletionPolicy: Retain), %s", v1alpha1.AnnotationAdoptFrom, to, to, noun, does))
	}
	if takesReleased(e.before, from) && !takesReleased(e.after, from) {
		lines = append(lines, fmt.Sprintf("%s no longer names %s: this object does not take over or observe what %s released", v1alpha1.AnnotationAdoptFrom, from, from))
	}
	if len(lines) > 0 && e.after.paused() {
		lines = append([]string{whilePaused.says}, lines...)
	}
	return lines
}

// takesReleased reports whether the plan has an object take over or observe a cloud object that another object, NAMESPACE/NAME, released.
func takesReleased(m merged, owner string) bool {
	namespace, name, ok := strings.Cut(owner, "/")
	if !ok || namespace == "" || name == "" {
		return false
	}
	v := plan.StoredView(m.object, m.object.GetResourceStatus())
	v.Mark = ownMark(m.object)
	left := driver.Mark{Cluster: v.Mark.Cluster, Namespace: namespace, Name: name, UID: "another", Released: true}
	a := plan.Plan(v, driver.Observation{State: driver.Ready, Available: true, Mark: left}, m.policy)
	return a.Verb == plan.Adopt || a.Verb == plan.Converge
}
