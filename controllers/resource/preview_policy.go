package resource

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// policyLines says what an edit of fields that are in no field table means for an object that has something in the cloud: the dangerous first,
// a line each.
func (p *Previewer) policyLines(ctx context.Context, old, object v1alpha1.ResourceObject) (lines []string, err error) {
	status := object.GetResourceStatus()
	if status.ExternalName == "" {
		return nil, nil
	}
	before, policyBefore, _, err := p.merged(ctx, old)
	if err != nil {
		return nil, err
	}
	after, policy, _, err := p.merged(ctx, object)
	if err != nil {
		return nil, err
	}
	if after.GetForceDestroy() && !before.GetForceDestroy() {
		lines = append(lines, "forceDestroy false -> true: a deletion of this object deletes the cloud object with all its contents, for good")
	}
	lines = append(lines, p.deletionPolicyLine(policyBefore.Deletion, policy.Deletion, status.Provider)...)
	if policyBefore.Management != policy.Management && policy.Management == v1alpha1.ManagementObserve {
		lines = append(lines, "management Full -> Observe: Mooring no longer changes the cloud object, and a deletion of this object leaves it in the cloud")
	}
	same, err := p.sameAccount(ctx, old, object)
	if err != nil {
		return nil, err
	}
	if !same {
		config, err := p.config(ctx, object)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("the object now uses the %s: if that leads to another account, this object stalls (AccountChanged), and the cloud object stays as it is in its account", config))
	}
	if before.GetConnection() != nil && after.GetConnection() == nil && status.Binding != nil {
		lines = append(lines, fmt.Sprintf("spec.connection is removed: Mooring deletes the connection Secret %s, and what uses it loses the password", status.Binding.Name))
	}
	return lines, nil
}

// deletionPolicyLine says what another deletion policy means, if it keeps less.
func (p *Previewer) deletionPolicyLine(from, to v1alpha1.DeletionPolicy, provider string) []string {
	snapshots := false
	if drv := p.Drivers[provider]; drv != nil {
		description := drv.Describe()
		r, _ := description.Resource(p.Kind.Name)
		snapshots = r.Consequences.SnapshotKept != ""
	}
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
