package resource

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// What was decided about the password is stored first, whatever the plan is; if it can't be stored, the plan is not executed.
func TestPasswordIsStoredBeforeThePlanIsExecuted(t *testing.T) {
	for _, verb := range []plan.Verb{plan.Update, plan.Converge, plan.AwaitApproval, plan.Stall, plan.Wait} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, storing fails: %t", verb, fails), func(t *testing.T) {
				d := newDesk(t)
				owner := password.Owner{Kind: "Bucket", Name: d.Object.GetName(), UID: d.Object.GetUID()}
				d.PasswordSecret = d.executor().Passwords.New(owner)
				d.Password.State, d.Password.Store = password.State{Stored: password.Stored{Next: "two", Serial: 2}}, password.AtOnce
				working := d.Client
				if fails {
					d.Client = interceptor.NewClient(working.(client.WithWatch), interceptor.Funcs{
						Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
							return errors.New("no answer")
						},
					})
				}
				for o, accepted := range map[v1alpha1.ResourceObject]int{d.Stored: 2, d.Object: 0} { // it was accepted, and came to nothing
					plan.NotePassword(o.GetResourceStatus(), accepted)
				}
				before := d.Object.GetResourceVersion()
				_, err := d.act(t.Context(), plan.Action{Verb: verb, Reason: drift.Reason, Message: drift.Message, Changes: drift.Changes})
				if (err != nil) != fails {
					t.Fatal(err)
				}
				secret, err := d.gatherer().Secrets.Passwords.Get(t.Context(), owner)
				if err != nil || secret.Stored.Next == "two" == fails {
					t.Errorf("stored is %+v, %v", secret, err)
				}
				if fails && (len(d.cloud.asked) > 0 || d.Object.GetResourceVersion() != before) {
					t.Errorf("the plan was executed: the cloud was asked to %q", d.cloud.asked)
				}
				if fails && plan.AcceptedPassword(d.Object.GetResourceStatus()) != 2 {
					t.Error("nothing says any more that the password may have arrived")
				}
			})
		}
	}
}
