package gather

import (
	"context"
	"slices"
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

// A cloudOfForms has a second form of names, and shows what is there by name.
type cloudOfForms struct {
	*oneObservation
	there map[string]driver.Observation
	fails map[string]error
	asked []string
}

func (c *cloudOfForms) Describe() driver.Description {
	d := c.oneObservation.Describe()
	for i := range d.Resources {
		d.Resources[i].Name.Scope = &driver.NameScope{Setting: "bucketNamespace", Value: "AccountRegional", Suffix: "-{account}-{location}-an"}
	}
	return d
}

func (c *cloudOfForms) Open(context.Context, driver.Opening) (driver.Session, error) { return c, nil }

func (c *cloudOfForms) Observe(_ context.Context, _ string, r driver.Request, _ driver.Secrets) (driver.Observation, error) {
	c.asked = append(c.asked, r.Name)
	if err := c.fails[r.Name]; err != nil {
		return driver.Observation{}, err
	}
	if o, ok := c.there[r.Name]; ok {
		return o, nil
	}
	return driver.Observation{State: driver.Absent}, nil
}

// The config says which form the name of a new object has, and no edit of it renames anything. Where the status is lost, what was made before the edit is found under its name.
func TestNamesInASecondForm(t *testing.T) {
	const account, global, regional = "111111111111", v1alpha1.BucketNamespaceGlobal, v1alpha1.BucketNamespaceAccountRegional
	plain := plan.ExternalName("id", "shop", "orders", 63)
	scoped := plan.ScopedName("id", "shop", "orders", 63, "-"+account+"-eu-central-1-an")
	own := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-before"}
	released, other := own, own
	released.Released, other.Name = true, "invoices"
	for _, tt := range []struct {
		name            string
		namespace       v1alpha1.BucketNamespace
		chosen, bound   string
		origin          v1alpha1.Origin
		refused         bool // the creation
		there           map[string]driver.Mark
		unread          bool // the marks of what is there
		unknown         bool // whether it is there
		fails           string
		asks            string
		asked           []string
		unbinds, denied bool
		foreign         bool // what is there: the plan stalls
	}{
		{name: "nothing is said", asks: plain, asked: []string{plain}},
		{name: "the first form", namespace: global, asks: plain, asked: []string{plain, scoped}},
		{name: "the second form", namespace: regional, asks: scoped, asked: []string{scoped, plain}},
		{name: "the spec chooses", namespace: regional, chosen: "mine", asks: "mine", asked: []string{"mine"}},
		{name: "bound before the edit", namespace: regional, bound: plain, origin: v1alpha1.OriginCreated, asks: plain, asked: []string{plain}},
		{name: "bound before the edit was taken back", namespace: global, bound: scoped, origin: v1alpha1.OriginCreated, asks: scoped, asked: []string{scoped}},
		{name: "bound, and nothing is said any more", bound: scoped, origin: v1alpha1.OriginCreated, asks: scoped, asked: []string{scoped}},
		{name: "refused before the edit", namespace: regional, bound: plain, origin: v1alpha1.OriginCreated, refused: true, asks: scoped, unbinds: true},
		{name: "there before its status was lost", namespace: regional, there: map[string]driver.Mark{scoped: own}, asks: scoped, asked: []string{scoped}},
		{name: "there before the edit and the loss", namespace: regional, there: map[string]driver.Mark{plain: own}, asks: plain, asked: []string{scoped, plain}},
		{name: "there before the edit was taken back, and the loss", namespace: global, there: map[string]driver.Mark{scoped: own}, asks: scoped, asked: []string{plain, scoped}},
		{name: "of another object", namespace: regional, there: map[string]driver.Mark{plain: other}, asks: scoped, asked: []string{scoped, plain}},
		{name: "retained", namespace: regional, there: map[string]driver.Mark{plain: released}, asks: scoped, asked: []string{scoped, plain}},
		{name: "not to be told whose", namespace: regional, there: map[string]driver.Mark{plain: {}}, unread: true, asks: scoped, asked: []string{scoped, plain}, denied: true},
		{name: "without a mark", namespace: regional, there: map[string]driver.Mark{plain: {}}, asks: plain, asked: []string{scoped, plain}, foreign: true},
		{name: "without a mark, and taken back", namespace: global, there: map[string]driver.Mark{scoped: {}}, asks: scoped, asked: []string{plain, scoped}, foreign: true},
		{name: "without a mark under its own name", namespace: regional, there: map[string]driver.Mark{scoped: {}}, asks: scoped, asked: []string{scoped}, foreign: true},
		{name: "not known to be there", namespace: regional, there: map[string]driver.Mark{plain: {}}, unknown: true, asks: scoped, asked: []string{scoped, plain}},
		{name: "not to be seen", namespace: regional, fails: plain, asks: scoped, asked: []string{scoped, plain}, denied: true},
		{name: "not to be seen, and the spec chooses", namespace: regional, chosen: "mine", fails: plain, asks: "mine", asked: []string{"mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "named"}}
			cfg.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1", BucketNamespace: tt.namespace}
			cfg.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
			c := clusterOf(t, cfg)
			gatherer, one := gathererIn(c)
			cloud := &cloudOfForms{oneObservation: one, there: map[string]driver.Observation{}, fails: map[string]error{}}
			for name, mark := range tt.there {
				o := driver.Observation{State: driver.Ready, Mark: mark, Available: true}
				if tt.unread {
					o.Unreadable = []driver.FieldError{{Field: driver.FieldMark}}
				}
				if tt.unknown {
					o = driver.Observation{}
				}
				cloud.there[name] = o
			}
			if tt.fails != "" {
				cloud.fails[tt.fails] = &driver.Error{Code: driver.Denied, Message: "access is denied"}
			}
			gatherer.Connector = connectorTo(c, cloud)
			d, _ := withPassword(nil)
			d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "named"}
			d.Spec.ExternalName, d.Status.ExternalName, d.Status.Origin, d.Status.CreationRefused = tt.chosen, tt.bound, tt.origin, tt.refused
			if tt.bound != "" {
				d.Status.AccountID, d.Status.Location = account, "eu-central-1"
			}
			known, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
			defer known.Release()
			if known.Asks.Name != tt.asks || !slices.Equal(cloud.asked, tt.asked) {
				t.Errorf("it asks for %q and looked at %q, want %q and %q", known.Asks.Name, cloud.asked, tt.asks, tt.asked)
			}
			switch {
			case tt.unknown && known.Observation.State != driver.Unknown:
				t.Errorf("its state is %v, want Unknown", known.Observation.State)
			case tt.denied:
				if stop == nil || driver.CodeOf(stop.Err) != driver.Denied || !saysTheWayOut(stop.Err.Error(), plain) {
					t.Errorf("it ended with %+v", stop)
				}
			case tt.unbinds:
				if stop == nil || stop.Err != nil {
					t.Errorf("it ended with %+v, and is to forget the name", stop)
				}
			case stop != nil:
				t.Errorf("it ended with %+v", stop)
			case tt.foreign && plan.Plan(known.View, known.Observation, known.Policy).Reason != v1alpha1.ReasonNotOwned:
				t.Errorf("the plan is %+v, want NotOwned", plan.Plan(known.View, known.Observation, known.Policy))
			case known.Request.Name != tt.asks || plan.Moved(known.Status(), known.Asks) && tt.bound != "":
				t.Errorf("the request is for %q, and moved: %t", known.Request.Name, plan.Moved(known.Status(), known.Asks))
			}
		})
	}
}

// saysTheWayOut reports whether an error says which name can't be seen, why there is one, and what to do.
func saysTheWayOut(message, name string) bool {
	return strings.HasPrefix(message, "check whether "+name+" exists, the name that this Database would have by the other bucketNamespace: ") &&
		strings.HasSuffix(message, "; allow the identity to read it, or, if it belongs to another account, set spec.externalName")
}
