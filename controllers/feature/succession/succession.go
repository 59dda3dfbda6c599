package succession

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of returns the feature of a kind; nothing if nothing takes the place of its cloud objects.
func Of(k *kind.Kind) feature.Set {
	if k.Former == nil {
		return nil
	}
	return feature.Set{{
		Request: request, Interpret: interpret, Sent: sent, Record: record, Expect: expect, Remarks: remarks,
		Clear: func(in *reconciliation.State) bool {
			missing.Set(&in.Memory.Parts, time.Time{})
			return false // the status says on what the server was before
		},
		ClearBinding: func(object v1alpha1.ResourceObject) { kind.SetFormer(k, object, nil) },
	}}
}

// missing is the place of the feature among what is remembered: when the former server was first observed to be missing; zero while it is there, or if there is none.
var missing = reconciliation.PartOf[time.Time]("succession")

// isBeside reports whether a new version comes by a successor that the cloud prepares beside the server.
func isBeside(in reconciliation.State) bool {
	updates := in.Want.GetResourceSpec().Updates
	return in.Described.Capabilities.Beside && updates != nil && updates.Strategy == v1alpha1.StrategyBlueGreen
}

// request asks for an upgrade beside the server if the spec does, and for what the former server is like.
func request(in *reconciliation.State, request *driver.Request) {
	request.Beside, request.Former = isBeside(*in), kind.FormerOf(in.Kind, in.Object)
}

// record notes in the status in whose place the cloud put a server, by the cloud's own answer.
func record(in reconciliation.State, object v1alpha1.ResourceObject) {
	if o := in.Observation; o.Succession.GetSucceeds() != "" && o.Succession.GetFormer() != nil {
		kind.SetFormer(in.Kind, object, o.Succession.GetFormer())
	}
}

// sent notes in the status that nothing is left of the former server: it is gone, and so is what only it used. It says what becomes of that server, and of the one that the cloud
// prepares.
func sent(w feature.Work, a plan.Action, accepted []driver.Change) *outcome.Note {
	if len(accepted) == 0 {
		return nil
	}
	in := w.Reconciliation()
	gone := a.Does(driver.DeleteFormer) && in.Observation.Succession.GetFormer() == nil
	if gone {
		kind.SetFormer(in.Kind, in.Object, nil)
	}
	upgrades := in.Request.Beside && len(accepted) == 1 && accepted[0].Field == fieldVersion
	said := outcome.Note{}
	switch {
	case a.Does(driver.ReleaseFormer), gone: // no news: that there is one was told
	case a.Does(driver.DeleteFormer):
		said = outcome.Normal(v1alpha1.EventDeletionRequested, "asked %s to delete %s, which the server was before its upgrade", in.Provider, accepted[0].From)
	case upgrades && in.Request.Operation == "":
		said = outcome.Normal(v1alpha1.EventUpdated, "asked %s to prepare a server with version %s beside this one", in.Provider, accepted[0].To)
	case upgrades:
		said = outcome.Normal(v1alpha1.EventUpdated, "asked %s to let the server with version %s take over", in.Provider, accepted[0].To)
	default:
		return nil
	}
	return &said
}
