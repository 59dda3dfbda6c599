package mem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/table"
)

// TestSuiteCatches breaks the driver in one way at a time, and demands that the suite sees it.
func TestSuiteCatches(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			options := mem.Options{CreateFor: time.Minute, ModifyFor: time.Minute, DeleteFor: time.Minute, SnapshotFor: time.Minute}
			if m.atOnce {
				options = mem.Options{}
			}
			h := harness(options)
			h.Patience, h.Grace = 5*time.Millisecond, 45*time.Millisecond
			h.Driver = bent{h.Driver, m}
			tried := 0
			for _, check := range h.Checks() {
				if !strings.Contains(check.Name, m.caught) {
					continue
				}
				if fails(t, check) {
					return
				}
				tried++
			}
			t.Errorf("no check named %q failed, of %d", m.caught, tried)
		})
	}
}

// TestSuiteIsFair demands that the same machinery finds nothing in a driver that is not broken.
func TestSuiteIsFair(t *testing.T) {
	h := harness(mem.Options{CreateFor: time.Minute, ModifyFor: time.Minute})
	h.Driver = bent{h.Driver, mutant{name: "none"}}
	for _, check := range h.Checks() {
		if fails(t, check) {
			t.Errorf("failed: %s", check.Name)
		}
	}
}

// A mutant is one way to break a driver. Its functions see what the right driver says, and change it.
type mutant struct {
	name   string
	caught string // a part of the name of a check that must fail
	atOnce bool   // the work of the cloud takes no time: while it is at work it takes nothing twice by itself

	open    func(d driver.Driver, cfg driver.Opening) (driver.Session, error)
	observe func(c *bentCall, o *driver.Observation, err error) error
	before  func(c *bentCall) // changes the request or the edit of any call
	create  func(c *bentCall, err error) error
	update  func(c *bentCall, r *driver.Result, err error) error
	delete  func(c *bentCall, err error) error
	list    func(c *listCall, page *driver.Page, err error) error
	docs    func([]driver.Field) []driver.Field
	// describe changes the description, preview what it says of an edit, and check adds to what it refuses.
	describe func(*driver.Description)
	preview  func([]driver.Change) []driver.Change
	check    func(driver.Draft) []driver.Refusal
	early    bool // wants bentCall.declared
}

// bentCall is a call on its way, with what differs between kinds taken out.
type bentCall struct {
	ctx      context.Context
	op       string
	name     string
	mark     *driver.Mark
	deletion **driver.Deletion
	restore  **driver.Restore  // leads to a copy of what the request has
	vanished *driver.ParentRef // a copy of what the request names; nil if it names nothing
	login    driver.Login
	declared driver.Applied // what the spec declares, if the mutant wants it early
	edit     *driver.Edit
	command  *driver.Command // a copy of what Do was given; nil for other calls
	again    func(mark bool) // the right driver: updates again, with the mark or with the same edit
	look     func() driver.Observation
	remove   func()
}

// nothing is the verb of a command of which a mutant makes nothing.
const nothing driver.Verb = ""

// acts reports whether it is the command of an action.
func (c *bentCall) acts() bool {
	return c.command != nil && slices.Contains(driver.Actions, c.command.Verb)
}

func code(c driver.Code, text string) error { return &driver.Error{Code: c, Op: "Bent", Message: text} }

