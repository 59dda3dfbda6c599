package execute

import (
	"fmt"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// creatableName refuses a name that the cloud would refuse, before anything is bound to it. What exists may have such a
// name, so nothing else asks.
func creatableName(t Task) error {
	refusal := t.Described.Name.Refuses(t.Request.Name)
	if refusal == nil {
		return nil
	}
	if t.Object.GetResourceStatus().FirstReadyTime != nil {
		return fmt.Errorf("%w; restore it in the cloud, or delete this object", refusal)
	}
	return fmt.Errorf("%w; choose another spec.externalName", refusal)
}

// creationRefused takes in the error that a creation ended with. The object was observed to be absent before, so an answer that
// refuses the creation says that there still is nothing. That something of the name exists says so only if no creation before it may
// have made that.
func (w *work) creationRefused(err error, nothingYet bool) {
	sentBefore := w.Memory.CreationSent
	w.Memory.CreationSent = true
	code := driver.CodeOf(err)
	w.Memory.CreationFailed = code != driver.Internal && code != driver.Unavailable
	w.Memory.CreationUnclear = w.Memory.CreationUnclear || !w.Memory.CreationFailed
	if w.Memory.StartedOver {
		return // what lived before may come back: restored from a snapshot, for example
	}
	switch code {
	case driver.Conflict:
		if !nothingYet {
			return
		}
	case driver.Invalid, driver.Denied, driver.NotFound, driver.Quota, driver.Capacity, driver.Unsupported:
	default:
		return
	}
	w.status.CreationRefused, w.Memory.CreationRefused = !sentBefore, true
}

// justSet returns what a creation set by calls of their own; nil if it set nothing so.
func justSet(done driver.Result, request driver.Request) *plan.JustSet {
	spec, err := request.Spec.MarshalJSON()
	if err != nil || len(done.Sent) == 0 {
		return nil
	}
	return &plan.JustSet{Spec: string(spec), Fields: driver.Names(done.Sent)}
}
