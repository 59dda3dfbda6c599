package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The former server gets the mark of what was left behind, and goes when somebody asked for that. Each call is made twice, and what is not the former server stays.
func TestFormerServer(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", withLogical)
	req.Spec.DeletionProtection = new(true)
	w.settle(&req)
	w.succeeded(&req, "17")
	w.Ledger.Reset()
	for range 2 {
		w.command(req, driver.Command{Verb: driver.ReleaseFormer})
	}
	released := awstest.Mark
	released.Released = true
	if seen := w.database(req); seen.Succession.GetFormer() == nil || seen.Succession.GetFormer().Mark != released || seen.Mark != awstest.Mark || w.Writes() != 1 {
		t.Fatalf("released: %+v by the calls %v", seen.Succession.GetFormer(), w.Operations())
	}

	another := req
	another.Former = &driver.ParentRef{Name: req.Former.Name, ID: "db-another"}
	w.Ledger.Reset()
	for _, verb := range []driver.Verb{driver.ReleaseFormer, driver.DeleteFormer} {
		w.command(another, driver.Command{Verb: verb})
	}
	awstest.Do(t, w.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: w.instance(req.Former.Name).DBInstanceArn, Tags: markTags(driver.Mark{Cluster: "c2", Namespace: "pay", Name: "ledger", UID: "u9"})})
	if err := w.orders(&req, driver.DeleteFormer); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("with another mark: got %v, want Conflict", err)
	}
	if w.asked("DeleteDBInstance") != 0 {
		t.Errorf("deleted: %v", w.Operations())
	}
	awstest.Do(t, w.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: w.instance(req.Former.Name).DBInstanceArn, Tags: markTags(awstest.Mark)})

	w.command(req, driver.Command{Verb: driver.DeleteFormer})
	if seen := w.database(req); seen.Succession.GetFormer() == nil || !seen.Succession.GetFormer().Pending {
		t.Errorf("while it is deleted: %+v", seen.Succession.GetFormer())
	}
	w.command(req, driver.Command{Verb: driver.DeleteFormer})
	w.Clock.Advance(time.Hour)
	for range 2 {
		w.command(req, driver.Command{Verb: driver.DeleteFormer})
		if seen := w.database(req); seen.Succession.GetFormer() != nil || len(seen.Changes) > 0 {
			t.Errorf("afterwards: %+v and %+v", seen.Succession.GetFormer(), seen.Changes)
		}
	}
	w.wantInstances("afterwards", "shop-orders")
	if left := w.deployments(); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
	w.wantGroups("afterwards", "shop-orders", map[string]map[string]string{"shop-orders-b": {"rds.logical_replication": "1", "work_mem": "8192"}})
	if w.asked("DeleteDBInstance") != 1 || w.instance("shop-orders").DeletionProtection == nil || !*w.instance("shop-orders").DeletionProtection {
		t.Errorf("the calls were %v", w.Operations())
	}
}

// Each answer of the deletion of the former server is lost once.
func TestFormerServerWithLostAnswers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.DeletionProtection = new(true) })
	w.succeeded(&req, "16.9")
	w.Ledger.Reset()
	for _, operation := range []string{"DeleteBlueGreenDeployment", "ModifyDBInstance", "DeleteDBInstance"} {
		w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Kind: localcloud.ResponseLost, Times: 1})
		if err := w.orders(&req, driver.DeleteFormer); err == nil {
			t.Errorf("the answer of %s was not lost", operation)
		}
	}
	w.command(req, driver.Command{Verb: driver.DeleteFormer})
	w.Clock.Advance(time.Hour)
	w.wantInstances("afterwards", "shop-orders")
	if w.asked("DeleteBlueGreenDeployment") != 1 || w.asked("DeleteDBInstance") != 1 {
		t.Errorf("the calls were %v", w.Operations())
	}
}