var mutants = slices.Concat(listMutants, replicaMutants, []mutant{
	{name: "a missing object is an error", caught: "a missing object is Absent",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if err == nil && o.State == driver.Absent {
				return code(driver.NotFound, "none")
			}
			return err
		}},
	{name: "what is set for the first time is no change", caught: "set on an object that was made without it",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Changes = slices.DeleteFunc(o.Changes, func(c driver.Change) bool { return c.From == "" })
			return err
		}},
	{name: "nothing says where an object is", caught: "what was made with the least is as declared",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Location = ""
			return err
		}},
	{name: "an object has a facet that its kind can't have", caught: "what was made with the least is as declared",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.SnapshotDetails = &driver.SnapshotDetails{}
			return err
		}},
	{name: "an object is where the account is", caught: "what was made in full is as declared",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Location != "" {
				o.Location = "elsewhere"
			}
			return err
		}},
	{name: "an error is a missing object", caught: "denied at any read",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if err != nil {
				*o = driver.Observation{State: driver.Absent}
			}
			return nil
		}},
	{name: "a time-out is a missing object", caught: "hang at any read",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if driver.CodeOf(err) == driver.Unavailable {
				*o = driver.Observation{State: driver.Absent}
				return nil
			}
			return err
		}},
	{name: "throttling is a denial", caught: "throttled at any read",
		observe: func(_ *bentCall, _ *driver.Observation, err error) error {
			if driver.CodeOf(err) == driver.Throttled {
				return code(driver.Denied, "no")
			}
			return err
		}},
	{name: "errors have no code", caught: "server-error at the write of Delete",
		delete: func(_ *bentCall, err error) error {
			if err != nil {
				return errors.New("boom")
			}
			return nil
		}},
	{name: "errors show the password", caught: "denied at the write of Create",
		create: func(c *bentCall, err error) error {
			if err != nil {
				return code(driver.CodeOf(err), "can't create with "+c.login.Password)
			}
			return nil
		}},
	{name: "another account's object is missing", caught: "another account is out of reach",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if err != nil && strings.Contains(err.Error(), "another account") {
				*o = driver.Observation{State: driver.Absent}
				return nil
			}
			return err
		}},
	{name: "created without a mark", caught: "Create puts the mark on",
		before: func(c *bentCall) {
			if c.op == "Create" {
				*c.mark = driver.Mark{}
			}
		}},
	{name: "created twice", caught: "a second Create is Conflict",
		create: func(c *bentCall, err error) error {
			if driver.CodeOf(err) == driver.Conflict {
				c.again(true)
				return nil
			}
			return err
		}},
	{name: "a refused creation is a success", caught: "throttled at the write of Create",
		create: func(*bentCall, error) error { return nil }},
	{name: "looking writes", caught: "what was made in full",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if err == nil && o.State == driver.Ready {
				c.again(true)
			}
			return err
		}},
	{name: "looks twice", caught: "what was made with the least",
		observe: func(c *bentCall, _ *driver.Observation, err error) error { c.look(); return err }},
	{name: "updates nothing", caught: "an edit is exactly one change and one write",
		before: func(c *bentCall) {
			if c.edit != nil {
				c.edit.Changes = nil
			}
		}},
	{name: "does no action", caught: "action restart/takes one write",
		before: func(c *bentCall) {
			if c.acts() {
				c.command.Verb = nothing
			}
		}},
	{name: "repeats an action whose answer is lost", atOnce: true, caught: "action restart/is Unavailable if the answer is lost",
		update: func(c *bentCall, _ *driver.Result, err error) error {
			if driver.CodeOf(err) == driver.Unavailable && c.acts() {
				c.again(false)
			}
			return err
		}},
	{name: "does not show a failover", caught: "action failover/takes one write",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			delete(o.Actions, driver.Failover)
			return err
		}},
	{name: "drops what the cloud reports of its support", caught: "what the cloud reports of its support arrives",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Support = nil; return err }},
	{name: "shows an end of support by a clock of its own", caught: "what the cloud reports of its support arrives",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Support != nil {
				o.Support.CertificateExpires = o.Support.CertificateExpires.Add(time.Hour)
			}
			return err
		}},
	{name: "says nothing of a password that the cloud manages", caught: "an object whose password the cloud manages is made without one",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Login = nil; return err }},
	{name: "does not say where the cloud keeps the password", caught: "an object whose password the cloud manages is made without one",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Endpoint.PasswordSecret = ""; return err }},
	{name: "hands nothing over", caught: "the cloud takes the password over by one write",
		before: func(c *bentCall) {
			if c.edit != nil && c.edit.Password == driver.HandOverPassword {
				c.edit.Password = driver.PasswordStays
			}
		}},
	{name: "takes nothing back", caught: "a password takes the place of one that the cloud manages",
		before: func(c *bentCall) {
			if c.edit != nil && c.edit.Password == driver.TakeBackPassword {
				c.edit.Password = driver.PasswordStays
			}
		}},
	{name: "takes a change of the password that it does not know for a new password", caught: "an unknown change of the password",
		before: func(c *bentCall) {
			if c.edit != nil && c.edit.Password != driver.PasswordStays && !slices.Contains(driver.PasswordChanges, c.edit.Password) {
				c.edit.Password = driver.SetPassword
			}
		}},
	{name: "any password ends the management", caught: "a password alone does not take the place",
		before: func(c *bentCall) {
			if c.edit != nil && c.edit.Password == driver.SetPassword {
				c.edit.Password = driver.TakeBackPassword
			}
		}},
	{name: "reports who manages the password as a change", caught: "the cloud takes the password over by one write",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Login.GetCloudManaged() {
				o.Changes = append(o.Changes, driver.Change{Field: "credentials.source", From: "CloudManaged", To: "Generated", Effect: driver.Online})
			}
			return err
		}},
	{name: "updates twice", caught: "drift is exactly one change and one write",
		update: func(c *bentCall, _ *driver.Result, err error) error { c.again(false); return err }},
	{name: "updates more than asked for", caught: "Update applies exactly",
		before: func(c *bentCall) {
			if c.edit != nil {
				for _, ch := range c.look().Changes {
					if !slices.Contains(driver.Names(c.edit.Changes), ch.Field) {
						c.edit.Changes = append(c.edit.Changes, ch)
					}
				}
			}
		}},
	{name: "forgets what failed", caught: "a field that is refused",
		update: func(_ *bentCall, r *driver.Result, err error) error { r.Failed = nil; return err }},
	{name: "one refusal is everybody's", caught: "a change that can't be made",
		update: func(_ *bentCall, r *driver.Result, err error) error {
			if len(r.Failed) > 0 {
				return r.Failed[0].Err
			}
			return err
		}},
	{name: "writes when there is nothing to change", caught: "what was made with the least",
		before: func(c *bentCall) {
			if c.command == nil && c.edit != nil && c.edit.Len() == 0 {
				c.again(true)
			}
		}},
	{name: "a missing object is updated", caught: "Update of a missing object",
		update: func(_ *bentCall, _ *driver.Result, err error) error {
			if driver.CodeOf(err) == driver.NotFound {
				return nil
			}
			return err
		}},
	{name: "removes tags of others", caught: "those of others stay",
		before: func(c *bentCall) {
			if c.edit == nil {
				return
			}
			for i := range c.edit.Changes {
				if c.edit.Changes[i].Field == "tags" {
					c.edit.Changes[i].Names = append(c.edit.Changes[i].Names, "owner") // nothing else is changed
					c.edit.Changes[i].Remove = append(c.edit.Changes[i].Remove, "owner")
				}
			}
		}},
	{name: "removes no tags", caught: "an empty map takes ours away",
		before: func(c *bentCall) {
			if c.edit == nil {
				return
			}
			for i := range c.edit.Changes {
				c.edit.Changes[i].Remove = nil
			}
		}},
	{name: "reports what nobody declared", caught: "fields that the spec does not declare",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Ready && !slices.Contains(driver.Names(o.Changes), "tags") {
				o.Changes = append(o.Changes, driver.Change{Field: "tags", Effect: driver.Online})
			}
			return err
		}},
	{name: "reports the password", caught: "a new password costs one write",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Ready {
				o.Changes = append(o.Changes, driver.Change{Field: "credentials.password", Effect: driver.Online})
			}
			return err
		}},
	{name: "every change is harmless", caught: "field aws.instanceClass/an edit",
		observe: changed(func(c *driver.Change) {
			if c.Effect == driver.Restarts {
				c.Effect = driver.Online
			}
		})},
	{name: "nothing is impossible", caught: "field location/an edit is Impossible",
		observe: changed(func(c *driver.Change) {
			if c.Effect == driver.Impossible {
				c.Effect = driver.Online
			}
		})},
	{name: "impossible, and nobody says why", caught: "field engine/an edit is Impossible",
		observe: changed(func(c *driver.Change) { c.Why = "" })},
	{name: "changes say nothing of before", caught: "field versioning/drift",
		observe: changed(func(c *driver.Change) { c.From = "" })},
	{name: "changes say nothing of after", caught: "field versioning/an edit",
		observe: changed(func(c *driver.Change) { c.To = "" })},
	{name: "no safe value", caught: "returns to its safe value",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Changes = slices.DeleteFunc(o.Changes, func(c driver.Change) bool { return c.Release })
			return err
		}},
	{name: "half a mark", caught: "a mark of somebody else",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Mark.UID = ""; return err }},
	{name: "no release", caught: "a mark is released",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Mark.Released = false; return err }},
	{name: "a mark on all", caught: "an object without a mark",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Ready {
				o.Mark = *c.mark
			}
			return err
		}},
	{name: "nothing is applied", caught: "Applied says what is set",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Applied = nil; return err }},
	{name: "all is applied before it is", caught: "field versioning/an edit", early: true,
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			for name, values := range c.declared {
				if o.Applied != nil && name != "tags" {
					o.Applied[name] = values
				}
			}
			return err
		}},
	{name: "new names are applied when they are seen only", caught: "what may have been set counts as ours",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if slices.Contains(driver.Names(o.Changes), "tags") {
				o.Applied["tags"] = slices.DeleteFunc(o.Applied["tags"], func(k string) bool { return k == "brand-new" })
			}
			return err
		}},
	{name: "no mirror", caught: "the mirror is the object",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Mirror = json.RawMessage("{}")
			return err
		}},
	{name: "a mirror in other words", caught: "the mirror is the object",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Mirror != nil {
				o.Mirror = json.RawMessage(strings.Replace(string(o.Mirror), `"location"`, `"region"`, 1))
			}
			return err
		}},
	{name: "the password is in the mirror", caught: "Database/what was made in full",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Mirror != nil {
				o.Mirror = json.RawMessage(fmt.Sprintf(`{"databaseName":%q}`, canaryPassword))
			}
			return err
		}},
	{name: "what can't be read is as it should be", caught: "a field that can't be read",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Unreadable = nil; return err }},
	{name: "one id for all", caught: "another object of the same name",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.ID != "" {
				o.ID = "the-id"
			}
			return err
		}},
	{name: "stopped is available", caught: "what somebody stopped",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Available = o.State == driver.Ready
			return err
		}},
	{name: "never available", caught: "what was made in full",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Available = false; return err }},
	{name: "no endpoint", caught: "what was made in full",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Endpoint = driver.Endpoint{}; return err }},
	{name: "not protected", caught: "what is protected",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Protected = false; return err }},
	{name: "protected until the change that lifts it is made", caught: "what is protected",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Protected = o.Protected || o.State == driver.Pending
			return err
		}},
	{name: "a refused deletion names no next move", caught: "what is not empty",
		delete: func(_ *bentCall, err error) error {
			if driver.CodeOf(err) == driver.NotEmpty {
				return code(driver.NotEmpty, "the bucket is not empty")
			}
			return err
		}},
	{name: "describes passwords that the cloud refuses", caught: "passwords are set or refused",
		describe: func(d *driver.Description) {
			for i := range d.Resources {
				if d.Resources[i].Capabilities.Login {
					d.Resources[i].Passwords = []driver.PasswordRule{{MinLength: 1, MaxLength: 200}}
				}
			}
		}},
	{name: "a password that is refused passes for set", caught: "passwords are set or refused",
		update: func(_ *bentCall, r *driver.Result, err error) error {
			r.PasswordFailed = nil
			return err
		}},
	{name: "a protected object is only in the way", caught: "what is protected",
		delete: func(_ *bentCall, err error) error {
			if driver.CodeOf(err) == driver.Protected {
				return code(driver.Conflict, "no")
			}
			return err
		}},
	{name: "late failures are successes", caught: "an update that fails late",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.OperationError = nil; return err }},
	{name: "failed creations work", caught: "a creation that fails late",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Failed {
				o.State, o.Available = driver.Ready, true
			}
			return err
		}},
	{name: "of what vanished nothing is left", caught: "vanished/what is left",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Backup = nil; return err }},
	{name: "what vanished is not named", caught: "vanished/what is left",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Backup.GetRestorable() != nil && o.Backup.GetRestorable().From != nil {
				o.Backup.GetRestorable().From.Vanished = ""
			}
			return err
		}},
	{name: "any object of the name is what vanished", caught: "vanished/nothing is left",
		before: func(c *bentCall) {
			if c.vanished != nil {
				c.vanished.ID = strings.TrimSuffix(c.vanished.ID, "-before")
			}
		}},
	{name: "names backups of what was deleted, and can't restore them to a time", caught: "restore/where the cloud restores nothing that was deleted",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if c.vanished != nil && c.vanished.ID == "" {
				o.Backup = &driver.Backup{Restorable: &driver.Restorable{Backups: []driver.SavedState{{From: driver.Restore{Source: driver.ParentRef{Name: c.vanished.Name, ID: "gone"}}}}}}
			}
			return err
		}},
	{name: "what another namespace left is restored", caught: "vanished/nothing is left",
		before: func(c *bentCall) {
			if c.vanished != nil {
				c.mark.Namespace = strings.TrimSuffix(c.mark.Namespace, "-elsewhere")
			}
		}},
	{name: "says what is left of what is there", caught: "vanished/nothing is said",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if c.vanished != nil && o.Backup.GetRestorable() == nil {
				o.Backup = &driver.Backup{Restorable: &driver.Restorable{}}
			}
			return err
		}},
	{name: "the snapshot is there at once", caught: "a final snapshot",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Backup = &driver.Backup{FinalSnapshot: driver.Ready, Restorable: o.Backup.GetRestorable()}
			return err
		}},
	{name: "the snapshot is never seen", caught: "a final snapshot",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			o.Backup = &driver.Backup{Restorable: o.Backup.GetRestorable()}
			return err
		}},
	{name: "no snapshot is taken", caught: "a final snapshot",
		before: func(c *bentCall) {
			if c.op == "Delete" && *c.deletion != nil {
				*c.deletion = &driver.Deletion{Force: (*c.deletion).Force}
			}
		}},
	{name: "always by force", caught: "what is not empty",
		before: func(c *bentCall) {
			if c.op == "Delete" {
				*c.deletion = &driver.Deletion{Force: true}
			}
		}},
	{name: "a second deletion is refused", caught: "what is deleted becomes Absent",
		delete: func(c *bentCall, err error) error {
			if err == nil && c.deletedBefore() {
				return code(driver.NotFound, "gone already")
			}
			return err
		}},
	{name: "deletes nothing", caught: "what is deleted becomes Absent",
		before: func(c *bentCall) {
			if c.op == "Delete" {
				*c.deletion = nil
				c.name = "nothing"
			}
		}},
	{name: "knows no deadline", caught: "hang at the write of Delete",
		before: func(c *bentCall) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 200*time.Millisecond)
			context.AfterFunc(ctx, cancel)
			c.ctx = ctx
		}},
	{name: "works on after the end", caught: "a context that is over",
		before: func(c *bentCall) {
			if c.ctx.Err() != nil {
				c.ctx = context.WithoutCancel(c.ctx)
			}
		}},
	{name: "Open calls the cloud", caught: "does not call the cloud",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			conn, err := d.Open(context.Background(), cfg)
			if err == nil {
				_, _ = conn.Identity(context.Background())
			}
			return conn, err
		}},
	{name: "Open takes anything", caught: "refuses what can't work",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			conn, err := d.Open(context.Background(), cfg)
			if err != nil {
				return strange{}, nil
			}
			return conn, nil
		}},
	{name: "Open falls back on the process's identity", caught: "takes one identity",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			cfg.Ambient = cfg.Ambient || cfg.Credentials == nil
			return d.Open(context.Background(), cfg)
		}},
	{name: "Open quotes the key", caught: "without showing secrets",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			conn, err := d.Open(context.Background(), cfg)
			if err != nil {
				return nil, code(driver.Invalid, fmt.Sprintf("can't parse %s", map[string][]byte(cfg.Credentials)))
			}
			return conn, nil
		}},
	{name: "Open forgets a kind", caught: "has exactly the kinds",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			conn, err := d.Open(context.Background(), cfg)
			if err == nil {
				return strange{Session: conn, lacks: "Database"}, nil
			}
			return conn, err
		}},
	{name: "Identity believes the config", caught: "tells another account from ours",
		open: func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
			conn, err := d.Open(context.Background(), cfg)
			if err == nil {
				return strange{Session: conn, account: account}, nil
			}
			return conn, err
		}},
	{name: "a row is missing", caught: "Describe/is valid",
		docs: func(docs []driver.Field) []driver.Field { return docs[1:] }},
	{name: "a row too many", caught: "Describe/is valid",
		docs: func(docs []driver.Field) []driver.Field { return append(docs, docs[0]) }},
	{name: "an unset field that no spec has", caught: "Describe/is valid",
		describe: func(d *driver.Description) {
			d.Resources[1].Consequences.Unset = []driver.UnsetField{{Field: "size", Means: "set spec.size"}}
		}},
	{name: "a final snapshot of what has none", caught: "Describe/is valid",
		describe: func(d *driver.Description) { d.Resources[0].Consequences.SnapshotKept = "for ever" }},
	{name: "contents that nobody is told of", caught: "Describe/is valid",
		describe: func(d *driver.Description) { d.Resources[0].Consequences.Contents = "" }},
	{name: "an effect that no row lists", caught: "exactly one change",
		docs: func(docs []driver.Field) []driver.Field {
			for i := range docs {
				docs[i].Effects = table.Always(driver.Interrupts)
			}
			return docs
		}},
	{name: "a row that lists no effect", caught: "Describe/is valid",
		docs: func(docs []driver.Field) []driver.Field { docs[0].Effects = nil; return docs }},
	{name: "a row that does not say which of its effects comes when", caught: "Describe/is valid",
		docs: func(docs []driver.Field) []driver.Field {
			docs[1].Effects = append(table.Always(driver.Online), driver.PossibleEffect{Effect: driver.Restarts, When: "it is another"})
			return docs
		}},
	{name: "a row that nobody tries", caught: "every row has an entry",
		docs: func(docs []driver.Field) []driver.Field {
			return append(docs, driver.Field{Field: "forceDestroy", Effects: table.Always(driver.Online)})
		}},
	{name: "another name than its account's", caught: "names the cloud",
		describe: func(d *driver.Description) { d.Name = "gcp" }},
	{name: "a key is required without which it opens", caught: "names the cloud and the keys",
		describe: func(d *driver.Description) { d.Secret.Required = append(d.Secret.Required, "AWS_SESSION_TOKEN") }},
	{name: "a kind is not described", caught: "Describe/has exactly the kinds",
		describe: func(d *driver.Description) { d.Resources = d.Resources[:1] }},
	{name: "it was built for another version of the contract", caught: "Describe/is for this version",
		describe: func(d *driver.Description) { d.Contract++ }},
	{name: "snapshots are not described", caught: "its capabilities",
		describe: func(d *driver.Description) { d.Resources[1].Capabilities.Snapshots = false }},
	{name: "what an edit does is not foretold", caught: "an edit is exactly one change",
		preview: func([]driver.Change) []driver.Change { return nil }},
	{name: "what it takes is refused by Check", caught: "what was made in full is as declared",
		check: func(driver.Draft) []driver.Refusal {
			return []driver.Refusal{{Fields: []string{"version"}, Message: "no"}}
		}},
	{name: "names too long to be taken", caught: "the longest name",
		describe: func(d *driver.Description) { d.Resources[1].Name.MaxLength = 5 }},
})

