package rds

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// takenRoles remembers which roles were taken from instances to associate others, or the same ones anew: by the id of an instance and the feature.
type takenRoles struct {
	mu  sync.Mutex
	all map[string]map[string]takenRole
}

// A takenRole was taken away at a time. arn is empty once the feature has a role again.
type takenRole struct {
	arn string
	at  time.Time
}

func (t *takenRoles) of(have *instance, feature string) takenRole {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[aws.ToString(have.DbiResourceId)][feature]
}

func (t *takenRoles) note(have *instance, feature string, taken takenRole) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := aws.ToString(have.DbiResourceId)
	if t.all == nil {
		t.all = map[string]map[string]takenRole{}
	}
	if t.all[id] == nil {
		t.all[id] = map[string]takenRole{}
	}
	t.all[id][feature] = taken
}

// replaced notes that a feature has a role again.
func (t *takenRoles) replaced(have *instance, feature string) {
	if taken := t.of(have, feature); taken.arn != "" {
		t.note(have, feature, takenRole{at: taken.at})
	}
}

func (t *takenRoles) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, id)
}

// again returns the roles that a spec declares, that a server can't assume, and that were not associated since a person asked. RDS is not known to look at a role
// by itself after its trust policy was corrected.
func (t *takenRoles) again(ctx context.Context, req *request, have *instance) (again []v1alpha1.AssociatedRole) {
	for _, r := range have.AssociatedRoles {
		role := roleFrom(r)
		if isUnusable(&req.Spec, have, role) && table.AskedSince(ctx, t.of(have, role.FeatureName).at) {
			again = append(again, role)
		}
	}
	return again
}

// isUnusable reports whether a spec declares a role that a server has and can't assume.
func isUnusable(spec *databaseSpec, have *instance, role v1alpha1.AssociatedRole) bool {
	for _, r := range have.AssociatedRoles {
		if roleFrom(r) == role && aws.ToString(r.Status) == roleInvalid {
			return slices.Contains(awsOf(spec).AssociatedRoles, role)
		}
	}
	return false
}

// withRolesAgain adds to changes that roles are associated anew. Other changes of roles come first.
func withRolesAgain(have *instance, changes []driver.Change) []driver.Change {
	if len(have.rolesAgain) == 0 || slices.Contains(driver.Names(changes), fieldRoles) {
		return changes
	}
	c := driver.Change{
		Field: fieldRoles, Entries: true, Effect: driver.Online, Why: "the server can't assume it, and somebody asked for a reconciliation",
		From: table.TextOf(have.rolesAgain) + " (" + roleInvalid + ")", To: table.TextOf(have.rolesAgain),
	}
	for _, role := range have.rolesAgain {
		c.Names = append(c.Names, role.FeatureName)
	}
	slices.Sort(c.Names)
	c.Drifted = c.Names // no edit asked for it
	return append(slices.Clone(changes), c)
}
