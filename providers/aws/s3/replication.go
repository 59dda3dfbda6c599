package s3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type replicationRule = v1alpha1.ReplicationRuleAWS

// The fields of replication, which S3 keeps in one document.
const (
	replicationRole  = "aws.replication.role"
	replicationRules = "aws.replication.rules"
)

// replicationOf returns what a spec wants copied.
func replicationOf(s *v1alpha1.BucketParameters) v1alpha1.BucketReplicationAWS {
	if block := block(s).Replication; block != nil {
		return *block
	}
	return v1alpha1.BucketReplicationAWS{}
}

// replicates reports whether a spec wants anything copied.
func replicates(s *v1alpha1.BucketParameters) bool { return len(replicationOf(s).Rules) > 0 }

// replicationRows are what S3 copies to other buckets. Read takes care that a role alone says nothing.
var replicationRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field(replicationRole,
		func(s *v1alpha1.BucketParameters) *string { return replicationOf(s).Role },
		func(b *bucket) *string { return b.replicationRole },
		func(p *params, v string) { p.replicationRole = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.replicatesBy) }).
		Equal(func(want, have string) bool { return want == have }, "a role without rules says nothing").
		Refers(driver.ReferenceRole),
	table.Shown(table.MembersOf(replicationRules,
		func(s *v1alpha1.BucketParameters) []replicationRule { return replicationOf(s).Rules },
		func(b *bucket) *[]replicationRule { return b.replicationRules },
		func(p *params, m table.Members[replicationRule]) { p.replicationRules = m },
		nameOfRule, alikeReplication,
	).EachOnce().Equal("what is said of a rule or left to its default; rules of other names, which others set, are left alone, and what a rule copied stays where it is").
		RefersIn("bucket", driver.ReferenceBucket).AndIn("encryptionKey", driver.ReferenceKey), sayableReplication),
}

// alikeReplication returns a rule as all are written that mean the same: without what it would have anyway.
func alikeReplication(r replicationRule) replicationRule {
	if aws.ToBool(r.Enabled) {
		r.Enabled = nil
	}
	if aws.ToBool(r.Metrics) == aws.ToBool(r.ReplicationTime) {
		r.Metrics = nil
	}
	if r.EncryptionKey == nil {
		r.KMSEncryptedObjects = unlessFalse(r.KMSEncryptedObjects)
	}
	r.OwnerOverride, r.DeleteMarkers, r.ReplicaModifications = unlessFalse(r.OwnerOverride), unlessFalse(r.DeleteMarkers), unlessFalse(r.ReplicaModifications)
	r.ReplicationTime = unlessFalse(r.ReplicationTime)
	r.Prefix = session.NonEmpty(r.Prefix)
	return r
}

func unlessFalse(b *bool) *bool {
	if !aws.ToBool(b) {
		return nil
	}
	return b
}

// replication reads and writes the document.
type replication aspects

func (b replication) part() table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{replicationRole, replicationRules}, Taken: table.Names{"replicationRole", "replicationRules"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			document, err := b.read(ctx, req.Name)
			if err != nil {
				return err
			}
			rules := make([]replicationRule, 0, len(document.Rules))
			for _, r := range document.Rules {
				rules = append(rules, replicationFrom(r))
			}
			into.replicatesBy, into.replicationRules = new(aws.ToString(document.Role)), &rules
			into.replicationRole = into.replicatesBy
			if !replicates(&req.Spec) { // a role is used by rules
				into.replicationRole = new(aws.ToString(replicationOf(&req.Spec).Role))
			}
			return nil
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, changes []driver.Change) (string, error) {
			return "", adviseReplication(b.write(ctx, req, have.replicationRules != nil, params), changes)
		},
	}
}

// read returns the document: an empty one for a bucket that copies nothing.
func (b replication) read(ctx context.Context, name string) (types.ReplicationConfiguration, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketReplication", b.s3.GetBucketReplication, &s3.GetBucketReplicationInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if session.ErrorCode(err) == "ReplicationConfigurationNotFoundError" {
		return types.ReplicationConfiguration{}, nil
	}
	if err != nil || out.ReplicationConfiguration == nil {
		return types.ReplicationConfiguration{}, err
	}
	return *out.ReplicationConfiguration, nil
}

