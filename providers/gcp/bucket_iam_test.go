package gcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// isOfProject reports whether a binding is one that every new bucket of a project has.
func isOfProject(b *storage.PolicyBindings) bool {
	return strings.HasPrefix(b.Role, "roles/storage.legacyBucket")
}

// bindingEntries reaches the grants of a bucket, without those of its project's own roles.
func (c *cloud) bindingEntries() drivertest.Entries {
	in := fieldedit.IAMEntries()
	in.Of = func(t testing.TB, name string) map[string]string {
		var list []v1alpha1.BucketIAMBinding
		for _, b := range c.policy(t, name).Bindings {
			if !isOfProject(b) {
				list = append(list, v1alpha1.BucketIAMBinding{Role: b.Role, Members: b.Members})
			}
		}
		return fieldedit.Grants(list)
	}
	in.Set = func(t testing.TB, name string, grants map[string]string) {
		policy := c.policy(t, name)
		policy.Bindings = slices.DeleteFunc(policy.Bindings, func(b *storage.PolicyBindings) bool { return !isOfProject(b) })
		for _, b := range fieldedit.BindingsOf(grants) {
			policy.Bindings = append(policy.Bindings, &storage.PolicyBindings{Role: b.Role, Members: b.Members})
		}
		c.setPolicy(t, name, policy)
	}
	return in
}

func (c *cloud) policy(t testing.TB, name string) *storage.Policy {
	t.Helper()
	policy, err := c.storage.Buckets.GetIamPolicy(name).OptionsRequestedPolicyVersion(3).UserProject(project).Do()
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func (c *cloud) setPolicy(t testing.TB, name string, policy *storage.Policy) {
	t.Helper()
	if _, err := c.storage.Buckets.SetIamPolicy(name, policy).UserProject(project).Do(); err != nil {
		t.Fatal(err)
	}
}

func granting(bindings ...v1alpha1.BucketIAMBinding) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{IAMBindings: bindings}}
}

// newBucket makes a bucket, and converge leads it to its spec.
func (c *cloud) newBucket(t testing.TB, name string, spec v1alpha1.BucketParameters) bucketRequest {
	t.Helper()
	_, req := c.madeBucket(t, name)
	req.Spec = spec
	return req
}

func (c *cloud) observed(t testing.TB, req bucketRequest) driver.Observation {
	t.Helper()
	seen, err := drivertest.Buckets(c.open(t)).Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func (c *cloud) converge(t testing.TB, req bucketRequest) driver.Observation {
	t.Helper()
	for range 3 {
		seen := c.observed(t, req)
		if len(seen.Changes) == 0 {
			return seen
		}
		if result, err := drivertest.Buckets(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) > 0 {
			t.Fatalf("update: %v, failed %v", err, result.Failed)
		}
	}
	t.Fatal("it does not settle")
	return driver.Observation{}
}

const viewer = "roles/storage.objectViewer"

// Grants of others survive every change, conditions among them, and so does the version that these need.
func TestBindingsKeepThoseOfOthers(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := c.newBucket(t, "iam-others", v1alpha1.BucketParameters{})
	theirs := &storage.PolicyBindings{Role: viewer, Members: []string{"user:theirs@example.com"}, Condition: &storage.Expr{Title: "until", Expression: `request.time < timestamp("2030-01-01T00:00:00Z")`}}
	policy := c.policy(t, req.Name)
	policy.Version, policy.Bindings = 3, append(policy.Bindings, theirs)
	c.setPolicy(t, req.Name, policy)
	before := len(policy.Bindings)
	ours := &v1alpha1.IAMCondition{Title: "reports", Expression: `resource.name.startsWith("projects/_/buckets/iam-others/objects/reports/")`}
	for _, step := range []struct {
		spec v1alpha1.BucketParameters
		more []*storage.PolicyBindings
	}{
		{granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:Jane@Example.com"}}), []*storage.PolicyBindings{{Role: viewer, Members: []string{"user:jane@example.com"}}}},
		{granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:jane@example.com"}, Condition: ours}),
			[]*storage.PolicyBindings{{Role: viewer, Members: []string{"user:jane@example.com"}, Condition: &storage.Expr{Title: ours.Title, Expression: ours.Expression}}}},
		{granting(), nil},
		{granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:a@example.com", "user:b@example.com"}}), []*storage.PolicyBindings{{Role: viewer, Members: []string{"user:a@example.com", "user:b@example.com"}}}},
		{v1alpha1.BucketParameters{}, nil},
	} {
		req.Spec = step.spec
		req.Applied = c.converge(t, req).Applied
		got := c.policy(t, req.Name)
		if got.Version != 3 || len(got.Bindings) != before+len(step.more) {
			t.Fatalf("version %d, %d bindings; want 3 and %d", got.Version, len(got.Bindings), before+len(step.more))
		}
		if diff := cmp.Diff(append([]*storage.PolicyBindings{theirs}, step.more...), got.Bindings[before-1:]); diff != "" {
			t.Errorf("bindings (-want +got):\n%s", diff)
		}
	}
}

// The first condition of a bucket brings the version that it needs.
func TestFirstConditionOfABucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := c.newBucket(t, "iam-condition", granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:jane@example.com"}, Condition: &v1alpha1.IAMCondition{Title: "a", Expression: "true"}}))
	c.converge(t, req)
	if got := c.policy(t, req.Name).Version; got != 3 {
		t.Errorf("the policy has version %d, want 3", got)
	}
}

// Somebody else who changes the policy at the same time keeps the change: the write is made again with what is there then.
func TestBindingsBesideAnotherWriter(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := c.newBucket(t, "iam-race", v1alpha1.BucketParameters{})
	req.Spec = granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:jane@example.com"}})
	changes := c.observed(t, req).Changes
	theirs := &storage.PolicyBindings{Role: viewer, Members: []string{"user:theirs@example.com"}}
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.getIamPolicy"}, Kind: localcloud.Latency, Times: 1, Hook: func(localcloud.Call) {
		policy := c.policy(t, req.Name)
		policy.Bindings = append(policy.Bindings, theirs)
		c.setPolicy(t, req.Name, policy)
	}})
	result, err := drivertest.Buckets(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("update: %v, failed %v", err, result.Failed)
	}
	bindings := c.policy(t, req.Name).Bindings
	if got := bindings[len(bindings)-1].Members; !slices.Equal(got, []string{"user:theirs@example.com", "user:jane@example.com"}) {
		t.Errorf("members %q, want theirs and ours", got)
	}
}

