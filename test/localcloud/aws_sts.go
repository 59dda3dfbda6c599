package localcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
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
	cloud *Cloud
	keys  *awsKeyring
}

// An stsCall is one call to STS.
type stsCall struct {
	*stsService
	caller awsCaller
	form   url.Values
}

var stsActions = map[string]queryAction[*stsCall]{
	"GetCallerIdentity": action((*stsCall).getCallerIdentity),
	"AssumeRole":        action((*stsCall).assumeRole, "RoleArn", "RoleSessionName", "ExternalId", "DurationSeconds", "Tags", "TransitiveTagKeys"),
}

// identify calls nothing a write: STS changes nothing that anybody could observe.
func (s *stsService) identify(caller awsCaller, _ *http.Request, body []byte) (Call, service) {
	form, _ := url.ParseQuery(string(body))
	c := &stsCall{stsService: s, caller: caller, form: form}
	return Call{Service: "sts", Operation: form.Get("Action"), Resource: form.Get("RoleArn")}, c
}

func (s *stsService) write(e *awsError, _ *http.Request) reply { return queryFailure(stsNamespace, e) }

func (s *stsService) fail(kind FaultKind, _ Call) reply {
	return queryFailure(stsNamespace, queryFault(kind, "Conflict"))
}

// queryFault says a fault in the dialect of the Query services.
func queryFault(kind FaultKind, conflict string) *awsError {
	switch kind {
	case Throttled:
		return awsErr(http.StatusBadRequest, "Throttling", "Rate exceeded")
	case Denied:
		return awsErr(http.StatusForbidden, "AccessDenied", "User is not authorized to perform this action")
	case Conflict:
		return awsErr(http.StatusBadRequest, conflict, "The resource is not in a state that allows this")
	default:
		return awsErr(http.StatusInternalServerError, "InternalFailure", "The request processing has failed because of an unknown error, exception or failure.")
	}
}

func (c *stsCall) act(_ *Call, _ *http.Request, _ []byte, _ FaultKind) reply {
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

// pickAction finds the action that a form names.
func pickAction[Q any](actions map[string]queryAction[Q], form url.Values, version string) (queryAction[Q], *awsError) {
	name := form.Get("Action")
	if name == "" {
		return nil, awsErr(http.StatusBadRequest, "MissingAction", "The request must contain an action.")
	}
	if form.Get("Version") != version {
		return nil, awsErr(http.StatusBadRequest, "NoSuchVersion", "The requested version is not supported: "+form.Get("Version"))
	}
	do, ok := actions[name]
	if !ok {
		return nil, awsErr(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+name)
	}
	return do, nil
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

// assumeRole hands out a session of at most an hour, the limit of a role that sets none.
func (c *stsCall) assumeRole(in *sts.AssumeRoleInput) (any, error) {
	arn, session := aws.ToString(in.RoleArn), aws.ToString(in.RoleSessionName)
	role := roleARN.FindStringSubmatch(arn)
	if role == nil {
		return nil, awsErr(http.StatusBadRequest, "ValidationError", arn+" is invalid")
	}
	if !sessionName.MatchString(session) {
		return nil, awsErr(http.StatusBadRequest, "ValidationError", "Value at 'roleSessionName' failed to satisfy constraint: "+sessionName.String())
	}
	seconds := int32(3600)
	if in.DurationSeconds != nil {
		seconds = *in.DurationSeconds
	}
	if seconds < 900 || seconds > 3600 {
		return nil, awsErr(http.StatusBadRequest, "ValidationError", "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
	}
	if externalID, ok := c.keys.role(arn); !ok || externalID != aws.ToString(in.ExternalId) {
		return nil, awsErr(http.StatusForbidden, "AccessDenied",
			fmt.Sprintf("User: %s is not authorized to perform: sts:AssumeRole on resource: %s", c.caller.arn, arn))
	}
	roleID := "AROA" + keyText(arn)
	assumed := awsCaller{
		account: role[1],
		arn:     fmt.Sprintf("arn:aws:sts::%s:assumed-role/%s/%s", role[1], role[2], session),
		userID:  roleID + ":" + session,
	}
	expires := c.cloud.opts.Now().Add(time.Duration(seconds) * time.Second).UTC().Truncate(time.Second)
	key := c.keys.session(assumed, expires)
	return &sts.AssumeRoleOutput{
		AssumedRoleUser: &ststypes.AssumedRoleUser{Arn: aws.String(assumed.arn), AssumedRoleId: aws.String(assumed.userID)},
		Credentials: &ststypes.Credentials{
			AccessKeyId: aws.String(key.id), SecretAccessKey: aws.String(key.secret),
			SessionToken: aws.String(key.token), Expiration: aws.Time(expires),
		},
	}, nil
}

// lastOfARN returns what an ARN names, or the name itself if it is none.
func lastOfARN(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }
