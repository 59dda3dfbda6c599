package localcloud

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// secretsService is AWS Secrets Manager, for those who read a password that RDS manages. It has one call, and no secrets but those of RDS. No recording shows any
// of it: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html.
type secretsService struct {
	cloud *Shared
	rds   *rdsService
}

func newSecretsService(c *Shared, instances *rdsService) *secretsService {
	return &secretsService{cloud: c, rds: instances}
}

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

func (s *secretsService) fail(fault Fault, _ Call) reply {
	return s.write(queryFault(fault, "InvalidRequestException"), nil)
}

func (c *secretsCall) act(_ *Call, r *http.Request, _ []byte, _ Fault) reply {
	switch {
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1" || c.malformed != nil:
		return c.write(awsErr(http.StatusBadRequest, "SerializationException", "the request is no JSON of the protocol 1.1"), r)
	case c.operation != "GetSecretValue":
		return c.write(awsErr(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+c.operation), r)
	case c.in.VersionId != "" || c.in.VersionStage != "" && c.in.VersionStage != "AWSCURRENT":
		return c.write(awsErr(http.StatusNotImplemented, "NotImplemented", "the local cloud has the current version of a secret only"), r)
	}
	arn, user, password, ok := c.rds.secret(c.caller, c.in.SecretId)
	if !ok {
		return c.write(awsErr(http.StatusBadRequest, "ResourceNotFoundException", "Secrets Manager can't find the specified secret."), r)
	}
	value, _ := json.Marshal(map[string]string{"username": user, "password": password})
	name := arn[strings.LastIndex(arn, ":")+1:]
	body, _ := json.Marshal(map[string]any{
		"ARN": arn, "Name": name[:strings.LastIndex(name, "-")], "SecretString": string(value), "VersionStages": []string{"AWSCURRENT"},
		"CreatedDate": float64(c.cloud.opts.Now().UnixMilli()) / float64(time.Second/time.Millisecond),
	})
	return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, body: body}
}
