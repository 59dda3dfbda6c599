package gcp_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// What can't become of a clone is refused before there is one, with what would be right. So is a time outside of those that there are.
func TestCloneRefusals(t *testing.T) {
	deleted := func(t *testing.T, c *cloud, name string) {
		t.Helper()
		op, err := c.sql.Instances.Delete(project, name).Do()
		if err != nil {
			t.Fatal(err)
		}
		c.end(t, op)
	}
	relabelled := func(t *testing.T, c *cloud, name string) {
		t.Helper()
		c.relabelInstance(t, name, driver.Mark{Cluster: "c", Namespace: "shop", Name: "another", UID: "u"}.Labels())
	}
	stopped := func(t *testing.T, c *cloud, name string) {
		t.Helper()
		c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: "NEVER"}})
	}
	const key = "projects/p/locations/" + location + "/keyRings/r/cryptoKeys/k"
	for name, tt := range map[string]struct {
		without bool                                      // the source has no log
		byHand  func(t *testing.T, c *cloud, name string) // before it is cloned
		spec    func(*v1alpha1.DatabaseParameters)        // of the clone
		after   time.Duration                             // the time, from now; zero for the latest
		code    driver.Code
		says    string
	}{
		"an earlier time":             {after: -24 * time.Hour, code: driver.Invalid, says: "correct spec.restoreFrom.pointInTime.time: orders can be restored to times from 2026-01-01T"},
		"a time to come":              {after: time.Hour, code: driver.Invalid, says: "still to come"},
		"a time, and there is no log": {after: -time.Minute, without: true, code: driver.Invalid, says: "set spec.backup.pointInTimeRecovery of the Database of orders"},
		"another key":                 {spec: func(p *v1alpha1.DatabaseParameters) { p.Encryption = &v1alpha1.Encryption{Key: new(key)} }, code: driver.Invalid, says: "that of orders is not set; set that as it is there, or remove it"},
		"another engine":              {spec: func(p *v1alpha1.DatabaseParameters) { p.Engine = new(v1alpha1.EngineMySQL) }, code: driver.Invalid, says: "spec.engine is mysql, and that of orders is postgres"},
		"the mark is another by now":  {byHand: relabelled, code: driver.Conflict, says: "the mark of orders was changed"},
		"the other one is deleted":    {byHand: deleted, code: driver.NotFound, says: "no instance orders that could be restored; correct spec.restoreFrom"},
		"another location": {
			spec: func(p *v1alpha1.DatabaseParameters) { p.Location = new("us-central1") }, code: driver.Invalid, says: "a clone is where orders is: set spec.location to " + location,
		},
		"the other one is stopped, at a time that there is": {byHand: stopped, after: -time.Minute, code: driver.Invalid, says: "instances.clone: "},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			of := newDatabase("orders", v1alpha1.EnginePostgres)
			of.Spec.Backup = recovery(7, new(!tt.without))
			x := c.made(t, &of)
			req := newDatabase("copy", v1alpha1.EnginePostgres)
			req.Restore = &driver.Restore{Source: driver.ParentRef{Name: of.Name, ID: c.look(t, x, &of).ID}, SourceMark: of.Mark}
			if tt.after != 0 {
				req.Restore.Time = c.clock.Now().Add(tt.after)
			}
			if tt.byHand != nil {
				tt.byHand(t, c, of.Name)
			}
			if tt.spec != nil {
				tt.spec(&req.Spec)
			}
			req.Login.Password = ""
			_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
			if err == nil || driver.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%v), want code %v and %q", err, driver.CodeOf(err), tt.code, tt.says)
			}
			if _, err := c.sql.Instances.Get(project, req.Name).Do(); err == nil {
				t.Error("there is a clone")
			}
		})
	}
}
