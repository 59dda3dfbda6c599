package fault

import (
	"sync"
	"testing"
)

// byChance are the writes that not every lifecycle has, from the n-th of a phase on, and why. They are tested where they occur, and of each
// entry that has cases one must be, unless it takes a machine of the right speed. A case of any other write that is not tested is an error.
var byChance = []chance{
	{"", ofUsers, 1, false, "the config's controller comes to it late, and not at all if the user is gone by then"},
	{deletion, "patch databases/status", 2, true, "the instance that is being deleted may be gone when it is observed next"},
	{creation, "patch buckets/status", 3, true, "a new object says that a call failed, and on a busy machine one may time out that nobody injected a fault into"},
	{"", "patch databases/status", 3, true, "each state of the instance that is observed is recorded, and a busy machine observes fewer"},
	{snapshot, "patch databasesnapshots/status", 3, true, "each state of the snapshot that is observed is recorded, and a busy machine observes fewer"},
	{revival, "patch databasesnapshots/status", 3, true, "likewise, of the final snapshot that the deletion before the revival leaves"},
	{deletion, "patch databasesnapshots/status", 2, true, "likewise, and the object may wait for the binding first"},
	{"", "patch providerconfigs", 2, true, "the controllers of the object and of its config may both remove the config's finalizer"},
	{"", "delete secrets (copy of credentials)", 2, true, "the controllers of the object and of its config may both delete the copy"},
}

// A chance is an entry of byChance.
type chance struct {
	phase phase // empty for any
	name  string
	n     int
	// fast: only a machine that is fast or busy enough has it, so that it may go untested.
	fast bool
	why  string
}

// excuse returns the entry by which a write of a phase may go untested, nil if it may not.
func excuse(p phase, c call) *chance {
	for i, e := range byChance {
		if (e.phase == "" || e.phase == p) && c.name == e.name && c.n >= e.n {
			return &byChance[i]
		}
	}
	return nil
}

// A rareWrite is what a sweep made of the cases of one entry of byChance.
type rareWrite struct {
	tested bool
	// again leads lifecycles of the first of the cases until its write occurs, two at most.
	again func(*testing.T) bool
}

// rareWrites are those of a sweep.
type rareWrites struct {
	mu  sync.Mutex
	all map[*chance]*rareWrite
}

// note notes what became of the cases of a lifecycle; of a write that every lifecycle has there is nothing to note.
func (r *rareWrites) note(faults, missed injectedFaults, lead func(*testing.T, injectedFaults) (missed injectedFaults)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, f := range faults {
		of := excuse(p, f.call)
		if of == nil {
			continue
		}
		if r.all[of] == nil {
			r.all[of] = &rareWrite{again: func(t *testing.T) bool { return len(lead(t, injectedFaults{p: f})) == 0 }}
		}
		if _, untested := missed[p]; !untested {
			r.all[of].tested = true
		}
	}
}

// verify has each entry's write tested at least once. Where none of its cases was, which chance may do on any machine, it goes on until one is.
func (r *rareWrites) verify(t *testing.T) {
	const tries = 50
	for of, write := range r.all {
		for range tries {
			if of.fast || write.tested || t.Failed() {
				break
			}
			write.tested = write.again(t)
		}
		switch {
		case write.tested:
		case of.fast:
			t.Logf("no lifecycle had %q, the %d. time: %s", of.name, of.n, of.why)
		default:
			t.Errorf("no lifecycle had %q, the %d. time: that write was not tested at all", of.name, of.n)
		}
	}
}
