package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// beside is a request for an instance whose version is changed by a server beside it.
func (w *environment) beside(name string, edit func(*v1alpha1.DatabaseParameters)) request {
	w.T.Helper()
	req := awstest.DatabaseOf(name, edit)
	req.Beside = true
	w.createDatabase(&req)
	return req
}

// withLogical is what RDS asks of PostgreSQL that gets another major version.
func withLogical(p *v1alpha1.DatabaseParameters) {
	p.Parameters = parameters{"rds.logical_replication": "1", "work_mem": "8192"}
}

// attempts makes changes as a caller does, which stores the operation.
func (w *environment) attempts(req *request, changes ...driver.Change) (driver.Result, error) {
	w.T.Helper()
	if len(changes) == 1 && changes[0].Field == driver.FieldStrategy {
		return driver.Result{}, w.orders(req, driver.DropStaged)
	}
	result, err := drivertest.Databases(w.Session).Update(w.T.Context(), *req, driver.Edit{Changes: changes})
	if result.Operation != "" {
		req.Operation = result.Operation
	}
	return result, err
}

// orders carries out a command as a caller does, which stores the operation.
func (w *environment) orders(req *request, verb driver.Verb) error {
	w.T.Helper()
	result, err := drivertest.Databases(w.Session).Do(w.T.Context(), *req, driver.Command{Verb: verb})
	if result.Operation != "" {
		req.Operation = result.Operation
	}
	if err == nil && len(result.Failed) > 0 {
		w.T.Errorf("%s: failed %v", verb, result.Failed)
	}
	return err
}

// step makes the only change that an observation has, which must be of the field.
func (w *environment) step(req *request, field string) driver.Change {
	w.T.Helper()
	seen := w.database(*req)
	if len(seen.Changes) != 1 || seen.Changes[0].Field != field || seen.State != driver.Ready || seen.OperationError != nil {
		w.T.Fatalf("got %v, %v and %+v, want Ready and the one change %s", seen.State, seen.OperationError, seen.Changes, field)
	}
	if result, err := w.attempts(req, seen.Changes...); err != nil || len(result.Failed) > 0 {
		w.T.Fatalf("%s: %v, failed %+v", field, err, result.Failed)
	}
	return seen.Changes[0]
}

// look is an observation by which the caller stores what is to be stored.
func (w *environment) look(req *request) driver.Observation {
	w.T.Helper()
	seen := w.database(*req)
	req.Operation = seen.Operation
	if seen.OperationError != nil {
		req.Operation = ""
	}
	return seen
}

// prepared brings a deployment to a version to rest.
func (w *environment) prepared(req *request, version string) {
	w.T.Helper()
	req.Spec.Version = &version
	w.step(req, "version")
	w.Clock.Advance(time.Hour)
}

// succeeded has the server that was prepared take over, and the request name the new one.
func (w *environment) succeeded(req *request, version string) {
	w.T.Helper()
	w.prepared(req, version)
	w.step(req, "version")
	w.Clock.Advance(time.Hour)
	seen := w.database(*req)
	if seen.Succession.GetSucceeds() != req.ID || seen.Succession.GetFormer() == nil || seen.Succession.GetFormer().ID != req.ID {
		w.T.Fatalf("it succeeds %q and %+v, want %s", seen.Succession.GetSucceeds(), seen.Succession.GetFormer(), req.ID)
	}
	req.ID, req.Former = seen.ID, &seen.Succession.GetFormer().ParentRef
	w.look(req)
}

func (w *environment) deployments() []rdstypes.BlueGreenDeployment {
	w.T.Helper()
	return awstest.Do(w.T, w.RDS.DescribeBlueGreenDeployments, &rds.DescribeBlueGreenDeploymentsInput{}).BlueGreenDeployments
}

func (w *environment) instances() (names []string) {
	w.T.Helper()
	for _, one := range awstest.Do(w.T, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{}).DBInstances {
		names = append(names, *one.DBInstanceIdentifier)
	}
	slices.Sort(names)
	return names
}

func (w *environment) wantInstances(when string, want ...string) {
	w.T.Helper()
	if got := w.instances(); !slices.Equal(got, want) {
		w.T.Errorf("%s: there are the instances %v, want %v", when, got, want)
	}
}

func (w *environment) asked(operation string) int {
	return w.Ledger.Count(localcloud.Filter{Operation: operation})
}

