package localcloud

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	ststypes "github.com/aws/aws-sdk-go-v2/service/sts/types"
)

const (
	stsNamespace = "https://sts.amazonaws.com/doc/2011-06-15/"
	stsVersion   = "2011-06-15"
)

// stsService says who a caller is and hands out temporary keys.
type stsService struct {
	cloud *Shared
	keys  *awsKeyring
}

func newSTSService(c *Shared, keys *awsKeyring) *stsService { return &stsService{cloud: c, keys: keys} }

// An stsCall is one call to STS.
type stsCall struct {
	*stsService
	caller awsCaller
	form   url.Values
}

var stsActions = map[string]queryAction[*stsCall]{
	"GetCallerIdentity":         action((*stsCall).getCallerIdentity),
	"AssumeRole":                action((*stsCall).assumeRole, "RoleArn", "RoleSessionName", "ExternalId", "DurationSeconds", "Tags", "TransitiveTagKeys"),
	"AssumeRoleWithWebIdentity": action((*stsCall).assumeRoleWithWebIdentity, "RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds"),
}

// identify calls nothing a write: STS changes nothing that anybody could observe.
func (s *stsService) identify(caller awsCaller, _ *http.Request, body []byte) (Call, service) {
	form, _ := url.ParseQuery(string(body))
	c := &stsCall{stsService: s, caller: caller, form: form}
	return Call{Service: "sts", Operation: form.Get("Action"), Resource: form.Get("RoleArn")}, c
}

func (s *stsService) write(e *awsError, _ *http.Request) reply { return queryFailure(stsNamespace, e) }

func (s *stsService) fail(fault Fault, _ Call) reply {
	return queryFailure(stsNamespace, queryFault(fault, "Conflict"))
}

func (c *stsCall) act(_ *Call, _ *http.Request, _ []byte, _ Fault) reply {
	name := c.form.Get("Action")
	do, err := pickAction(stsActions, c.form, stsVersion)
	if err != nil {
		return queryFailure(stsNamespace, err)
	}
	output, failed := do(c, c.form)
	if failed != nil {
		return queryFailure(stsNamespace, asAWSError(failed))
	}
	return queryReply(stsNamespace, name, output)
}

func (c *stsCall) getCallerIdentity(*sts.GetCallerIdentityInput) (any, error) {
	return &sts.GetCallerIdentityOutput{
		Account: aws.String(c.caller.account), Arn: aws.String(c.caller.arn), UserId: aws.String(c.caller.userID),
	}, nil
}

