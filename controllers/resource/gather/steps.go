package gather

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A step gathers something, and then a check says whether to go on. Either may be nil. Or it has the features of the kind do both, by one of their hooks.
type step struct {
	gather func(*gathering, context.Context) error
	check  check
	hook   func(*gathering, context.Context) (*reconciliation.Stop, error)
}

// steps returns what is gathered, in order. A deletion passes all checks that are about permission.
func steps() []step {
	return []step{
		{check: isManaged},
		{check: isNotPaused},
		{check: mayExist},
		{gather: (*gathering).readDefinition, check: isNotRemoved},
		{check: isOfSize},
		{hook: (*gathering).startFeatures},
		{gather: (*gathering).findChildren},
		{hook: (*gathering).findGuards},
		{gather: (*gathering).findParent, check: hasParent},
		{gather: (*gathering).findAccount, check: hasClass},
		{gather: (*gathering).connect, check: isSameCloud},
		{gather: func(g *gathering, ctx context.Context) error { return residing{g}.find(ctx) }},
		{gather: (*gathering).describe, check: isSupported},
		{check: hasSupportedFields},
		{gather: (*gathering).acquireSlot, check: hasSlot},
		{gather: (*gathering).askAccount, check: isSameAccount},
		{gather: func(g *gathering, _ context.Context) error { naming{g}.choose(); return nil }, check: isNotMoved},
		{gather: (*gathering).findRival},
		{gather: (*gathering).observe, check: isNotFailed},
		{gather: func(g *gathering, ctx context.Context) error { return naming{g}.findOther(ctx) }},
		{gather: func(g *gathering, ctx context.Context) error {
			return (&hiding{g.gatherer.Reader, &g.State}).find(ctx)
		}},
		{hook: (*gathering).compare},
		{gather: (*gathering).look, check: isCreatable},
		{check: isFree},
		{hook: (*gathering).findSource},
	}
}

// startFeatures has features gather what goes by the object and by what the cache has.
func (g *gathering) startFeatures(ctx context.Context) (*reconciliation.Stop, error) {
	return g.gatherer.Features.Gather(ctx, &g.State, func(f feature.Feature) feature.Gather { return f.Start })
}

// findGuards has features find out what keeps an object that is being deleted from being destroyed.
func (g *gathering) findGuards(ctx context.Context) (*reconciliation.Stop, error) {
	if !g.Deleting {
		return nil, nil
	}
	return g.gatherer.Features.Gather(ctx, &g.State, func(f feature.Feature) feature.Gather { return f.Guard })
}

// compare has features find out what differs beside what the cloud says.
func (g *gathering) compare(ctx context.Context) (*reconciliation.Stop, error) {
	return g.gatherer.Features.Gather(ctx, &g.State, func(f feature.Feature) feature.Gather { return f.Compare })
}

// findSource has features find out of what a cloud object is made that is to be created.
func (g *gathering) findSource(ctx context.Context) (*reconciliation.Stop, error) {
	return g.gatherer.Features.Source(ctx, &g.State)
}

var crdKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// readDefinition finds out whether the kind itself is being removed from the cluster, which matters for a deletion alone.
func (g *gathering) readDefinition(ctx context.Context) error {
	if !g.Deleting {
		return nil
	}
	crd := &metav1.PartialObjectMetadata{}
	crd.SetGroupVersionKind(crdKind)
	if err := g.gatherer.Reader.Get(ctx, client.ObjectKey{Name: g.Kind.Definition()}, crd); err != nil {
		return fmt.Errorf("check whether the CustomResourceDefinition is being deleted: %w", err)
	}
	g.Removed = !crd.DeletionTimestamp.IsZero()
	return nil
}

