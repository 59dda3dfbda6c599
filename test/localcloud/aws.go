package localcloud

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
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

// awsCloud is the AWS endpoint: it verifies the signature and hands the call to the service that the
// credential scope names.
type awsCloud struct {
	cloud *Shared
	keys  *awsKeyring
	// services are by the name that a credential scope has for them.
	services map[string]awsDialect
}

func newAWSCloud(c *Shared, keys *awsKeyring, services map[string]awsDialect) *awsCloud {
	return &awsCloud{cloud: c, keys: keys, services: services}
}

// An awsError is what a service answers in place of a result. Each dialect writes it its own way.
type awsError struct {
	status  int
	code    string
	message string
	header  http.Header // beside the dialect's own
	detail  [][2]string // more elements of an S3 error
}

func (e *awsError) Error() string { return e.code + ": " + e.message }

func awsErr(status int, code, message string) *awsError {
	return &awsError{status: status, code: code, message: message}
}

// asAWSError makes sure that a service answers in its dialect whatever went wrong.
func asAWSError(err error) *awsError {
	if e, ok := errors.AsType[*awsError](err); ok {
		return e
	}
	return awsErr(http.StatusInternalServerError, "InternalError", err.Error())
}

// An awsDialect is one AWS service as the endpoint sees it.
type awsDialect interface {
	// identify names a call and returns what will answer it.
	identify(caller awsCaller, r *http.Request, body []byte) (Call, service)
	// write renders an error of the call that r makes.
	write(e *awsError, r *http.Request) reply
}

// refused answers a call whose signature did not hold. The call still passes the faults and the
// ledger, as every call must.
type refused struct {
	service
	dialect awsDialect
	err     *awsError
}

func (f refused) act(_ *Call, r *http.Request, _ []byte, _ Fault) reply {
	return f.dialect.write(f.err, r)
}

func (a *awsCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAWSBody))
	if err != nil {
		http.Error(w, "the local cloud takes at most 64 MiB a request", http.StatusRequestEntityTooLarge)
		return
	}
	signature, err := parseSignature(r)
	dialect := a.dialect(signature.service, r)
	var caller awsCaller
	unsigned := dialect == a.services["sts"] && isWebIdentity(r, body)
	switch {
	case unsigned:
		err = nil
	case err == nil:
		caller, body, err = a.verify(signature, r, body)
	}
	call, service := dialect.identify(caller, r, body)
	call.Account, call.Caller, call.Key, call.Region, call.Tags = caller.account, caller.arn, caller.key, caller.region, caller.tags
	if err == nil && caller.denied && call.Operation != "GetCallerIdentity" { // which nothing can forbid
		err = awsErr(http.StatusForbidden, "AccessDenied", fmt.Sprintf(
			"User: %s is not authorized to perform: %s:%s with an explicit deny in an identity-based policy", caller.arn, call.Service, call.Operation))
	}
	if err != nil {
		service = refused{service, dialect, signature.translate(asAWSError(err))}
	}
	a.cloud.serve(w, r, body, call, service)
}

// dialect returns the service that a credential scope names. A call without a scope is judged by its form.
func (a *awsCloud) dialect(service string, r *http.Request) awsDialect {
	if service == "" && r.Method == http.MethodPost && isForm(r) {
		return a.services["sts"]
	}
	if named := a.services[service]; named != nil {
		return named
	}
	return a.services["s3"]
}

func isForm(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

func knownRegion(region string) bool { return slices.Contains(awsRegions, region) }

// isWebIdentity reports whether a call is the one that needs no signature, because the token in it says who calls.
func isWebIdentity(r *http.Request, body []byte) bool {
	form, err := url.ParseQuery(string(body))
	return err == nil && isForm(r) && form.Get("Action") == "AssumeRoleWithWebIdentity"
}
