package mem_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

// A User is an object of the API as far as descriptions are judged by it.
type User struct {
	v1alpha1.Bucket
	Spec mem.UserParameters
}

func (u *User) GetParameters() any { return &u.Spec }

// withUsers is a harness whose cloud has users too.
func withUsers(owned driver.Ownership) drivertest.Harness {
	h, cloud := harnessOf(mem.Options{Users: owned})
	h.Kinds = append(h.Kinds, usersOf(cloud, owned))
	h.API = append(v1alpha1.ResourceObjects(), &User{})
	return h
}

func usersOf(cloud *mem.Cloud, owned driver.Ownership) *drivertest.Kind[mem.UserParameters] {
	made := 0
	edit := func(t testing.TB, name string, change func(*mem.User)) {
		t.Helper()
		found := false
		for _, d := range mem.Databases(cloud).All() {
			mem.Databases(cloud).Edit(account, d.Name, func(d *mem.Database) {
				if u, has := d.Users[name]; has {
					found = true
					change(&u)
					d.Users[name] = u
				}
			})
		}
		if !found {
			t.Fatalf("no user %q", name)
		}
	}
	kind := &drivertest.Kind[mem.UserParameters]{
		Name:    string(mem.KindUser),
		Full:    func() mem.UserParameters { return mem.UserParameters{Role: new("reader"), Limit: new(int32(5))} },
		Minimal: func() mem.UserParameters { return mem.UserParameters{} },
		Fields:  []drivertest.Field{{Name: "role", To: "writer"}, {Name: "limit", To: 7}},
		Reads:   1, MinimalReads: 1,
		Within: func(testing.TB) driver.ParentRef {
			made++
			name := fmt.Sprintf("conform-parent-%d", made)
			mem.Databases(cloud).Put(mem.Database{
				Object: mem.Object{Account: account, Name: name}, Spec: v1alpha1.DatabaseParameters{Location: new(region)},
			})
			d, _ := mem.Databases(cloud).Get(account, name)
			return driver.ParentRef{Name: name, ID: d.ID}
		},
		RemoveParent: func(_ testing.TB, parent driver.ParentRef) { mem.Databases(cloud).Remove(account, parent.Name) },
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(u *mem.User) { drivertest.SetField(t, &u.Spec, field, value) })
			},
			Remove: func(_ testing.TB, name string) {
				for _, d := range mem.Databases(cloud).All() {
					mem.Databases(cloud).Edit(account, d.Name, func(d *mem.Database) { delete(d.Users, name) })
				}
			},
		},
	}
	if owned == driver.OwnedByRegistry {
		kind.Cloud.Labels = func(t testing.TB, name string) (labels map[string]string) {
			edit(t, name, func(u *mem.User) { labels = maps.Clone(u.Registered) })
			return labels
		}
		kind.Cloud.Relabel = func(t testing.TB, name string, labels map[string]string) {
			edit(t, name, func(u *mem.User) { u.Registered = maps.Clone(labels) })
		}
	}
	return kind
}

func TestConformanceOfUsers(t *testing.T) {
	for _, owned := range []driver.Ownership{driver.OwnedByParent, driver.OwnedByRegistry} {
		t.Run(string(owned), func(t *testing.T) {
			h := withUsers(owned)
			runUsers(t, h)
		})
		t.Run(string(owned)+", encoded", func(t *testing.T) {
			h := withUsers(owned)
			h.Driver = drivertest.Encoded(t, h.Driver)
			runUsers(t, h)
		})
	}
}

// runUsers runs the checks that are about users or about the description: the others have been run.
func runUsers(t *testing.T, h drivertest.Harness) {
	for _, check := range h.Checks() {
		if strings.HasPrefix(check.Name, "User/") || strings.HasPrefix(check.Name, "Describe/") {
			t.Run(check.Name, func(t *testing.T) { check.Run(t) })
		}
	}
}

