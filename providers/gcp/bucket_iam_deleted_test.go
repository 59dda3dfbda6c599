package gcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A grant of ours whose member was deleted goes with its spec, or its access would be back if the identity is. One of others stays.
func TestGrantOfADeletedMemberGoesWithTheSpec(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	const ours, theirs = "user:ours@example.com", "deleted:user:theirs@example.com?uid=2"
	req := c.newBucket(t, "iam-deleted", granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{ours, "user:stays@example.com"}}))
	req.Applied = c.converge(t, req).Applied
	policy := c.policy(t, req.Name)
	policy.Bindings = append(policy.Bindings, &storage.PolicyBindings{Role: "roles/storage.objectAdmin", Members: []string{theirs}})
	c.setPolicy(t, req.Name, policy)
	c.DeleteMember(ours, "1")

	req.Spec = granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:stays@example.com"}})
	c.converge(t, req)
	for _, binding := range c.policy(t, req.Name).Bindings {
		if binding.Role == viewer && !slices.Equal(binding.Members, []string{"user:stays@example.com"}) || binding.Role == "roles/storage.objectAdmin" && !slices.Equal(binding.Members, []string{theirs}) {
			t.Errorf("%s is granted to %v", binding.Role, binding.Members)
		}
	}
}

// However many members are missing, one write makes a bounded number of calls, and says which ones it found.
func TestManyMissingMembers(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	binding := v1alpha1.BucketIAMBinding{Role: viewer}
	for i := range 30 {
		member := fmt.Sprintf("user:gone-%02d@example.com", i)
		c.DeleteMember(member, "1")
		binding.Members = append(binding.Members, member)
	}
	req := c.newBucket(t, "iam-missing", granting(binding))
	changes := c.observed(t, req).Changes
	c.forget()
	result, err := drivertest.Buckets(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Message, "user:gone-00@example.com, ") || len(result.Failed[0].Unset) == 0 {
		t.Fatalf("%v, %+v", err, result.Failed)
	}
	if calls := c.Ledger.Count(localcloud.Filter{Operation: "buckets.setIamPolicy"}); calls > 20 {
		t.Errorf("%d calls", calls)
	}
}
