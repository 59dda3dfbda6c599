package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PlanStatus identifies the changes that wait for approval, or that were approved and wait for the maintenance window.
type PlanStatus struct {
	// hash of the waiting changes and the serial. To approve the changes, set the annotation mooring.dev/approve to it. To revoke the
	// approval of changes that wait for the maintenance window, remove the annotation. Empty if nothing waits.
	// +optional
	Hash string `json:"hash,omitempty"`

	// serial grows with each plan that was completed, so that an old approval never approves a new plan.
	// +optional
	Serial int64 `json:"serial,omitempty"`

	// disruptive is what the object's own spec said in updates.disruptive when the changes were recorded that wait; empty if it left that to the
	// class. As long as it says so, the changes wait, also if a class that is edited no longer asks for approval.
	// +optional
	Disruptive string `json:"disruptive,omitempty"`

	// timing is the same of updates.timing, for changes that wait for the maintenance window.
	// +optional
	Timing string `json:"timing,omitempty"`
}

// PendingChange is one difference between spec and cloud.
type PendingChange struct {
	// field is the path of the field in the spec.
	// +required
	Field string `json:"field"`

	// from is the value in the cloud. Empty if the cloud has none.
	// +optional
	From string `json:"from,omitempty"`

	// to is the desired value. Empty if the field is to be removed.
	// +optional
	To string `json:"to,omitempty"`

	// effect is what the change does: Online, Interrupts, Restarts, LosesBackups, Irreversible or Impossible.
	// +optional
	Effect string `json:"effect,omitempty"`

	// cause is what made the difference: Spec (an edit), Drift (a change in the cloud), Class (a change of the class) or Rotation
	// (spec.credentials.rotationPeriod has passed, or somebody asked for another password with mooring.dev/rotate-password).
	// +optional
	Cause string `json:"cause,omitempty"`

	// waitsFor is Approval, or MaintenanceWindow for a change that needs no approval or was approved, or Start for one that a stopped database
	// takes only once it runs. Empty if the change waits for none of them.
	// +optional
	WaitsFor string `json:"waitsFor,omitempty"`

	// needsApproval is true if the change waits for the start of the server first, and then for approval.
	// +optional
	NeedsApproval bool `json:"needsApproval,omitempty"`

	// approved is true if a person approved the change: it is of the plan whose hash is in status.plan.hash.
	// +optional
	Approved bool `json:"approved,omitempty"`

	// dueSince is when a change became due that Mooring makes only in the maintenance window. It begins anew when the window changes.
	// +optional
	DueSince *metav1.Time `json:"dueSince,omitempty"`

	// dueIn is the maintenance window in which the change is due, for example Sunday 03:00–04:00 UTC.
	// +optional
	DueIn string `json:"dueIn,omitempty"`
}

// AwaitsApproval reports whether a person has to approve the change: now, or once the server runs.
func (c PendingChange) AwaitsApproval() bool {
	return c.WaitsFor == WaitsForApproval || c.NeedsApproval
}

// AwaitsWindow reports whether the change is made in the maintenance window alone: in the next one, or in the first once the server runs.
func (c PendingChange) AwaitsWindow() bool {
	return c.WaitsFor == WaitsForMaintenanceWindow || c.WaitsFor == WaitsForStart && c.DueIn != ""
}

// What a pending change waits for.
const (
	WaitsForApproval          = "Approval"
	WaitsForMaintenanceWindow = "MaintenanceWindow"
	WaitsForStart             = "Start"
)

// Causes of a pending change.
const (
	CauseSpec  = "Spec"
	CauseDrift = "Drift"
	CauseClass = "Class"
	// CauseRotation is of a password whose period has passed.
	CauseRotation = "Rotation"
)
