package feature

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Feature is what one kind has of a feature: its hooks. A hook that is nil does nothing.
type Feature struct {
	// Begin notes in the status what the object itself asks for, before anything is read.
	Begin func(in *reconciliation.State)
	// Queued takes back what Begin noted and what is not worth a write, because the object has to wait for a slot of its account.
	Queued func(in *reconciliation.State)
	// Start runs before the account of an object is known: it goes by the object and by what the cache has.
	Start Gather
	// Failed takes in that an operation of the cloud ended in an error, whatever asked for it.
	Failed func(in *reconciliation.State, message string)
	// Plan adds to what is planned for an object. It decides from values, and calls nobody. What the status is to say of it goes
	// into Records: that is recorded once what comes before it is stored.
	// It sets the verb only where nothing is being sent to the cloud, and no other feature has set it. It is called for objects that are only observed, too.
	Plan func(in *reconciliation.State, a plan.Action) plan.Action
	// Acts carry out the actions that the feature itself planned, by their verbs.
	Acts map[plan.Verb]Act
	// Mirror shows in the status of an object what the cloud says of it. It is not called for a cloud object that may be another tenant's.
	Mirror func(object v1alpha1.ResourceObject, seen driver.Observation)
	// Clear takes out of the status of an object what Mirror showed, because another cloud object takes the place of the former one. Another
	// call of it changes nothing.
	Clear func(object v1alpha1.ResourceObject)
	// Status has the status of an object say what follows from the rest of the object, what Mirror showed included.
	Status func(object v1alpha1.ResourceObject)
	// Finish runs before the finalizer of an object goes because there is nothing left to do: the cloud object is gone, was never made, or stays by the wish of
	// the spec or because its kind is removed. It does not run where a mark is released first. What it does may be done again after a crash.
	Finish func(ctx context.Context, w Work) error
	// Due returns when the object has to be reconciled again at the latest; zero if the feature does not ask for that.
	Due func(in reconciliation.State) time.Time
}

// A Gather finds out what a feature has to know. A Stop ends the reconciliation there.
type Gather func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error)

// An Act carries out an action.
type Act func(ctx context.Context, w Work, a plan.Action) (outcome.Outcome, error)

// A Work is a reconciliation while its action is carried out.
type Work interface {
	// Reconciliation is what is known, and what was done until now. Its Object has the status that is going to be stored.
	Reconciliation() *reconciliation.State
	// Store stores the status of the object, guarded by the version that was read, if it differs from what is stored.
	Store(ctx context.Context) error
	// Clock is the time now, which goes on while the action is carried out.
	Clock() time.Time
	// Note has an Event recorded once the reconciliation is reported.
	Note(outcome.Note)
	// Emit records an Event at once, for what may not be lost if the process ends during the action.
	Emit(outcome.Note)
}

// A Set is the features of one kind.
type Set []Feature

// Begin has all features note what the object itself asks for.
func (s Set) Begin(in *reconciliation.State) {
	for _, f := range s {
		if f.Begin != nil {
			f.Begin(in)
		}
	}
}

// Queued has all features take back what they noted of an object that has to wait for a slot.
func (s Set) Queued(in *reconciliation.State) {
	for _, f := range s {
		if f.Queued != nil {
			f.Queued(in)
		}
	}
}

// Failed has all features take in that an operation of the cloud ended in an error.
func (s Set) Failed(in *reconciliation.State, message string) {
	for _, f := range s {
		if f.Failed != nil {
			f.Failed(in, message)
		}
	}
}

// Plan returns a plan with what features add to it, where they may.
func (s Set) Plan(in *reconciliation.State, a plan.Action) plan.Action {
	if !plan.FeaturesMayPlan(in.View, in.Observation) {
		return a
	}
	for _, f := range s {
		if f.Plan != nil {
			a = f.Plan(in, a)
		}
	}
	return a
}

// Gather calls one hook of all features. It ends with the first that stops the reconciliation.
func (s Set) Gather(ctx context.Context, in *reconciliation.State, hook func(Feature) Gather) (*reconciliation.Stop, error) {
	for _, f := range s {
		gather := hook(f)
		if gather == nil {
			continue
		}
		if stop, err := gather(ctx, in); stop != nil || err != nil {
			return stop, err
		}
	}
	return nil, nil
}

// Act returns what carries out the actions of a verb; nil if no feature does.
func (s Set) Act(verb plan.Verb) Act {
	for _, f := range s {
		if act := f.Acts[verb]; act != nil {
			return act
		}
	}
	return nil
}

// Describe returns a copy of an object whose status is in line with an outcome and what was observed: see outcome.Facts.Describe.
func (s Set) Describe(in reconciliation.State, object v1alpha1.ResourceObject, out outcome.Outcome) outcome.Described {
	described := in.Describe(object, out)
	for _, f := range s {
		if f.Mirror != nil && described.Mirrored {
			f.Mirror(described.Object, in.Observation)
		}
	}
	for _, f := range s {
		if f.Status != nil {
			f.Status(described.Object)
		}
	}
	return described
}

// Clear takes out of the status of an object what features showed of the former cloud object.
func (s Set) Clear(object v1alpha1.ResourceObject) {
	for _, f := range s {
		if f.Clear != nil {
			f.Clear(object)
		}
	}
}

// Finish has all features end what they have to end before the finalizer goes.
func (s Set) Finish(ctx context.Context, w Work) error {
	for _, f := range s {
		if f.Finish == nil {
			continue
		}
		if err := f.Finish(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// Due returns when the object has to be reconciled again at the latest; zero if no feature asks for that.
func (s Set) Due(in reconciliation.State) (first time.Time) {
	for _, f := range s {
		if f.Due == nil {
			continue
		}
		if due := f.Due(in); !due.IsZero() && (first.IsZero() || due.Before(first)) {
			first = due
		}
	}
	return first
}