// A policy that can't be read is none of ours to change.
func TestBindingsThatCannotBeRead(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := c.newBucket(t, "iam-unread", v1alpha1.BucketParameters{})
	req.Spec = granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:jane@example.com"}})
	changes := c.observed(t, req).Changes
	for _, kind := range []localcloud.FaultKind{localcloud.Denied, localcloud.Throttled, localcloud.ServerError} {
		lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.getIamPolicy"}, Kind: kind})
		result, err := drivertest.Buckets(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: changes})
		if err == nil && len(result.Failed) == 0 {
			t.Errorf("%v: the policy was written", kind)
		}
		if seen, err := drivertest.Buckets(c.open(t)).Observe(t.Context(), req); err != nil || len(seen.Unreadable) != 1 || seen.Unreadable[0].Field != "gcp.iamBindings" {
			t.Errorf("%v: observed with %v, unreadable %v", kind, err, seen.Unreadable)
		}
		lift()
	}
}

// Cloud Storage lets nobody in by allUsers while public access is blocked. That is refused by the field, before it is sent where it is known and with advice where
// Cloud Storage says so.
func TestPublicBindingsBesideBlockedAccess(t *testing.T) {
	public := granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"allUsers"}})
	for name, tt := range map[string]struct {
		spec    v1alpha1.BucketParameters
		access  *v1alpha1.PublicAccess
		uniform *bool
		refused bool
	}{
		"blocked":                 {public, new(v1alpha1.PublicAccessBlocked), nil, true},
		"as a new bucket is":      {public, nil, nil, true},
		"allowed":                 {public, new(v1alpha1.PublicAccessAllowed), nil, false},
		"somebody":                {granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:a@example.com"}}), nil, nil, false},
		"a condition beside ACLs": {granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:a@example.com"}, Condition: &v1alpha1.IAMCondition{Title: "a", Expression: "true"}}), nil, new(false), true},
		"a condition":             {granting(v1alpha1.BucketIAMBinding{Role: viewer, Members: []string{"user:a@example.com"}, Condition: &v1alpha1.IAMCondition{Title: "a", Expression: "true"}}), nil, new(true), false},
	} {
		spec := *tt.spec.DeepCopy()
		spec.PublicAccess, spec.GCP.UniformAccess = tt.access, tt.uniform
		raw, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := gcp.New(gcp.Options{}).Check("Bucket", driver.Draft{Spec: raw}); err != nil || len(got) > 0 != tt.refused {
			t.Errorf("%s: refused with %v, %v; want %v", name, got, err, tt.refused)
		}
	}
	c := newCloud(t, localcloud.Durations{})
	req := c.newBucket(t, "iam-public", v1alpha1.BucketParameters{})
	req.Spec = public
	result, err := drivertest.Buckets(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: c.observed(t, req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Error(), "set spec.publicAccess to Allowed") {
		t.Errorf("%v, failed %v; want gcp.iamBindings, Invalid, with advice", err, result.Failed)
	}
}
