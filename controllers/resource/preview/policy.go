package preview

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// policyLines says what an edit of fields that are in no field table means for an object that has something in the cloud: the dangerous first,
// a line each.
func (e *edit) policyLines() (lines []string) {
	status := e.after.object.GetResourceStatus()
	if status.ExternalName == "" {
		return nil
	}
	before, after := e.before.want, e.after.want
	if after.GetForceDestroy() && !before.GetForceDestroy() {
		lines = append(lines, "forceDestroy false -> true: a deletion of this object deletes the cloud object with all its contents, for good")
	}
	lines = append(lines, e.deletionPolicyLine(e.before.policy.Deletion, e.after.policy.Deletion, status.Provider)...)
	if was, is := e.before.policy.WhenVanished, e.after.policy.WhenVanished; was != is && is == v1alpha1.WhenVanishedRecreate {
		lines = append(lines, fmt.Sprintf("whenVanished %s -> %s: %s", was, is, recreates))
	}
	if e.before.policy.Management != e.after.policy.Management && e.after.policy.Management == v1alpha1.ManagementObserve {
		lines = append(lines, "management Full -> Observe: Mooring no longer changes the cloud object, and a deletion of this object leaves it in the cloud")
	}
	if e.before.config != e.after.config {
		lines = append(lines, fmt.Sprintf("the object now uses the %s: if that leads to another account, this object stalls (AccountChanged), and the cloud object stays as it is in its account", e.after.config))
	}
	if before.GetConnection() != nil && after.GetConnection() == nil && status.Binding != nil {
		lines = append(lines, fmt.Sprintf("spec.connection is removed: Mooring deletes the connection Secret %s, and what uses it no longer %s", status.Binding.Name, whatIsLost(e.Kind.Login)))
	}
	return append(lines, e.exposureLines()...)
}

// recreates is what whenVanished Recreate means.
const recreates = "if the cloud object is deleted outside Mooring, Mooring creates a new, empty one under its name, and does not ask"

// whatIsLost says what nobody learns any more without a connection Secret.
func whatIsLost(login bool) string {
	if login {
		return "learns the address and the password"
	}
	return "learns the name and the address"
}

// exposureLines says who can reach the object after an edit that could not before.
func (e *edit) exposureLines() (lines []string) {
	if e.Kind.ExposureWarnings == nil || e.after.policy.Management == v1alpha1.ManagementObserve {
		return nil
	}
	before := e.Kind.ExposureWarnings(e.before.want)
	for _, line := range e.Kind.ExposureWarnings(e.after.want) {
		if !slices.Contains(before, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// deletionPolicyLine says what another deletion policy means, if it keeps less.
func (p *Preview) deletionPolicyLine(from, to v1alpha1.DeletionPolicy, provider string) []string {
	snapshots := p.described(provider).Consequences.SnapshotKept != ""
	what := ""
	switch {
	case from == to || to == v1alpha1.DeletionRetain:
		return nil
	case to == v1alpha1.DeletionDelete && snapshots:
		what = "deletes the cloud object without a final snapshot, and its data is lost for good"
	case to == v1alpha1.DeletionDelete:
		what = "deletes the cloud object"
	case from == v1alpha1.DeletionRetain:
		what = "deletes the cloud object after a final snapshot"
	default:
		return nil
	}
	return []string{fmt.Sprintf("deletionPolicy %s -> %s: a deletion of this object %s", from, to, what)}
}
