package execute

import (
	"maps"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Room is locked while an object is bound whose class, or that of its parent, has a limit, or whose cloud object can't be marked. It is one for all executors of a kind.
type Room struct {
	sync.Mutex
	// bound is which object was bound last to each cloud object that can't be marked.
	bound map[place]binding
}

// A place is where a cloud object is, and its name there.
type place struct {
	provider               string
	account                driver.AccountID
	location, parent, name string
}

func placeOf(t reconciliation.State) place {
	return place{t.Provider, t.Account, t.Request.Location, t.Request.Parent.Name, t.Request.Name}
}

type binding struct {
	object client.ObjectKey
	at     time.Time
}

// shown is how long after a binding every cache has it.
const shown = time.Hour

// note remembers that an object is about to be bound, until every cache shows it. It is called with the Room locked.
func (r *Room) note(t reconciliation.State, now time.Time) {
	maps.DeleteFunc(r.bound, func(_ place, b binding) bool { return now.Sub(b.at) > shown })
	if r.bound == nil {
		r.bound = map[place]binding{}
	}
	r.bound[placeOf(t)] = binding{client.ObjectKeyFromObject(t.Object), now}
}
