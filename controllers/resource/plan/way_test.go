package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Who agrees that another server takes the place of one, for seconds, does not agree to be without the server for minutes. The other way round, and to what an earlier build asked, the approval holds.
func TestApprovalOfAnotherStrategy(t *testing.T) {
	way := func(b bool) Treatment {
		if b {
			return Treatment{Way: "beside"}
		}
		return Treatment{Gentler: "beside"}
	}
	beside := func(b bool) func(*fixture) { return func(s *fixture) { s.Treat("version", way(b)) } }
	upgrade, asks := edited("version", driver.Irreversible), disruptive(v1alpha1.DisruptiveOnApproval)
	earlier := func(s *fixture) { // the hash said nothing of the strategy
		beside(false)(s)
		approved(s)
		beside(true)(s)
		s.Waiting, s.AwaitedHash = s.plan().Pending, s.Approval
	}
	for name, tt := range map[string]struct {
		fixture []func(*fixture)
		want    Verb
	}{
		"BlueGreen, approved":                                   {[]func(*fixture){upgrade, asks, beside(true), approved, recorded}, Update},
		"BlueGreen, approved, and then InPlace":                 {[]func(*fixture){upgrade, asks, beside(true), approved, recorded, beside(false)}, AwaitApproval},
		"BlueGreen, approved for the window, and then InPlace":  {[]func(*fixture){upgrade, asks, waitsForWindow, beside(true), approved, recorded, beside(false), at(open)}, AwaitApproval},
		"BlueGreen, approved for the window, which opens":       {[]func(*fixture){upgrade, asks, waitsForWindow, beside(true), approved, recorded, at(open)}, Update},
		"InPlace, approved for the window, and then BlueGreen":  {[]func(*fixture){upgrade, asks, waitsForWindow, approved, recorded, beside(true), at(open)}, Update},
		"BlueGreen, approved when hashes said nothing about it": {[]func(*fixture){upgrade, asks, earlier}, Update},
	} {
		s := settled()
		for _, prepare := range tt.fixture {
			prepare(&s)
		}
		if a := s.plan(); a.Verb != tt.want {
			t.Errorf("%s: %s, want %s: %s", name, a.Verb, tt.want, a.Message)
		}
	}
}
