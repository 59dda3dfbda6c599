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