// write replaces the document by one in which only what changes is another, so it reads it first. A new bucket is known to have none. S3 has no version
// of the document, and takes none without rules: none is a call of its own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html
func (b replication) write(ctx context.Context, req *request, isNew bool, p *params) error {
	if err := checkRules(&req.Spec); err != nil {
		return err
	}
	var document types.ReplicationConfiguration
	if !isNew {
		var err error
		if document, err = b.read(ctx, req.Name); err != nil {
			return err
		}
	}
	had, was := len(document.Rules), aws.ToString(document.Role)
	document.Rules = b.withRules(document.Rules, p.replicationRules)
	if len(document.Rules) == 0 {
		if had == 0 {
			return nil
		}
		_, err := session.Call(ctx, b.Session, "DeleteBucketReplication", b.s3.DeleteBucketReplication, &s3.DeleteBucketReplicationInput{Bucket: &req.Name, ExpectedBucketOwner: b.Owner()})
		return err
	}
	if p.replicationRole != nil || was == "" {
		document.Role = replicationOf(&req.Spec).Role
	}
	if err := mayHaveRole(req, document, was, p.replicationRules.Set); err != nil {
		return err
	}
	_, err := session.Call(ctx, b.Session, "PutBucketReplication", b.s3.PutBucketReplication, &s3.PutBucketReplicationInput{
		Bucket: &req.Name, ExpectedBucketOwner: b.Owner(), ReplicationConfiguration: &document,
	})
	return err
}

// mayHaveRole refuses to have rules of others copy by another role than they did, and rules of ours by another one than the spec has. S3 has one role for
// all: what others set stays as it is, and whoever may name a bucket may not thereby use a role.
func mayHaveRole(req *request, document types.ReplicationConfiguration, was string, set []replicationRule) error {
	role := aws.ToString(document.Role)
	ours := slices.Clone(req.Applied[replicationRules])
	for _, r := range set { // a rule of others may have the name of another one of the spec
		ours = append(ours, r.Name)
	}
	var others []string
	for _, r := range document.Rules {
		if name := aws.ToString(r.ID); !slices.Contains(ours, name) {
			others = append(others, fmt.Sprintf("%q", name))
		}
	}
	switch {
	case was != "" && role != was && len(others) > 0:
		return table.Fields{replicationRole, replicationRules}.Refuse("S3 has one role for all rules of a bucket, and rules that others set (%s) copy by %s: set spec.aws.replication.role to that role, or have these rules removed from the bucket",
			strings.Join(others, ", "), was)
	case replicates(&req.Spec) && role != aws.ToString(replicationOf(&req.Spec).Role):
		return &driver.Error{Code: driver.Busy, Op: "PutBucketReplication", Message: "somebody else has just changed the role by which the bucket copies: it is looked at again"}
	}
	return nil
}

// checkReplicationRole refuses rules without a role, which would copy by whatever role the bucket has.
func checkReplicationRole(spec *v1alpha1.BucketParameters) error {
	if !replicates(spec) || aws.ToString(replicationOf(spec).Role) != "" {
		return nil
	}
	return table.Fields{replicationRules, replicationRole}.Refuse("spec.aws.replication.rules need a role, with which S3 copies objects: set spec.aws.replication.role")
}

// checkRules refuses rules of which S3 would not do what they say: two of one name, and rules without a role.
func checkRules(spec *v1alpha1.BucketParameters) error {
	if err := checkNames(replicationRules, replicationOf(spec).Rules, nameOfRule); err != nil {
		return err
	}
	return checkReplicationRole(spec)
}

// checkReplication refuses rules without a role, two of one name or priority, and rules beside suspended versioning: S3 copies versions.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-requirements.html
func checkReplication(spec *v1alpha1.BucketParameters) error {
	if replicates(spec) && spec.Versioning != nil && *spec.Versioning == v1alpha1.VersioningSuspended {
		return table.Fields{"versioning", replicationRules}.Refuse("spec.aws.replication.rules need versioning, because S3 copies versions of objects: set spec.versioning to Enabled, or spec.aws.replication.rules to []")
	}
	if err := checkRules(spec); err != nil {
		return err
	}
	return checkPriorities(spec)
}

// checkPriorities refuses two rules of one priority, of which S3 could not tell which goes first. The schema can't say it of 1,000 rules.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ReplicationRule.html
func checkPriorities(spec *v1alpha1.BucketParameters) error {
	of := map[int32]string{}
	for _, r := range replicationOf(spec).Rules {
		if r.Priority == nil {
			continue
		}
		if other, twice := of[*r.Priority]; twice {
			return table.Fields{replicationRules}.Refuse("spec.aws.replication.rules has two rules of one priority, %q and %q, and S3 could not tell which goes first: give each rule a priority of its own", other, r.Name)
		}
		of[*r.Priority] = r.Name
	}
	return nil
}

