package action

import (
	"github.com/mooring-dev/mooring/controllers/feature/login"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A request is what a person asks for of one action, and whether the object can have it.
type request struct {
	kind.ActionRequest
	// supported: the cloud can do it to objects of the kind.
	supported bool
	// byMooring: Mooring makes the new password, and the cloud has no action for it.
	byMooring bool
	// refused is why the spec has no place for the action; empty if it does.
	refused string
}

// requestsOf returns what is asked for of each action.
func requestsOf(in reconciliation.State) (all []request) {
	for _, asked := range kind.ActionRequests(in.Kind, in.Object) {
		r := request{ActionRequest: asked, supported: in.Described.Capabilities.Takes(asked.Action)}
		if r.Action == driver.RotatePassword && !plan.CloudManages(in.Kind, in.Want) {
			r.byMooring, r.supported, r.refused = true, true, login.WhyNotRotated(in.Kind, in.Object, in.Want)
		}
		all = append(all, r)
	}
	return all
}
