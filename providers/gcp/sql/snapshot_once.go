package sql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// skew is how far the clocks of the cluster and of Cloud SQL may be apart.
const skew = 5 * time.Minute

// asked returns the id of the backup that was asked for before by a call whose answer was lost; empty if none was. Each call takes another backup, so where Cloud SQL
// does not say whether one of those that were begun since then is the one, that is an error, and a person decides.
func (m *snapshots) asked(ctx context.Context, req *snapshotRequest) (id string, err error) {
	if req.SentSince.IsZero() {
		return "", nil
	}
	unknown, err := m.search(ctx, "", func(b *backup) bool { return b.mayBe(req) })
	if err == nil && unknown != nil {
		err = notKnown(req, "the backup "+unknown.id()+", whose description is not of the form that Mooring writes", unknown.id())
	}
	if err != nil {
		return "", err
	}
	return m.begun(ctx, req)
}

// begun returns the id of the backup among those that operations began since the request was sent. What a list of backups lacks, or shows in a form that is not known,
// the operations have.
func (m *snapshots) begun(ctx context.Context, req *snapshotRequest) (id string, err error) {
	token := ""
	for seen := map[string]bool{}; !seen[token]; {
		seen[token] = true
		page, err := session.Do(ctx, m.Caller, "operations.list", func(ctx context.Context) (*sqladmin.OperationsListResponse, error) {
			return m.sql.Operations.List(m.Project).Instance(req.Parent.Name).PageToken(token).Context(ctx).Do()
		})
		if err != nil {
			return "", err
		}
		for _, op := range page.Items {
			inserted, unknown := time.Parse(time.RFC3339, op.InsertTime)
			if unknown == nil && inserted.Before(req.SentSince.Add(-skew)) {
				return "", nil // they are in order, the newest first
			}
			if id, err := m.begunBy(ctx, req, op); err != nil || id != "" {
				return id, err
			}
		}
		if page.NextPageToken == "" {
			return "", nil
		}
		token = page.NextPageToken
	}
	return "", &driver.Error{Code: driver.Unavailable, Op: "operations.list", Message: "the list of operations does not end"}
}

// begunBy returns the id of the backup that an operation takes, if it is the one of the request.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/operations#SqlOperationType
func (m *snapshots) begunBy(ctx context.Context, req *snapshotRequest, op *sqladmin.Operation) (id string, err error) {
	id = backupIDOf(op)
	switch {
	case op.OperationType != "BACKUP_VOLUME" || op.Error != nil:
		return "", nil
	case id == "" && op.Status != "DONE":
		return "", &driver.Error{Code: driver.Busy, Op: "operations.list", Message: "Cloud SQL is taking a backup, and does not say yet which one"}
	case id == "":
		return "", notKnown(req, "a backup that the operation "+op.Name+" took, and does not say which one that is", "its id in Cloud SQL")
	}
	known := *req
	known.ID = id
	b, err := m.find(ctx, &known)
	switch {
	case err != nil:
		return "", err
	case b == nil:
		return "", undecided(req, "Cloud SQL has taken the backup %s, which is not there any more, so Mooring does not know whether that was the one, and takes no other: to have another one, "+
			"delete this DatabaseSnapshot, and create it again", id)
	case b.mayBe(req):
		return "", notKnown(req, "the backup "+id+", whose description is not of the form that Mooring writes", id)
	}
	if name, mark := readDescription(b.Description); name == req.Name && mark.Is(req.Mark) {
		return id, nil
	}
	return "", nil
}

// notKnown says that nobody knows whether a backup is the one that was asked for, and what to do. id is how to name that backup.
func notKnown(req *snapshotRequest, has, id string) *driver.Error {
	return undecided(req, "Cloud SQL has %s, so Mooring does not know whether that is the one, and takes no other: if it is, create another DatabaseSnapshot with spec.source.externalName: %s and "+
		"spec.management: Observe, and delete this one; if it is nobody's, delete this DatabaseSnapshot, and create it again", has, id)
}

func undecided(req *snapshotRequest, format string, of ...any) *driver.Error {
	return &driver.Error{
		Code: driver.Conflict, Op: "Backups.CreateBackup",
		Message: fmt.Sprintf("a backup of %s may have been asked for before, and no answer came; since then ", req.Parent.Name) + fmt.Sprintf(format, of...),
	}
}

// mayBe reports whether a backup may be one that was asked for although its description does not say so.
func (b *backup) mayBe(req *snapshotRequest) bool {
	_, mark := readDescription(b.Description)
	of := b.Instance == "" || b.Instance[strings.LastIndexAny(b.Instance, "/:")+1:] == req.Parent.Name
	byOthers := b.Type == "FINAL" || b.Type == "AUTOMATED" || !b.begun().IsZero() && b.begun().Before(req.SentSince.Add(-skew))
	return mark.Zero() && of && !byOthers
}
