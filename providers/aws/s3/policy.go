package s3

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// policyExact is the mode in which the statements of others go.
const policyExact = "Exact"

// exempt says why a field of a bucket has no row of its own.
var exempt = map[string]string{
	"forceDestroy":                      "it says how to delete the bucket, and is nothing that the bucket has",
	"aws.policyMode":                    "it says whether aws.policy takes away what others set, and is nothing that the bucket has",
	"aws.confirmRemoveSelfBucketAccess": "it says which values aws.policy may have, and is nothing that the bucket has",
}

// reserved are values by which a bucket gives up what protects others, or that nobody can take back.
var reserved = []driver.Reserved{
	{Field: "aws.policyMode", Value: policyExact, Does: "Mooring then removes statements that others set, such as those of the organization"},
	{Field: "aws.confirmRemoveSelfBucketAccess", Value: "true", Does: "the policy may then deny everybody in the account, Mooring included, and only the root user of the account could take it back"},
	portable.LockedRetention("nobody can delete the object versions before their period ends, nor the bucket with them, and the account pays for them until then"),
}

// policyRow is the statements of the bucket policy that are ours. Others own the rest. Its changes wait for no approval: what somebody opened is to be closed at once.
var policyRow = table.AsList(table.Entries("aws.policy",
	func(s *v1alpha1.BucketParameters) map[string]string {
		if statements := block(s).Policy; statements != nil {
			return policyOf(statements).entries
		}
		return nil
	},
	func(b *bucket) map[string]string {
		if b.policy == nil {
			return nil
		}
		return b.policy.entries
	},
	func(p *params, d table.Delta) { p.policy = d },
).
	Exact(func(s *v1alpha1.BucketParameters) bool { return aws.ToString(block(s).PolicyMode) == policyExact }).
	Equal(sameStatement, "statements by `sid`; another order, one text or a list of one, an account id or its ARN, upper or lower case of actions and keys; statements of others, unless `policyMode` is Exact"),
	table.Listed[bucket]{Reported: func(b *bucket) any { return sayableStatements(b.policy.statements) }, Refers: driver.ReferencePrincipal, Says: policyChange, Theirs: keepsOut})

// keepsOut reports whether a statement keeps somebody out. One of others may protect them from whom the spec is by.
func keepsOut(text string) bool {
	s, err := statementOf(text)
	return err != nil || s.Effect == "Deny"
}

// policyChange says who is let in and who is kept out.
func policyChange(present map[string]string, d table.Delta) string {
	var lines []string
	for _, name := range d.Names() {
		before, _ := statementOf(present[name])
		after, _ := statementOf(d.Set[name])
		switch {
		case before.Effect != "" && after.Effect == "Allow" && before.Effect == "Allow", before.Effect == "Deny" && after.Effect == "Deny":
			lines = append(lines, fmt.Sprintf("statement %s %ss %s other requests", name, verb(after.Effect), whom(after)))
		case after.Effect == "Allow":
			lines = append(lines, fmt.Sprintf("statement %s lets %s in", name, whom(after)))
		case after.Effect == "Deny":
			lines = append(lines, fmt.Sprintf("statement %s keeps %s out", name, whom(after)))
		case before.Effect == "Allow":
			lines = append(lines, fmt.Sprintf("without statement %s its principals stay out, unless something else lets them in", name))
		default:
			lines = append(lines, fmt.Sprintf("without statement %s nothing keeps its principals out, if something lets them in", name))
		}
	}
	return prose.Join(lines)
}

func verb(effect string) string { return map[string]string{"Allow": "allow", "Deny": "denie"}[effect] }

// whom says to whom a statement applies.
func whom(s v1alpha1.PolicyStatement) string {
	if s.NotPrincipals != nil {
		return "all but some"
	}
	to := principalsTo(s.Principals)
	if slices.Contains(to["AWS"], "*") {
		return "everybody"
	}
	var names []string
	for _, sort := range slices.Sorted(maps.Keys(to)) {
		names = append(names, to[sort]...)
	}
	return strings.Join(names, ", ")
}

// policies reads and writes the policies of buckets.
type policies aspects

func (b policies) part() table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"aws.policy"}, Taken: table.Names{"policy"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			document, err := b.read(ctx, req.Name)
			if err != nil {
				return err
			}
			statements := make([]v1alpha1.PolicyStatement, 0, len(document.Statement))
			for _, raw := range document.Statement {
				s, err := document.read(raw, req.Name)
				if err != nil {
					return err
				}
				statements = append(statements, s)
			}
			into.policy = policyOf(statements)
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			return "", b.write(ctx, req, have.policy != nil, params.policy)
		},
	}
}

