package sql

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// A sqlOperation is a write that Cloud SQL has accepted. It has two clocks to wait for: the cloud's,
// and the database server's, which does its part in real time.
type sqlOperation struct {
	name, Kind string
	user       string
	Instance   *sqlInstance
	begun      time.Time // PENDING until then
	inserted   time.Time
	due        time.Time                                    // not DONE before
	ended      time.Time                                    // zero until DONE
	late       bool                                         // fails at the end
	primary    *sqlInstance                                 // of the replica that is made, and busy meanwhile; nil for others
	injected   traffic.Fault                                // and with what
	check      *sqladmin.PreCheckMajorVersionUpgradeContext // of a check; nil for others
	backup     *sqladmin.BackupContext                      // of a backup; nil for others
	failure    *sqladmin.OperationError

	Worked   chan struct{} // closed when the server has done its part
	workErr  error         // this and the next are readable once worked is closed
	finished time.Time

	succeed func()                         // makes the outcome visible
	abandon func(*sqladmin.OperationError) // cleans up after a failure; may be nil
}

// A sqlWork describes an operation to begin.
type sqlWork struct {
	kind    string
	takes   time.Duration
	down    bool         // nobody can use the server meanwhile, whatever its state shows
	atOnce  bool         // if it takes no time, the response says that it is done
	state   string       // of the instance meanwhile; empty for no change
	server  func() error // the database server's part; may be nil
	succeed func()
	abandon func(*sqladmin.OperationError)
	primary *sqlInstance                                 // whose operation it is, too; may be nil
	check   *sqladmin.PreCheckMajorVersionUpgradeContext // what a check finds; nil for other work
	backup  *sqladmin.BackupContext                      // what a backup is called; nil for other work
}

// begin starts an operation on an idle instance and returns it as the response to the write. Only work on databases and users may be
// DONE by then, as the recordings show; of all else, whoever wants to know must ask.
func (s *Service) begin(r *sqlRequest, in *sqlInstance, w sqlWork) *sqladmin.Operation {
	in.before, in.pastDatabases, in.pastUsers, in.pastRuns = in.Shown(), slices.Clone(in.databases), slices.Clone(in.users), slices.Clone(in.runs)
	op := &sqlOperation{
		name: newSQLOperationName(), Kind: w.kind, user: r.Caller.Email, Instance: in,
		inserted: r.Now, begun: r.Now.Add(w.takes / 10), due: r.Now.Add(w.takes), late: r.FailLate, injected: r.Injected,
		Worked: make(chan struct{}), succeed: w.succeed, abandon: w.abandon, primary: w.primary, check: w.check, backup: w.backup,
	}
	in.operation, in.last = op, op
	if w.primary != nil {
		w.primary.operation = op
	}
	if w.state != "" {
		in.state = w.state
	}
	if w.down || w.state == "MAINTENANCE" {
		r.Call.Disrupts = strings.ToLower(w.kind)
	}
	r.project.operations = append(r.project.operations, op)
	work := func() {
		op.workErr = w.server()
		op.finished = s.cloud.Options.Now()
		close(op.Worked)
	}
	switch {
	case w.server == nil || r.FailLate:
		close(op.Worked)
	case s.cloud.Options.ListenersOnly: // takes no time, and tests can rely on it
		work()
	default:
		go work()
	}
	if w.atOnce && w.takes == 0 && s.cloud.Options.ListenersOnly && !r.FailLate {
		op.settle(r.Now)
		return op.shown(s, r.Now)
	}
	out := op.shown(s, op.inserted)
	out.Status, out.StartTime = "PENDING", ""
	return out
}

// newSQLOperationName returns a UUID, as Cloud SQL does.
func newSQLOperationName() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	h := hex.EncodeToString(raw)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// settle ends the operations whose time has come.
func (p *sqlProject) settle(now time.Time) {
	for _, in := range p.Instances {
		if in.operation != nil {
			in.operation.settle(now)
		}
	}
}

