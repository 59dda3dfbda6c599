package sql

import (
	"context"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// A backup is what Cloud SQL says of one.
type backup struct{ *sqladmin.Backup }

// snapshotParams are the parameters of the calls about a backup: the mark alone.
type snapshotParams struct{ Mark table.Delta }

type (
	snapshotSpec    = v1alpha1.DatabaseSnapshotParameters
	snapshotRequest = table.Request[snapshotSpec]
	snapshotAdapter = table.Adapter[snapshotSpec, backup, snapshotParams]
)

// snapshotTable has no fields: a backup has a description, which holds the mark, and nothing else that a spec could declare.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backup
var snapshotTable = table.Table[snapshotSpec, backup, snapshotParams]{}

var snapshotLacks = []driver.Lack{
	{Field: "tags", Why: "backups of Cloud SQL have no labels", Instead: "remove it; the name of the DatabaseSnapshot is in the backup's description"},
}

// SnapshotKind is what the driver has of snapshots. Cloud SQL changes the description of final backups alone, so a mark comes with the creation.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/Backups/UpdateBackup
var SnapshotKind = table.Kind[*session.Session]{
	Name: "DatabaseSnapshot",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Cloud SQL", Name: driver.NameRule{MaxLength: 63}, Fields: snapshotTable.Docs(),
			Source: "Database", Ownership: driver.OwnedByTags, MarkIsFinal: true, Capabilities: driver.Capabilities{List: true}, Lacks: snapshotLacks,
			Consequences: driver.Consequences{Noun: "Cloud SQL backup"},
		}
	},
	Preview: func(json.RawMessage, json.RawMessage, driver.Applied) ([]driver.Change, error) { return nil, nil },
	Handler: func(s *session.Session) table.Handler { return table.Handle(newSnapshotAdapter(s)) },
}

// snapshots manages backups. It goes by the API that knows those of instances that are gone, too.
type snapshots struct {
	*session.Caller
	sql *sqladmin.Service
}

func newSnapshotAdapter(s *session.Session) *snapshotAdapter {
	c := s.To(api)
	m := &snapshots{Caller: c, sql: newClient(c)}
	return &snapshotAdapter{
		Table: snapshotTable, Lacks: snapshotLacks, Noun: "backup", ReadCall: "Backups.GetBackup",
		Read: m.read, State: stateOfBackup,
		Tags: func(p *snapshotParams) *table.Delta { return &p.Mark },
		Make: m.create, Taken: table.Names{"Mark"},
		Parts:   []table.Part[snapshotSpec, backup, snapshotParams]{{Write: m.describe, Taken: table.Names{"Mark"}}},
		Listing: &table.Listing[backup]{Read: m.list},
		Remove:  m.remove,
	}
}

// A backup has a description and neither a name that somebody chooses nor labels. So the description of one that Mooring takes is its name and the
// mark. What is not exactly in this form is no mark.
const descriptionForm = "%s mooring/1 cluster=%s object=%s/%s uid=%s"

// backupName is what the name in a description has to be like.
var backupName = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

var description = regexp.MustCompile(`^([a-z]([a-z0-9-]*[a-z0-9])?) mooring/1 cluster=([A-Za-z0-9._-]{1,63}) object=([a-z0-9]([a-z0-9-]*[a-z0-9])?)/([a-z0-9]([a-z0-9-]*[a-z0-9])?) uid=([A-Za-z0-9-]{1,63})$`)

// descriptionOf returns the description of a backup of that name with the mark.
func descriptionOf(name string, mark driver.Mark) string {
	return fmt.Sprintf(descriptionForm, name, mark.Cluster, mark.Namespace, mark.Name, mark.UID+ofNamespace(mark.NamespaceUID))
}

// readDescription returns the name of a backup, and the mark if there is one.
func readDescription(text string) (name string, mark driver.Mark) {
	parts := description.FindStringSubmatch(text)
	if parts == nil {
		return text, driver.Mark{}
	}
	uid, namespaceUID := cutNamespace(parts[8])
	return parts[1], driver.Mark{Cluster: parts[3], Namespace: parts[4], Name: parts[6], UID: uid, NamespaceUID: namespaceUID}
}

