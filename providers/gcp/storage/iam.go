package storage

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"google.golang.org/api/googleapi"
	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// bindings are the roles that a bucket grants: each role of a member by its name, and as a spec says them.
type bindings struct {
	grants map[string]string
	list   []v1alpha1.BucketIAMBinding
}

// granted is the value of every grant: its name says all.
const granted = "granted"

// withCondition stands between a member and the condition in the name of a grant. Neither roles nor members have spaces.
const withCondition = " if "

// A grant is a role of one member.
type grant struct {
	role, member string
	condition    *v1alpha1.IAMCondition
}

// name is how a grant is told from others: by role, member and condition. IAM keeps addresses and domains in lower case.
// https://cloud.google.com/iam/docs/principal-identifiers
func (g grant) name() string {
	name := g.role + " " + g.member
	if kind, rest, found := strings.Cut(g.member, ":"); found && slices.Contains([]string{"user", "serviceAccount", "group", "domain"}, kind) {
		name = g.role + " " + kind + ":" + strings.ToLower(rest)
	}
	if g.condition != nil {
		text, err := json.Marshal(g.condition)
		if err != nil { // a struct of texts has no errors
			text = []byte(err.Error())
		}
		name += withCondition + string(text)
	}
	return name
}

// grantOf reads a name.
func grantOf(name string) (g grant) {
	who, condition, limited := strings.Cut(name, withCondition)
	g.role, g.member, _ = strings.Cut(who, " ")
	if limited {
		g.condition = &v1alpha1.IAMCondition{}
		if err := json.Unmarshal([]byte(condition), g.condition); err != nil {
			g.condition = &v1alpha1.IAMCondition{Expression: condition} // which nobody has
		}
	}
	return g
}

func bindingsOf(list []v1alpha1.BucketIAMBinding) *bindings {
	b := &bindings{grants: map[string]string{}, list: list}
	for _, binding := range list {
		for _, member := range binding.Members {
			b.grants[grant{binding.Role, member, binding.Condition}.name()] = granted
		}
	}
	return b
}

// bindingsRow is the grants of a bucket that are ours. Others own the rest. Its changes wait for no approval: what somebody opened is to be closed at once.
var bindingsRow = table.AsList(table.Entries("gcp.iamBindings",
	func(p *v1alpha1.BucketParameters) map[string]string {
		if list := gcpOf(p).IAMBindings; list != nil {
			return bindingsOf(list).grants
		}
		return nil
	},
	func(b *bucket) map[string]string {
		if b.bindings == nil {
			return nil
		}
		return b.bindings.grants
	},
	func(p *parameters, d table.Delta) { p.IAMBindings = d },
).Equal(func(want, have string) bool { return want == have },
	"by role, member and condition: another order, members of one role in several bindings, upper or lower case of addresses; grants of others"),
	table.Listed[bucket]{Reported: (*bucket).reportedBindings, Refers: driver.ReferencePrincipal, Says: accessChange})

// ofProject is a role that a bucket gives to the basic roles of its project when it is made. Whoever declared it and let it go would take it from the project's owners.
// https://cloud.google.com/storage/docs/access-control/iam#convenience-values
func ofProject(b v1alpha1.BucketIAMBinding) bool {
	return strings.HasPrefix(b.Role, "roles/storage.legacy") && b.Condition == nil &&
		!slices.ContainsFunc(b.Members, func(member string) bool { return !strings.HasPrefix(member, "project") })
}

// reportedBindings are all bindings but those of the project, in the order of roles; nil if there are none.
func (b *bucket) reportedBindings() any {
	list := slices.DeleteFunc(slices.Clone(b.bindings.list), ofProject)
	slices.SortStableFunc(list, func(a, b v1alpha1.BucketIAMBinding) int { return strings.Compare(a.Role, b.Role) })
	if len(list) == 0 {
		return nil
	}
	return list
}

// accessChange says who is let in and who is kept out.
func accessChange(_ map[string]string, d table.Delta) string {
	var lines []string
	for _, name := range d.Names() {
		g := grantOf(name)
		if _, set := d.Set[name]; set {
			lines = append(lines, g.member+" gets "+g.role)
		} else {
			lines = append(lines, g.member+" loses "+g.role)
		}
	}
	return prose.Join(lines)
}

// conditionsVersion is the version of a policy whose bindings may have conditions. A policy that has any is read and written as such, or they would be lost.
// https://cloud.google.com/iam/docs/policies#versions
const conditionsVersion = 3

// bindingsApart is why no other call takes bindings.
const bindingsApart = "they have calls of their own"