// checkNewReplication also refuses rules of a new bucket whose spec says nothing of versioning: it would have none. Object Lock switches it on.
func checkNewReplication(spec *v1alpha1.BucketParameters) error {
	if replicates(spec) && spec.Versioning == nil && creationLock(spec) == nil {
		return table.Fields{"versioning", replicationRules}.Refuse("spec.aws.replication.rules need versioning, which a new bucket does not have: set spec.versioning to Enabled")
	}
	return checkReplication(spec)
}

// withRules returns rules with what is to become of ours; all others stay as they are, and where they are.
func (b replication) withRules(have []types.ReplicationRule, change table.Members[replicationRule]) []types.ReplicationRule {
	out := slices.DeleteFunc(slices.Clone(have), func(r types.ReplicationRule) bool { return slices.Contains(change.Remove, aws.ToString(r.ID)) })
	for _, r := range change.Set {
		rule := replicationTo(r, policies(b).arn(r.Bucket))
		if at := slices.IndexFunc(out, func(have types.ReplicationRule) bool { return aws.ToString(have.ID) == r.Name }); at >= 0 {
			out[at] = rule
		} else {
			out = append(out, rule)
		}
	}
	return out
}

// replicationTo returns a rule as S3 takes it, in the second version of the schema, which has filters and priorities.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html#replication-backward-compat-considerations
func replicationTo(r replicationRule, bucket string) types.ReplicationRule {
	to := &types.Destination{Bucket: &bucket, Account: r.AccountID, StorageClass: types.StorageClass(aws.ToString(r.StorageClass))}
	if aws.ToBool(r.OwnerOverride) {
		to.AccessControlTranslation = &types.AccessControlTranslation{Owner: types.OwnerOverrideDestination}
	}
	const minutes = 15 // S3 takes no other number
	switch {
	case aws.ToBool(r.ReplicationTime):
		to.ReplicationTime = &types.ReplicationTime{Status: types.ReplicationTimeStatusEnabled, Time: &types.ReplicationTimeValue{Minutes: new(int32(minutes))}}
		to.Metrics = &types.Metrics{Status: types.MetricsStatusEnabled, EventThreshold: &types.ReplicationTimeValue{Minutes: new(int32(minutes))}}
	case aws.ToBool(r.Metrics):
		to.Metrics = &types.Metrics{Status: types.MetricsStatusEnabled}
	}
	rule := types.ReplicationRule{ID: &r.Name, Priority: new(aws.ToInt32(r.Priority)), Status: types.ReplicationRuleStatusEnabled, Filter: replicationFilter(r), Destination: to,
		DeleteMarkerReplication: &types.DeleteMarkerReplication{Status: types.DeleteMarkerReplicationStatusDisabled}}
	if r.Enabled != nil && !*r.Enabled {
		rule.Status = types.ReplicationRuleStatusDisabled
	}
	if aws.ToBool(r.DeleteMarkers) {
		rule.DeleteMarkerReplication.Status = types.DeleteMarkerReplicationStatusEnabled
	}
	var source types.SourceSelectionCriteria
	if r.EncryptionKey != nil {
		to.EncryptionConfiguration = &types.EncryptionConfiguration{ReplicaKmsKeyID: r.EncryptionKey}
		source.SseKmsEncryptedObjects = &types.SseKmsEncryptedObjects{Status: types.SseKmsEncryptedObjectsStatusDisabled}
		if aws.ToBool(r.KMSEncryptedObjects) {
			source.SseKmsEncryptedObjects.Status = types.SseKmsEncryptedObjectsStatusEnabled
		}
	}
	if aws.ToBool(r.ReplicaModifications) {
		source.ReplicaModifications = &types.ReplicaModifications{Status: types.ReplicaModificationsStatusEnabled}
	}
	if source != (types.SourceSelectionCriteria{}) {
		rule.SourceSelectionCriteria = &source
	}
	return rule
}

// replicationFilter returns the objects of a rule as S3 takes them: one condition alone, or several in an element of their own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ReplicationRuleFilter.html
func replicationFilter(r replicationRule) *types.ReplicationRuleFilter {
	tags := s3Tags(session.WantTags(r.Tags))
	prefix := aws.ToString(r.Prefix)
	switch {
	case len(tags) == 1 && prefix == "":
		return &types.ReplicationRuleFilter{Tag: &tags[0]}
	case len(tags) > 0:
		return &types.ReplicationRuleFilter{And: &types.ReplicationRuleAndOperator{Prefix: session.NonEmpty(r.Prefix), Tags: tags}}
	}
	return &types.ReplicationRuleFilter{Prefix: &prefix}
}