// What the request wants no more is taken away, whatever state it is in, and the server is as before.
func TestUpgradeBesideCancelled(t *testing.T) {
	for name, after := range map[string]time.Duration{"while it is prepared": time.Minute, "once it is prepared": time.Hour} {
		for how, edit := range map[string]func(*request){
			"another version": func(req *request) { req.Spec.Version = new("16.8") },
			"the old version": func(req *request) { req.Spec.Version = new("16.4") },
			"a later version": func(req *request) { req.Spec.Version = new("16.10") },
			"in place":        func(req *request) { req.Beside = false },
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				w := newEnvironment(t, localcloud.Options{Durations: slow})
				req := w.beside("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.DeletionProtection = new(true) })
				req.Spec.Version = new("16.9")
				w.step(&req, "version")
				w.Clock.Advance(after)
				edit(&req)
				if how == "another version" { // 16.9 serves who wants 16.8
					if seen := w.look(&req); len(seen.Changes) != 1 || seen.Changes[0].Field != "version" {
						t.Errorf("it differs in %+v", seen.Changes)
					}
					return
				}
				seen := w.look(&req)
				if len(seen.Changes) != 1 || seen.Changes[0].Field != driver.FieldStrategy || seen.Changes[0].From != "16.9" || seen.Changes[0].Effect != driver.Online || seen.State != driver.Ready {
					t.Fatalf("it differs in %+v, %v", seen.Changes, seen.State)
				}
				for range 20 { // what RDS still creates keeps its protection until it is there
					if result, err := w.attempts(&req, seen.Changes...); err == nil && len(result.Failed) == 0 {
						break
					} else if driver.CodeOf(err) != driver.Busy {
						t.Fatal(err)
					}
					w.Clock.Advance(time.Minute)
				}
				if seen := w.look(&req); seen.State != driver.Pending || len(seen.Replication.GetFollowers()) > 0 || req.Operation == "" {
					t.Errorf("while it is taken away: %+v", seen)
				}
				w.Clock.Advance(time.Hour)
				w.look(&req)
				w.Clock.Advance(time.Hour)
				seen = w.look(&req)
				w.wantInstances("afterwards", "shop-orders")
				if len(w.deployments()) > 0 || seen.Operation != "" || seen.OperationError != nil || seen.ID != req.ID || *w.instance("shop-orders").EngineVersion != "16.4" || !seen.Protected {
					t.Errorf("afterwards: %+v", seen)
				}
			})
		}
	}
}

// A deletion takes away first what was prepared, in whatever state that is, and leaves nothing.
func TestDeletionWhileBeside(t *testing.T) {
	for name, tt := range map[string]struct {
		after  time.Duration
		acts   func(w *environment, req *request)
		former bool
	}{
		"while it is prepared": {after: time.Minute},
		"once it is prepared":  {after: time.Hour},
		"while it takes over":  {after: time.Hour, acts: func(w *environment, req *request) { w.step(req, "version") }, former: true},
		"the source is gone": {after: time.Hour, acts: func(w *environment, req *request) {
			awstest.Do(w.T, w.RDS.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &req.Name, SkipFinalSnapshot: new(true)})
			w.Clock.Advance(time.Hour)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := w.beside("shop-orders", withLogical)
			w.settle(&req)
			req.Spec.Version = new("17")
			w.step(&req, "version")
			w.Clock.Advance(tt.after)
			if tt.acts != nil {
				tt.acts(w, &req)
			}
			req.Deletion = &driver.Deletion{}
			for range 40 {
				seen := w.look(&req)
				if len(seen.Replication.GetFollowers()) > 0 {
					t.Fatalf("it is followed by %v", seen.Replication.GetFollowers())
				}
				if seen.State == driver.Absent {
					break
				}
				if seen.Succession.GetSucceeds() != "" && seen.ID != req.ID {
					req.ID, req.Former = seen.ID, &seen.Succession.GetFormer().ParentRef
				} else if seen.State == driver.Ready {
					result, err := drivertest.Databases(w.Session).Delete(t.Context(), req)
					if err != nil && driver.CodeOf(err) != driver.Busy {
						t.Fatal(err)
					}
					if result.Operation != "" {
						req.Operation = result.Operation
					}
				}
				w.Clock.Advance(5 * time.Minute)
			}
			if tt.former {
				w.wantInstances("afterwards", "shop-orders-old1")
				return
			}
			w.wantInstances("afterwards")
			w.wantGroups("afterwards", "shop-orders", map[string]map[string]string{})
			if left := w.deployments(); len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
		})
	}
}

// What is released leaves nothing that was prepared for it.
func TestReleaseWhileBeside(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", nil)
	w.prepared(&req, "16.9")
	req.Mark.Released = true
	if err := w.orders(&req, driver.WriteMark); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.instances()
	w.Clock.Advance(time.Hour)
	w.wantInstances("afterwards", "shop-orders")
	if seen := w.look(&req); seen.Mark != req.Mark || seen.Operation != "" || len(w.deployments()) > 0 {
		t.Errorf("afterwards: %+v", seen)
	}
}

