package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Memory is what is remembered of a cloud object between reconciliations: what was sent to it, and what was missing. All of it may be lost
// at any time: it saves calls and keeps conditions calm, and nothing is wrong without it.
type Memory struct {
	// Began is when this process first looked at the object: an earlier one may have sent something right before.
	Began time.Time
	// Absent is when the cloud object was first observed to be missing; zero while it is there.
	Absent time.Time
	// SnapshotAbsent is when the final snapshot was first observed to be missing; zero while it is there, or was not looked for.
	SnapshotAbsent time.Time
	// Unmarked is when the object was first observed to have no mark; zero while it has one.
	Unmarked time.Time
	// Sent are the changes of the last update, and SentAt is when it was sent: until reads have caught up the
	// same difference is no reason to send it again.
	Sent   []driver.Change
	SentAt time.Time
	// InVain: what was sent last had been sent before.
	InVain bool
	// Continued is the operation that was continued by sending the same again, as it asks for: the second time that is in vain.
	Continued string
	// Emptying is how far the deletion of what the object holds has come.
	Emptying Emptying
	// Steps are the steps that were made in the cloud since the object was at rest: one that is made again did not help.
	Steps []string
	// DeleteSent is when the cloud accepted the deletion.
	DeleteSent time.Time
	// Answered: the cloud answered the creation, and no mark was observed since.
	Answered bool
	// CreationSent: this process sent a creation since the object was bound, and it failed. CreationRefused: the cloud refused all
	// creations. CreationFailed: it answered the last one with an error. CreationUnclear: what came of one is not known.
	CreationSent, CreationRefused, CreationFailed, CreationUnclear bool
	// StartedOver: another cloud object took the place of the first one.
	StartedOver bool
	// JustSet is what a creation set by calls of their own, until the object is observed; nil if it set nothing so.
	JustSet *JustSet
	// Carried is what the cloud returned for a write, until it is stored.
	Carried *Returned
	// NotBefore is how fresh an observation must be: when the last write ended.
	NotBefore time.Time
}

// Returned is what the cloud returned for a write: the identity of its object, and the operation that it began.
type Returned struct{ ID, Operation string }

// JustSet is what a creation set by calls of their own: fields, and the spec that says their values, as JSON.
type JustSet struct {
	Spec   string
	Fields []string
}

// In returns the fields if they were set as a spec says.
func (s *JustSet) In(spec driver.Spec) []string {
	if s == nil {
		return nil
	}
	if text, err := spec.MarshalJSON(); err != nil || string(text) != s.Spec {
		return nil // then they are read
	}
	return s.Fields
}

// Emptying is the deletion of what a cloud object holds, a part at a time.
type Emptying struct {
	// Since is when this process deleted the first part; zero if it did not.
	Since time.Time
	// Removed is how many things it deleted, and Told how many of them the conditions tell, since ToldAt.
	Removed, Told int
	ToldAt        time.Time
}

// tellsEvery is how often the conditions tell how far an emptying has come: each part is deleted within seconds, and there may be thousands.
const tellsEvery = 30 * time.Second

// Took is the emptying once one more part was deleted.
func (e Emptying) Took(removed int, now time.Time) Emptying {
	if e.Since.IsZero() {
		e.Since, e.ToldAt = now, now
	}
	e.Removed += removed
	if now.Sub(e.ToldAt) >= tellsEvery {
		e.Told, e.ToldAt = e.Removed, now
	}
	return e
}

// String is how far it has come, as the conditions tell it; empty in its first seconds.
func (e Emptying) String() string {
	if e.Told == 0 {
		return ""
	}
	return fmt.Sprintf("it is being emptied first: %d objects and versions deleted since %s", e.Told, e.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

// JustSent returns the fields that were set at a time, or after it.
func (m Memory) JustSent(at time.Time) (fields []string) {
	if m.SentAt.Before(at) {
		return nil
	}
	for _, c := range m.Sent {
		fields = append(fields, c.Field)
	}
	return fields
}

// WithoutSent returns changes without those that were just sent and that a stale read may still show.
func (m Memory) WithoutSent(changes []driver.Change, now time.Time, window time.Duration) []driver.Change {
	if now.Sub(m.SentAt) >= window {
		return changes
	}
	var out []driver.Change
	for _, c := range changes {
		if !m.WasSent(c) {
			out = append(out, c)
		}
	}
	return out
}

// Sending is the memory once it is certain what is sent next. operation is what the cloud is at, and rests until it is told to go on; empty if it is at nothing.
func (m Memory) Sending(changes []driver.Change, operation string) Memory {
	m.InVain = len(m.Sent) > 0 && !slices.ContainsFunc(changes, func(c driver.Change) bool { return !m.WasSent(c) })
	if m.InVain && operation != "" && operation != m.Continued {
		m.InVain, m.Continued = false, operation
	}
	return m
}

// mostSteps is how many steps are remembered.
const mostSteps = 50

// Made is the memory once a step was made, and how often it was made before.
func (m Memory) Made(step string) (after Memory, before int) {
	for _, s := range m.Steps {
		if s == step {
			before++
		}
	}
	m.Steps = append(slices.Clone(m.Steps[max(0, len(m.Steps)+1-mostSteps):]), step)
	return m, before
}

// Sure reports whether what is observed shows all that was ever sent: nothing was for long enough, neither by this process nor by an earlier one.
func (m Memory) Sure(now time.Time, window time.Duration) bool {
	return now.Sub(m.NotBefore) >= window && now.Sub(m.Began) >= window
}

// WasSent reports whether the last update had a change.
func (m Memory) WasSent(c driver.Change) bool {
	for _, s := range m.Sent {
		if s.Field == c.Field && s.From == c.From && s.To == c.To {
			return true
		}
	}
	return false
}

// Wrote is the memory once the cloud was written to: reads may lag behind that from now on.
func (m Memory) Wrote(now time.Time, changes []driver.Change) Memory {
	m.NotBefore, m.JustSet = now, nil
	if changes != nil {
		m.Sent, m.SentAt = changes, now
	}
	return m
}

// StartOver is the memory without what is remembered of the cloud object that had the name before, and that may have been usable.
func (m Memory) StartOver(wasReady bool) Memory {
	m.Emptying, m.Steps = Emptying{}, nil
	m.Sent, m.SentAt, m.InVain, m.Continued = nil, time.Time{}, false, ""
	m.DeleteSent, m.SnapshotAbsent, m.Unmarked = time.Time{}, time.Time{}, time.Time{}
	m.CreationRefused, m.CreationFailed, m.CreationUnclear = false, false, m.CreationUnclear && !wasReady
	m.Carried, m.JustSet = nil, nil
	m.Answered, m.StartedOver = false, m.StartedOver || wasReady
	return m
}
