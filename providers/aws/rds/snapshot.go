package rds

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// snapshotParams are the parameters of the calls that make and change a snapshot.
type snapshotParams struct{ Tags table.Delta }

type (
	snapshotSpec    = v1alpha1.DatabaseSnapshotParameters
	snapshotRequest = table.Request[snapshotSpec]
	snapshotAdapter = table.Adapter[snapshotSpec, types.DBSnapshot, snapshotParams]
)

// snapshotTable has the fields of a snapshot.
var snapshotTable = table.Table[snapshotSpec, types.DBSnapshot, snapshotParams]{
	table.Entries("tags",
		func(s *snapshotSpec) map[string]string { return session.WantTags(s.Tags) },
		func(s *types.DBSnapshot) map[string]string { return ownSnapshotTags(s) },
		func(p *snapshotParams, d table.Delta) { p.Tags = d },
	),
}

// snapshotNames is what RDS asks of the name of a new snapshot. It takes capital letters too, and keeps them as small ones.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSnapshot.html (DBSnapshotIdentifier)
var snapshotNames = []driver.NamePattern{
	{Match: `^.{1,255}$`, Rule: "RDS accepts names of at most 255 characters"},
	{Match: `^[a-z](-?[a-z0-9])*$`,
		Rule: "RDS accepts names of letters (stored in lower case), digits and single hyphens that begin with a letter and do not end with a hyphen"},
}

// Snapshots is what the driver has of snapshots.
var Snapshots = table.Kind[*session.Session]{
	Name: "DatabaseSnapshot",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Amazon RDS", Name: driver.NameRule{MaxLength: 255, Patterns: snapshotNames}, Fields: snapshotTable.Docs(),
			Source: "Database", Ownership: driver.OwnedByTags, Capabilities: driver.Capabilities{List: true}, Lacks: tagLacks,
			Consequences: driver.Consequences{Noun: "RDS snapshot"},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, func(from, to snapshotSpec, applied driver.Applied) []driver.Change {
			return snapshotTable.Preview(&from, &to, applied, &types.DBSnapshot{})
		})
	},
	Tags: session.MostTags,
	Handler: func(s *session.Session) table.Handler {
		if s.S3Compatible() {
			return table.Refuse(&driver.Error{Code: driver.Unsupported, Message: "the provider config leads to an S3-compatible store, which has no snapshots of databases: " +
				"choose a provider config of an account that has"})
		}
		return table.Handle(newSnapshots(s))
	},
}

// snapshots manages snapshots of RDS instances.
type snapshots struct {
	*session.Session
	rds *rds.Client
}

func newSnapshots(s *session.Session) *snapshotAdapter {
	m := &snapshots{Session: s, rds: rds.NewFromConfig(s.Config)}
	return &snapshotAdapter{
		Table: snapshotTable, Lacks: tagLacks, Noun: "snapshot", ReadCall: "DescribeDBSnapshots", Region: s.Region,
		Read: m.read, State: stateOfSnapshot,
		Tags: func(p *snapshotParams) *table.Delta { return &p.Tags },
		Make: m.create, Taken: table.Names{"Tags"},
		Parts:   []table.Part[snapshotSpec, types.DBSnapshot, snapshotParams]{{Fields: []string{"tags"}, Write: m.writeTags, Taken: table.Names{"Tags"}}},
		Listing: &table.Listing[types.DBSnapshot]{Read: m.list},
		Remove:  m.remove,
	}
}

// read is table.Adapter.Read. The tags come with the snapshot.
func (m *snapshots) read(ctx context.Context, req *snapshotRequest, _ *driver.Observation) (*types.DBSnapshot, error) {
	out, err := session.Call(ctx, m.Session, "DescribeDBSnapshots", m.rds.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: &req.Name})
	if session.ErrorCode(err) == "DBSnapshotNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.DBSnapshots) != 1 {
		return nil, &driver.Error{Code: driver.Internal, Op: "DescribeDBSnapshots", Message: fmt.Sprintf("RDS returned %d snapshots instead of one", len(out.DBSnapshots))}
	}
	return &out.DBSnapshots[0], nil
}