// findAccount finds out which provider config leads to the account: the parent's, the object's own, or that of its class, which is merged
// with the spec.
func (g *gathering) findAccount(ctx context.Context) (err error) {
	if g.Parent.Named != "" {
		g.Config = g.Parent.Config
		if err := g.limitAdoption(ctx); err != nil {
			return err
		}
		if err := g.gatherer.limitReferences(ctx, &g.State); err != nil {
			return err
		}
		return (&counting{g}).limit(ctx)
	}
	if ref := g.Object.GetResourceSpec().ProviderConfigRef; ref != nil {
		g.Config = identity.KeyOf(ref, g.Object.GetNamespace())
		return g.gatherer.limitReferences(ctx, &g.State)
	}
	found, err := g.gatherer.Classes.Resolve(ctx, g.Object)
	if err != nil {
		return fmt.Errorf("find the class: %w", err)
	}
	if g.Want, g.Policy, err = plan.WithClass(g.Kind, g.Object, found); err != nil {
		return err
	}
	g.Class = found
	if found.Config != nil {
		g.Config = identity.KeyOfBound(*found.Config, g.Object.GetNamespace())
	}
	g.Problem = g.Policy.Refuse(found.Problems)
	return nil
}

// location returns where the cloud object is, or is to be; empty for where the account is by default.
func (g *gathering) location() string {
	return cmp.Or(g.Status().Location, g.Parent.Location, g.Want.GetLocation())
}

// connect opens a connection: the provider config is there, for this namespace, and its credentials can be used.
func (g *gathering) connect(ctx context.Context) error {
	conn, err := g.gatherer.Connector.Connect(ctx, identity.Request{
		Key: g.Config, ByClass: g.Class != nil || g.Parent.Class != "" || outlives(g.State), // the class may be gone with the parent
		Namespace: g.Object.GetNamespace(), Location: g.location(), Bound: g.Bound(), Deleting: g.Deleting,
	})
	if err != nil {
		return err
	}
	g.Connection, g.Provider = conn, conn.Provider
	return nil
}

// describe finds out what the cloud says of the kind, and prepares the request.
func (g *gathering) describe(context.Context) error {
	if g.Described, g.Supported = g.Connection.Resource(g.Kind.Name); !g.Supported {
		return nil
	}
	g.Policy.Restorable(g.Want, g.Described.Restore)
	g.Session = g.Connection.Session
	if g.gatherer.Metrics != nil {
		g.Session = telemetry.TimeCalls(g.gatherer.Metrics, g.Session, g.Provider)
	}
	g.Asks = plan.PlaceOf(g.Want, g.Kind.ChosenName(g.Object), g.gatherer.ClusterID, cmp.Or(g.Parent.Location, g.Connection.Region), g.Described.Name.MaxLength)
	g.Request = g.request()
	return findUnsupported(&g.State)
}

// findUnsupported finds out what the spec of an object without a class asks for that the cloud does not have. A class says that itself.
func findUnsupported(g *reconciliation.State) error {
	if g.Class != nil || len(g.Described.Lacks) == 0 {
		return nil
	}
	spec, err := class.TreeOf(g.Want.GetSpec())
	if err != nil {
		return fmt.Errorf("read the spec: %w", err)
	}
	problems := class.Unsupported(g.Described.Lacks, spec)
	if g.Problem != nil {
		problems = append([]class.Problem{*g.Problem}, problems...)
	}
	if g.Problem = class.Join(problems); g.Problem != nil {
		g.Policy.Refused = plan.RefusalOf(g.Problem)
	}
	return nil
}

// request returns the request that observes the object.
func (g *gathering) request() driver.Request {
	status, name, location := g.Status(), g.Status().ExternalName, g.location()
	if name == "" {
		name = g.Asks.Name
	}
	if location == "" {
		location = g.Connection.Location
	}
	request := driver.Request{
		Name: name, Location: location, Parent: g.Parent.Ref, ID: status.ExternalID,
		Mark: driver.Mark{
			Cluster: g.gatherer.ClusterID, Namespace: g.Object.GetNamespace(), Name: g.Object.GetName(), UID: string(g.Object.GetUID()),
			NamespaceUID: g.NamespaceUID,
		},
		Spec: driver.NewSpec(g.Want.GetParameters()), Applied: driver.Applied(status.Applied), Operation: status.Operation,
		NotBefore: g.Memory.Cloud.NotBefore, AskedAt: g.Memory.AskedAt,
	}
	request.JustSet = g.Memory.Cloud.JustSet.In(request.Spec)
	g.gatherer.Features.Request(&g.State, &request)
	request.Whole = mirrorsWhole(&g.State)
	if g.Deleting {
		request.Deletion = &driver.Deletion{Force: g.Want.GetForceDestroy()}
		if g.Policy.Deletion == v1alpha1.DeletionSnapshot {
			request.Deletion.Snapshot = plan.SnapshotName(name, string(g.Object.GetUID()))
		}
	}
	return request
}

