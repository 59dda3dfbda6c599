package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The policy says what a spec asks for; the state only adds that the server does not run.
func TestPowerFollowsThePolicy(t *testing.T) {
	for _, test := range []struct {
		state, policy string
		is            v1alpha1.PowerState
		stopped       bool
	}{
		{"RUNNABLE", always, v1alpha1.PowerStateRunning, false},
		{"RUNNABLE", never, v1alpha1.PowerStateStopped, true},
		{"STOPPED", never, v1alpha1.PowerStateStopped, true},
		{"STOPPED", always, v1alpha1.PowerStateRunning, true},
	} {
		have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{State: test.state, Settings: &sqladmin.Settings{ActivationPolicy: test.policy}}}
		var o driver.Observation
		setState(&o, have, nil)
		if is := powerOf(have); *is != test.is || o.Stopped != test.stopped || o.Available == test.stopped {
			t.Errorf("%s, %s: %s, stopped %t, available %t", test.state, test.policy, *is, o.Stopped, o.Available)
		}
	}
}
