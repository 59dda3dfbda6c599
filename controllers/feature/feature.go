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
	// Request adds to the request by which the object is observed and changed what the spec says of the feature.
	Request func(in *reconciliation.State, request *driver.Request)
	// Guard finds out what keeps an object that is being deleted from being destroyed in the cloud, by what the cache has. A preview of a deletion calls it, too.
	Guard Gather
	// Interpret says in the View what the plan goes by, once the cloud object was observed, and returns differences that the feature alone knows. It decides from
	// values, and calls nobody. A preview calls it, too, with what the status of the object says in place of what the cloud does: see Expect.
	Interpret func(in *reconciliation.State) []driver.Change
	// Source finds out of what a cloud object is made, and asks for that in the Request. It runs where the plan is to create one, and nothing is created if it stops.
	Source func(ctx context.Context, in *reconciliation.State, creation plan.Action) (*reconciliation.Stop, error)
	// Failed takes in that an operation of the cloud ended in an error, whatever asked for it.
	Failed func(in *reconciliation.State, message string)
	// Observed takes in what the cloud says of the object, before anything else goes by it. It may complete the observation.
	Observed func(ctx context.Context, in *reconciliation.State)
	// Compare finds out what differs beside what the cloud says, and adds it to the observation. It reads what that takes, and writes nothing.
	Compare Gather
	// Plan adds to what is planned for an object. It decides from values, and calls nobody. What the status is to say of it goes
	// into Records: that is recorded once what comes before it is stored.
	// It sets the verb only where nothing is being sent to the cloud, and no other feature has set it. It is called for objects that are only observed, too.
	Plan func(in *reconciliation.State, a plan.Action) plan.Action
	// Read reads from the API server what an action takes, once that is planned: no other action needs it. An error keeps the action from being carried out.
	Read func(ctx context.Context, in *reconciliation.State, a plan.Action) error
	// Prepare stores in the cluster what has to be there at a moment of an action, and refuses to go on if the action may not be carried out. An error ends the action.
	Prepare func(ctx context.Context, w Work, at Moment) error
	// Acts carry out the actions that the feature itself planned, by their verbs.
	Acts map[plan.Verb]Act
	// Sent takes in which changes of an action the cloud accepted. It returns the Event that says so in place of the loop's own: an
	// empty one if that is no news, and nil if the feature has no words of its own.
	Sent func(w Work, a plan.Action, accepted []driver.Change) *outcome.Note
	// Record notes in the status of an object what the cloud may not say again of its cloud object. It runs before Mirror, also while the object is being created, which the mirror does not show.
	Record func(in reconciliation.State, object v1alpha1.ResourceObject)
	// Mirror shows in the status of an object what the cloud says of it, which is in the Observation. It is not called for a cloud object that may be another tenant's.
	Mirror func(in reconciliation.State, object v1alpha1.ResourceObject)
	// Expect is the reverse of Mirror, for previews: it has the Observation say what the status of the object shows, and what its changes come to.
	Expect func(in *reconciliation.State)
	// Remarks say in the preview of an edit what its user has to know beside the changes, a line each.
	Remarks func(in reconciliation.State, changes []plan.Decided) []string
	// Clear takes out of the status of an object and of what is remembered what is known of the former cloud object, because another one takes its place. Another
	// call of it changes nothing. It reports whether the status has to be stored before the creation is sent.
	Clear func(in *reconciliation.State) (store bool)
	// ClearBinding takes out of the status of an object what the feature stored for a cloud object that was never created, because it is to be elsewhere.
	ClearBinding func(object v1alpha1.ResourceObject)
	// Status has the status of an object say what follows from the rest of the object, what Mirror showed included.
	Status func(object v1alpha1.ResourceObject)
	// Publish brings up to date what users get of the object in the cluster, where plan.Publishes says so. The outcome holds also beside an error: what was planned is recorded.
	Publish func(ctx context.Context, w Work, out outcome.Outcome) (outcome.Outcome, error)
	// Finish runs before the finalizer of an object goes because there is nothing left to do: the cloud object is gone, was never made, or stays by the wish of
	// the spec or because its kind is removed. It does not run where a mark is released first. What it does may be done again after a crash.
	Finish func(ctx context.Context, w Work) error
	// Drop deletes what was made in the cluster for an object, right before its finalizer goes. stays: the cloud object is left.
	Drop func(ctx context.Context, w Work, stays bool) error
	// Recorded takes in that the status is stored, or is as it was. What counts from then on goes into what is remembered.
	Recorded func(in reconciliation.State, remembered *reconciliation.Memory)
	// Due returns when the object has to be reconciled again at the latest; zero if the feature does not ask for that.
	Due func(in reconciliation.State) time.Time
}

// A Gather finds out what a feature has to know. A Stop ends the reconciliation there.
type Gather func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error)

// A Moment is when features store what has to be stored before an action goes on. What is written to the cluster and what is sent to the cloud are several writes, and a crash
// may come between any two of them.
type Moment string