// What could not be prepared is said once, with what to do, and is deleted before another one is prepared.
func TestUpgradeBesideThatFails(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", nil)
	w.prepared(&req, "16.9")
	for _, name := range w.instances() {
		if strings.Contains(name, "-green-") {
			awstest.Do(t, w.RDS.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: new(true)})
		}
	}
	w.Clock.Advance(time.Hour)
	first := req.Operation
	seen := w.look(&req)
	if e := seen.OperationError; e == nil || e.Code != driver.Invalid || !strings.Contains(e.Message, "target of the blue/green deployment is missing") || !seen.Available {
		t.Fatalf("got %+v", seen)
	}
	w.step(&req, "version")
	w.Clock.Advance(time.Hour)
	w.look(&req)
	w.Clock.Advance(time.Hour)
	if w.look(&req); req.Operation != "" {
		t.Errorf("it is at %s", req.Operation)
	}
	w.step(&req, "version")
	if req.Operation == "" || req.Operation == first {
		t.Errorf("the second one is %q", req.Operation)
	}
	w.Clock.Advance(time.Hour)
	w.step(&req, "version")
	w.Clock.Advance(time.Hour)
	if seen := w.look(&req); seen.Succession.GetSucceeds() != req.ID {
		t.Errorf("afterwards: %+v", seen)
	}
}

// What RDS refuses names the field to change, and its own words.
func TestUpgradeBesideRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		edit    func(*v1alpha1.DatabaseParameters)
		managed bool
		acts    func(w *environment, req *request)
		version string
		says    string
	}{
		"no backups":             {edit: func(p *v1alpha1.DatabaseParameters) { p.Backup.RetentionDays = new(int32(0)) }, version: "16.9", says: "set spec.backup.retentionDays"},
		"no logical replication": {version: "17", says: "in spec.parameters"},
		"a managed password":     {managed: true, version: "16.9", says: "set spec.credentials.source"},
		"a version that is not":  {version: "16.99", says: "Cannot find version 16.99"},
		"somebody else's": {acts: func(w *environment, req *request) {
			awstest.Do(w.T, w.RDS.CreateBlueGreenDeployment, &rds.CreateBlueGreenDeploymentInput{BlueGreenDeploymentName: new("by-hand"), Source: w.instance(req.Name).DBInstanceArn})
			w.Clock.Advance(time.Hour)
		}, version: "16.9", says: "delete it there if somebody else made it"},
		"a replica in another region": {acts: func(w *environment, req *request) {
			_, remote := w.Clients(awstest.Account, "us-east-1")
			awstest.Do(w.T, remote.CreateDBInstanceReadReplica, &rds.CreateDBInstanceReadReplicaInput{
				DBInstanceIdentifier: new("far"), SourceDBInstanceIdentifier: w.instance(req.Name).DBInstanceArn, KmsKeyId: new("alias/aws/rds"), SourceRegion: new(awstest.Region),
			})
			w.Clock.Advance(time.Hour)
		}, version: "16.9", says: "in the places of the read replicas arn:aws:rds:us-east-1:"},
		"a replica beside it": {acts: func(w *environment, req *request) {
			awstest.Do(w.T, w.RDS.CreateDBInstanceReadReplica, &rds.CreateDBInstanceReadReplicaInput{DBInstanceIdentifier: new("near"), SourceDBInstanceIdentifier: &req.Name})
			w.Clock.Advance(time.Hour)
		}, version: "16.9", says: "in the places of the read replicas near"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", tt.edit)
			if req.Beside, req.CloudManaged = true, tt.managed; tt.managed {
				req.Login.Password = ""
			}
			w.createDatabase(&req)
			if tt.acts != nil {
				tt.acts(w, &req)
			}
			req.Spec.Version = &tt.version
			seen := w.database(req)
			if len(seen.Changes) != 1 || seen.Changes[0].Field != "version" {
				t.Fatalf("it differs in %+v", seen.Changes)
			}
			result, err := w.attempts(&req, seen.Changes...)
			if err != nil || len(result.Failed) != 1 || result.Failed[0].Err.Code != driver.Invalid || !strings.Contains(result.Failed[0].Err.Message, tt.says) || req.Operation != "" {
				t.Errorf("got %+v, %v, want Invalid that says %q", result, err, tt.says)
			}
			if left := w.groups("shop-orders"); len(left) > 0 {
				t.Errorf("groups are left: %v", left)
			}
		})
	}
}