// literal is what stands for variable where it is plain text, in a version that has variables.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html#policy-vars-specialchars
const literal = "${$}{"

// read reads a statement of the policy in the words of policyVersion, which are those of a spec: if somebody brings the policy to a version before, a variable
// in a statement of ours becomes plain text, and that is a difference.
func (p *policyDocument) read(raw json.RawMessage, bucket string) (v1alpha1.PolicyStatement, error) {
	if p.Version != policyVersion {
		raw = bytes.ReplaceAll(raw, []byte(variable), []byte(literal))
	}
	return readStatement(raw, bucket)
}

// readStatement reads a statement of S3.
func readStatement(raw json.RawMessage, bucket string) (v1alpha1.PolicyStatement, error) {
	var s awsStatement
	if err := json.Unmarshal(raw, &s); err != nil {
		return v1alpha1.PolicyStatement{}, &driver.Error{Code: driver.Internal, Op: "GetBucketPolicy", Message: "a statement of the policy can't be read", Err: err}
	}
	return statementFrom(s, bucket), nil
}

// read returns the policy of a bucket; an empty one only if S3 says that there is none.
func (b policies) read(ctx context.Context, name string) (*policyDocument, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketPolicy", b.s3.GetBucketPolicy, &s3.GetBucketPolicyInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if session.ErrorCode(err) == "NoSuchBucketPolicy" {
		return &policyDocument{}, nil
	}
	if err != nil {
		return nil, err
	}
	document := &policyDocument{}
	if err := json.Unmarshal([]byte(aws.ToString(out.Policy)), document); err != nil {
		return nil, &driver.Error{Code: driver.Internal, Op: "GetBucketPolicy", Message: "the policy can't be read", Err: err}
	}
	return document, nil
}

// write changes statements, and keeps all others as they are. S3 replaces the whole policy, and guards it by no version, so what is there is read just
// before; a new bucket is known to have none. S3 takes no policy without a statement: none is a call of its own.
func (b policies) write(ctx context.Context, req *request, isNew bool, change table.Delta) error {
	if err := b.staysOpen(ctx, req, change); err != nil {
		return err
	}
	document := &policyDocument{}
	if !isNew {
		var err error
		if document, err = b.read(ctx, req.Name); err != nil {
			return err
		}
	}
	had := len(document.Statement) > 0
	if err := document.change(req.Name, b.arn(req.Name), change); err != nil {
		return err
	}
	if len(document.Statement) == 0 {
		if !had {
			return nil
		}
		_, err := session.Call(ctx, b.Session, "DeleteBucketPolicy", b.s3.DeleteBucketPolicy, &s3.DeleteBucketPolicyInput{Bucket: &req.Name, ExpectedBucketOwner: b.Owner()})
		return err
	}
	text, err := json.Marshal(document)
	if err != nil {
		return session.Invalid("the policy can't be written: %v", err)
	}
	in := &s3.PutBucketPolicyInput{Bucket: &req.Name, ExpectedBucketOwner: b.Owner(), Policy: aws.String(string(text))}
	if aws.ToBool(block(&req.Spec).ConfirmRemoveSelfBucketAccess) {
		in.ConfirmRemoveSelfBucketAccess = new(true)
	}
	_, err = session.Call(ctx, b.Session, "PutBucketPolicy", b.s3.PutBucketPolicy, in)
	return explainPrincipals(advisePolicy(err, &req.Spec), document, req, change)
}

// arn returns the ARN of a bucket in the partition of the session's region.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
func (b policies) arn(name string) string {
	partition := "aws"
	for prefix, other := range map[string]string{"cn-": "aws-cn", "us-gov-": "aws-us-gov", "eusc-": "aws-eusc", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b", "us-isof-": "aws-iso-f", "eu-isoe-": "aws-iso-e"} {
		if strings.HasPrefix(b.Region, prefix) {
			partition = other
		}
	}
	return "arn:" + partition + ":s3:::" + name
}