// changed makes an observe of a function on each change.
func changed(edit func(*driver.Change)) func(*bentCall, *driver.Observation, error) error {
	return func(_ *bentCall, o *driver.Observation, err error) error {
		for i := range o.Changes {
			edit(&o.Changes[i])
		}
		return err
	}
}

// deletedBefore reports whether the object is on its way out or gone.
func (c *bentCall) deletedBefore() bool {
	state := c.look().State
	c.remove()
	return state == driver.Absent || state == driver.Deleting
}

// bent is a driver with one mutation.
type bent struct {
	driver.Driver
	mutant
}

func (b bent) Open(ctx context.Context, cfg driver.Opening) (driver.Session, error) {
	open := b.open
	if open == nil {
		open = func(d driver.Driver, cfg driver.Opening) (driver.Session, error) { return d.Open(ctx, cfg) }
	}
	conn, err := open(b.Driver, cfg)
	if err != nil {
		return nil, err
	}
	return &bentSession{conn, b.mutant, b.Driver}, nil
}

// strange is a session that lacks a kind, or says that it is of another account.
type strange struct {
	driver.Session
	lacks   string
	account driver.AccountID
}

func (s strange) Identity(ctx context.Context) (driver.AccountID, error) {
	if s.account != "" {
		return s.account, nil
	}
	return s.Session.Identity(ctx)
}