// The uid of the namespace stands behind that of the object, in the only form that is short enough for an earlier release to read both as one uid: with a hyphen, and
// as 26 digits of base 32, which no uid ends in.
const uidDigits = 26

var uidForm = base32.HexEncoding.WithPadding(base32.NoPadding)

// ofNamespace returns what stands behind the uid of an object: nothing if the namespace has no uid of Kubernetes' form.
func ofNamespace(namespaceUID string) string {
	bits, err := hex.DecodeString(strings.ReplaceAll(namespaceUID, "-", ""))
	if err != nil || len(bits) != 16 {
		return ""
	}
	return "-" + strings.ToLower(uidForm.EncodeToString(bits))
}

// cutNamespace returns the uid of an object, and that of its namespace if it stands behind it.
func cutNamespace(both string) (uid, namespaceUID string) {
	at := len(both) - uidDigits - 1
	if at < 1 || both[at] != '-' {
		return both, ""
	}
	bits, err := uidForm.DecodeString(strings.ToUpper(both[at+1:]))
	if err != nil {
		return both, ""
	}
	return both[:at], fmt.Sprintf("%x-%x-%x-%x-%x", bits[:4], bits[4:6], bits[6:8], bits[8:10], bits[10:])
}

// id is the cloud's own name of the backup.
func (b *backup) id() string { return b.Name[strings.LastIndexByte(b.Name, '/')+1:] }

// is reports whether a name is that of the backup: the one in its description, or its id.
func (b *backup) is(name string) bool {
	described, _ := readDescription(b.Description)
	return described == name || b.id() == name
}

// before reports whether a backup is to be preferred to another of the same name, if there is one: it did not fail, and is the older one.
func (b *backup) before(other *backup) bool {
	if other == nil {
		return true
	}
	if failed := b.State == "FAILED"; failed != (other.State == "FAILED") {
		return !failed
	}
	return b.begun().Before(other.begun())
}

// begun is when Cloud SQL began to take the backup; zero if it does not say.
func (b *backup) begun() (at time.Time) {
	if b.BackupInterval != nil {
		at, _ = time.Parse(time.RFC3339, b.BackupInterval.StartTime)
	}
	return at.UTC()
}

// mark returns the mark of the backup as an object sees it: see driver.Resource.MarkIsFinal. One that Mooring did not describe, such as a final backup, has
// the labels of its instance at that time: it was
// left behind by the Database of that name.
func (b *backup) mark(req *snapshotRequest) driver.Mark {
	_, mark := readDescription(b.Description)
	switch {
	case !mark.Zero() && mark.SameOwner(req.Mark) && (mark.UID == req.Mark.UID || req.ID == b.id()):
		return req.Mark
	case !mark.Zero():
		mark.Released = !req.Mark.Zero() // a list shows the marks as they are
		return mark
	case b.InstanceSettings != nil && b.InstanceSettings.Settings != nil:
		if mark = driver.MarkFrom(b.InstanceSettings.Settings.UserLabels); !mark.Zero() {
			mark.Released = true
		}
	}
	return mark
}

// read is table.Adapter.Read. No call finds a backup by its description, so until its id is known those of the instance are listed.
func (m *snapshots) read(ctx context.Context, req *snapshotRequest, o *driver.Observation) (*backup, error) {
	if req.ID != "" || req.Operation == "" {
		return m.find(ctx, req)
	}
	id, failure, err := m.taken(ctx, req.Operation)
	if err != nil {
		return nil, err
	}
	known := *req
	known.ID = id
	found, err := m.find(ctx, &known)
	if err == nil && found == nil {
		o.OperationError = failure
	}
	return found, err
}