// acquireSlot takes a slot of the account, or a place in the queue for one.
func (g *gathering) acquireSlot(context.Context) error {
	name, queue := client.ObjectKeyFromObject(g.Object), &g.Memory.Queue
	pending := g.Deleting || g.Status().ObservedGeneration != g.Object.GetGeneration()
	wait, waited := queue.Postpone(g.Now, g.News.Asked, pending, func() time.Duration { return g.Connection.Slots.ReserveUserRequest(name.Namespace, g.gatherer.Sync) })
	if wait > 0 {
		g.Slot.Queued, g.Slot.Postponed = true, wait
		return nil
	}
	g.News.Asked = g.News.Asked || waited || g.Memory.Asked
	g.Memory.Asked = g.News.Asked
	requeue := g.gatherer.Requeue // not g: the object may wait for long, and g may have a password
	request := account.Request{
		Requester: Requester{g.Kind.Name, name}, Namespace: name.Namespace, Kind: g.Kind.Name, Priority: g.Priority,
		Wake: func() { requeue(name, account.InProgress) }, // its turn has come: it does not wait again behind those whose turn has not
	}
	if g.Bound() {
		request.Observed = g.Memory.LastObserved
	}
	g.Slot.Held = g.Connection.Slots.Acquire(request)
	g.Slot.Queued, g.Paces = g.Slot.Held == nil, g.Connection.Slots.RateLimited(g.Kind.Name)
	if g.Slot.Queued {
		g.Slot.Degraded, g.Slot.Moves = g.Connection.Slots.Degraded(), g.Connection.Slots.GrantedSlotWithin(silentWait)
	}
	g.Unobserved = g.Unobserved && !g.Slot.Excuses(g.Now.Sub(g.Memory.LastObserved), g.gatherer.Sync, g.Paces)
	if !g.Slot.Queued {
		queue.Since = time.Time{}
		g.Session = g.Slot.Held.Session(g.Session)
		return nil
	}
	g.Slot.Account = fmt.Sprintf("the account of %s", g.Config)
	if id := g.Connection.KnownAccount(); id != "" {
		g.Slot.Account = fmt.Sprintf("%s account %s", g.Provider, id)
	}
	queue.Since = plan.Since(queue.Since, true, g.Now)
	g.gatherer.Features.Queued(&g.State)
	return nil
}

// askAccount finds out which account the connection leads to.
func (g *gathering) askAccount(ctx context.Context) (err error) {
	if g.News.Asked {
		g.Connection.RetrySoon()
	}
	if g.Account, err = g.Connection.Account(ctx); err != nil {
		g.CallError = err
		return named(g.Config, err)
	}
	return nil
}

// named says of which provider config an error is about its account.
func named(config identity.Key, err error) error {
	if refusal, ok := errors.AsType[*identity.ValidationError](err); ok {
		return &identity.ValidationError{Reason: refusal.Reason, Message: fmt.Sprintf("%s: %s", config, refusal.Message)}
	}
	return fmt.Errorf("%s: %w", config, err)
}

// observe observes the cloud object.
func (g *gathering) observe(ctx context.Context) error {
	seen, err := g.Session.Observe(ctx, g.Kind.Name, g.Request, g.CallSecrets)
	if g.CallError = err; err != nil {
		return err
	}
	g.Request.Read, g.Memory.Asked = seen.Read, false
	// What is left of an operation that failed stays to be dealt with: why it failed was told, or somebody asked for another try, and the plan goes on with it.
	rests := seen.OperationError != nil && seen.Operation != ""
	if rests && (g.News.Asked || g.Request.Beside && g.News.Wanted) { // beside a failed preparation no other change is seen, so any edit may be the mend
		g.Memory.Retried = seen.Operation
	}
	told := rests && (g.Memory.Failure == seen.OperationError.Error() || g.Memory.Retried == seen.Operation)
	if seen.OperationError != nil && !told {
		upToDate(g, seen)
		g.Status().Operation = seen.Operation // told once; the next reconciliation observes afresh
		if !rests {                           // what rests was about the version alone, and may be told again by another process
			g.gatherer.Features.Failed(&g.State, seen.OperationError.Error())
		}
		if seen.State == driver.Ready {
			g.Usable = &seen.Available
		}
		g.OperationError, g.Memory.Failure = seen.OperationError, seen.OperationError.Error()
	} else {
		g.observed(ctx, seen)
	}
	return nil
}

