package s3

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// wayBack are the calls without which Mooring can't take a policy back: the first one sees the bucket at all.
var wayBack = []string{"s3:GetBucketTagging", "s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy"}

// certainty is whether something holds.
type certainty int

const (
	never     certainty = iota
	byCaller            // it depends on the caller, who is not known
	possibly            // it depends on what only a request shows
	certainly           //
)

// all is whether several things hold together.
func all(of ...certainty) certainty {
	if slices.Contains(of, never) {
		return never
	}
	return slices.Min(append(of, certainly))
}

// denies says whether a statement denies the caller one of the calls that it needs to take the policy back.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func denies(s v1alpha1.PolicyStatement, who caller) certainty {
	if s.Effect != "Deny" || !ofBucket(s) {
		return never
	}
	matches := func(action string) bool {
		is := func(pattern string) bool { return covers(strings.ToLower(pattern), strings.ToLower(action)) }
		if s.NotActions != nil {
			return !slices.ContainsFunc(s.NotActions, is)
		}
		return slices.ContainsFunc(s.Actions, is)
	}
	if !slices.ContainsFunc(wayBack, matches) {
		return never
	}
	holds := []certainty{appliesTo(s, who)}
	for _, c := range s.When {
		holds = append(holds, conditionHolds(c, who))
	}
	return all(holds...)
}

// ofBucket reports whether a statement is about the bucket itself, and not only about objects.
func ofBucket(s v1alpha1.PolicyStatement) bool {
	if s.NotResources != nil {
		return !slices.Contains(s.NotResources, "/")
	}
	return s.Resources == nil || slices.ContainsFunc(s.Resources, func(r string) bool { return !strings.HasPrefix(r, "/") || r == "/" })
}

// appliesTo says whether the caller is one of the principals of a statement.
func appliesTo(s v1alpha1.PolicyStatement, who caller) certainty {
	if s.NotPrincipals != nil { // it spares a role only if it also names the account and, of a session, the session
		return possibly
	}
	to := principalsTo(s.Principals)
	if len(to["Federated"]) > 0 { // Mooring may be one of them
		return max(possibly, namesCaller(to["AWS"], who))
	}
	return namesCaller(to["AWS"], who)
}

const lockedOut = "spec.aws.policy denies Mooring, or may deny it, %s by statement %s, so that nobody but the root user of the account could take the policy back: " +
	"take s3:GetBucketTagging, s3:GetBucketPolicy, s3:PutBucketPolicy and s3:DeleteBucketPolicy out of its actions, or add a condition ArnNotLike on aws:PrincipalArn " +
	"with the ARN of Mooring's role (where no provider config names that role, with both arn:aws:iam::ACCOUNT:role/NAME and arn:aws:iam::ACCOUNT:role/*/NAME, because AWS does not " +
	"tell Mooring the path of its role), or set spec.aws.confirmRemoveSelfBucketAccess to true"

// checkLockout refuses a policy that locks Mooring out, as far as that does not depend on who Mooring is.
func checkLockout(spec *v1alpha1.BucketParameters) error {
	if aws.ToBool(block(spec).ConfirmRemoveSelfBucketAccess) {
		return nil
	}
	for _, s := range block(spec).Policy {
		if denies(s, caller{}) > byCaller {
			return lockout(s.Sid)
		}
	}
	return nil
}

func lockout(sid string) error {
	return table.Fields{"aws.policy", "aws.confirmRemoveSelfBucketAccess"}.Refuse(lockedOut, "the calls by which it sees the bucket and its policy", sid)
}

// staysOpen refuses to set a statement that locks Mooring out. Who Mooring is, AWS is asked only if it matters. In a store of another maker any statement may:
// in versitygw the owner of a bucket may do what its policy allows, and nothing else.
func (b policies) staysOpen(ctx context.Context, req *request, change table.Delta) error {
	switch {
	case aws.ToBool(block(&req.Spec).ConfirmRemoveSelfBucketAccess):
		return nil
	case b.S3Compatible() && len(change.Set) > 0:
		return table.Fields{"aws.policy", "aws.confirmRemoveSelfBucketAccess"}.Refuse("an S3-compatible store may let nobody in whom the policy does not name, Mooring included: " +
			"remove spec.aws.policy, or set spec.aws.confirmRemoveSelfBucketAccess to true if this store lets the owner of a bucket in whatever its policy says")
	}
	for _, name := range change.Names() {
		s, err := statementOf(change.Set[name])
		if err != nil {
			continue // it is to go
		}
		who := caller{plain: strings.HasPrefix(aws.ToString(b.Config.BaseEndpoint), "http:"), role: b.Role}
		at := denies(s, who)
		if at == byCaller {
			if who.arn, err = session.CallerARN(ctx, b.Session); err != nil {
				return err
			}
			if at = denies(s, who); at == byCaller { // AWS did not say who Mooring is
				at = possibly
			}
		}
		if at > byCaller {
			return lockout(s.Sid)
		}
	}
	return nil
}

// narrowing are the keys by which a statement for everybody is not public, if they are bound to fixed values.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status
var narrowing = []string{
	"aws:principalorgid", "aws:principalorgpaths", "aws:principalaccount", "aws:principalarn", "aws:sourcearn", "aws:sourceaccount", "aws:sourceowner", "aws:sourceip",
	"aws:sourcevpc", "aws:sourcevpce", "aws:userid", "aws:vpcsourceip", "s3:dataaccesspointaccount", "s3:dataaccesspointarn",
}

// public reports whether a statement lets everybody in for all that can be told here. S3 knows more cases.
func public(s v1alpha1.PolicyStatement) bool {
	return s.Effect == "Allow" && s.Principals != nil && slices.Contains(s.Principals.AWS, "*") &&
		!slices.ContainsFunc(s.When, func(c v1alpha1.PolicyCondition) bool { return slices.Contains(narrowing, strings.ToLower(c.Key)) })
}

// checkPublicPolicy refuses a policy for everybody while public access is blocked, as it is on a new bucket unless its spec says otherwise. S3 would deny it.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
func checkPublicPolicy(spec, observed *v1alpha1.BucketParameters) error {
	access := spec.PublicAccess
	switch {
	case access != nil:
	case observed == nil:
		access = new(v1alpha1.PublicAccessBlocked)
	default:
		access = observed.PublicAccess
	}
	if access == nil || *access != v1alpha1.PublicAccessBlocked {
		return nil
	}
	for _, s := range block(spec).Policy {
		if public(s) {
			return table.Fields{"aws.policy", "publicAccess"}.Refuse(`spec.aws.policy lets everybody in by statement %s, which S3 refuses while public access is blocked, as it is on a new bucket: `+
				`set spec.publicAccess to Allowed, or name principals in place of "*"`, s.Sid)
		}
	}
	return nil
}
