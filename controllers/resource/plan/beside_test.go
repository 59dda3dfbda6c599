package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The condition names each change that waits beside one that is impossible, such as a misspelt parameter, whatever else it waits for.
func TestWhatWaitsBesideTheImpossibleIsNamed(t *testing.T) {
	for name, beside := range map[string]func(*fixture){
		"an edit": edited(instance, driver.Restarts), "drift that waits for approval": drifted(instance, driver.Restarts),
		"a change of the class": byClass(instance, driver.Restarts),
	} {
		s := settled()
		for _, prepare := range []func(*fixture){edited("parameters", driver.Impossible), beside} {
			prepare(&s)
		}
		a := s.plan()
		if a.Verb != Stall || a.Reason != v1alpha1.ReasonImmutable || !strings.Contains(a.Message, "waiting until the spec no longer asks for that: "+instance+" ") {
			t.Errorf("%s: %s, %s, %q", name, a.Verb, a.Reason, a.Message)
		}
	}
	s := settled()
	edited("parameters", driver.Impossible)(&s)
	if a := s.plan(); strings.Contains(a.Message, "waiting") {
		t.Errorf("nothing waits, and it says %q", a.Message)
	}
}
