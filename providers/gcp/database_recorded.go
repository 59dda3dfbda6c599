package gcp

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// recordedPeriod is how often one of the two things is looked at that a connection Secret names and that no answer about an instance shows: in turn the initial database and the administrator.
// So either is looked at once an hour, by one call of an observation.
const recordedPeriod = 30 * time.Minute

// recorded knows, for each instance, what was found the last time that what was once made in it was looked at.
type recorded struct {
	mu  sync.Mutex
	all map[string]recordedOf
}

type recordedOf struct {
	turn int64
	// gone are the problems of what is not there any more: of the initial database, and of the administrator.
	gone [2]string
}

// lookAgain tells of an initial database or an administrator that somebody took away. Neither comes back by itself: what was in the database is gone, and who took the administrator
// away may have had a reason. What can't be looked at now is as it was found before.
func (d *databases) lookAgain(ctx context.Context, req *databaseRequest, have *instance, o *driver.Observation) {
	made := req.Spec.DatabaseName != nil && slices.Contains(req.Applied[fieldDatabase], *req.Spec.DatabaseName)
	login := len(req.Applied[driver.FieldPassword]) > 0
	if !made && !login || req.Deletion != nil || o.State != driver.Ready || !running(have) || have.MasterInstanceName != "" {
		return
	}
	turn := d.turnOf(req.Name)
	before, known := d.recorded.of(req.Name, turn)
	now := before
	now.turn = turn
	if made && (before.gone[0] != "" || known && turn != before.turn && turn%2 == 0) {
		now.gone[0] = d.lostDatabase(ctx, req, before.gone[0])
	}
	if login && (before.gone[1] != "" || known && turn != before.turn && (turn%2 != 0 || !made)) {
		now.gone[1] = d.lostUser(ctx, req, have, before.gone[1])
	}
	d.recorded.note(req.Name, now)
	for _, gone := range now.gone {
		if gone != "" {
			o.Available, o.Problem = false, gone
			return
		}
	}
}

// turnOf counts the periods, which begin at another moment for each instance.
func (d *databases) turnOf(name string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	offset := time.Duration(h.Sum32()) % recordedPeriod
	return d.now().Add(offset).UnixNano() / int64(recordedPeriod)
}

// of returns what is known of an instance; known is false if it was not met before.
func (r *recorded) of(name string, turn int64) (found recordedOf, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, known = r.all[name]; !known {
		found.turn = turn
	}
	return found, known
}

func (r *recorded) note(name string, found recordedOf) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]recordedOf{}
	}
	r.all[name] = found
}

// lostDatabase says that the initial database is gone; before if nobody can tell.
func (d *databases) lostDatabase(ctx context.Context, req *databaseRequest, before string) string {
	_, err := d.getDatabase(ctx, req)
	switch {
	case err == nil:
		return ""
	case driver.CodeOf(err) != driver.NotFound:
		return before
	}
	name := *req.Spec.DatabaseName
	return fmt.Sprintf("the database %[1]s, which the connection Secret names, is not in the server any more: somebody dropped it, and its data with it. Restore a backup into another Database, or make an "+
		"empty one (gcloud sql databases create %[1]s --instance %[2]s --project %[3]s); Mooring makes none", name, req.Name, d.project)
}

// lostUser says that the administrator is gone; before if nobody can tell.
func (d *databases) lostUser(ctx context.Context, req *databaseRequest, have *instance, before string) string {
	l := loginOf(req, have.engine())
	users, err := do(ctx, d.session, "users.list", func(ctx context.Context) (*sqladmin.UsersListResponse, error) {
		return d.sql.Users.List(d.project, req.Name).Context(ctx).Do()
	})
	switch {
	case err != nil:
		return before
	case slices.ContainsFunc(users.Items, l.is):
		return ""
	}
	return fmt.Sprintf("the administrator %[1]s, whom the connection Secret names, is not in the server any more: somebody deleted that user. Make it again (gcloud sql users create %[1]s --instance %[2]s "+
		"--project %[3]s --prompt-for-password) with the password of the Secret; Mooring makes none", l.name, req.Name, d.project)
}