// observed takes in an observation.
func (g *gathering) observed(ctx context.Context, seen driver.Observation) {
	if seen.State != driver.Absent { // a read may lag behind the creation
		g.Memory.Cloud.JustSet = nil
	}
	if g.Described.Ownership == driver.OwnedByParent {
		seen.Mark = evidenceOf(g.State, seen, g.gatherer.ConsistencyWindow).RecordedMark(g.Request.Parent)
	}
	if st := g.Status(); g.Described.MarkIsFinal && st.Origin == v1alpha1.OriginCreated && seen.ID != "" && seen.ID == st.ExternalID {
		seen.Mark = g.Request.Mark // the answer to the creation said which one it is, however the cloud shows its mark
	}
	seen.Mark = whole(seen.Mark, g.Request.Mark)
	keepMirrored(&g.State, &seen)
	g.Observation, g.Observed, g.Memory.Queue.Said = seen, true, reconciliation.SaidNothing
	g.gatherer.Features.Observed(ctx, &g.State)
	upToDate(g, seen)
	if seen.State == driver.Ready && seen.OperationError == nil {
		g.Memory.Failure = ""
	}
}

// upToDate notes that what is known of the cloud object is up to date, if its state was seen: also beside an operation that failed.
func upToDate(g *gathering, seen driver.Observation) {
	if seen.State != driver.Unknown {
		g.Memory.LastObserved = g.Now
		g.Unobserved = false
	}
}

// evidenceOf returns an observation, and what was known when it was made.
func evidenceOf(g reconciliation.State, seen driver.Observation, window time.Duration) plan.Evidence {
	return plan.Evidence{
		Kind: g.Kind, Object: g.Object, Class: g.Class, Mark: g.Request.Mark, Applied: g.Request.Applied, Asks: g.Asks,
		Recovers: g.Recovers, OwnAccount: g.Config.Kind == identity.KindProviderConfig, FinalMarks: g.Described.MarkIsFinal,
		Recorded: g.Described.Ownership == driver.OwnedByParent, Rival: g.Rival, Observation: seen, Memory: g.Memory.Cloud, Now: g.Now, Window: window,
	}
}

// look makes the view of the object. What was just sent is no difference as long as a stale read may show it.
func (g *gathering) look(ctx context.Context) error {
	if err := (residing{g}).complete(ctx); err != nil {
		return err
	}
	evidence := evidenceOf(g.State, g.Observation, g.gatherer.ConsistencyWindow)
	found := plan.Interpret(evidence)
	if err := (residing{g}).check(ctx, found.View); err != nil {
		return err
	}
	g.Taken = evidence.Taken(g.Request.Parent)
	found.Note(g.Kind, g.Object)
	g.View, g.Memory.Cloud = found.View, found.Memory
	g.View.NoteRestore(g.Kind, g.Want, g.Object)
	g.View.RetryRequested = g.Memory.Retried != "" && g.Memory.Retried == g.Observation.Operation
	g.View.Children, g.View.ConsistencyWindow = g.Children, g.gatherer.ConsistencyWindow
	g.Observation.Changes = append(g.Observation.Changes, g.gatherer.Features.Interpret(&g.State)...)
	fresh := g.Memory.Cloud.WithoutSent(g.Observation.Changes, g.Now, g.gatherer.ConsistencyWindow)
	g.Differences = g.Observation.Changes
	g.View.InConsistencyWindow = len(fresh) < len(g.Observation.Changes)
	g.Observation.Changes = g.View.Source.Withhold(fresh)
	return upgrading{g}.findBackup(ctx)
}