// An upgrade to another major version, from the first call to the new server under the old name and address.
func TestUpgradeBeside(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", withLogical)
	req.Beside = true
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	req.ID = w.database(req).ID
	w.settle(&req)
	before := w.database(req)
	w.Ledger.Reset()
	w.database(req)
	if got := w.Operations(); slices.Contains(got, "DescribeBlueGreenDeployments") {
		t.Errorf("without an operation: %v", got)
	}

	req.Spec.Version = new("17")
	w.step(&req, "version")
	if !strings.HasPrefix(req.Operation, "bgd-") {
		t.Fatalf("the operation is %q", req.Operation)
	}
	w.Clock.Advance(2 * time.Minute)
	req.Spec.DeletionProtection = new(true)
	seen := w.look(&req)
	if seen.State != driver.Pending || !seen.Available || seen.Operation != req.Operation || len(seen.Replication.GetFollowers()) != 0 ||
		!strings.HasPrefix(seen.Work.What, "preparing a server with version 17 beside") || !slices.Equal(driver.Names(seen.Changes), []string{"version"}) {
		t.Errorf("while it is prepared: %+v", seen)
	}
	w.Clock.Advance(time.Hour)
	c := w.step(&req, "version")
	if !strings.Contains(c.Why, "has prepared a server with version 17") {
		t.Errorf("the change says %q", c.Why)
	}
	seen = w.look(&req)
	if seen.State != driver.Pending || seen.ID != req.ID || seen.Operation == "" || seen.Succession.GetSucceeds() != "" || !strings.Contains(seen.Work.What, "in the place of this one") {
		t.Errorf("while it takes over: %+v", seen)
	}
	w.Clock.Advance(time.Hour)
	seen = w.look(&req)
	if seen.Succession.GetSucceeds() != req.ID || seen.ID == req.ID || seen.Succession.GetFormer() == nil || *seen.Succession.GetFormer() != (driver.Former{ParentRef: driver.ParentRef{Name: "shop-orders-old1", ID: req.ID}, Mark: awstest.Mark}) || seen.Mark != awstest.Mark {
		t.Fatalf("after the switchover: %+v, the former one is %+v", seen, seen.Succession.GetFormer())
	}
	if seen.Endpoint != before.Endpoint || !seen.Available || !slices.Equal(driver.Names(seen.Changes), []string{"deletionProtection"}) {
		t.Errorf("after the switchover: %+v and %+v, before %+v", seen.Endpoint, seen.Changes, before.Endpoint)
	}
	w.wantAttached(&req, "shop-orders-b")
	w.wantGroups("after the switchover", "shop-orders", map[string]map[string]string{
		"shop-orders-a": {"rds.logical_replication": "1", "work_mem": "8192"}, "shop-orders-b": {"rds.logical_replication": "1", "work_mem": "8192"},
	})

	stranger := req
	if stranger.ID = "db-another"; w.database(stranger).Succession.GetSucceeds() != "" {
		t.Error("it succeeds another one, too")
	}
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DescribeDBInstances", Resource: "shop-orders"}, Kind: localcloud.Stale, Times: 1})
	if stale := w.database(req); stale.State != driver.Pending || stale.Succession.GetSucceeds() != "" || stale.Operation == "" {
		t.Errorf("a read that is late: %+v", stale)
	}

	// The caller knows the new one, and not the former one; then it knows both.
	req.ID = seen.ID
	if seen := w.database(req); seen.Succession.GetSucceeds() != "" && seen.Succession.GetFormer() == nil || seen.Operation != req.Operation {
		t.Errorf("known as the new one: %+v", seen)
	}
	req.Former = &seen.Succession.GetFormer().ParentRef
	if seen := w.look(&req); seen.Operation != "" || seen.Succession.GetFormer() == nil || seen.State != driver.Ready {
		t.Errorf("with both known: %+v", seen)
	}
	w.Ledger.Reset()
	if seen := w.database(req); seen.Succession.GetFormer() == nil || seen.Succession.GetSucceeds() != "" || w.asked("DescribeBlueGreenDeployments") != 0 || w.asked("DescribeDBInstances") != 2 {
		t.Errorf("later: %+v by the calls %v", seen, w.Operations())
	}
	req.Former.ID = "db-another"
	if seen := w.database(req); seen.Succession.GetFormer() != nil {
		t.Errorf("another one under its name: %+v", seen.Succession.GetFormer())
	}
}

