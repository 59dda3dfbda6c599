package session

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// No error code has two meanings: what one service calls missing could be read as an object of the other that is gone. To mean the same is no
// contradiction.
func TestErrorCodeWithTwoMeanings(t *testing.T) {
	ofATest := Errors{"AccessDenied": common["AccessDenied"], "OfATest": {Code: driver.NotFound, Message: "it is gone"}}
	if means := Join(ofATest)["OfATest"]; means != ofATest["OfATest"] {
		t.Errorf("the code means %v: %q", means.Code, means.Message)
	}
	if _, shared := common["OfATest"]; shared {
		t.Error("the code of one service is among those of all")
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "OfATest") {
			t.Errorf("it panicked with %q, want one that names the code", said)
		}
	}()
	Join(ofATest, Errors{"OfATest": {Code: driver.Conflict}})
}
