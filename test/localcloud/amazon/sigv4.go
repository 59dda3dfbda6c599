package amazon

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Of version 4 of the signatures: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
const (
	sigAlgorithm    = "AWS4-HMAC-SHA256"
	sigTimeFormat   = "20060102T150405Z"
	sigMaxSkew      = 15 * time.Minute
	UnsignedPayload = "UNSIGNED-PAYLOAD"
	UnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
)

// A signature is the Authorization header of a call, taken apart.
type signature struct {
	key, date, region, service string
	headers                    []string
	value                      string
}

// translate says an error of signing the way the service does: S3 has codes of its own.
func (s signature) translate(e *Error) *Error {
	if s.service == "rds" || s.service == "sts" {
		return e
	}
	codes := map[string]string{
		"InvalidClientTokenId":       "InvalidAccessKeyId",
		"MissingAuthenticationToken": "AccessDenied",
		"IncompleteSignature":        "AuthorizationHeaderMalformed",
		"SignatureExpired":           "RequestTimeTooSkewed",
	}
	translated := *e
	if code, ok := codes[e.Code]; ok {
		translated.Code = code
	}
	if e.Code == "ExpiredToken" {
		translated.Status = http.StatusBadRequest
	}
	return &translated
}

// parseSignature reads the Authorization header. Its service is set whenever it can be told, so that
// the error is written in the right dialect.
func parseSignature(r *http.Request) (signature, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return signature{}, Err(http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token")
	}
	malformed := Err(http.StatusBadRequest, "IncompleteSignature", "The authorization header that you provided is not valid.")
	rest, ok := strings.CutPrefix(header, sigAlgorithm)
	if !ok {
		return signature{}, malformed
	}
	parts := map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	scope := strings.Split(parts["Credential"], "/")
	if len(scope) != 5 {
		return signature{}, malformed
	}
	s := signature{
		key: scope[0], date: scope[1], region: scope[2], service: scope[3],
		headers: strings.Split(parts["SignedHeaders"], ";"), value: parts["Signature"],
	}
	if scope[4] != "aws4_request" || s.value == "" || !slices.Contains(s.headers, "host") || !slices.Contains(s.headers, "x-amz-date") {
		return s, malformed
	}
	return s, nil
}

// verify checks who signed a call and that nothing in it was changed since. It returns the body without its framing.
func (a *Endpoint) verify(s signature, r *http.Request, body []byte) (Caller, []byte, error) {
	switch s.service {
	case "s3", "rds", "sts", "secretsmanager", "monitoring":
	default:
		return Caller{}, nil, Err(http.StatusNotImplemented, "NotImplemented", "the local cloud has no service "+strconv.Quote(s.service))
	}
	key, err := a.lookup(s, r)
	if err != nil {
		return Caller{}, nil, err
	}
	if !KnownRegion(s.region) {
		return Caller{}, nil, Err(http.StatusForbidden, "SignatureDoesNotMatch", "Credential should be scoped to a valid region.")
	}
	payload, err := s.payload(r, body)
	if err != nil {
		return Caller{}, nil, err
	}
	if err := s.check(key, r, payload); err != nil {
		return Caller{}, nil, err
	}
	if payload == UnsignedTrailer {
		if body, err = dechunk(r, body); err != nil {
			return Caller{}, nil, err
		}
	}
	caller := key.caller
	caller.Region = s.region
	return caller, body, nil
}

// lookup finds the key and judges it, before any signature is computed. A session's life is counted on the clock of sessions, as by
// its holder.
func (a *Endpoint) lookup(s signature, r *http.Request) (awsKey, error) {
	invalid := Err(http.StatusForbidden, "InvalidClientTokenId", "The security token included in the request is invalid.")
	key, ok := a.keys.find(s.key)
	if !ok || key.revoked {
		return key, invalid
	}
	token := r.Header.Get("X-Amz-Security-Token")
	if !hmac.Equal([]byte(token), []byte(key.Token)) {
		return key, invalid
	}
	if !key.expires.IsZero() && !a.cloud.Options.SessionNow().Before(key.expires) {
		return key, Err(http.StatusForbidden, "ExpiredToken", "The security token included in the request is expired")
	}
	return key, nil
}

// check computes the signature again and compares. The age of a signature is judged by the wall
// clock, as the callers' SDKs know no other.
func (s signature) check(key awsKey, r *http.Request, payload string) error {
	at, err := time.Parse(sigTimeFormat, r.Header.Get("X-Amz-Date"))
	if err != nil || s.date != at.Format("20060102") {
		return Err(http.StatusForbidden, "SignatureDoesNotMatch", "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP")
	}
	if skew := time.Since(at); skew > sigMaxSkew || skew < -sigMaxSkew {
		return Err(http.StatusForbidden, "SignatureExpired", "The difference between the request time and the current time is too large.")
	}
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(s.headers, name) {
			return Err(http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed: "+name)
		}
	}
	again := s.unsigned(r)
	credentials := aws.Credentials{AccessKeyID: key.ID, SecretAccessKey: key.Secret, SessionToken: key.Token}
	plainPath := func(o *v4.SignerOptions) { o.DisableURIPathEscaping = s.service == "s3" }
	if err := v4.NewSigner().SignHTTP(context.Background(), credentials, again, payload, s.service, s.region, at, plainPath); err != nil {
		return err
	}
	_, want, _ := strings.Cut(again.Header.Get("Authorization"), "Signature=")
	if !hmac.Equal([]byte(want), []byte(s.value)) {
		return Err(http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method.")
	}
	return nil
}

// unsigned returns the call with nothing but what was signed.
func (s signature) unsigned(r *http.Request) *http.Request {
	target := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	again := &http.Request{Method: r.Method, URL: &target, Host: r.Host, Header: http.Header{}}
	for _, name := range s.headers {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	return again
}

// payload returns the payload hash that was signed, after it was compared with the body.
func (s signature) payload(r *http.Request, body []byte) (string, error) {
	sum := sha256.Sum256(body)
	actual := hex.EncodeToString(sum[:])
	if s.service != "s3" {
		return actual, nil
	}
	switch claimed := r.Header.Get("X-Amz-Content-Sha256"); {
	case claimed == "":
		return "", Err(http.StatusBadRequest, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
	case claimed == actual, claimed == UnsignedPayload, claimed == UnsignedTrailer:
		return claimed, nil
	case strings.HasPrefix(claimed, "STREAMING-"):
		return "", Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not take payloads of type "+claimed)
	default:
		return "", Err(http.StatusBadRequest, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.")
	}
}

// dechunk undoes the aws-chunked encoding and turns its trailers into headers.
func dechunk(r *http.Request, body []byte) ([]byte, error) {
	incomplete := Err(http.StatusBadRequest, "IncompleteBody", "The request body terminated unexpectedly")
	framed := bufio.NewReader(bytes.NewReader(body))
	plain, err := io.ReadAll(httputil.NewChunkedReader(framed))
	if err != nil {
		return nil, incomplete
	}
	if size, err := strconv.Atoi(r.Header.Get("X-Amz-Decoded-Content-Length")); err != nil || size != len(plain) {
		return nil, incomplete
	}
	trailer, err := textproto.NewReader(framed).ReadMIMEHeader()
	if err != nil {
		return nil, incomplete
	}
	maps.Copy(r.Header, trailer)
	return plain, nil
}
