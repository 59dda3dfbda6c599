package report

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// comeBack says when the object is to be reconciled again, and how much that matters: what was begun is
// finished first, then comes what somebody wants, and resyncs wait behind all that.
func comeBack(out outcome.Outcome, m *Memory) reconcile.Result {
	pace := m.Pace
	result := reconcile.Result{}
	switch out.Next {
	case outcome.Soon:
		m.Priority = account.InProgress
		if out.GotOn {
			pace.MadeProgress()
		}
		if out.Repeated { // nothing is finished by it
			m.Priority = account.UserRequested
		}
		result.RequeueAfter = pace.AfterStep(out.Repeated)
	case outcome.Polling:
		m.Priority = max(m.Priority, account.UserRequested)
		result.RequeueAfter = pace.NextPoll()
	case outcome.Later:
		return reconcile.Result{RequeueAfter: out.AtLeast, Priority: QueuePriority(account.Resync)}
	case outcome.InTurn: // it waits in the account's queue, at the priority that it has
		result.RequeueAfter = time.Millisecond
	case outcome.AfterError:
		m.Priority = max(m.Priority, account.UserRequested)
		if out.State.WaitsForPerson() {
			m.Priority = account.Resync
		}
		result.RequeueAfter = pace.AfterError(out.AtLeast)
	case outcome.Never:
		return result
	default:
		pace.Reset()
		m.Priority = account.Resync
		result.RequeueAfter = pace.UntilSync()
	}
	if out.AtMost > 0 && out.AtMost < result.RequeueAfter { // something is due then, and it does not wait behind resyncs
		result.RequeueAfter = out.AtMost
		m.Priority = min(m.Priority, account.UserRequested)
	}
	result.Priority = QueuePriority(m.Priority)
	return result
}

// QueuePriority is a priority as the controller's queue knows it, whose events have priority zero. An object keeps it until it gets
// another.
func QueuePriority(p account.Priority) *int {
	switch p {
	case account.InProgress:
		return new(1)
	case account.UserRequested:
		return new(0)
	default:
		return new(handler.LowPriority)
	}
}