var (
	roleARN     = regexp.MustCompile(`^arn:aws:iam::([0-9]{12}):role/(?:[\w+=,.@/-]+/)?([\w+=,.@-]{1,64})$`)
	sessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

func (c *stsCall) assumeRole(in *sts.AssumeRoleInput) (any, error) {
	tags := map[string]string{}
	for _, key := range c.caller.transitive {
		tags[key] = c.caller.tags[key]
	}
	passed := map[string]string{}
	for _, tag := range in.Tags {
		if key := aws.ToString(tag.Key); slices.Contains(c.caller.transitive, key) {
			return nil, awsErr(http.StatusBadRequest, "InvalidParameterValue",
				"One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.")
		}
		passed[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	maps.Copy(tags, passed)
	arn := aws.ToString(in.RoleArn)
	if missing := c.keys.role(arn).admits(c.caller, aws.ToString(in.ExternalId), passed); missing != "" {
		return nil, awsErr(http.StatusForbidden, "AccessDenied",
			fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s", c.caller.arn, missing, arn))
	}
	assumed := awsCaller{key: c.caller.key, tags: tags, transitive: slices.Concat(c.caller.transitive, in.TransitiveTagKeys)}
	user, credentials, err := c.begin(assumed, in.DurationSeconds, AWSSession{
		Role: arn, Name: aws.ToString(in.RoleSessionName), By: c.caller.arn, ExternalID: aws.ToString(in.ExternalId), Tags: tags,
	})
	if err != nil {
		return nil, err
	}
	return &sts.AssumeRoleOutput{AssumedRoleUser: user, Credentials: credentials}, nil
}

// stsAudience is whom tokens of web identities are for.
const stsAudience = "sts.amazonaws.com"

func (c *stsCall) assumeRoleWithWebIdentity(in *sts.AssumeRoleWithWebIdentityInput) (any, error) {
	token, err := c.cloud.issuers.verify(aws.ToString(in.WebIdentityToken), stsAudience)
	switch {
	case errors.Is(err, errIssuer):
		return nil, awsErr(http.StatusBadRequest, "InvalidIdentityToken", "No OpenIDConnect provider found in your account for "+token.issuer)
	case errors.Is(err, errExpired):
		return nil, awsErr(http.StatusBadRequest, "ExpiredTokenException",
			fmt.Sprintf("Token expired: current date/time %d must be before the expiration date/time", time.Now().Unix()))
	case errors.Is(err, errAudience):
		return nil, awsErr(http.StatusBadRequest, "InvalidIdentityToken", "Incorrect token audience")
	case err != nil:
		return nil, awsErr(http.StatusBadRequest, "InvalidIdentityToken", "Couldn't verify the signature of the token")
	}
	arn := aws.ToString(in.RoleArn)
	if trust := c.keys.role(arn); trust.Issuer != token.issuer || !slices.Contains(trust.Subjects, token.subject) {
		return nil, awsErr(http.StatusForbidden, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity")
	}
	user, credentials, err := c.begin(awsCaller{}, in.DurationSeconds, AWSSession{Role: arn, Name: aws.ToString(in.RoleSessionName), By: token.subject})
	if err != nil {
		return nil, err
	}
	return &sts.AssumeRoleWithWebIdentityOutput{
		AssumedRoleUser: user, Credentials: credentials, Audience: aws.String(stsAudience),
		Provider: aws.String(token.issuer), SubjectFromWebIdentityToken: aws.String(token.subject),
	}, nil
}

// begin hands out a session of at most an hour, the limit of a role that sets none, and of every role that is assumed from
// another.
func (c *stsCall) begin(assumed awsCaller, duration *int32, s AWSSession) (*ststypes.AssumedRoleUser, *ststypes.Credentials, error) {
	role := roleARN.FindStringSubmatch(s.Role)
	if role == nil {
		return nil, nil, awsErr(http.StatusBadRequest, "ValidationError", s.Role+" is invalid")
	}
	if !sessionName.MatchString(s.Name) {
		return nil, nil, awsErr(http.StatusBadRequest, "ValidationError", "Value at 'roleSessionName' failed to satisfy constraint: "+sessionName.String())
	}
	seconds := int32(3600)
	if duration != nil {
		seconds = *duration
	}
	if seconds < 900 || seconds > 3600 {
		return nil, nil, awsErr(http.StatusBadRequest, "ValidationError", "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
	}
	s.Issued = c.cloud.opts.SessionNow().UTC()
	s.Expires = s.Issued.Add(time.Duration(seconds) * time.Second).Truncate(time.Millisecond)
	assumed.account, assumed.role = role[1], s.Role
	assumed.arn = fmt.Sprintf("arn:aws:sts::%s:assumed-role/%s/%s", role[1], role[2], s.Name)
	assumed.userID = "AROA" + keyText(s.Role) + ":" + s.Name
	key := c.keys.session(assumed, s)
	return &ststypes.AssumedRoleUser{Arn: aws.String(assumed.arn), AssumedRoleId: aws.String(assumed.userID)}, &ststypes.Credentials{
		AccessKeyId: aws.String(key.id), SecretAccessKey: aws.String(key.secret),
		SessionToken: aws.String(key.token), Expiration: aws.Time(s.Expires),
	}, nil
}