// taken returns the id of the backup that an operation takes, empty if Cloud SQL does not say it, and why the operation failed, if it did.
func (m *snapshots) taken(ctx context.Context, name string) (id string, failure *driver.Error, err error) {
	op, err := session.Do(ctx, m.Caller, "operations.get", func(ctx context.Context) (*sqladmin.Operation, error) {
		return m.sql.Operations.Get(m.Project, name).Context(ctx).Do()
	})
	switch driver.CodeOf(err) {
	case driver.NotFound, driver.Invalid: // a name is a hint
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	id = backupIDOf(op)
	if id == "" && op.Status != "DONE" {
		return "", nil, &driver.Error{Code: driver.Busy, Op: "operations.get", Message: "Cloud SQL has accepted the backup, and does not say yet which one it takes"}
	}
	return id, (&operation{op}).failure(), nil
}

// backupIDOf returns the id of the backup that an operation takes; empty if it does not say it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/operations#BackupContext
func backupIDOf(op *sqladmin.Operation) string {
	of := op.BackupContext
	switch {
	case of == nil:
		return ""
	case of.Name != "":
		return (&backup{&sqladmin.Backup{Name: of.Name}}).id()
	case of.BackupId != 0:
		return strconv.FormatInt(of.BackupId, 10)
	}
	return ""
}

// instances reads the instances of which backups are.
func (m *snapshots) instances() *instances { return &instances{Caller: m.Caller, sql: m.sql} }

// find returns the backup of a request, nil if there is none. Once its id is known, one call gets it. Of several of one name it is the oldest that did
// not fail.
func (m *snapshots) find(ctx context.Context, req *snapshotRequest) (*backup, error) {
	if req.ID != "" {
		have, err := session.Do(ctx, m.Caller, "Backups.GetBackup", func(ctx context.Context) (*sqladmin.Backup, error) {
			return m.sql.Backups.GetBackup("projects/" + m.Project + "/backups/" + req.ID).Context(ctx).Do()
		})
		if err != nil {
			return nil, session.UnlessNotFound(err)
		}
		return &backup{have}, nil
	}
	filter := ""
	if req.Parent.Name != "" {
		filter = "instance:" + req.Parent.Name
	}
	return m.search(ctx, filter, func(b *backup) bool {
		return b.is(req.Name) && (req.Parent.Name == "" || b.Instance == req.Parent.Name)
	})
}

// search returns the backup among those of a filter that a test accepts; of several the oldest that did not fail, nil if there is none.
func (m *snapshots) search(ctx context.Context, filter string, accept func(*backup) bool) (found *backup, err error) {
	token := ""
	for seen := map[string]bool{}; !seen[token]; {
		seen[token] = true
		page, err := m.page(ctx, filter, token)
		if err != nil {
			return nil, err
		}
		for _, b := range page.Backups {
			if b := (&backup{b}); accept(b) && b.before(found) {
				found = b
			}
		}
		if page.NextPageToken == "" {
			return found, nil
		}
		token = page.NextPageToken
	}
	return nil, &driver.Error{Code: driver.Unavailable, Op: "Backups.ListBackups", Message: "the list of backups does not end"}
}

func (m *snapshots) page(ctx context.Context, filter, token string) (*sqladmin.ListBackupsResponse, error) {
	return session.Do(ctx, m.Caller, "Backups.ListBackups", func(ctx context.Context) (*sqladmin.ListBackupsResponse, error) {
		call := m.sql.Backups.ListBackups("projects/" + m.Project).PageSize(500).PageToken(token)
		if filter != "" {
			call = call.Filter(filter)
		}
		return call.Context(ctx).Do()
	})
}

// stateOfBackup is what a backup says of itself.
func stateOfBackup(req *snapshotRequest, b *backup, o *driver.Observation) {
	if b.State == "DELETION_FAILED" { // it is there, and can be deleted again
		o.State = driver.Ready
	} else {
		o.State, o.Problem = backupState(b.Backup)
	}
	o.ID, o.Available = b.id(), b.State == "SUCCESSFUL"
	o.Mark, o.Location = b.mark(req), strings.ToLower(b.Location)
	engine, version := splitVersion(b.DatabaseVersion)
	o.SnapshotDetails = &driver.SnapshotDetails{
		Source: b.Instance, Taken: b.begun(), Engine: string(engine), Version: version, Encrypted: true, Key: b.KmsKey,
	}
	if engine == "" {
		o.SnapshotDetails.Engine = b.DatabaseVersion
	}
	if end, err := time.Parse(time.RFC3339, b.ExpiryTime); err == nil && b.Type == "FINAL" {
		o.SnapshotDetails.Expires = end.UTC()
	}
	if b.InstanceSettings != nil && b.InstanceSettings.Settings != nil {
		o.SnapshotDetails.SizeGiB = int32(b.InstanceSettings.Settings.DataDiskSizeGb)
	}
}

// create takes a backup of the instance that the request names, unless there is one of the name: Cloud SQL itself would take another.
func (m *snapshots) create(ctx context.Context, req *snapshotRequest, _ *snapshotParams) (driver.Result, error) {
	const op = "Backups.CreateBackup"
	source := req.Parent
	if source.Name == "" {
		return driver.Result{}, &driver.Error{Code: driver.NotFound, Op: op, Message: "the request names no instance to take a backup of"}
	}
	in, err := m.instances().read(ctx, source.Name)
	switch {
	case err != nil:
		return driver.Result{}, err
	case source.ID != "" && in.CreateTime != source.ID:
		return driver.Result{}, &driver.Error{Code: driver.NotFound, Op: op, Message: fmt.Sprintf("there is another instance %s by now than the one of which a backup was to be taken", source.Name)}
	}
	switch there, err := m.find(ctx, req); {
	case err != nil:
		return driver.Result{}, err
	case there != nil:
		return driver.Result{}, &driver.Error{Code: driver.Conflict, Op: op, Message: "a backup of that name exists"}
	}
	if id, err := m.asked(ctx, req); err != nil || id != "" {
		return driver.Result{ID: id}, err
	}
	started, err := session.Do(ctx, m.Caller, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return m.sql.Backups.CreateBackup("projects/"+m.Project, &sqladmin.Backup{Instance: source.Name, Description: descriptionOf(req.Name, req.Mark)}).Context(ctx).Do()
	})
	if err != nil {
		return driver.Result{}, err
	}
	if id := backupIDOf(started); id != "" { // the backup says itself whether it failed
		return driver.Result{ID: id}, nil
	}
	return driver.Result{Operation: started.Name}, nil
}