func (op *sqlOperation) settle(now time.Time) {
	if now.Before(op.due) {
		return
	}
	select {
	case <-op.Worked:
	default:
		return
	}
	op.ended = op.due
	if op.finished.After(op.due) {
		op.ended = op.finished
	}
	switch {
	case op.late:
		op.failure = &sqladmin.OperationError{
			Kind: "sql#operationError", Code: cmp.Or(op.injected.Code, "INTERNAL_ERROR"), Message: cmp.Or(op.injected.Message, "An internal error has occurred (injected)."),
		}
	case op.workErr != nil:
		op.failure = &sqladmin.OperationError{Kind: "sql#operationError", Code: "ERROR_RDBMS", Message: "system error occurred: " + op.workErr.Error()}
	}
	op.Instance.operation = nil
	if op.primary != nil {
		op.primary.operation = nil
	}
	switch {
	case op.failure == nil:
		op.succeed()
		op.Instance.recovery.note(op.Instance, op.ended)
	case op.abandon != nil:
		op.abandon(op.failure)
	}
}

// shown returns the operation as the API shows it.
func (op *sqlOperation) shown(s *Service, now time.Time) *sqladmin.Operation {
	p, target := op.Instance.project, op.Instance.Name
	if op.primary != nil { // as the recording shows
		target = p + ":" + op.primary.Name
	}
	out := &sqladmin.Operation{
		Kind: "sql#operation", Name: op.name, OperationType: op.Kind, Status: "PENDING", User: op.user,
		InsertTime: sqlTime(op.inserted), TargetId: target, TargetProject: p,
		TargetLink: s.link(p + "/instances/" + target), SelfLink: s.link(p + "/operations/" + op.name),
	}
	if !now.Before(op.begun) {
		out.Status, out.StartTime = "RUNNING", sqlTime(op.begun)
	}
	if !op.ended.IsZero() {
		out.Status, out.StartTime, out.EndTime = "DONE", sqlTime(op.begun), sqlTime(op.ended)
	}
	out.PreCheckMajorVersionUpgradeContext, out.BackupContext = op.shownCheck(), op.backup
	if op.failure != nil {
		out.Error = &sqladmin.OperationErrors{Kind: "sql#operationErrors", Errors: []*sqladmin.OperationError{op.failure}}
	}
	return out
}

func (s *Service) getOperation(r *sqlRequest) (any, error) {
	op := r.project.Operation(r.PathValue("operation"))
	if op == nil || r.Stale && op.Instance.last == op {
		return nil, google.Err(http.StatusNotFound, "operationDoesNotExist", "The Cloud SQL operation does not exist.")
	}
	return op.shown(s, r.Now), nil
}

// Operation returns the operation of that name; nil if there is none.
func (p *sqlProject) Operation(name string) *sqlOperation {
	i := slices.IndexFunc(p.operations, func(op *sqlOperation) bool { return op.name == name })
	if i < 0 {
		return nil
	}
	return p.operations[i]
}

func (s *Service) listOperations(r *sqlRequest) (any, error) {
	name := r.URL.Query().Get("instance")
	if name != "" {
		if in := r.project.Instances[name]; in == nil {
			return nil, errSQLNoInstance
		}
	}
	var found []*sqladmin.Operation
	for i, op := range slices.Backward(r.project.operations) {
		if r.Stale && i == len(r.project.operations)-1 {
			continue
		}
		if name == "" || op.Instance.Name == name || op.primary != nil && op.primary.Name == name {
			found = append(found, op.shown(s, r.Now))
		}
	}
	page, next, err := google.PageOf(r.Request, found, "maxResults", 100, 500)
	if err != nil {
		return nil, err
	}
	return &sqladmin.OperationsListResponse{Kind: "sql#operationsList", Items: page, NextPageToken: next}, nil
}

// Work returns what is closed once the server has done its part of an operation, which must be there.
func (s *Service) Work(project, operation string) <-chan struct{} {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	return s.Project(project).Operation(operation).Worked
}
