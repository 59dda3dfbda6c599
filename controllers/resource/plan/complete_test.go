package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A creation of several calls may end before the last: what is missing is set without asking, whatever it would do to an object in use.
func TestWhatCompletesACreationAsksNobody(t *testing.T) {
	missing := driver.Change{Field: "lifecycle", To: "logs", Effect: driver.Irreversible}
	created := View{Origin: v1alpha1.OriginCreated, Applied: driver.Applied{"lifecycle": {"logs"}, "retention.locked": {"true"}}}
	for name, tt := range map[string]struct {
		view   func(*View)
		change func(*driver.Change)
		asks   bool
	}{
		"a call of the creation failed":        {},
		"a switch is still off":                {change: func(c *driver.Change) { c.Field, c.From, c.To = "retention.locked", "false", "true" }},
		"it was as declared, and is in use":    {view: func(v *View) { v.WasReady, v.WasApplied = true, true }, asks: true},
		"it was there before":                  {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }, asks: true},
		"somebody set another value":           {change: func(c *driver.Change) { c.From = "all" }, asks: true},
		"others' password is in place of ours": {change: func(c *driver.Change) { c.Field = FieldPassword }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			v, c := created, missing
			if tt.view != nil {
				tt.view(&v)
			}
			if tt.change != nil {
				tt.change(&c)
			}
			if got := mustAsk(v, c, Policy{Disruptive: v1alpha1.DisruptiveOnSpecChange}); got != tt.asks {
				t.Errorf("it asks: %v, want %v", got, tt.asks)
			}
		})
	}
}

// An object that failed to become as declared works all the same, and may be in use: what its creation lacks was asked for by its spec, and is no drift.
func TestWhatACreationLacksIsNoDrift(t *testing.T) {
	missing := driver.Change{Field: "lifecycle", To: "logs", Effect: driver.Irreversible}
	waits := func(c driver.Change, cause string) []v1alpha1.PendingChange {
		return []v1alpha1.PendingChange{{Field: c.Field, To: c.To, Cause: cause}}
	}
	working := View{Origin: v1alpha1.OriginCreated, WasReady: true, Edited: true, Applied: driver.Applied{"lifecycle": {"logs"}, "requesterPays": {"true"}}}
	for name, tt := range map[string]struct {
		view   func(*View)
		change func(*driver.Change)
		want   string
	}{
		"a call of the creation failed":  {want: v1alpha1.CauseSpec},
		"a switch is still off":          {change: func(c *driver.Change) { c.From, c.To = "false", "true" }, want: v1alpha1.CauseSpec},
		"a default of the class":         {view: func(v *View) { v.ByClass = class.Fields{"lifecycle"} }, want: v1alpha1.CauseSpec},
		"the class says something else":  {view: func(v *View) { v.ClassChanged = class.Fields{"lifecycle"} }, want: v1alpha1.CauseClass},
		"somebody set another value":     {change: func(c *driver.Change) { c.From = "all" }, want: v1alpha1.CauseDrift},
		"it was as declared before":      {view: func(v *View) { v.WasApplied, v.Edited = true, false }, want: v1alpha1.CauseDrift},
		"it was there before":            {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }, want: v1alpha1.CauseDrift},
		"it waits for approval as drift": {view: func(v *View) { v.Waiting = waits(missing, v1alpha1.CauseDrift) }, want: v1alpha1.CauseDrift},
		"it was set, and somebody took it out": {view: func(v *View) {
			v.Mirror = &v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "logs"}}}
		}, want: v1alpha1.CauseDrift},
		"a switch was on, and somebody turned it off": {
			view:   func(v *View) { v.Mirror = &v1alpha1.BucketParameters{RequesterPays: new(true)} },
			change: func(c *driver.Change) { c.Field, c.From, c.To = "requesterPays", "false", "true" }, want: v1alpha1.CauseDrift,
		},
		"nobody used it yet":            {view: func(v *View) { v.WasReady = false }, want: v1alpha1.CauseSpec},
		"an earlier object had it made": {view: func(v *View) { v.Applied, v.WasReady = nil, false }, want: v1alpha1.CauseDrift},
	} {
		t.Run(name, func(t *testing.T) {
			v, c := working, missing
			if tt.change != nil {
				tt.change(&c)
			}
			v.Mirror = &v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Locked: new(false)}}
			if tt.view != nil {
				tt.view(&v)
			}
			if got := CauseOf(v, c); got != tt.want {
				t.Errorf("its cause is %s, want %s", got, tt.want)
			}
			asked := tt.want != v1alpha1.CauseSpec
			if got := mustAsk(v, c, Policy{Disruptive: v1alpha1.DisruptiveOnSpecChange}); got != asked {
				t.Errorf("it asks: %v, want %v", got, asked)
			}
			if v.WasReady && !mustAsk(v, c, Policy{Disruptive: v1alpha1.DisruptiveOnApproval}) {
				t.Error("whoever wants to be asked about everything that is in use is not asked")
			}
		})
	}
}
