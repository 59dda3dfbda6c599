package storage

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var (
	gcsMembers = regexp.MustCompile(`^(allUsers|allAuthenticatedUsers|(user|serviceAccount|group|domain|projectOwner|projectEditor|projectViewer|principal|principalSet|deleted):.+)$`)
	gcsRoles   = regexp.MustCompile(`^(roles/storage\.[A-Za-z]+|(projects|organizations)/[^/]+/roles/[A-Za-z0-9_.]+)$`)
)

// defaultPolicy is what a new bucket grants: its project's basic roles.
func defaultPolicy(project, bucket string) *storage.Policy {
	return &storage.Policy{
		Kind: "storage#policy", ResourceId: "projects/_/buckets/" + bucket, Version: 1,
		Bindings: []*storage.PolicyBindings{
			{Role: "roles/storage.legacyBucketOwner", Members: []string{"projectEditor:" + project, "projectOwner:" + project}},
			{Role: "roles/storage.legacyBucketReader", Members: []string{"projectViewer:" + project}},
		},
	}
}

func (s *Service) getIAMPolicy(r *google.Request) (any, error) {
	_, state, err := s.find(r, "storage.buckets.getIamPolicy")
	if err != nil {
		return nil, err
	}
	version := 1
	if asked := r.URL.Query().Get("optionsRequestedPolicyVersion"); asked != "" {
		if version, err = strconv.Atoi(asked); err != nil || version < 1 || version > 3 || version == 2 {
			return nil, google.Invalid("Invalid policy version: " + asked)
		}
	}
	if state.policy.Version > int64(version) {
		return nil, google.Err(http.StatusBadRequest, "invalid", "The policy has conditions and must be requested with version 3.")
	}
	return state.policy, nil
}

// testIAMPermissions returns those of the permissions that the caller has: in a bucket of its project all but the one that a blind caller lacks. No recording shows it.
// https://cloud.google.com/storage/docs/json_api/v1/buckets/testIamPermissions
func (s *Service) testIAMPermissions(r *google.Request) (any, error) {
	if _, _, err := s.find(r, "storage.buckets.get"); err != nil {
		return nil, err
	}
	asked := r.URL.Query()["permissions"]
	if len(asked) == 0 {
		return nil, google.Err(http.StatusBadRequest, "required", "Required parameter: permissions")
	}
	has := slices.DeleteFunc(slices.Clone(asked), func(permission string) bool {
		return r.Caller.Caller.Blind && permission == "storage.buckets.getIpFilter"
	})
	return &storage.TestIamPermissionsResponse{Kind: "storage#testIamPermissionsResponse", Permissions: has}, nil
}

func (s *Service) setIAMPolicy(r *google.Request) (any, error) {
	b, state, err := s.find(r, "storage.buckets.setIamPolicy")
	if err != nil {
		return nil, err
	}
	_, policy, err := google.ParseResource[storage.Policy](r.Body)
	if err != nil {
		return nil, err
	}
	if policy.Etag != "" && policy.Etag != state.policy.Etag {
		return nil, google.ErrConditionNotMet
	}
	if policy.Version == 0 {
		policy.Version = 1
	}
	members := 0
	for _, binding := range policy.Bindings {
		members += len(binding.Members)
		if err := admitsCondition(state.resource, binding); err != nil {
			return nil, err
		}
		lowerMembers(binding)
		if !gcsRoles.MatchString(binding.Role) {
			return nil, google.Invalid(fmt.Sprintf("Role (%s) does not exist in the resource's hierarchy.", binding.Role))
		}
		if binding.Condition != nil && policy.Version != 3 {
			return nil, google.Invalid("A policy with conditions must have version 3.")
		}
		for _, m := range binding.Members {
			if !gcsMembers.MatchString(m) {
				return nil, google.Invalid("Invalid argument: unknown member " + m)
			}
		}
	}
	if members > 1500 { // each as often as it is named: https://cloud.google.com/iam/quotas#limits
		return nil, google.Invalid(fmt.Sprintf("The number of members in the policy (%d) is larger than the maximum allowed size 1,500.", members))
	}
	if err := cmp.Or(s.admitsMembers(policy), admitsPolicy(state.resource, policy)); err != nil {
		return nil, err
	}
	policy.Kind, policy.ResourceId = state.policy.Kind, state.policy.ResourceId
	policy.Bindings = slices.DeleteFunc(policy.Bindings, func(b *storage.PolicyBindings) bool { return len(b.Members) == 0 })
	b.commit(r, &gcsState{resource: google.Cloned(state.resource), policy: policy})
	return b.now.policy, nil
}

// admitsCondition refuses a condition where ACLs count, for a legacy role, and for everybody. No recording shows the refusals: the rules are those that Google documents, the
// words the stand-in's own. https://cloud.google.com/storage/docs/access-control/iam#conditions
func admitsCondition(resource google.Object, binding *storage.PolicyBindings) error {
	if binding.Condition == nil {
		return nil
	}
	uniform := google.Typed[storage.Bucket](resource).IamConfiguration.UniformBucketLevelAccess.Enabled
	public := slices.Contains(binding.Members, "allUsers") || slices.Contains(binding.Members, "allAuthenticatedUsers")
	switch {
	case binding.Condition.Title == "" || binding.Condition.Expression == "":
		return google.Invalid("A condition must have a title and an expression.")
	case !uniform:
		return google.Invalid("Conditions are allowed only on buckets with uniform bucket-level access.")
	case strings.HasPrefix(binding.Role, "roles/storage.legacy") || public:
		return google.Invalid("Conditions are not allowed for legacy roles, allUsers and allAuthenticatedUsers.")
	}
	return nil
}

// lowerMembers writes addresses and domains in lower case, as IAM does. No recording shows it.
func lowerMembers(binding *storage.PolicyBindings) {
	for i, member := range binding.Members {
		kind, rest, found := strings.Cut(member, ":")
		if found && slices.Contains([]string{"user", "serviceAccount", "group", "domain"}, kind) {
			binding.Members[i] = kind + ":" + strings.ToLower(rest)
		}
	}
}

// admitsPolicy refuses to make a bucket public that is kept from it. The other way round is
// allowed: prevention overrules the bindings that are there.
func admitsPolicy(resource google.Object, policy *storage.Policy) error {
	if google.Member(resource, "iamConfiguration")["publicAccessPrevention"] != "enforced" {
		return nil
	}
	for _, binding := range policy.Bindings {
		if slices.Contains(binding.Members, "allUsers") || slices.Contains(binding.Members, "allAuthenticatedUsers") {
			return google.Err(http.StatusPreconditionFailed, "conditionNotMet",
				"The member bindings allUsers and allAuthenticatedUsers are not allowed since public access prevention is enforced.")
		}
	}
	return nil
}
