package reconciliation

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// Memory is what is remembered of an object between reconciliations. All of it may be lost at any time: it saves calls and keeps conditions calm, and nothing is wrong
// without it.
type Memory struct {
	// Cloud is what is remembered of the cloud object.
	Cloud plan.Memory
	// Generation and Request are the edit and the annotation that the waits are about.
	Generation int64
	Request    string
	// Queue is about the wait for a slot of the account.
	Queue Queue
	// LastObserved is when the cloud object was last observed, or the object first met.
	LastObserved time.Time
	// MirroredWhole is when what the spec does not declare was last read for the mirror, of an object that is only observed.
	MirroredWhole time.Time
	// Failure is why an operation that the cloud had begun failed, until the spec is edited, a reconciliation is asked for, or the
	// object is seen to work.
	Failure string
	// Asked: somebody asked for the reconciliation, and the cloud object was not observed since, because the account had no slot or did not answer.
	Asked bool
	// AskedAt is when somebody last asked for a reconciliation, however that went on; zero if this process saw nobody ask.
	AskedAt time.Time
	// Retried is the operation that failed, and of which somebody asked for another try since: that stays so until there is another operation, however long the try has to wait.
	Retried string
	// Parts are what features remember of the cloud object.
	Parts Parts
}

// Begin returns the state with which the reconciliation of an object begins. The object, as the API server has it, is not changed.
func Begin(object v1alpha1.ResourceObject, now time.Time, news News, remembered Memory) State {
	return State{Facts: outcome.Facts{Now: now}, Stored: object, News: news, Memory: remembered}
}

// News is what people did about an object since it was last reconciled.
type News struct {
	// Any: the object was edited, or somebody asked for its reconciliation, or this process did not meet it before.
	Any bool
	// Wanted: a person edited the spec or asked for the reconciliation, since this process met the object. Asked: a person asked for the reconciliation. Urgent: a person
	// waits for what comes of it.
	Wanted, Asked, Urgent bool
	// Edited: the spec of an object that was usable was edited.
	Edited bool
}

// NewsOf returns what is new about an object, and what is remembered from now on.
func NewsOf(object v1alpha1.ResourceObject, m Memory) (News, Memory) {
	request, status := object.GetAnnotations()[v1alpha1.AnnotationReconcile], object.GetResourceStatus()
	if m.Generation == object.GetGeneration() && m.Request == request {
		return News{}, m
	}
	met := m.Generation != 0
	news := News{
		Any: true, Wanted: met, Asked: met && m.Request != request,
		Urgent: met || status.ObservedGeneration != object.GetGeneration(), // else it was merely not met yet
		Edited: met && status.FirstReadyTime != nil && m.Generation != object.GetGeneration(),
	}
	m.Generation, m.Request, m.Failure, m.Queue.Said = object.GetGeneration(), request, "", SaidNothing
	return news, m
}
