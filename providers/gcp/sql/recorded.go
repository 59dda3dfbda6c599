package sql

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// recordedPeriod is how often each of the two things is looked at that a connection Secret names and that no answer about an instance shows: the initial database and the administrator.
// A person who asks for an observation has both looked at.
const recordedPeriod = time.Hour

// The things that a connection Secret names.
const (
	recordedDatabase = iota
	recordedUser
	recordedThings
)

// recorded knows what was found, the last time that it was looked at, of what was once made in each instance.
type recorded struct {
	mu  sync.Mutex
	all map[string]recordedOf
}

// recordedOf is of one instance: when each thing was looked at, zero if never, and why it is not as the Secret says; empty if it is.
type recordedOf struct {
	looked [recordedThings]time.Time
	lost   [recordedThings]string
}

// lookAgain tells of an initial database or an administrator that somebody took away. Neither comes back by itself:
// what was in the database is gone, and who took the administrator away may have had a reason. An observation makes
// one call for it at most, unless a person asked for it. What can't be looked at now is as it was found before.
func (r *recorded) lookAgain(ctx context.Context, d *instances, req *request, have *instance, o *driver.Observation) {
	if req.Deletion != nil || o.State == driver.Deleting {
		r.forget(req.Name)
		return
	}
	// Without a password that Mooring set there is no Secret that names anything.
	if !req.PasswordSet || o.State != driver.Ready || !running(have) || have.MasterInstanceName != "" {
		return
	}
	found := r.of(req.Name)
	things := []int{recordedUser}
	if req.Spec.DatabaseName != nil && slices.Contains(req.Applied[fieldDatabase], *req.Spec.DatabaseName) {
		things = append(things, recordedDatabase)
	}
	for _, i := range found.due(ctx, things, d.Now()) {
		if found.looked[i] = d.Now(); i == recordedDatabase {
			found.lost[i] = lostDatabase(ctx, d, req, found.lost[i])
		} else {
			found.lost[i] = lostUser(ctx, d, req, have, found.lost[i])
		}
		r.note(req.Name, found)
	}
	for _, i := range things {
		o.Lost = cmp.Or(found.lost[i], o.Lost)
	}
}

// due returns which of things an observation looks at: those that a person asked for since the last look, or else the
// one that has waited longest, if its time has come.
func (f *recordedOf) due(ctx context.Context, things []int, now time.Time) []int {
	var asked, others []int
	for _, i := range things {
		switch looked := f.looked[i]; {
		case table.AskedSince(ctx, looked):
			asked = append(asked, i)
		case f.lost[i] != "" || looked.IsZero() || now.Sub(looked) >= recordedPeriod:
			others = append(others, i)
		}
	}
	if len(asked) > 0 || len(others) == 0 {
		return asked
	}
	return []int{slices.MinFunc(others, func(a, b int) int { return f.looked[a].Compare(f.looked[b]) })}
}

func (r *recorded) of(name string) recordedOf {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[name]
}

func (r *recorded) note(name string, found recordedOf) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]recordedOf{}
	}
	r.all[name] = found
}

func (r *recorded) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, name)
}

// saw notes that a thing of an instance is there: it was just made, or seen.
func (r *recorded) saw(name string, thing int, at time.Time) {
	found := r.of(name)
	found.looked[thing], found.lost[thing] = at, ""
	r.note(name, found)
}

// lostDatabase says that the initial database is gone; before if nobody can tell.
func lostDatabase(ctx context.Context, d *instances, req *request, before string) string {
	_, err := d.getDatabase(ctx, req)
	switch {
	case err == nil:
		return ""
	case driver.CodeOf(err) != driver.NotFound:
		return before
	}
	name := *req.Spec.DatabaseName
	return fmt.Sprintf("the database %[1]s, which the connection Secret names, is not in the server any more: somebody dropped it, and its data with it. Restore a backup into another Database, or make an "+
		"empty one (gcloud sql databases create %[1]s --instance %[2]s --project %[3]s); Mooring makes none", name, req.Name, d.Project)
}

// lostUser says that the administrator is gone; before if nobody can tell.
func lostUser(ctx context.Context, d *instances, req *request, have *instance, before string) string {
	l := loginOf(req, have.engine())
	users, err := session.Do(ctx, d.Caller, "users.list", func(ctx context.Context) (*sqladmin.UsersListResponse, error) {
		return d.sql.Users.List(d.Project, req.Name).Context(ctx).Do()
	})
	switch {
	case err != nil:
		return before
	case slices.ContainsFunc(users.Items, l.is):
		return ""
	}
	return fmt.Sprintf("the administrator %[1]s, whom the connection Secret names, is not in the server any more: somebody deleted that user. Make it again (gcloud sql users create %[1]s --instance %[2]s "+
		"--project %[3]s --prompt-for-password) with the password of the Secret; Mooring makes none", l.name, req.Name, d.Project)
}
