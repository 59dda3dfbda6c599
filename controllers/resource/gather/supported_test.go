package gather

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A cloudWithout is a cloud that lacks some versions of databases, and counts who asks it.
type cloudWithout struct {
	*oneObservation
	calls int
}

func (c *cloudWithout) Describe() driver.Description {
	d := c.oneObservation.Describe()
	for i := range d.Resources {
		d.Resources[i].Lacks = []driver.Lack{{Field: "version", Match: "^13$", Values: "13", Why: "it is too old", Instead: "set spec.version to 16"}}
	}
	return d
}

func (c *cloudWithout) Open(context.Context, driver.Opening) (driver.Session, error) { return c, nil }

func (c *cloudWithout) Identity(ctx context.Context) (driver.AccountID, error) {
	c.calls++
	return c.oneObservation.Identity(ctx)
}

func (c *cloudWithout) Observe(ctx context.Context, kind string, r driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	c.calls++
	return c.oneObservation.Observe(ctx, kind, r, secrets)
}

// What asks for something that the cloud does not have is not created: the cloud is not called. What exists already is observed, not
// changed, and can be deleted.
func TestWhatTheCloudLacksIsNotCreated(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	const words = "spec.version: 13 is not supported, because it is too old: set spec.version to 16"
	for _, tt := range []struct {
		name, version   string
		bound, deleting bool
		stops           bool
		verb            plan.Verb
	}{
		{"new", "13", false, false, true, ""},
		{"new, and the cloud has it", "16", false, false, false, plan.Create},
		{"bound", "13", true, false, false, plan.Stall},
		{"being deleted", "13", true, true, false, plan.Delete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clusterOf(t)
			gatherer, one := gathererIn(c)
			cloud := &cloudWithout{oneObservation: one}
			gatherer.Connector = connectorTo(c, cloud)
			d, _ := withPassword(nil)
			d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
			d.Spec.Version, d.Spec.DeletionPolicy = &tt.version, v1alpha1.DeletionDelete
			d.Status.ExternalName = ""
			if tt.bound {
				d.Status.ExternalName = "orders"
				one.observation = driver.Observation{State: driver.Ready, Mark: mark, Available: true, Changes: []driver.Change{{Field: "version", To: "13", Effect: driver.Restarts}}}
			} else {
				one.observation = driver.Observation{State: driver.Absent}
			}
			if tt.deleting {
				d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			known, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
			defer known.Release()
			if tt.stops {
				refused, ok := errors.AsType[*identity.ValidationError](stop.Err)
				if !ok || refused.Reason != v1alpha1.ReasonNotSupported || refused.Message != words || cloud.calls > 0 {
					t.Errorf("it ended with %v after %d calls", stop.Err, cloud.calls)
				}
				return
			}
			if stop != nil {
				t.Fatalf("it ended with %+v", stop)
			}
			a := plan.Plan(known.View, known.Observation, known.Policy)
			if a.Verb != tt.verb {
				t.Errorf("the plan is %q (%s), want %q", a.Verb, a.Message, tt.verb)
			}
			if a.Verb == plan.Stall && (a.Reason != v1alpha1.ReasonNotSupported || !strings.HasPrefix(a.Message, words)) {
				t.Errorf("it stalls for %s: %s", a.Reason, a.Message)
			}
		})
	}
}
