package sts

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

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/oidc"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

const (
	stsNamespace = "https://sts.amazonaws.com/doc/2011-06-15/"
	stsVersion   = "2011-06-15"
)

// Service says who a caller is and hands out temporary keys.
type Service struct {
	cloud *cloud.Shared
	keys  *amazon.Keyring
}

// New returns STS, which knows who has the keys of a keyring.
func New(c *cloud.Shared, keys *amazon.Keyring) *Service { return &Service{cloud: c, keys: keys} }

// A call is one call to STS.
type call struct {
	*Service
	caller amazon.Caller
	form   url.Values
}

var stsActions = map[string]amazon.QueryAction[*call]{
	"GetCallerIdentity":         amazon.Action((*call).getCallerIdentity),
	"AssumeRole":                amazon.Action((*call).assumeRole, "RoleArn", "RoleSessionName", "ExternalId", "DurationSeconds", "Tags", "TransitiveTagKeys"),
	"AssumeRoleWithWebIdentity": amazon.Action((*call).assumeRoleWithWebIdentity, "RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds"),
}

// Identify calls nothing a write: STS changes nothing that anybody could observe.
func (s *Service) Identify(caller amazon.Caller, _ *http.Request, body []byte) (traffic.Call, cloud.Service) {
	form, _ := url.ParseQuery(string(body))
	c := &call{Service: s, caller: caller, form: form}
	return traffic.Call{Service: "sts", Operation: form.Get("Action"), Resource: form.Get("RoleArn")}, c
}

// Write implements amazon.Dialect.
func (s *Service) Write(e *amazon.Error, _ *http.Request) cloud.Reply {
	return amazon.QueryFailure(stsNamespace, e)
}

// Fail implements cloud.Service.
func (s *Service) Fail(fault traffic.Fault, _ traffic.Call) cloud.Reply {
	return amazon.QueryFailure(stsNamespace, amazon.QueryFault(fault, "Conflict"))
}

// Act implements cloud.Service.
func (c *call) Act(_ *traffic.Call, _ *http.Request, _ []byte, _ traffic.Fault) cloud.Reply {
	name := c.form.Get("Action")
	do, err := amazon.PickAction(stsActions, c.form, stsVersion)
	if err != nil {
		return amazon.QueryFailure(stsNamespace, err)
	}
	output, failed := do(c, c.form)
	if failed != nil {
		return amazon.QueryFailure(stsNamespace, amazon.AsError(failed))
	}
	return amazon.QueryReply(stsNamespace, name, output)
}

func (c *call) getCallerIdentity(*sts.GetCallerIdentityInput) (any, error) {
	return &sts.GetCallerIdentityOutput{
		Account: aws.String(c.caller.Account), Arn: aws.String(c.caller.ARN), UserId: aws.String(c.caller.UserID),
	}, nil
}