// The moments.
const (
	// AtOnce: before anything else is written, sent or published.
	AtOnce Moment = "AtOnce"
	// BeforeTakeover: once finalizer and binding are stored, and before the status forgets the former cloud object.
	BeforeTakeover Moment = "BeforeTakeover"
	// BeforeCreation: once the status has forgotten the former cloud object, and before the creation is sent.
	BeforeCreation Moment = "BeforeCreation"
)

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

// Request has all features add to the request.
func (s Set) Request(in *reconciliation.State, request *driver.Request) {
	for _, f := range s {
		if f.Request != nil {
			f.Request(in, request)
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

// Observed has all features take in what the cloud says.
func (s Set) Observed(ctx context.Context, in *reconciliation.State) {
	for _, f := range s {
		if f.Observed != nil {
			f.Observed(ctx, in)
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

// Read has all features read what an action takes. It ends with the first error.
func (s Set) Read(ctx context.Context, in *reconciliation.State, a plan.Action) error {
	for _, f := range s {
		if f.Read == nil {
			continue
		}
		if err := f.Read(ctx, in, a); err != nil {
			return err
		}
	}
	return nil
}

// Prepare has all features store what has to be stored at a moment of an action. It ends with the first error.
func (s Set) Prepare(ctx context.Context, w Work, at Moment) error {
	for _, f := range s {
		if f.Prepare == nil {
			continue
		}
		if err := f.Prepare(ctx, w, at); err != nil {
			return err
		}
	}
	return nil
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

// Sent has all features take in which changes the cloud accepted. It returns the first Event that says so in a feature's words; nil for none.
func (s Set) Sent(w Work, a plan.Action, accepted []driver.Change) (said *outcome.Note) {
	for _, f := range s {
		if f.Sent == nil {
			continue
		}
		if n := f.Sent(w, a, accepted); said == nil {
			said = n
		}
	}
	return said
}

// Describe returns a copy of an object whose status is in line with an outcome and what was observed: see outcome.Facts.Describe.
func (s Set) Describe(in reconciliation.State, object v1alpha1.ResourceObject, out outcome.Outcome) outcome.Described {
	described := in.Describe(object, out)
	for _, f := range s {
		if f.Record != nil && described.Own {
			f.Record(in, described.Object)
		}
	}
	for _, f := range s {
		if f.Mirror != nil && described.Mirrored {
			f.Mirror(in, described.Object)
		}
	}
	for _, f := range s {
		if f.Status != nil {
			f.Status(described.Object)
		}
	}
	return described
}

// Clear has all features take out what is known of the former cloud object, and reports whether that has to be stored before the creation is sent.
func (s Set) Clear(in *reconciliation.State) (store bool) {
	for _, f := range s {
		if f.Clear != nil {
			store = f.Clear(in) || store
		}
	}
	return store
}

// ClearBinding takes out of the status of an object what features stored for a cloud object that was never created.
func (s Set) ClearBinding(object v1alpha1.ResourceObject) {
	for _, f := range s {
		if f.ClearBinding != nil {
			f.ClearBinding(object)
		}
	}
}

// Interpret has all features say in the View what the plan goes by, and returns the differences that they alone know.
func (s Set) Interpret(in *reconciliation.State) (changes []driver.Change) {
	for _, f := range s {
		if f.Interpret != nil {
			changes = append(changes, f.Interpret(in)...)
		}
	}
	return changes
}

// Source has features find out of what a cloud object is made, if the plan is to create one.
func (s Set) Source(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
	if !in.Observed || in.Observation.State != driver.Absent {
		return nil, nil
	}
	creation := plan.Plan(in.View, in.Observation, in.Policy)
	if creation.Verb != plan.Create {
		return nil, nil
	}
	for _, f := range s {
		if f.Source == nil {
			continue
		}
		if stop, err := f.Source(ctx, in, creation); stop != nil || err != nil {
			return stop, err
		}
	}
	return nil, nil
}

// Expect has the Observation of a preview say what the status of its object shows.
func (s Set) Expect(in *reconciliation.State) {
	for _, f := range s {
		if f.Expect != nil {
			f.Expect(in)
		}
	}
}

// Remarks say in the preview of an edit what its user has to know beside the changes.
func (s Set) Remarks(in reconciliation.State, changes []plan.Decided) (lines []string) {
	for _, f := range s {
		if f.Remarks != nil {
			lines = append(lines, f.Remarks(in, changes)...)
		}
	}
	return lines
}

// Publish has all features bring up to date what users get. It ends with the first error.
func (s Set) Publish(ctx context.Context, w Work, out outcome.Outcome) (outcome.Outcome, error) {
	for _, f := range s {
		if f.Publish == nil {
			continue
		}
		var err error
		if out, err = f.Publish(ctx, w, out); err != nil {
			return out, err
		}
	}
	return out, nil
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

// Drop has all features delete what was made in the cluster for an object.
func (s Set) Drop(ctx context.Context, w Work, stays bool) error {
	for _, f := range s {
		if f.Drop == nil {
			continue
		}
		if err := f.Drop(ctx, w, stays); err != nil {
			return err
		}
	}
	return nil
}

// Recorded has all features take in that the status is stored.
func (s Set) Recorded(in reconciliation.State, remembered *reconciliation.Memory) {
	for _, f := range s {
		if f.Recorded != nil {
			f.Recorded(in, remembered)
		}
	}
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
