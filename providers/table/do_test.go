package table

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An adapter carries out the commands that it has functions for, and refuses all others before it calls anybody, whatever its kind is described to have.
func TestCommandsOfAnAdapter(t *testing.T) {
	type h struct{}
	type p struct{}
	for _, verb := range driver.Verbs {
		if verb == driver.WriteMark {
			continue
		}
		bare := &Adapter[v1alpha1.BucketParameters, h, p]{Noun: "bucket"}
		if _, err := bare.Do(t.Context(), Request[v1alpha1.BucketParameters]{}, driver.Command{Verb: verb}); driver.CodeOf(err) != driver.Unsupported {
			t.Errorf("%s: got %v, want Unsupported", verb, err)
		}
	}
}

// What travels beside a request is never shown by an error: neither the object's own password nor that of its parent.
func TestSecretsOfAnAdapter(t *testing.T) {
	type h struct{}
	type p struct{}
	a := &Adapter[v1alpha1.BucketParameters, h, p]{Noun: "bucket", Table: Table[v1alpha1.BucketParameters, h, p]{}}
	req := Request[v1alpha1.BucketParameters]{Login: driver.Login{Password: "own-password"}, ParentLogin: driver.Login{Password: "parent-password"}}
	err := driver.RedactError(&driver.Error{Code: driver.Invalid, Message: "refused own-password and parent-password"}, a.secrets(&req)...)
	if got := err.Error(); got != "refused (secret) and (secret)" {
		t.Errorf("the error shows %q", got)
	}
}