// replicationFrom returns a rule of S3 as a spec says it.
func replicationFrom(r types.ReplicationRule) replicationRule {
	rule := replicationRule{Name: aws.ToString(r.ID), Priority: new(aws.ToInt32(r.Priority)), Enabled: new(r.Status == types.ReplicationRuleStatusEnabled)}
	if r.Filter == nil { // of the first version of the schema, which has no priorities, and copies delete markers: no rule of a spec means the same
		rule.Priority, r.DeleteMarkerReplication = nil, &types.DeleteMarkerReplication{Status: types.DeleteMarkerReplicationStatusEnabled}
	}
	rule.Prefix = r.Prefix //nolint:staticcheck // deprecated, and there may be such rules
	var tags []types.Tag
	if f := r.Filter; f != nil {
		rule.Prefix = f.Prefix
		if f.Tag != nil {
			tags = []types.Tag{*f.Tag}
		}
		if f.And != nil {
			rule.Prefix, tags = f.And.Prefix, f.And.Tags
		}
	}
	rule.Tags = specTags(tags)
	if m := r.DeleteMarkerReplication; m != nil {
		rule.DeleteMarkers = new(m.Status == types.DeleteMarkerReplicationStatusEnabled)
	}
	if source := r.SourceSelectionCriteria; source != nil {
		if m := source.ReplicaModifications; m != nil {
			rule.ReplicaModifications = new(m.Status == types.ReplicaModificationsStatusEnabled)
		}
		if objects := source.SseKmsEncryptedObjects; objects != nil {
			rule.KMSEncryptedObjects = new(objects.Status == types.SseKmsEncryptedObjectsStatusEnabled)
		}
	}
	destinationFrom(r.Destination, &rule)
	return alikeReplication(rule)
}

// destinationFrom reads where a rule copies to.
func destinationFrom(to *types.Destination, into *replicationRule) {
	if to == nil {
		return
	}
	into.Bucket, into.AccountID = in(to.Bucket), session.NonEmpty(to.Account)
	if to.StorageClass != "" {
		into.StorageClass = new(string(to.StorageClass))
	}
	if to.EncryptionConfiguration != nil {
		into.EncryptionKey = session.NonEmpty(to.EncryptionConfiguration.ReplicaKmsKeyID)
	}
	into.OwnerOverride = new(to.AccessControlTranslation != nil)
	into.ReplicationTime = new(to.ReplicationTime != nil && to.ReplicationTime.Status == types.ReplicationTimeStatusEnabled)
	into.Metrics = new(to.Metrics != nil && to.Metrics.Status == types.MetricsStatusEnabled)
}

// adviseReplication says what to do about a refusal: S3 judges all rules together, and its words name no field of the spec. The other field of the
// document has nothing wrong, and was not written.
func adviseReplication(err error, changes []driver.Change) error {
	code := driver.CodeOf(err)
	if err == nil || code != driver.Invalid && code != driver.Denied || session.ErrorCode(err) == "" {
		return err
	}
	e, blamed := *session.AsError(err), replicationRules
	advice := "correct spec.aws.replication.rules"
	switch says := session.ErrorMessage(err); {
	case code == driver.Denied:
		blamed, advice = replicationRole, "allow s3:PutReplicationConfiguration on the bucket to this identity, and iam:PassRole on the role in spec.aws.replication.role, which has to be of the account of the bucket; or name another role"
	case strings.HasPrefix(says, "Destination bucket"):
		advice = "each bucket in spec.aws.replication.rules has to exist, to have versioning Enabled, and to be another one than this: make it so, or name another bucket. Mooring tries again by itself. If they are right, " +
			"a rule that somebody else set in the bucket leads nowhere: correct or remove that"
	case strings.HasPrefix(says, "Versioning must be"):
		advice = "the bucket keeps no old versions, which S3 copies: set spec.versioning to Enabled"
	case strings.Contains(says, "priority"):
		advice = "a rule of spec.aws.replication.rules and another one of the bucket, which somebody else may have set, have one priority: give ours another"
	case strings.Contains(strings.ToLower(says), "role"):
		blamed, advice = replicationRole, "set spec.aws.replication.role to the ARN of a role of the account of the bucket"
	case strings.Contains(says, "for this version"):
		advice = "the bucket has rules of others in the first version of S3's schema, beside which it takes none of the second: have them set again with a filter and a priority, or removed"
	}
	e.Message = fmt.Sprintf("%s. Amazon S3 says: %s", advice, e.Message)
	if len(changes) < 2 {
		return &e
	}
	failed := table.FieldErrors{}
	for _, c := range changes {
		why := &e
		if c.Field != blamed {
			why = &driver.Error{Code: code, Op: e.Op, Message: fmt.Sprintf("S3 takes it together with spec.%s, which it refuses", blamed)}
		}
		failed = append(failed, driver.FieldError{Field: c.Field, Err: why})
	}
	return failed
}
