package execute

import (
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// creatableName refuses a name that the cloud would refuse, or that Mooring makes for an object of another namespace, before anything is bound to it. What exists
// may have such a name, so nothing else asks.
func creatableName(t reconciliation.State) error {
	lived := t.Object.GetResourceStatus().FirstReadyTime != nil
	refusal := t.Described.Name.Refuses(t.Request.Name)
	if refusal == nil && !lived && isNameOfOthers(t) {
		refusal = &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("nothing can be created under the name %q: it is the name that Mooring makes for an object of another namespace", t.Request.Name)}
	}
	switch {
	case refusal == nil:
		return nil
	case lived:
		return fmt.Errorf("%w; restore it in the cloud, or delete this object", refusal)
	default:
		return fmt.Errorf("%w; choose another spec.externalName", refusal)
	}
}

// isNameOfOthers reports whether Mooring makes the name for an object of another namespace, in either form that names have.
func isNameOfOthers(t reconciliation.State) bool {
	of, rule := t.Request.Mark, t.Described.Name
	if plan.IsNameOfOthers(of.Cluster, of.Namespace, t.Request.Name, rule.MaxLength) {
		return true
	}
	return rule.Scope != nil && plan.IsScopedNameOfOthers(of.Cluster, of.Namespace, t.Request.Name, rule.MaxLength, rule.Scope.In(t.Account, t.Request.Location))
}

// creationRefused takes in the error that a creation ended with. The object was observed to be absent before, so an answer that
// refuses the creation says that there still is nothing. That something of the name exists says so only if no creation before it may
// have made that.
func (w *work) creationRefused(err error, nothingYet bool) {
	sentBefore := w.Memory.Cloud.CreationSent
	w.Memory.Cloud.CreationSent = true
	code := driver.CodeOf(err)
	w.Memory.Cloud.CreationFailed = code != driver.Internal && code != driver.Unavailable
	former := w.Described.MarkIsFinal && !sentBefore && !nothingYet // another process may have sent one, of which this answer says nothing
	w.Memory.Cloud.CreationUnclear = w.Memory.Cloud.CreationUnclear || !w.Memory.Cloud.CreationFailed || former
	if w.Memory.Cloud.StartedOver {
		return // what lived before may come back: restored from a snapshot, for example
	}
	if w.Described.MarkIsFinal && !nothingYet {
		return // the name and the mark of what an earlier creation made may not be shown as they were sent
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
	w.status.CreationRefused, w.Memory.Cloud.CreationRefused = !sentBefore, true
}

// sentSince returns the earliest time at which a creation may have been sent whose outcome nobody knows; zero if there is no such creation. An answer that the cloud gave to this
// process, for example that it is busy, says that its creation made nothing.
func sentSince(object v1alpha1.ResourceObject, m plan.Memory, nothingYet bool) time.Time {
	if nothingYet || m.CreationSent && !m.CreationUnclear {
		return time.Time{}
	}
	return object.GetCreationTimestamp().UTC()
}

// justSet returns what a creation set by calls of their own; nil if it set nothing so.
func justSet(done driver.Result, request driver.Request) *plan.JustSet {
	spec, err := request.Spec.MarshalJSON()
	if err != nil || len(done.Sent) == 0 {
		return nil
	}
	return &plan.JustSet{Spec: string(spec), Fields: driver.Names(done.Sent)}
}
