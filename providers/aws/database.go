package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

type databaseRequest = driver.Request[v1alpha1.DatabaseParameters]

// databases manages RDS instances.
type databases struct{ *session }

var _ driver.External[v1alpha1.DatabaseParameters] = (*databases)(nil)

// Name implements driver.External.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html#RDS_Limits.Constraints
func (d *databases) Name() driver.NameRule {
	return driver.NameRule{MaxLength: 63, Patterns: instanceNames}
}

// instanceNames is what RDS asks of the name of a new instance. It takes capital letters too, and keeps them as small ones.
var instanceNames = []driver.NamePattern{
	{Match: `^.{1,63}$`, Rule: "RDS accepts names of at most 63 characters"},
	{Match: `^[a-z](-?[a-z0-9])*$`,
		Rule: "RDS accepts names of letters (stored in lower case), digits and single hyphens that begin with a letter and do not end with a hyphen"},
}

// Password implements driver.External.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (MasterUserPassword)
func (d *databases) Password(spec databaseSpec) driver.PasswordRule {
	rule := driver.PasswordRule{MinLength: 8, MaxLength: 128, ASCII: true, Excluded: `/"@ `}
	if spec.Engine != nil && *spec.Engine == v1alpha1.EngineMySQL {
		rule.MaxLength = 41
	}
	return rule
}

// Preview is what driver.Driver says of a preview.
func (d *databases) Preview(from, to v1alpha1.DatabaseParameters, applied field.Applied) []field.Change {
	return databaseTable.Preview(&from, &to, applied, instanceOf(&from))
}

// databaseConsequences says what people should know before they create or delete a database.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DeleteInstance.html
func databaseConsequences() driver.Consequences {
	return driver.Consequences{
		Noun: "RDS instance", SnapshotKept: "until somebody deletes it",
		WithSnapshot:    "its automated backups stay until they expire; a region keeps those of 40 deleted instances at most",
		WithoutSnapshot: "its automated backups are deleted with it; snapshots that somebody took by hand stay",
		Unset: []driver.UnsetField{
			{Field: "aws.instanceClass", Required: true, Means: "RDS creates no instance without an instance class: set spec.size to a size of the class, or set spec.aws.instanceClass"},
			// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.BackupRetention.html
			{Field: "backup.retentionDays", Means: "RDS keeps automated backups for 1 day: set spec.backup.retentionDays"},
		},
	}
}

// Docs returns what the reference says of each row.
func (d *databases) Docs() []field.Doc {
	return append(databaseTable.Docs(), field.Doc{
		Field: driver.FieldUsername, Effects: []field.PossibleEffect{{Effect: field.Impossible, Instead: usernameInstead}},
	})
}

// describe returns an instance, nil if RDS says that there is none.
func (d *databases) describe(ctx context.Context, name string) (*types.DBInstance, error) {
	out, err := call(ctx, d.session, "DescribeDBInstances", d.rds.DescribeDBInstances,
		&rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name})
	if apiCode(err) == "DBInstanceNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.DBInstances) != 1 {
		return nil, &driver.Error{Code: driver.Internal, Op: "DescribeDBInstances",
			Message: fmt.Sprintf("RDS returned %d instances instead of one", len(out.DBInstances))}
	}
	return &out.DBInstances[0], nil
}

