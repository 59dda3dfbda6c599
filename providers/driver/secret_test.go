package driver

import (
	"encoding/base64"
	"strings"
	"testing"
)

// A secret is cut out as it is and as base64, in which the API server writes the contents of a Secret.
func TestRedact(t *testing.T) {
	const secret, other = "hunter2??>>secret", "b"
	for _, form := range []string{
		secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.URLEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	} {
		got := Redact("the server said: "+form+", and b more", secret, other, "")
		if strings.Contains(got, form) || !strings.HasPrefix(got, "the server said: ") || !strings.HasSuffix(got, ", and b more") {
			t.Errorf("%q", got)
		}
	}
}

// Secrets overlap: a username may be a part of a password, or of a connection string.
func TestRedactOverlapping(t *testing.T) {
	const pem = "-----BEGIN KEY-----\nMIIE<S3cr3t>\n-----END KEY-----\n"
	for _, tt := range []struct {
		name, message, want string
		secrets             []string
	}{
		{"a part of a longer one", "dial admin:S3cr3t@host: refused", "dial (secret): refused", []string{"admin", "admin:S3cr3t@host"}},
		{"the longer one first", "dial admin:S3cr3t@host: refused", "dial (secret): refused", []string{"admin:S3cr3t@host", "admin"}},
		{"the end of one is the start of another", "got rootadminS3cr3t here", "got (secret) here", []string{"rootadmin", "adminS3cr3t"}},
		{"each by itself", "user admin, password S3cr3t", "user (secret), password (secret)", []string{"admin", "S3cr3t"}},
		{"without its newline", "password S3cr3t-1 is wrong", "password (secret) is wrong", []string{"S3cr3t-1\n"}},
		{"without its spaces", "password S3cr3t-1 is wrong", "password (secret) is wrong", []string{"  S3cr3t-1\t"}},
		{"with its newline", "S3cr3t-1\n is wrong", "(secret) is wrong", []string{"S3cr3t-1\n"}},
		{"base64 of what has no newline", "UzNjcjN0LTE=", "(secret)", []string{"S3cr3t-1\n"}},
		{"in JSON", `{"k":"-----BEGIN KEY-----\nMIIE<S3cr3t>\n-----END KEY-----\n"}`, `{"k":"(secret)"}`, []string{pem}},
		{"in JSON for HTML", `{"k":"-----BEGIN KEY-----\nMIIE\u003cS3cr3t\u003e\n-----END KEY-----\n"}`, `{"k":"(secret)"}`, []string{pem}},
		{"too short", "a b c", "a b c", []string{"a", " b ", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Redact(tt.message, tt.secrets...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