// change sets and removes statements by their names. The others stay where they are, as they are.
func (p *policyDocument) change(bucket, arn string, d table.Delta) error {
	kept, variables := policyStatements{}, false
	for _, raw := range p.Statement {
		s, err := p.read(raw, bucket)
		if err != nil {
			return err
		}
		name, _ := statementName(s)
		if _, replaced := d.Set[name]; replaced || slices.Contains(d.Remove, name) {
			continue
		}
		kept, variables = append(kept, raw), variables || strings.Contains(string(raw), variable)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Set)) {
		s, err := statementOf(d.Set[name])
		if err != nil {
			return session.Invalid("statement %s can't be read: %v", name, err)
		}
		raw, err := json.Marshal(statementTo(s, arn))
		if err != nil {
			return session.Invalid("statement %s can't be written: %v", name, err)
		}
		if variables && p.Version != policyVersion && strings.Contains(string(raw), variable) {
			return table.Fields{"aws.policy"}.Refuse("spec.aws.policy has variables (%s) in statement %s, and statements of others have them in a policy of the version before %s, where they are plain text: "+
				"bring that policy to version %[3]s first, or set policyMode to Exact", variable, name, policyVersion)
		}
		kept = append(kept, raw)
	}
	p.Statement = kept
	if !variables { // the version changes nothing of what others mean
		p.Version = policyVersion
	}
	return nil
}

// deletedIdentity is how S3 shows an IAM user or role that was deleted, in the place of its ARN.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
var deletedIdentity = regexp.MustCompile(`^(AIDA|AROA)[A-Z0-9]{12,}$`)

// deletedIn returns the deleted identities that a statement names.
func deletedIn(s v1alpha1.PolicyStatement) (ids []string) {
	for _, who := range []*v1alpha1.PolicyPrincipals{s.Principals, s.NotPrincipals} {
		if who == nil {
			continue
		}
		for _, name := range who.AWS {
			if deletedIdentity.MatchString(name) {
				ids = append(ids, name)
			}
		}
	}
	return ids
}

// explainPrincipals says of a policy that S3 refuses for a principal whose statements are to blame: those of others that name an identity that was deleted, with which S3 takes no
// policy at all. They are not dropped: one may deny something. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html#principal-roles
func explainPrincipals(err error, sent *policyDocument, req *request, change table.Delta) error {
	if session.ErrorCode(err) != "MalformedPolicy" || !strings.Contains(session.ErrorMessage(err), "principal") {
		return err
	}
	var lines []string
	for _, raw := range sent.Statement {
		s, unread := sent.read(raw, req.Name)
		name, _ := statementName(s)
		_, set := change.Set[name]
		if ours := set || slices.Contains(req.Applied["aws.policy"], name); unread != nil || ours || len(deletedIn(s)) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s (%s, which is %s)", name, s.Effect, strings.Join(deletedIn(s), ", ")))
	}
	if len(lines) == 0 {
		return err
	}
	e := *session.AsError(err)
	e.Code, e.Settling = driver.Conflict, false
	e.Message = fmt.Sprintf("nothing of spec.aws.policy can change: S3 takes no policy with an IAM identity that was deleted, and statements that are not this object's name some: %s. Remove those statements, or those principals, from "+
		"the policy of bucket %s (aws s3api get-bucket-policy, then put-bucket-policy); with spec.aws.policyMode Exact, if the class allows it, Mooring removes all statements of others, also those that deny. Amazon S3 says: %s",
		strings.Join(lines, "; "), req.Name, session.Plain(session.ErrorMessage(err)))
	return &table.Unset{Err: &e, Names: slices.Sorted(maps.Keys(change.Set))}
}

// advisePolicy says what to do about a policy that S3 refuses: its words name no field of the spec.
func advisePolicy(err error, spec *v1alpha1.BucketParameters) error {
	if err == nil {
		return nil
	}
	e := *session.AsError(err)
	switch {
	case session.ErrorCode(err) == "AccessDenied" && strings.Contains(err.Error(), "BlockPublicPolicy"):
		e.Code, e.Message = driver.Invalid, `S3 takes no policy that lets everybody in while public access is blocked, by the bucket or by the whole account: set spec.publicAccess to Allowed, or name principals in place of "*" in spec.aws.policy. Amazon S3 says: `+e.Message
		e.Settling = spec.PublicAccess != nil && *spec.PublicAccess == v1alpha1.PublicAccessAllowed // S3 takes seconds to lift a block everywhere
	case driver.CodeOf(err) == driver.Invalid:
		e.Message = "correct spec.aws.policy (principals that exist, actions of S3, resources that suit the actions, at most 20 KB with the statements of others). Amazon S3 says: " + e.Message
	default:
		return err
	}
	return &e
}
