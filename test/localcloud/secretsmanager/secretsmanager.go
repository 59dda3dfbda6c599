package secretsmanager

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// Service is AWS Secrets Manager, for those who read a password that RDS manages. It has one call, and no secrets but those of RDS. No recording shows any
// of it: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html.
type Service struct {
	cloud *cloud.Shared
	rds   *rds.Service
}

// New returns Secrets Manager, which has the secrets of RDS.
func New(c *cloud.Shared, instances *rds.Service) *Service {
	return &Service{cloud: c, rds: instances}
}

// A call is one call to AWS Secrets Manager.
type call struct {
	*Service
	caller    amazon.Caller
	operation string
	in        struct{ SecretId, VersionId, VersionStage string }
	malformed error
}

const secretsTarget = "secretsmanager."

// Identify implements amazon.Dialect.
func (s *Service) Identify(caller amazon.Caller, r *http.Request, body []byte) (traffic.Call, cloud.Service) {
	c := &call{Service: s, caller: caller, operation: strings.TrimPrefix(r.Header.Get("X-Amz-Target"), secretsTarget)}
	c.malformed = json.Unmarshal(body, &c.in)
	return traffic.Call{Service: "secretsmanager", Operation: c.operation, Resource: c.in.SecretId, Write: c.operation != "GetSecretValue"}, c
}

// Write implements amazon.Dialect.
func (s *Service) Write(e *amazon.Error, _ *http.Request) cloud.Reply {
	body, _ := json.Marshal(map[string]string{"__type": e.Code, "Message": e.Message})
	return cloud.Reply{Status: e.Status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, Body: body, Code: e.Code}
}

// Fail implements cloud.Service.
func (s *Service) Fail(fault traffic.Fault, _ traffic.Call) cloud.Reply {
	return s.Write(amazon.QueryFault(fault, "InvalidRequestException"), nil)
}

// Act implements cloud.Service.
func (c *call) Act(_ *traffic.Call, r *http.Request, _ []byte, _ traffic.Fault) cloud.Reply {
	switch {
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1" || c.malformed != nil:
		return c.Write(amazon.Err(http.StatusBadRequest, "SerializationException", "the request is no JSON of the protocol 1.1"), r)
	case c.operation != "GetSecretValue":
		return c.Write(amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+c.operation), r)
	case c.in.VersionId != "" || c.in.VersionStage != "" && c.in.VersionStage != "AWSCURRENT":
		return c.Write(amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud has the current version of a secret only"), r)
	}
	arn, user, password, ok := c.rds.Secret(c.caller, c.in.SecretId)
	if !ok {
		return c.Write(amazon.Err(http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret."), r)
	}
	value, _ := json.Marshal(map[string]string{"username": user, "password": password})
	name := arn[strings.LastIndex(arn, ":")+1:]
	body, _ := json.Marshal(map[string]any{
		"ARN": arn, "Name": name[:strings.LastIndex(name, "-")], "SecretString": string(value), "VersionStages": []string{"AWSCURRENT"},
		"CreatedDate": float64(c.cloud.Options.Now().UnixMilli()) / float64(time.Second/time.Millisecond),
	})
	return cloud.Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, Body: body}
}