// attempts is how often a policy is read and written, if somebody else changes it in between.
const attempts = 3

// policies reads and writes the IAM policies of buckets.
type policies struct{ of *buckets }

// read reads the grants of a bucket.
func (p policies) read(ctx context.Context, req *request, into *bucket) error {
	policy, err := p.policy(ctx, req.Name)
	if err != nil {
		return err
	}
	list := []v1alpha1.BucketIAMBinding{}
	for _, binding := range policy.Bindings {
		list = append(list, v1alpha1.BucketIAMBinding{Role: binding.Role, Members: slices.Sorted(slices.Values(binding.Members)), Condition: conditionFrom(binding.Condition)})
	}
	into.bindings = bindingsOf(list)
	into.bindings.addDeleted(req.Applied["gcp.iamBindings"])
	return nil
}

func conditionFrom(c *raw.Expr) *v1alpha1.IAMCondition {
	if c == nil {
		return nil
	}
	return &v1alpha1.IAMCondition{Title: c.Title, Expression: c.Expression, Description: c.Description}
}

// policy reads the policy of a bucket, with its conditions.
func (p policies) policy(ctx context.Context, name string) (*raw.Policy, error) {
	return paying(p.of, name, func() (*raw.Policy, error) {
		return session.Do(ctx, p.of.Caller, "buckets.getIamPolicy", func(ctx context.Context) (*raw.Policy, error) {
			return p.of.folders.Buckets.GetIamPolicy(name).OptionsRequestedPolicyVersion(conditionsVersion).Context(ctx).Do(p.of.payment(name)...)
		})
	})
}

// write changes grants, and keeps all others. The etag of the policy guards the write: who changed the policy since it was read keeps that.
func (p policies) write(ctx context.Context, req *request, _ *bucket, params *parameters, _ []driver.Change) (string, error) {
	err := adviseBindings(p.grantTo(ctx, req, params.IAMBindings))
	if driver.CodeOf(err) == driver.Denied { // the identity may do all else
		return "", table.FieldErrors{{Field: "gcp.iamBindings", Err: driver.ErrorOf(err)}}
	}
	return "", err
}

// grant changes the policy until nobody else changes it in between.
func (p policies) grant(ctx context.Context, req *request, change table.Delta) (err error) {
	for range attempts {
		var policy *raw.Policy
		if policy, err = p.policy(ctx, req.Name); err != nil {
			return err
		}
		if policy.Etag == "" { // a write without it would overwrite whatever is there
			return &driver.Error{Code: driver.Internal, Op: "buckets.getIamPolicy", Message: "the policy has no etag, so it can't be changed safely"}
		}
		if !changePolicy(policy, change) {
			return nil
		}
		_, err = session.Do(ctx, p.of.Caller, "buckets.setIamPolicy", func(ctx context.Context) (*raw.Policy, error) {
			return p.of.folders.Buckets.SetIamPolicy(req.Name, policy).Context(ctx).Do(p.of.payment(req.Name)...)
		})
		if driver.CodeOf(err) != driver.Busy {
			return err
		}
	}
	return err
}

// changePolicy sets and removes grants, and reports whether that changes anything.
func changePolicy(policy *raw.Policy, d table.Delta) (changed bool) {
	missing := maps.Clone(d.Set)
	for _, binding := range policy.Bindings {
		binding.Members = slices.DeleteFunc(binding.Members, func(member string) bool {
			name := grant{binding.Role, member, conditionFrom(binding.Condition)}.name()
			delete(missing, name)
			remove := slices.Contains(d.Remove, name)
			if was, deleted := deletedMember(member); deleted { // what was granted to an identity before it was deleted goes with the grant, and when one of that name gets it again
				name := grant{binding.Role, was, conditionFrom(binding.Condition)}.name()
				_, again := d.Set[name]
				remove = remove || again || slices.Contains(d.Remove, name)
			}
			changed = changed || remove
			return remove
		})
	}
	policy.Bindings = slices.DeleteFunc(policy.Bindings, func(binding *raw.PolicyBindings) bool { return len(binding.Members) == 0 })
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		addGrant(policy, grantOf(name))
		changed = true
	}
	for _, binding := range policy.Bindings {
		if binding.Condition != nil {
			policy.Version = conditionsVersion
		}
	}
	return changed
}

