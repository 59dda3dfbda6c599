package localcloud

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// secretsService is AWS Secrets Manager, for those who read a password that RDS manages. It has one call, and no secrets but those of RDS. No recording shows any
// of it: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html.
type secretsService struct{ cloud *Cloud }

func init() { awsServices["secretsmanager"] = func(c *Cloud) awsDialect { return &secretsService{c} } }

// A secretsCall is one call to AWS Secrets Manager.
type secretsCall struct {
	*secretsService
	caller    awsCaller
	operation string
	in        struct{ SecretId, VersionId, VersionStage string }
	malformed error
}

const secretsTarget = "secretsmanager."

func (s *secretsService) identify(caller awsCaller, r *http.Request, body []byte) (Call, service) {
	c := &secretsCall{secretsService: s, caller: caller, operation: strings.TrimPrefix(r.Header.Get("X-Amz-Target"), secretsTarget)}
	c.malformed = json.Unmarshal(body, &c.in)
	return Call{Service: "secretsmanager", Operation: c.operation, Resource: c.in.SecretId, Write: c.operation != "GetSecretValue"}, c
}

func (s *secretsService) write(e *awsError, _ *http.Request) reply {
	body, _ := json.Marshal(map[string]string{"__type": e.code, "Message": e.message})
	return reply{status: e.status, header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, body: body, code: e.code}
}

func (s *secretsService) fail(kind FaultKind, _ Call) reply {
	return s.write(queryFault(kind, "InvalidRequestException"), nil)
}

func (c *secretsCall) act(_ *Call, r *http.Request, _ []byte, _ FaultKind) reply {
	switch {
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1" || c.malformed != nil:
		return c.write(awsErr(http.StatusBadRequest, "SerializationException", "the request is no JSON of the protocol 1.1"), r)
	case c.operation != "GetSecretValue":
		return c.write(awsErr(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+c.operation), r)
	case c.in.VersionId != "" || c.in.VersionStage != "" && c.in.VersionStage != "AWSCURRENT":
		return c.write(awsErr(http.StatusNotImplemented, "NotImplemented", "the local cloud has the current version of a secret only"), r)
	}
	in := c.found()
	if in == nil {
		return c.write(awsErr(http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret."), r)
	}
	value, _ := json.Marshal(map[string]string{"username": *in.db.MasterUsername, "password": in.secret.password})
	arn := *in.db.MasterUserSecret.SecretArn
	name := arn[strings.LastIndex(arn, ":")+1:]
	body, _ := json.Marshal(map[string]any{
		"ARN": arn, "Name": name[:strings.LastIndex(name, "-")], "SecretString": string(value), "VersionStages": []string{"AWSCURRENT"},
		"CreatedDate": float64(c.cloud.opts.Now().UnixMilli()) / float64(time.Second/time.Millisecond),
	})
	return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, body: body}
}

// found returns the instance of the caller's account and region with the secret that the call names by its ARN; nil if there is none that can be read.
func (c *secretsCall) found() *rdsInstance {
	s := c.cloud.aws.services["rds"].(*rdsService)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(c.cloud.opts.Now())
	for key, p := range s.instances {
		in := p.read(false)
		if in == nil || key.account != c.caller.account || key.region != c.caller.region || in.db.MasterUserSecret == nil || in.secret.password == "" {
			continue
		}
		if aws.ToString(in.db.MasterUserSecret.SecretArn) == c.in.SecretId {
			return in
		}
	}
	return nil
}