func (s strange) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	if kind == s.lacks {
		return driver.Observation{}, driver.NoKind("the cloud", kind)
	}
	return s.Session.Observe(ctx, kind, req, secrets)
}

func (b bent) Describe() driver.Description {
	d := b.Driver.Describe()
	if b.docs != nil {
		d.Resources[0].Fields = b.docs(d.Resources[0].Fields)
	}
	if b.describe != nil {
		b.describe(&d)
	}
	return d
}

func (b bent) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	changes, err := b.Driver.Preview(kind, from, to, applied)
	if b.preview != nil {
		changes = b.preview(changes)
	}
	return changes, err
}

func (b bent) Check(kind string, draft driver.Draft) ([]driver.Refusal, error) {
	refusals, err := b.Driver.Check(kind, draft)
	if b.check != nil {
		refusals = append(refusals, b.check(draft)...)
	}
	return refusals, err
}

type bentSession struct {
	driver.Session
	mutant
	driver driver.Driver
}

// call readies a bentCall, and lets the mutant change it.
func (b *bentSession) call(ctx context.Context, op, kind string, req *driver.Request, edit *driver.Edit, command *driver.Command, secrets driver.Secrets) *bentCall {
	if edit != nil {
		edit.Changes = slices.Clone(edit.Changes)
	}
	asked := *req
	if req.Vanished != nil {
		copied := *req.Vanished
		req.Vanished = &copied
	}
	if req.Restore != nil {
		copied := *req.Restore
		req.Restore = &copied
	}
	c := &bentCall{restore: &req.Restore, vanished: req.Vanished, ctx: ctx, op: op, name: req.Name, mark: &req.Mark, deletion: &req.Deletion, login: driver.Login{Username: req.Username, Password: secrets.Own.InClear()}, edit: edit, command: command, remove: func() {}}
	c.look = func() driver.Observation {
		o, _ := b.Session.Observe(ctx, kind, asked, secrets)
		return o
	}
	c.again = func(mark bool) {
		if command != nil && !mark {
			_, _ = b.Session.Do(ctx, kind, asked, *command, secrets)
			return
		}
		if mark || edit == nil {
			_, _ = b.Session.Do(ctx, kind, asked, driver.Command{Verb: driver.WriteMark}, secrets)
			return
		}
		_, _ = b.Session.Update(ctx, kind, asked, *edit, secrets)
	}
	if op == "Observe" && b.early {
		missing := asked
		missing.Name = "missing"
		if o, err := b.Session.Observe(ctx, kind, missing, secrets); err == nil {
			c.declared = o.Applied
		}
	}
	if b.before != nil {
		b.before(c)
		req.Name = c.name
	}
	return c
}