var (
	roleARN     = regexp.MustCompile(`^arn:aws:iam::([0-9]{12}):role/(?:[\w+=,.@/-]+/)?([\w+=,.@-]{1,64})$`)
	sessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

func (c *call) assumeRole(in *sts.AssumeRoleInput) (any, error) {
	tags := map[string]string{}
	for _, key := range c.caller.Transitive {
		tags[key] = c.caller.Tags[key]
	}
	passed := map[string]string{}
	for _, tag := range in.Tags {
		if key := aws.ToString(tag.Key); slices.Contains(c.caller.Transitive, key) {
			return nil, amazon.Err(http.StatusBadRequest, "InvalidParameterValue",
				"One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.")
		}
		passed[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	maps.Copy(tags, passed)
	arn := aws.ToString(in.RoleArn)
	if missing := c.keys.Role(arn).Admits(c.caller, aws.ToString(in.ExternalId), passed); missing != "" {
		return nil, amazon.Err(http.StatusForbidden, "AccessDenied",
			fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s", c.caller.ARN, missing, arn))
	}
	assumed := amazon.Caller{Key: c.caller.Key, Tags: tags, Transitive: slices.Concat(c.caller.Transitive, in.TransitiveTagKeys)}
	user, credentials, err := c.begin(assumed, in.DurationSeconds, amazon.Session{
		Role: arn, Name: aws.ToString(in.RoleSessionName), By: c.caller.ARN, ExternalID: aws.ToString(in.ExternalId), Tags: tags,
	})
	if err != nil {
		return nil, err
	}
	return &sts.AssumeRoleOutput{AssumedRoleUser: user, Credentials: credentials}, nil
}

// StsAudience is whom tokens of web identities are for.
const StsAudience = "sts.amazonaws.com"

func (c *call) assumeRoleWithWebIdentity(in *sts.AssumeRoleWithWebIdentityInput) (any, error) {
	token, err := c.cloud.Issuers.Verify(aws.ToString(in.WebIdentityToken), StsAudience)
	switch {
	case errors.Is(err, oidc.ErrIssuer):
		return nil, amazon.Err(http.StatusBadRequest, "InvalidIdentityToken", "No OpenIDConnect provider found in your account for "+token.Issuer)
	case errors.Is(err, oidc.ErrExpired):
		return nil, amazon.Err(http.StatusBadRequest, "ExpiredTokenException",
			fmt.Sprintf("Token expired: current date/time %d must be before the expiration date/time", time.Now().Unix()))
	case errors.Is(err, oidc.ErrAudience):
		return nil, amazon.Err(http.StatusBadRequest, "InvalidIdentityToken", "Incorrect token audience")
	case err != nil:
		return nil, amazon.Err(http.StatusBadRequest, "InvalidIdentityToken", "Couldn't verify the signature of the token")
	}
	arn := aws.ToString(in.RoleArn)
	if trust := c.keys.Role(arn); trust.Issuer != token.Issuer || !slices.Contains(trust.Subjects, token.Subject) {
		return nil, amazon.Err(http.StatusForbidden, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity")
	}
	user, credentials, err := c.begin(amazon.Caller{}, in.DurationSeconds, amazon.Session{Role: arn, Name: aws.ToString(in.RoleSessionName), By: token.Subject})
	if err != nil {
		return nil, err
	}
	return &sts.AssumeRoleWithWebIdentityOutput{
		AssumedRoleUser: user, Credentials: credentials, Audience: aws.String(StsAudience),
		Provider: aws.String(token.Issuer), SubjectFromWebIdentityToken: aws.String(token.Subject),
	}, nil
}

// begin hands out a session of at most an hour, the limit of a role that sets none, and of every role that is assumed from
// another.
func (c *call) begin(assumed amazon.Caller, duration *int32, s amazon.Session) (*ststypes.AssumedRoleUser, *ststypes.Credentials, error) {
	role := roleARN.FindStringSubmatch(s.Role)
	if role == nil {
		return nil, nil, amazon.Err(http.StatusBadRequest, "ValidationError", s.Role+" is invalid")
	}
	if !sessionName.MatchString(s.Name) {
		return nil, nil, amazon.Err(http.StatusBadRequest, "ValidationError", "Value at 'roleSessionName' failed to satisfy constraint: "+sessionName.String())
	}
	seconds := int32(3600)
	if duration != nil {
		seconds = *duration
	}
	if seconds < 900 || seconds > 3600 {
		return nil, nil, amazon.Err(http.StatusBadRequest, "ValidationError", "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
	}
	s.Issued = c.cloud.Options.SessionNow().UTC()
	s.Expires = s.Issued.Add(time.Duration(seconds) * time.Second).Truncate(time.Millisecond)
	assumed.Account, assumed.Role = role[1], s.Role
	assumed.ARN = fmt.Sprintf("arn:aws:sts::%s:assumed-role/%s/%s", role[1], role[2], s.Name)
	assumed.UserID = "AROA" + amazon.KeyText(s.Role) + ":" + s.Name
	key := c.keys.Session(assumed, s)
	return &ststypes.AssumedRoleUser{Arn: aws.String(assumed.ARN), AssumedRoleId: aws.String(assumed.UserID)}, &ststypes.Credentials{
		AccessKeyId: aws.String(key.ID), SecretAccessKey: aws.String(key.Secret),
		SessionToken: aws.String(key.Token), Expiration: aws.Time(s.Expires),
	}, nil
}