// Each call is made again after its answer was lost: there is one deployment, and one switchover.
func TestUpgradeBesideWithLostAnswers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", nil)
	req.Spec.Version = new("16.9")
	lose := func(operation string) {
		w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Kind: localcloud.ResponseLost, Times: 1})
	}
	change := w.database(req).Changes[0]
	lose("CreateBlueGreenDeployment")
	if result, err := w.attempts(&req, change); err == nil && len(result.Failed) == 0 {
		t.Fatal("the answer was not lost")
	}
	known := req
	w.Clock.Advance(time.Minute)
	if seen := w.look(&known); seen.State != driver.Pending || !strings.HasPrefix(known.Operation, "bgd-") || len(seen.Replication.GetFollowers()) > 0 {
		t.Errorf("it is found without its operation: %+v", seen)
	}
	for range 2 {
		if result, err := w.attempts(&req, change); err != nil || len(result.Failed) > 0 || req.Operation != known.Operation {
			t.Fatalf("called again: %+v, %v", result, err)
		}
	}
	w.Clock.Advance(time.Hour)
	again := req
	again.Operation = ""
	if result, err := w.attempts(&again, change); err != nil || len(result.Failed) > 0 || again.Operation != req.Operation || w.asked("SwitchoverBlueGreenDeployment") != 0 {
		t.Errorf("a repeated creation: %+v, %v", result, err)
	}
	lose("SwitchoverBlueGreenDeployment")
	if result, err := w.attempts(&req, change); err == nil && len(result.Failed) == 0 {
		t.Fatal("the answer was not lost")
	}
	for range 2 {
		if result, err := w.attempts(&req, change); err != nil || len(result.Failed) > 0 {
			t.Fatalf("called again: %+v, %v", result, err)
		}
		w.Clock.Advance(time.Hour)
	}
	if made, over := w.asked("CreateBlueGreenDeployment"), w.asked("SwitchoverBlueGreenDeployment"); made != 1 || over != 1 || len(w.deployments()) != 1 {
		t.Errorf("%d creations and %d switchovers", made, over)
	}
	if seen := w.database(req); seen.Succession.GetSucceeds() != req.ID || len(seen.Changes) > 0 {
		t.Errorf("afterwards: %+v", seen)
	}
	w.wantInstances("afterwards", "shop-orders", "shop-orders-old1")
}

// Other changes are made before the server is prepared, which is a copy; what fails keeps it from nothing.
func TestUpgradeBesideWithOtherChanges(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", nil)
	req.Spec.Version, req.Spec.AWS.InstanceClass = new("16.9"), new("db.t4g.small")
	result, err := w.attempts(&req, w.database(req).Changes...)
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "version" || result.Failed[0].Err.Code != driver.Busy || req.Operation != "" || w.asked("CreateBlueGreenDeployment") != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	w.Clock.Advance(time.Hour)
	w.step(&req, "version")

	other := w.beside("shop-archive", nil)
	other.Spec.Version, other.Spec.AWS.InstanceClass = new("16.9"), new("db.none")
	result, err = w.attempts(&other, w.database(other).Changes...)
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.instanceClass" || other.Operation == "" {
		t.Errorf("beside one that is refused: %+v, %v", result, err)
	}
}

// A switchover that RDS rolls back leaves the server as it was, and can be asked for again.
func TestUpgradeBesideRolledBack(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := w.beside("shop-orders", nil)
	w.prepared(&req, "16.9")
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "SwitchoverBlueGreenDeployment"}, Kind: localcloud.FailLate, Times: 1})
	w.step(&req, "version")
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); seen.ID != req.ID || !seen.Available {
		t.Errorf("afterwards: %+v", seen)
	}
	if c := w.step(&req, "version"); !strings.Contains(c.Why, "goes on as before; The switchover was rolled back") {
		t.Errorf("the change says %q", c.Why)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); seen.Succession.GetSucceeds() != req.ID {
		t.Errorf("the second time: %+v", seen)
	}
}

// A switchover that somebody else asks for between the read and the call is no error, and a refusal is one.
func TestUpgradeBesideThatSomebodyElseCompletes(t *testing.T) {
	for name, tt := range map[string]struct {
		acts func(w *environment, req *request)
		want driver.Code // 0: no error
	}{
		"somebody switches over": {func(w *environment, req *request) {
			awstest.Do(w.T, w.RDS.SwitchoverBlueGreenDeployment, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &req.Operation})
		}, 0},
		"a backup begins": {func(w *environment, req *request) {
			awstest.Do(w.T, w.RDS.CreateDBSnapshot, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: &req.Name, DBSnapshotIdentifier: new("by-hand")})
		}, driver.Busy},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := w.beside("shop-orders", nil)
			w.prepared(&req, "16.9")
			changes := w.database(req).Changes
			w.Faults.Add(localcloud.Fault{
				Filter: localcloud.Filter{Operation: "DescribeDBInstances", Resource: req.Name}, Times: 1, Kind: localcloud.Latency, Hook: func(localcloud.Call) { tt.acts(w, &req) },
			})
			result, err := w.attempts(&req, changes...)
			if err != nil || tt.want == 0 && len(result.Failed) > 0 || tt.want != 0 && (len(result.Failed) != 1 || result.Failed[0].Err.Code != tt.want) {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}
