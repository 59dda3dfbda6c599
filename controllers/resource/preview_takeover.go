package resource

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// takeoverLines says what another value of the annotation adopt-from changes: which cloud object that another object released this one may
// take over or observe. It says nothing of an object to which the annotation makes no difference.
func (p *Previewer) takeoverLines(ctx context.Context, old, object v1alpha1.ResourceObject) ([]string, error) {
	from, to := old.GetAnnotations()[v1alpha1.AnnotationAdoptFrom], object.GetAnnotations()[v1alpha1.AnnotationAdoptFrom]
	if from == to {
		return nil, nil
	}
	_, before, _, err := p.merged(ctx, old)
	if err != nil {
		return nil, err
	}
	_, after, _, err := p.merged(ctx, object)
	if err != nil {
		return nil, err
	}
	var lines []string
	noun := strings.TrimSpace("the cloud object " + cmp.Or(object.GetResourceStatus().ExternalName, object.GetResourceSpec().ExternalName))
	if takesReleased(object, after, to) && !takesReleased(old, before, to) {
		does := "Mooring takes it over, and status.pendingChanges lists what then differs from the spec"
		if after.Management == v1alpha1.ManagementObserve {
			does = "this object observes it, and nothing changes in the cloud"
		}
		lines = append(lines, fmt.Sprintf("%s %s: if %s released %s (deletionPolicy: Retain), %s", v1alpha1.AnnotationAdoptFrom, to, to, noun, does))
	}
	if takesReleased(old, before, from) && !takesReleased(object, after, from) {
		lines = append(lines, fmt.Sprintf("%s no longer names %s: this object does not take over or observe what %s released", v1alpha1.AnnotationAdoptFrom, from, from))
	}
	if len(lines) > 0 && object.GetAnnotations()[v1alpha1.AnnotationPaused] == "true" {
		lines = append([]string{stoppedWhile("the annotation " + v1alpha1.AnnotationPaused + " is set").says}, lines...)
	}
	return lines, nil
}

// takesReleased reports whether the plan has an object take over or observe a cloud object that another object, NAMESPACE/NAME, released.
func takesReleased(object v1alpha1.ResourceObject, p plan.Policy, owner string) bool {
	namespace, name, ok := strings.Cut(owner, "/")
	if !ok || namespace == "" || name == "" {
		return false
	}
	v := plan.StoredView(object, object.GetResourceStatus())
	v.Mark = ownMark(object)
	o := driver.Observation{State: driver.Ready, Available: true, Mark: driver.Mark{Cluster: v.Mark.Cluster, Namespace: namespace, Name: name, UID: "another", Released: true}}
	a := plan.Plan(v, o, p)
	return a.Verb == plan.Adopt || a.Verb == plan.Settle
}