// stateOfSnapshot is what a snapshot says of itself. RDS has no id of a snapshot beside its name: DbiResourceId is that of the instance.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBSnapshot.html
func stateOfSnapshot(req *snapshotRequest, s *types.DBSnapshot, o *driver.Observation) {
	switch status := aws.ToString(s.Status); status {
	case "available":
		o.State, o.Available = driver.Ready, true
	case "failed", "incompatible-restore", "incompatible-parameters":
		o.State, o.Problem = driver.Failed, "RDS says of the snapshot: "+status+"; delete this object and create another"
	case "deleting":
		o.State = driver.Deleting
	default: // creating, pending, copying
		o.State = driver.Pending
	}
	o.Mark, o.Location = snapshotMark(tagsOf(s.TagList), req.Mark), aws.ToString(arnRegion(s.DBSnapshotArn))
	o.SnapshotDetails = &driver.SnapshotDetails{
		Source: aws.ToString(s.DBInstanceIdentifier), SizeGiB: aws.ToInt32(s.AllocatedStorage), Engine: aws.ToString(s.Engine), Version: aws.ToString(s.EngineVersion),
		Encrypted: aws.ToBool(s.Encrypted), Key: aws.ToString(s.KmsKeyId),
		Username: aws.ToString(s.MasterUsername),
	}
	// A copy has a later time than what it is a copy of.
	if s.OriginalSnapshotCreateTime != nil {
		o.SnapshotDetails.Taken = s.OriginalSnapshotCreateTime.UTC()
	} else if s.SnapshotCreateTime != nil {
		o.SnapshotDetails.Taken = s.SnapshotCreateTime.UTC()
	}
}

// ofSnapshot is the key of a tag that says that the mark among the tags is the snapshot's own. RDS copies the tags of an instance to its snapshots, the
// final one included, and the instance's mark with them.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.html#USER_Tagging.CopyTags
const ofSnapshot = "mooring-kind"

// ofNamespace comes between the kind and the uid of the namespace in the value of that tag: the mark of a snapshot has no more tags than that of an instance.
const ofNamespace = "/"

// snapshotMark returns the mark of a snapshot. One that was copied from an instance says that the Database of that name left the snapshot behind.
func snapshotMark(tags map[string]string, own driver.Mark) driver.Mark {
	mark := driver.MarkFrom(tags)
	if _, uid, has := strings.Cut(tags[ofSnapshot], ofNamespace); has && !mark.Zero() {
		mark.NamespaceUID = uid
	}
	if !mark.Zero() && tags[ofSnapshot] == "" && (mark.UID != own.UID || own.UID == "" || own.Released) {
		mark.Released = true
	}
	return mark
}

// ownSnapshotTags are OwnTags without the one that belongs to the mark.
func ownSnapshotTags(s *types.DBSnapshot) map[string]string {
	tags := session.OwnTags(tagsOf(s.TagList))
	delete(tags, ofSnapshot)
	return tags
}

// withKind returns the tags that a call sets, and with the mark the tag that says whose it is.
func withKind(set map[string]string) map[string]string {
	if set[driver.LabelUID] == "" && set[driver.LabelNamespaceUID] == "" {
		return set
	}
	set = maps.Clone(set)
	set[ofSnapshot] = "DatabaseSnapshot"
	if uid := set[driver.LabelNamespaceUID]; uid != "" {
		set[ofSnapshot] += ofNamespace + uid
		delete(set, driver.LabelNamespaceUID)
	}
	return set
}

// create takes a snapshot of the instance that the request names. RDS takes one by the instance's name, so what has the name is looked at first.
func (m *snapshots) create(ctx context.Context, req *snapshotRequest, params *snapshotParams) (driver.Result, error) {
	source := req.Parent
	if source.Name == "" {
		return driver.Result{}, &driver.Error{Code: driver.NotFound, Op: "CreateDBSnapshot", Message: "the request names no instance to take a snapshot of"}
	}
	of, err := (&instances{Session: m.Session, rds: m.rds}).describe(ctx, source.Name)
	switch {
	case err != nil:
		return driver.Result{}, err
	case of == nil, source.ID != "" && aws.ToString(of.DbiResourceId) != source.ID:
		return driver.Result{}, &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstances", Message: fmt.Sprintf("RDS has no instance %s of which a snapshot could be taken", source.Name)}
	}
	_, err = session.Call(ctx, m.Session, "CreateDBSnapshot", m.rds.CreateDBSnapshot,
		&rds.CreateDBSnapshotInput{DBInstanceIdentifier: &source.Name, DBSnapshotIdentifier: &req.Name, Tags: rdsTags(withKind(params.Tags.Set))}, onceRDS)
	if session.ErrorCode(err) == "InvalidDBInstanceState" {
		e := *session.AsError(err)
		e.Message = fmt.Sprintf("RDS takes a snapshot only of an instance that is available, and %s is %s; Mooring tries again", source.Name, aws.ToString(of.DBInstanceStatus))
		return driver.Result{}, &e
	}
	return driver.Result{}, err
}