// addGrant adds a grant to the binding of its role and condition.
func addGrant(policy *raw.Policy, g grant) {
	for _, binding := range policy.Bindings {
		if (grant{binding.Role, g.member, conditionFrom(binding.Condition)}).name() == g.name() {
			binding.Members = append(binding.Members, g.member)
			return
		}
	}
	binding := &raw.PolicyBindings{Role: g.role, Members: []string{g.member}}
	if c := g.condition; c != nil {
		binding.Condition = &raw.Expr{Title: c.Title, Expression: c.Expression, Description: c.Description}
	}
	policy.Bindings = append(policy.Bindings, binding)
}

// wordsOf returns what the cloud says in an error.
func wordsOf(err error) string {
	if answer, ok := errors.AsType[*googleapi.Error](err); ok {
		return session.MessageOf(answer)
	}
	return driver.ErrorOf(err).Message
}

// preventsPublic reports whether a policy was refused because it lets everybody in.
func preventsPublic(err error) bool {
	return err != nil && strings.Contains(wordsOf(err), "public access prevention")
}

// adviseBindings says what to do about a policy that Cloud Storage refuses: its words name no field of the spec.
func adviseBindings(err error) error {
	if err == nil || keptOut(err) || session.OfOrganization(err) {
		return err
	}
	if _, explained := errors.AsType[*table.Unset](err); explained {
		return err
	}
	e := *driver.ErrorOf(err)
	words := wordsOf(err)
	switch {
	case preventsPublic(err):
		e.Code, e.Message = driver.Invalid, "Cloud Storage lets nobody in by allUsers or allAuthenticatedUsers while public access is blocked, by the bucket or by its organization: "+
			"set spec.publicAccess to Allowed, or name other members in spec.gcp.iamBindings. Cloud Storage says: "+words
	case e.Code == driver.Invalid:
		e.Message = "correct spec.gcp.iamBindings (roles and members that exist, conditions only with spec.gcp.uniformAccess and not for legacy roles). Cloud Storage says: " + words
	case e.Code == driver.Denied:
		e.Message = "the identity needs storage.buckets.getIamPolicy and storage.buckets.setIamPolicy for spec.gcp.iamBindings; Cloud Storage says: " + words
	default:
		return err
	}
	return &e
}

// everybody are the members that make a bucket public. https://cloud.google.com/storage/docs/access-control/making-data-public
var everybody = []string{"allUsers", "allAuthenticatedUsers"}

// mostPrincipals is how many principals can have roles for one bucket, those that others let in among them.
// https://cloud.google.com/storage/quotas#buckets
const mostPrincipals = 1500

// checkMembers refuses more principals than can have roles for one bucket.
func checkMembers(spec *v1alpha1.BucketParameters) error {
	principals := map[string]bool{}
	for _, binding := range gcpOf(spec).IAMBindings {
		for _, member := range binding.Members {
			principals[member] = true
		}
	}
	if len(principals) <= mostPrincipals {
		return nil
	}
	return table.Fields{"gcp.iamBindings"}.Refuse("spec.gcp.iamBindings names %d members, and Cloud Storage takes %d for one bucket: let groups in, in place of their members", len(principals), mostPrincipals)
}

// checkBindings refuses more members than there can be, bindings for everybody while public access is blocked, as it is on a new bucket unless its spec says
// otherwise, and conditions where ACLs count. https://cloud.google.com/storage/docs/public-access-prevention
func checkBindings(spec, observed *v1alpha1.BucketParameters) (problems []error) {
	access := spec.PublicAccess
	switch {
	case access != nil:
	case observed == nil:
		access = new(v1alpha1.PublicAccessBlocked)
	default:
		access = observed.PublicAccess
	}
	problems = append(problems, checkMembers(spec))
	for _, binding := range gcpOf(spec).IAMBindings {
		public := slices.ContainsFunc(binding.Members, func(m string) bool { return slices.Contains(everybody, m) })
		if public && access != nil && *access == v1alpha1.PublicAccessBlocked {
			problems = append(problems, table.Fields{"gcp.iamBindings", "publicAccess"}.Refuse("spec.gcp.iamBindings lets everybody in by role %s, which Cloud Storage refuses while public access is "+
				"blocked, as it is on a new bucket: set spec.publicAccess to Allowed, or name other members than allUsers and allAuthenticatedUsers", binding.Role))
		}
		if uniform := gcpOf(spec).UniformAccess; binding.Condition != nil && uniform != nil && !*uniform {
			problems = append(problems, table.Fields{"gcp.iamBindings", "gcp.uniformAccess"}.Refuse("spec.gcp.iamBindings has a condition for role %s, which Cloud Storage takes only where IAM alone decides about "+
				"access: set spec.gcp.uniformAccess to true, or remove the condition", binding.Role))
		}
	}
	return problems
}
