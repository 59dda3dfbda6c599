package mem_test

import (
	"strings"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// replicaMutants break what a driver does about objects that follow others.
var replicaMutants = []mutant{
	{name: "does not say what an object follows", caught: "replica/an object that follows",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Replication = &driver.Replication{Followers: o.Replication.GetFollowers()}
			return err
		}},
	{name: "a replica is ahead of what it follows", caught: "replica/an object that follows",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Replication.GetFollows() != nil {
				o.Replication.GetFollows().Lag = new(-time.Second)
			}
			return err
		}},
	{name: "says what an object follows once it is there", caught: "replica/an object that follows",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Pending {
				o.Replication = &driver.Replication{Followers: o.Replication.GetFollowers()}
			}
			return err
		}},
	{name: "does not say who follows to those who delete", caught: "replica/an object that follows",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if *c.deletion != nil {
				o.Replication = &driver.Replication{Follows: o.Replication.GetFollows()}
			}
			return err
		}},
	{name: "a replica is born with a mark of its source", caught: "replica/an object that follows",
		before: func(c *bentCall) {
			if c.op == "Create" && c.follows() {
				c.mark.UID = "uid-1"
			}
		}},
	{name: "reports what a replica can't have", caught: "replica/an object that follows",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Replication.GetFollows() != nil {
				o.Changes = append(o.Changes, driver.Change{Field: "backup.retentionDays", From: "0", To: "7", Effect: driver.Online})
			}
			return err
		}},
	{name: "promotes nothing", caught: "replica/a promotion ends it",
		before: func(c *bentCall) {
			if c.command != nil && c.command.Verb == driver.Promote {
				c.command.Verb = nothing
			}
		}},
	{name: "what was promoted stays what the replica was", caught: "replica/a promotion ends it", observe: forgiven()},
	{name: "a second promotion is an error", caught: "replica/a promotion asked for twice",
		update: func(c *bentCall, r *driver.Result, err error) error {
			if c.command != nil && c.command.Verb == driver.Promote && r.Operation == "" {
				return code(driver.Invalid, "it is no replica")
			}
			return err
		}},
	{name: "follows whatever has the name", caught: "replica/of one that does not exist",
		before: func(c *bentCall) {
			if c.follows() {
				(*c.restore).Source.ID = strings.TrimSuffix((*c.restore).Source.ID, "-before")
			}
		}},
	{name: "a replica is created twice", caught: "replica/a second creation",
		create: func(c *bentCall, err error) error {
			if driver.CodeOf(err) == driver.Conflict {
				c.again(true)
				return nil
			}
			return err
		}},
	{name: "says that what follows has a final snapshot", caught: "replica/what follows takes no",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if *c.deletion != nil && o.State == driver.Absent {
				o.Backup = &driver.Backup{FinalSnapshot: driver.Ready}
			}
			return err
		}},
	{name: "makes an empty object where there are no replicas", caught: "replica/where the cloud has none",
		before: func(c *bentCall) {
			if c.op == "Create" {
				*c.restore = nil
			}
		}},
}

// follows reports whether the request is for an object that follows another one.
func (c *bentCall) follows() bool { return *c.restore != nil && (*c.restore).Follows }

// forgiven returns an observe that reports no changes of what followed another object once.
func forgiven() func(*bentCall, *driver.Observation, error) error {
	var followed sync.Map
	return func(c *bentCall, o *driver.Observation, err error) error {
		if o.Replication.GetFollows() != nil {
			followed.Store(c.name, true)
		}
		if _, did := followed.Load(c.name); did {
			o.Changes = nil
		}
		return err
	}
}