// writeTags changes tags and mark: one call adds, and one removes if something is to go.
func (m *snapshots) writeTags(ctx context.Context, _ *snapshotRequest, have *types.DBSnapshot, params *snapshotParams, _ []driver.Change) (string, error) {
	delta, tags := params.Tags, tagsOf(have.TagList)
	switch uid := delta.Set[driver.LabelReleased]; {
	case uid != "": // a mark without the tag of its kind counts as released
		delta = table.Delta{Remove: []string{ofSnapshot}}
		if tags[driver.LabelNamespaceUID] != uid {
			delta.Set = map[string]string{driver.LabelReleased: uid}
		}
	case delta.Set[driver.LabelUID] != "", delta.Set[driver.LabelNamespaceUID] != "":
		delta.Set = withKind(delta.Set)
		if len(tags) >= session.MostTags { // a copy of the instance's mark has it beside
			delta.Remove = append(slices.Clone(delta.Remove), driver.LabelNamespaceUID)
		}
	}
	return "", m.writeRDSTags(ctx, have.DBSnapshotArn, tags, delta)
}

// list returns a page of the account's snapshots in the session's region, those that RDS took by itself included. RDS has no filter by tags.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBSnapshots.html
func (m *snapshots) list(ctx context.Context, req driver.ListRequest) ([]table.Found[types.DBSnapshot], string, error) {
	out, err := session.Call(ctx, m.Session, "DescribeDBSnapshots", m.rds.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{Marker: session.Page(req)})
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[types.DBSnapshot], 0, len(out.DBSnapshots))
	for i := range out.DBSnapshots {
		found = append(found, table.Found[types.DBSnapshot]{Name: aws.ToString(out.DBSnapshots[i].DBSnapshotIdentifier), Have: &out.DBSnapshots[i]})
	}
	return found, aws.ToString(out.Marker), nil
}

// remove deletes a snapshot. RDS deletes manual ones alone.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DeleteDBSnapshot.html
func (m *snapshots) remove(ctx context.Context, req *snapshotRequest) (driver.Result, error) {
	_, err := session.Call(ctx, m.Session, "DeleteDBSnapshot", m.rds.DeleteDBSnapshot, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: &req.Name}, onceRDS)
	if session.ErrorCode(err) == "DBSnapshotNotFound" {
		return driver.Result{}, nil
	}
	return driver.Result{}, err
}

// tagsOf returns tags of RDS as a map.
func tagsOf(list []types.Tag) map[string]string {
	tags := make(map[string]string, len(list))
	for _, t := range list {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return tags
}

// writeRDSTags adds the tags that differ from those that are present, and removes those that are to go, of what an ARN names.
//
// What goes is removed first where there is no room for what comes.
func (m *snapshots) writeRDSTags(ctx context.Context, arn *string, present map[string]string, delta table.Delta) error {
	set, present := maps.Clone(delta.Set), maps.Clone(present)
	maps.DeleteFunc(set, func(k, v string) bool { had, ok := present[k]; return ok && had == v })
	var gone []string
	for _, k := range delta.Remove {
		if _, ok := present[k]; ok {
			gone = append(gone, k)
		}
	}
	add := func() error {
		if len(set) == 0 {
			return nil
		}
		_, err := session.Call(ctx, m.Session, "AddTagsToResource", m.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: rdsTags(set)})
		return err
	}
	remove := func() error {
		if len(gone) == 0 {
			return nil
		}
		_, err := session.Call(ctx, m.Session, "RemoveTagsFromResource", m.rds.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: gone})
		return err
	}
	first, then := add, remove
	maps.Copy(present, set)
	if len(present) > session.MostTags {
		first, then = remove, add
	}
	if len(present)-len(gone) > session.MostTags { // a mark without that is one, too, and what the spec asks for is not refused for it
		delete(set, driver.LabelNamespaceUID)
	}
	if err := first(); err != nil {
		return err
	}
	return then()
}