func (b *bentSession) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	c := b.call(ctx, "Observe", kind, &req, nil, nil, secrets)
	o, err := b.Session.Observe(c.ctx, kind, req, secrets)
	if b.observe != nil {
		err = b.observe(c, &o, err)
	}
	return o, err
}

func (b *bentSession) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	c := b.call(ctx, "Create", kind, &req, nil, nil, secrets)
	r, err := b.Session.Create(c.ctx, kind, req, secrets)
	if b.create != nil {
		err = b.create(c, err)
	}
	return r, err
}

func (b *bentSession) Update(ctx context.Context, kind string, req driver.Request, edit driver.Edit, secrets driver.Secrets) (driver.Result, error) {
	c := b.call(ctx, "Update", kind, &req, &edit, nil, secrets)
	r, err := b.Session.Update(c.ctx, kind, req, edit, secrets)
	if b.update != nil {
		err = b.update(c, &r, err)
	}
	return r, err
}

func (b *bentSession) Do(ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	c := b.call(ctx, "Do", kind, &req, &driver.Edit{}, &command, secrets)
	if command.Verb == nothing {
		return driver.Result{}, nil
	}
	r, err := b.Session.Do(c.ctx, kind, req, command, secrets)
	if b.update != nil {
		err = b.update(c, &r, err)
	}
	return r, err
}

func (b *bentSession) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	c := b.call(ctx, "Delete", kind, &req, nil, nil, secrets)
	r, err := b.Session.Delete(c.ctx, kind, req, secrets)
	if b.delete != nil {
		err = b.delete(c, err)
	}
	return r, err
}

// fails runs a check and reports whether it fails.
func fails(t *testing.T, check drivertest.Check) bool {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.clean()
		check.Run(r)
	}()
	<-done
	return r.Failed()
}

// recorder takes the place of a test that may fail.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (r *recorder) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) clean() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

func (r *recorder) Helper()               {}
func (r *recorder) FailNow()              { r.Fail(); runtime.Goexit() }
func (r *recorder) Error(...any)          { r.Fail() }
func (r *recorder) Errorf(string, ...any) { r.Fail() }
func (r *recorder) Fatal(...any)          { r.FailNow() }
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }
func (r *recorder) Skip(...any)           { runtime.Goexit() }
func (r *recorder) Skipf(string, ...any)  { runtime.Goexit() }
func (r *recorder) SkipNow()              { runtime.Goexit() }
func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }
