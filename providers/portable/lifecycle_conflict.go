package portable

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// LifecycleConflict says what keeps rules from standing beside each other: two have one name, or say the same of the same objects. It is empty if nothing does. The
// schema can't say it of as many rules as a cloud takes: a rule of CEL compares each with each, and Kubernetes 1.30 has no other way to.
func LifecycleConflict(rules []v1alpha1.LifecycleRule) string {
	names, said := map[string]bool{}, map[string]string{}
	for _, r := range rules {
		if names[r.Name] {
			return fmt.Sprintf("spec.lifecycle has two rules of one name, %q: give each rule a name of its own", r.Name)
		}
		names[r.Name] = true
		if r.Suffix != nil || len(r.Tags) > 0 || r.LargerThanBytes != nil || r.SmallerThanBytes != nil {
			continue
		}
		objects := ""
		if r.Prefix != nil {
			objects = "=" + *r.Prefix
		}
		for field, says := range []bool{r.ExpireAfterDays != nil, r.NoncurrentVersions != nil, r.AbortUploadsAfterDays != nil, len(r.Transitions) > 0} {
			if !says {
				continue
			}
			about := fmt.Sprint(field) + objects
			if other, twice := said[about]; twice {
				return fmt.Sprintf("spec.lifecycle has two rules, %q and %q, that say the same of the same objects, so that they contradict or repeat each other: give one of them another prefix, or remove what both say from one of them", other, r.Name)
			}
			said[about] = r.Name
		}
	}
	return ""
}