// describe writes the mark on a final backup.
func (m *snapshots) describe(ctx context.Context, req *snapshotRequest, have *backup, _ *snapshotParams, _ []driver.Change) (string, error) {
	const op = "Backups.UpdateBackup"
	if _, mark := readDescription(have.Description); mark.SameOwner(req.Mark) {
		return "", nil // its owner's for good: see backup.mark
	}
	if have.Type != "FINAL" {
		return "", &driver.Error{Code: driver.Unsupported, Op: op, Message: "Cloud SQL changes the description of final backups only, so Mooring can't put its mark on this one: set spec.management: Observe"}
	}
	name, _ := readDescription(have.Description)
	if !backupName.MatchString(name) { // somebody else's text, which would not be read back in the form of the mark
		name = "backup-" + strings.ToLower(have.id())
	}
	_, err := session.Do(ctx, m.Caller, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return m.sql.Backups.UpdateBackup(have.Name, &sqladmin.Backup{Description: descriptionOf(name, req.Mark)}).UpdateMask("description").Context(ctx).Do()
	})
	return "", err
}

// list returns a page of the project's backups.
func (m *snapshots) list(ctx context.Context, req driver.ListRequest) ([]table.Found[backup], string, error) {
	page, err := m.page(ctx, "", req.Page)
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[backup], 0, len(page.Backups))
	for _, b := range page.Backups {
		have := &backup{b}
		name, mark := readDescription(b.Description)
		if mark.Zero() {
			name = have.id()
		}
		found = append(found, table.Found[backup]{Name: name, Have: have})
	}
	return found, page.NextPageToken, nil
}

// remove deletes a backup. It is deleted by its id, so it is found first.
func (m *snapshots) remove(ctx context.Context, req *snapshotRequest) (driver.Result, error) {
	have, err := m.find(ctx, req)
	if err != nil || have == nil || have.State == "DELETING" {
		return driver.Result{}, err
	}
	_, err = session.Do(ctx, m.Caller, "Backups.DeleteBackup", func(ctx context.Context) (*sqladmin.Operation, error) {
		return m.sql.Backups.DeleteBackup(have.Name).Context(ctx).Do()
	})
	return driver.Result{}, session.UnlessNotFound(err)
}
