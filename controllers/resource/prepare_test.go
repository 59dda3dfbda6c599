package resource

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// preparing has a feature store something before an action, or fail to.
func preparing(d *desk, fails bool) (prepared *int) {
	prepared = new(int)
	d.Features = append(d.Features, feature.Feature{Prepare: func(_ context.Context, _ feature.Work, at feature.Moment) error {
		if at != feature.AtOnce {
			return nil
		}
		if *prepared++; fails {
			return errors.New("no answer")
		}
		return nil
	}})
	return prepared
}

// What features have to store is stored first, whatever the plan is; if it can't be stored, the plan is not executed.
func TestFeaturesStoreBeforeThePlanIsExecuted(t *testing.T) {
	for _, verb := range []plan.Verb{plan.Update, plan.Converge, plan.AwaitApproval, plan.Stall, plan.Wait} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, storing fails: %t", verb, fails), func(t *testing.T) {
				d := newDesk(t)
				prepared, before := preparing(d, fails), d.Object.GetResourceVersion()
				_, err := d.act(t.Context(), plan.Action{Verb: verb, Reason: drift.Reason, Message: drift.Message, Changes: drift.Changes})
				if (err != nil) != fails || *prepared != 1 {
					t.Fatalf("stored %d times: %v", *prepared, err)
				}
				if fails && (len(d.cloud.asked) > 0 || d.Object.GetResourceVersion() != before) {
					t.Errorf("the plan was executed: the cloud was asked to %q", d.cloud.asked)
				}
			})
		}
	}
}
