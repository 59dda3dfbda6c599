package amazon

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// maxAWSBody bounds a request: enough for configuration and the small objects of tests.
const maxAWSBody = 64 << 20

// awsRegions are the regions that this cloud has.
var awsRegions = []string{
	"us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1",
	"eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-west-1", "eu-west-2", "eu-west-3",
	"ap-east-1", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1", "ap-southeast-2",
	"af-south-1", "me-central-1", "me-south-1",
}

// Endpoint is the AWS endpoint: it verifies the signature and hands the call to the service that the
// credential scope names.
type Endpoint struct {
	cloud *cloud.Shared
	keys  *Keyring
	// Services are by the name that a credential scope has for them.
	Services map[string]Dialect
}

// NewEndpoint returns the endpoint of services, which are by the names that a credential scope has for them.
func NewEndpoint(c *cloud.Shared, keys *Keyring, services map[string]Dialect) *Endpoint {
	return &Endpoint{cloud: c, keys: keys, Services: services}
}

// An Error is what a service answers in place of a result. Each dialect writes it its own way.
type Error struct {
	Status  int
	Code    string
	Message string
	Header  http.Header // beside the dialect's own
	Detail  [][2]string // more elements of an S3 error
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Err returns an error of a service.
func Err(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

// AsError makes sure that a service answers in its dialect whatever went wrong.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Err(http.StatusInternalServerError, "InternalError", err.Error())
}

// An Dialect is one AWS service as the endpoint sees it.
type Dialect interface {
	// Identify names a call and returns what will answer it.
	Identify(caller Caller, r *http.Request, body []byte) (traffic.Call, cloud.Service)
	// Write renders an error of the call that r makes.
	Write(e *Error, r *http.Request) cloud.Reply
}

// refused answers a call whose signature did not hold. The call still passes the faults and the
// ledger, as every call must.
type refused struct {
	cloud.Service
	dialect Dialect
	err     *Error
}

// Act implements cloud.Service.
func (f refused) Act(_ *traffic.Call, r *http.Request, _ []byte, _ traffic.Fault) cloud.Reply {
	return f.dialect.Write(f.err, r)
}

// ServeHTTP implements http.Handler.
func (a *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAWSBody))
	if err != nil {
		http.Error(w, "the local cloud takes at most 64 MiB a request", http.StatusRequestEntityTooLarge)
		return
	}
	signature, err := parseSignature(r)
	dialect := a.dialect(signature.service, r)
	var caller Caller
	unsigned := dialect == a.Services["sts"] && isWebIdentity(r, body)
	switch {
	case unsigned:
		err = nil
	case err == nil:
		caller, body, err = a.verify(signature, r, body)
	}
	call, service := dialect.Identify(caller, r, body)
	call.Account, call.Caller, call.Key, call.Region, call.Tags = caller.Account, caller.ARN, caller.Key, caller.Region, caller.Tags
	if err == nil && caller.denied && call.Operation != "GetCallerIdentity" { // which nothing can forbid
		err = Err(http.StatusForbidden, "AccessDenied", fmt.Sprintf(
			"User: %s is not authorized to perform: %s:%s with an explicit deny in an identity-based policy", caller.ARN, call.Service, call.Operation))
	}
	if err != nil {
		service = refused{service, dialect, signature.translate(AsError(err))}
	}
	a.cloud.Serve(w, r, body, call, service)
}

// dialect returns the service that a credential scope names. A call without a scope is judged by its form.
func (a *Endpoint) dialect(service string, r *http.Request) Dialect {
	if service == "" && r.Method == http.MethodPost && isForm(r) {
		return a.Services["sts"]
	}
	if named := a.Services[service]; named != nil {
		return named
	}
	return a.Services["s3"]
}

func isForm(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

// KnownRegion reports whether this cloud has a region.
func KnownRegion(region string) bool { return slices.Contains(awsRegions, region) }

// isWebIdentity reports whether a call is the one that needs no signature, because the token in it says who calls.
func isWebIdentity(r *http.Request, body []byte) bool {
	form, err := url.ParseQuery(string(body))
	return err == nil && isForm(r) && form.Get("Action") == "AssumeRoleWithWebIdentity"
}
