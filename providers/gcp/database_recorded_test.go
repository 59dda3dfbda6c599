package gcp_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A person who asks for an observation does not wait for the hour: both things are looked at, and after that none
// before its time comes.
func TestWhatTheSecretNamesIsLookedAtForWhoAsks(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("asked", v1alpha1.EnginePostgres)
	req.Spec.DatabaseName = new("stock")
	x := c.made(t, &req)
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	look := func() (o driver.Observation, looks [2]int) {
		t.Helper()
		c.forget()
		req.PasswordSet = true
		o = c.look(t, x, &req)
		return o, [2]int{c.Ledger.Count(localcloud.Filter{Operation: "databases.get"}), c.Ledger.Count(localcloud.Filter{Operation: "users.list"})}
	}
	look() // which sees the initial database for the first time
	look() // and then the administrator
	if _, err := c.sql.Databases.Delete(project, "asked", "stock").Do(); err != nil {
		t.Fatal(err)
	}
	c.clock.advance(time.Minute)
	if o, looks := look(); o.Lost != "" || looks != [2]int{} {
		t.Errorf("before its time %v looks said %q", looks, o.Lost)
	}
	req.AskedAt = c.clock.Now()
	if o, looks := look(); !strings.Contains(o.Lost, "the database stock") || looks != [2]int{1, 1} {
		t.Errorf("for who asks %v looks said %q", looks, o.Lost)
	}
	c.clock.advance(time.Minute)
	look() // the looks were at the same time as the question, as the clock stands
	c.clock.advance(time.Minute)
	if o, looks := look(); o.Lost == "" || looks != [2]int{1, 0} { // what is lost is looked at each time
		t.Errorf("after that %v looks said %q", looks, o.Lost)
	}
}

// What the connection Secret names is looked at again within an hour, by one call of an observation at most. What is gone is told, with what to do, and not made again; once it is back, that is seen
// at the next look.
func TestWhatTheSecretNamesIsLookedAtAgain(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("stock", v1alpha1.EnginePostgres)
	req.Spec.DatabaseName = new("stock")
	x := c.made(t, &req)
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	look := func() driver.Observation {
		t.Helper()
		req.PasswordSet = true
		return c.look(t, x, &req)
	}
	// lost waits until an observation says that something is gone, for an hour at most.
	lost := func() (said string) {
		t.Helper()
		for range 14 {
			before := c.count(localcloud.Reads)
			o := look()
			if reads := c.count(localcloud.Reads) - before; reads > 2 {
				t.Errorf("an observation cost %d reads", reads)
			}
			if !o.Available {
				t.Errorf("the server is said not to be available")
			}
			if o.Lost != "" {
				if names := driver.Names(o.Changes); len(names) > 0 {
					t.Errorf("it would change %v", names)
				}
				return o.Lost
			}
			c.clock.advance(5 * time.Minute)
		}
		return ""
	}
	look() // which sees the initial database for the first time
	c.forget()
	if said := lost(); said != "" {
		t.Fatalf("nothing is gone, and it says %q", said)
	}
	for operation, most := range map[string]int{"databases.get": 2, "users.list": 2} {
		if n := c.Ledger.Count(localcloud.Filter{Operation: operation}); n == 0 || n > most {
			t.Errorf("%d times %s in an hour", n, operation)
		}
	}

	do := func(op *sqladmin.Operation, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if op, err = c.sql.Operations.Get(project, op.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
			t.Fatalf("%+v, %v", op, err)
		}
	}
	do(c.sql.Databases.Delete(project, "stock", "stock").Do())
	if said := lost(); !strings.Contains(said, "the database stock, which the connection Secret names, is not in the server any more") || !strings.Contains(said, "gcloud sql databases create stock --instance stock") {
		t.Errorf("it says %q", said)
	}
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "databases.get"}, Kind: localcloud.Denied})
	if o := look(); o.Lost == "" {
		t.Error("what can't be looked at is there again")
	}
	lift()
	// While another thing is gone, too, each is looked at in its turn.
	do(c.sql.Users.Delete(project, "stock").Name("postgres").Do())
	c.forget()
	for range 14 {
		look()
		c.clock.advance(5 * time.Minute)
	}
	if of, users := c.Ledger.Count(localcloud.Filter{Operation: "databases.get"}), c.Ledger.Count(localcloud.Filter{Operation: "users.list"}); of == 0 || users == 0 || of+users > 14 {
		t.Errorf("14 observations looked %d times for the database and %d times for the administrator", of, users)
	}
	do(c.sql.Databases.Insert(project, "stock", &sqladmin.Database{Name: "stock"}).Do())
	for range 2 {
		look()
		c.clock.advance(time.Minute)
	}
	if said := look().Lost; !strings.Contains(said, "the administrator postgres") {
		t.Errorf("the database is back, and the administrator is not, and it says %q", said)
	}
	do(c.sql.Users.Insert(project, "stock", &sqladmin.User{Name: "postgres", Password: "x"}).Do())
	if said := lost(); said != "" {
		t.Errorf("it is back, and it says %q", said)
	}

	do(c.sql.Users.Delete(project, "stock").Name("postgres").Do())
	if said := lost(); !strings.Contains(said, "the administrator postgres, whom the connection Secret names") {
		t.Errorf("it says %q", said)
	}
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "users.list"}, Kind: localcloud.Denied})
	if o := look(); o.Lost == "" {
		t.Error("what can't be looked at is there again")
	}
	c.Faults.Reset()
	do(c.sql.Users.Insert(project, "stock", &sqladmin.User{Name: "postgres", Password: "x"}).Do())
	if said := lost(); said != "" {
		t.Errorf("it is back, and it says %q", said)
	}
}