// userMutants break a driver of objects within others, or its session.
var userMutants = []struct {
	owned driver.Ownership
	mutant
	session func(driver.Session) driver.Session
}{
	{driver.OwnedByParent, mutant{name: "the parent is not described", caught: "parent/it is described",
		describe: func(d *driver.Description) {
			users := &d.Resources[len(d.Resources)-1]
			users.Parent, users.Ownership = "", driver.OwnedByTags
		}}, nil},
	{driver.OwnedByParent, mutant{name: "a missing parent is an error of Observe", caught: "parent/within one that does not exist",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if err == nil && o.State == driver.Absent {
				return code(driver.NotFound, "no parent")
			}
			return err
		}}, nil},
	{driver.OwnedByParent, mutant{name: "a missing parent is a refusal", caught: "parent/within one that does not exist",
		create: func(_ *bentCall, err error) error {
			if driver.CodeOf(err) == driver.NotFound {
				return code(driver.Invalid, "no parent")
			}
			return err
		}}, nil},
	{driver.OwnedByParent, mutant{name: "a deletion needs a parent", caught: "parent/what is within one is gone with it",
		delete: func(c *bentCall, err error) error {
			if err == nil && c.look().State == driver.Absent {
				return code(driver.NotFound, "no parent")
			}
			return err
		}}, nil},
	{driver.OwnedByParent, mutant{name: "names are enough", caught: "parent/one of the same name with another ID"},
		func(s driver.Session) driver.Session {
			return reparented{s, func(p driver.ParentRef) driver.ParentRef { p.ID = ""; return p }}
		}},
	{driver.OwnedByParent, mutant{name: "all parents are one", caught: "parent/objects of the same name within two parents"},
		func(s driver.Session) driver.Session {
			return reparented{s, func(p driver.ParentRef) driver.ParentRef {
				if p.Name != "conform-no-parent" {
					return driver.ParentRef{Name: "conform-parent-1"}
				}
				return p
			}}
		}},
	{driver.OwnedByParent, mutant{name: "a mark is made up", caught: "owned by the parent/no mark is shown",
		observe: func(c *bentCall, o *driver.Observation, err error) error {
			if o.State == driver.Ready {
				o.Mark = *c.mark
			}
			return err
		}}, nil},
	{driver.OwnedByParent, mutant{name: "writing a mark is refused", caught: "owned by the parent/no mark is shown",
		update: func(c *bentCall, _ *driver.Result, err error) error {
			if c.command != nil && c.command.Verb == driver.WriteMark {
				return code(driver.Invalid, "there is no place for it")
			}
			return err
		}}, nil},
	{driver.OwnedByRegistry, mutant{name: "the registry is not written at creation", caught: "Create puts the mark on",
		observe: func(_ *bentCall, o *driver.Observation, err error) error { o.Mark = driver.Mark{}; return err }}, nil},
	{driver.OwnedByRegistry, mutant{name: "the registry forgets nothing", caught: "owned by a registry/the mark of what is gone",
		observe: func(_ *bentCall, o *driver.Observation, err error) error {
			if o.Mark.UID == "uid-2" {
				o.Mark.UID = "uid-1"
			}
			return err
		}}, nil},
}

// reparented is a session that takes one parent for another.
type reparented struct {
	driver.Session
	is func(driver.ParentRef) driver.ParentRef
}

func (r reparented) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	req.Parent = r.is(req.Parent)
	return r.Session.Observe(ctx, kind, req, secrets)
}

func (r reparented) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	req.Parent = r.is(req.Parent)
	return r.Session.Create(ctx, kind, req, secrets)
}

func (r reparented) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	req.Parent = r.is(req.Parent)
	return r.Session.Delete(ctx, kind, req, secrets)
}

func TestSuiteCatchesWhatIsWrongWithUsers(t *testing.T) {
	for _, m := range userMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			h := withUsers(m.owned)
			h.Patience, h.Grace = 5*time.Millisecond, 45*time.Millisecond
			if change := m.session; change != nil {
				m.open = func(d driver.Driver, cfg driver.Opening) (driver.Session, error) {
					s, err := d.Open(context.Background(), cfg)
					return change(s), err
				}
			}
			h.Driver = bent{h.Driver, m.mutant}
			tried := 0
			for _, check := range h.Checks() {
				if !strings.HasPrefix(check.Name, "User/") || !strings.Contains(check.Name, m.caught) {
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

func TestSuiteIsFairToUsers(t *testing.T) {
	for _, owned := range []driver.Ownership{driver.OwnedByParent, driver.OwnedByRegistry} {
		h := withUsers(owned)
		h.Driver = bent{h.Driver, mutant{name: "none"}}
		for _, check := range h.Checks() {
			if strings.HasPrefix(check.Name, "User/") && fails(t, check) {
				t.Errorf("%s failed: %s", owned, check.Name)
			}
		}
	}
}