// Observe implements driver.External. One read tells it all: the tags come with the instance.
func (d *databases) Observe(ctx context.Context, req databaseRequest) (driver.Observation, error) {
	if err := d.serves(req.Location); err != nil {
		return driver.Observation{}, err
	}
	have, err := d.describe(ctx, req.Name)
	if err != nil {
		return driver.Observation{}, err
	}
	if have == nil {
		return d.absent(ctx, req)
	}
	changes := append(databaseTable.Diff(&req.Spec, have, req.Applied, nil), usernameChange(req.Login, have)...)
	applied := databaseTable.Applied(&req.Spec, req.Applied, changes)
	mirror, err := databaseTable.Mirror(have)
	if err != nil {
		return driver.Observation{}, &driver.Error{Code: driver.Internal, Message: err.Error()}
	}
	fixed := databaseTable.Fixed(have)
	fixed[driver.FieldUsername] = strings.ToLower(aws.ToString(have.MasterUsername)) // RDS takes it in any case
	status := aws.ToString(have.DBInstanceStatus)
	state, problem := stateOf(status)
	waits := waiting(&req, have, changes)
	state, changes = whileBusy(status, state, changes)
	mark := driver.MarkFrom(instanceTags(have))
	state = whileWaiting(status, state, len(changes) > 0 || mark != req.Mark, waits)
	if state == driver.Deleting {
		changes = nil
	}
	return driver.Observation{
		State:     state,
		ID:        aws.ToString(have.DbiResourceId),
		Mark:      mark,
		Location:  aws.ToString(arnRegion(have.DBInstanceArn)),
		Available: available(have),
		Stopped:   status == "stopped",
		Problem:   problem,
		Work:      workOf(status, state),
		// A password that waits was sent after the one that was refused.
		PasswordRefused: status == credentialsRefused && !slices.Contains(waits, driver.FieldPassword),
		Protected:       aws.ToBool(have.DeletionProtection),
		Changes:         changes,
		Applied:         applied,
		Mirror:          mirror,
		Fixed:           fixed,
		Endpoint:        endpointOf(have),
	}, nil
}

func endpointOf(have *types.DBInstance) driver.Endpoint {
	if have.Endpoint == nil || aws.ToString(have.Endpoint.Address) == "" {
		return driver.Endpoint{}
	}
	return driver.Endpoint{
		Host:     *have.Endpoint.Address,
		Port:     aws.ToInt32(have.Endpoint.Port),
		Username: aws.ToString(have.MasterUsername),
		Database: aws.ToString(databaseName(have)),
	}
}

// absent is the observation of no instance: a creation sets all that is declared. While deleting, the
// final snapshot is looked for.
func (d *databases) absent(ctx context.Context, req databaseRequest) (driver.Observation, error) {
	seen := driver.Observation{State: driver.Absent, Applied: databaseTable.Applied(&req.Spec, nil, nil)}
	if req.Deletion == nil || req.Deletion.Snapshot == "" {
		return seen, nil
	}
	var err error
	seen.Snapshot, err = d.snapshot(ctx, req.Deletion.Snapshot)
	return seen, err
}

// Create implements driver.External.
func (d *databases) Create(ctx context.Context, req databaseRequest) (driver.Result, error) {
	if err := d.creatable(req); err != nil {
		return driver.Result{}, err
	}
	var params instanceParams
	if err := databaseTable.Fill(&req.Spec, &params); err != nil {
		return driver.Result{}, invalid("%s", err)
	}
	params.password = &req.Login.Password
	username := req.Login.Username
	if username == "" {
		username = defaultUsername(*params.engine)
	}
	tags := wantTags(req.Spec.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	maps.Copy(tags, req.Mark.Labels())
	out, err := call(ctx, d.session, "CreateDBInstance", d.rds.CreateDBInstance, params.create(req.Name, username, tags), onceRDS)
	if err != nil {
		return driver.Result{}, without(req.Login.Password, err)
	}
	var result driver.Result
	if out.DBInstance != nil {
		result.ID = aws.ToString(out.DBInstance.DbiResourceId)
	}
	return result, nil
}

// creatable refuses what can't be created, before RDS does in words that do not help.
func (d *databases) creatable(req databaseRequest) error {
	if err := d.serves(req.Location); err != nil {
		return err
	}
	switch {
	case req.Spec.GCP != nil:
		return invalid("spec.gcp is for Google Cloud, and this account is in AWS: remove it, and set spec.aws.instanceClass")
	case req.Spec.Engine == nil:
		return invalid("set spec.engine to postgres or mysql")
	case req.Spec.AWS == nil || req.Spec.AWS.InstanceClass == nil:
		return invalid("set spec.aws.instanceClass, for example to db.t4g.micro")
	case req.Login.Password == "":
		return invalid("the administrator has no password")
	}
	return nil
}
