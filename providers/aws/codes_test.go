package aws

import (
	"maps"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// No error code has two meanings: what one service calls missing could be read as an object of the other that is gone. To mean the same is no
// contradiction.
func TestErrorCodeWithTwoMeanings(t *testing.T) {
	before, texts := maps.Clone(codes), maps.Clone(messages)
	t.Cleanup(func() { codes, messages = before, texts })
	addErrors(map[string]driver.Code{"AccessDenied": codes["AccessDenied"], "OfATest": driver.NotFound}, map[string]string{"OfATest": "it is gone"})
	if codes["OfATest"] != driver.NotFound || messages["OfATest"] != "it is gone" {
		t.Errorf("the code means %v: %q", codes["OfATest"], messages["OfATest"])
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "OfATest") {
			t.Errorf("it panicked with %q, want one that names the code", said)
		}
		if codes["OfATest"] != driver.NotFound {
			t.Errorf("the code means %v now", codes["OfATest"])
		}
	}()
	addErrors(map[string]driver.Code{"OfATest": driver.Conflict}, nil)
}
