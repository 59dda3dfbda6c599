package mem_test

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

// What followed a database that was deleted follows none any more, and what follows takes no password.
func TestReplica(t *testing.T) {
	h, cloud := harnessOf(mem.Options{})
	session, err := h.Driver.Open(t.Context(), h.Config)
	if err != nil {
		t.Fatal(err)
	}
	databases := drivertest.Databases(session)
	kind := databaseKind(cloud)
	create := func(name string, follows *driver.ParentRef) databaseRequest {
		t.Helper()
		req := databaseRequest{
			Request: driver.Request{Name: name, Location: region, Mark: driver.Mark{Cluster: "cluster-1", Namespace: "shop", Name: name, UID: "uid-" + name}, NotBefore: h.Now()},
			Spec:    kind.Full(), Login: kind.Login,
		}
		if follows != nil {
			req.Restore, req.Login.Password = &driver.Restore{Follows: true, Source: *follows}, ""
		}
		result, err := databases.Create(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.ID = result.ID
		return req
	}
	primary := create("orders", nil)
	replica := create("reports", &driver.ParentRef{Name: "orders", ID: primary.ID})
	second := create("archive", &driver.ParentRef{Name: "reports", ID: replica.ID})
	second.Login.Password = "another-one"
	result, err := databases.Update(t.Context(), second, driver.Edit{Password: driver.SetPassword})
	if err != nil || result.PasswordFailed == nil || result.PasswordFailed.Code != driver.Invalid {
		t.Errorf("a password of a replica: %v, %v", result.PasswordFailed, err)
	}
	lag := func(req databaseRequest) *time.Duration {
		t.Helper()
		obs, err := databases.Observe(t.Context(), req)
		if err != nil || obs.Replication.GetFollows() == nil {
			t.Fatalf("%s: %v; it follows %+v", req.Name, err, obs.Replication.GetFollows())
		}
		return obs.Replication.GetFollows().Lag
	}
	if got := lag(replica); got == nil || *got != 0 {
		t.Errorf("a replica lags by %v", got)
	}
	mem.Databases(cloud).Edit(account, replica.Name, func(d *mem.Database) { d.Lag = time.Hour })
	if got := lag(replica); got == nil || *got != time.Hour {
		t.Errorf("a replica that lags by an hour lags by %v", got)
	}
	follows := func(req databaseRequest) string {
		t.Helper()
		obs, err := databases.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if obs.Replication.GetFollows() == nil {
			return ""
		}
		return obs.Replication.GetFollows().Primary
	}
	primary.Deletion = &driver.Deletion{}
	if _, err := databases.Delete(t.Context(), primary); err != nil {
		t.Fatal(err)
	}
	if got, then := follows(replica), follows(second); got != "" || then != "reports" {
		t.Errorf("the replica of what was deleted follows %q, and its own replica %q", got, then)
	}
}
