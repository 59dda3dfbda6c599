package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
func (d *databases) Name() driver.NameRule { return driver.NameRule{MaxLength: 63} }

// Docs implements driver.External.
func (d *databases) Docs() []field.Doc { return databaseTable.Docs() }

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
			Message: fmt.Sprintf("RDS answers with %d instances in place of one", len(out.DBInstances))}
	}
	return &out.DBInstances[0], nil
}

// Observe implements driver.External. One read tells it all: the tags come with the instance.
func (d *databases) Observe(ctx context.Context, req databaseRequest) (driver.Observation, error) {
	if err := d.serves("DescribeDBInstances", req.Location); err != nil {
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
		return driver.Observation{}, &driver.Error{Code: driver.Internal, Op: "mirror", Message: err.Error()}
	}
	status := aws.ToString(have.DBInstanceStatus)
	state, problem := stateOf(status)
	state, changes = whileBusy(status, state, changes)
	if state == driver.Deleting {
		changes = nil
	}
	return driver.Observation{
		State:     state,
		ID:        aws.ToString(have.DbiResourceId),
		Mark:      driver.MarkFrom(instanceTags(have)),
		Location:  aws.ToString(arnRegion(have.DBInstanceArn)),
		Available: available(have),
		Stopped:   status == "stopped",
		Problem:   problem,
		Protected: aws.ToBool(have.DeletionProtection),
		Changes:   changes,
		Applied:   applied,
		Mirror:    mirror,
		Endpoint:  endpointOf(have),
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
		return driver.Result{}, invalid("CreateDBInstance", "%s", err)
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
	const op = "CreateDBInstance"
	if err := d.serves(op, req.Location); err != nil {
		return err
	}
	switch {
	case req.Spec.GCP != nil:
		return invalid(op, "spec.gcp is for Google Cloud, and this account is in AWS: set spec.aws.instanceClass in its place")
	case req.Spec.Engine == nil:
		return invalid(op, "set spec.engine to postgres or mysql")
	case req.Spec.AWS == nil || req.Spec.AWS.InstanceClass == nil:
		return invalid(op, "set spec.aws.instanceClass, as db.t4g.micro")
	case req.Login.Password == "":
		return invalid(op, "the administrator has no password")
	}
	return nil
}

// Update implements driver.External: one call for all that ModifyDBInstance takes, one for tags and mark. The instance
// is read first, as the calls depend on what is there; if another has taken its name nothing is changed.
func (d *databases) Update(ctx context.Context, req databaseRequest, changes []field.Change) (driver.Result, error) {
	if err := d.serves("ModifyDBInstance", req.Location); err != nil {
		return driver.Result{}, err
	}
	have, err := d.describe(ctx, req.Name)
	switch {
	case err != nil:
		return driver.Result{}, err
	case have == nil:
		return driver.Result{}, &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstances", Message: "the instance is not there any more"}
	case req.ID != "" && req.ID != aws.ToString(have.DbiResourceId):
		return driver.Result{}, replaced("ModifyDBInstance")
	}
	result := driver.Result{ID: aws.ToString(have.DbiResourceId)}
	fail := func(err error, failed ...field.Change) {
		for _, c := range failed {
			result.Failed = append(result.Failed, driver.FieldError{Field: c.Field, Err: err})
		}
	}
	var tagging, modifying []field.Change
	for _, c := range changes {
		if c.Field == driver.FieldMark || c.Field == "tags" {
			tagging = append(tagging, c)
			continue
		}
		modifying = append(modifying, c)
	}
	if err := d.writeTags(ctx, req, have, tagging); err != nil {
		fail(err, tagging...)
	}
	d.modify(ctx, req, have, modifying, fail)
	return result, nil
}

func replaced(op string) error {
	return &driver.Error{Code: driver.Conflict, Op: op, Message: "another instance has taken the name: it was deleted and created anew by someone else"}
}

// modify makes one call of all changes. If RDS refuses the values it does not say which, so that each is then
// tried alone: one that is refused must not keep the others away.
func (d *databases) modify(ctx context.Context, req databaseRequest, have *types.DBInstance, changes []field.Change, fail func(error, ...field.Change)) {
	accepted, params := d.params(req, have, changes, fail)
	err := d.send(ctx, req, have, params)
	if err == nil {
		return
	}
	if len(accepted) < 2 || !refusesValues(err) {
		fail(err, accepted...)
		return
	}
	for _, c := range accepted {
		one, params := d.params(req, have, []field.Change{c}, fail)
		if err := d.send(ctx, req, have, params); err != nil {
			fail(err, one...)
		}
	}
}

// refusesValues reports whether an error is about some value, and may spare the others.
func refusesValues(err error) bool {
	code := driver.CodeOf(err)
	return code == driver.Invalid || code == driver.Quota || (code == driver.Busy && apiCode(err) != "InvalidDBInstanceState")
}

// params collects what changes ask for, and returns those that can be sent.
func (d *databases) params(req databaseRequest, have *types.DBInstance, changes []field.Change, fail func(error, ...field.Change)) (accepted []field.Change, params instanceParams) {
	for _, c := range changes {
		if c.Field == driver.FieldPassword {
			if req.Login.Password == "" {
				fail(invalid("ModifyDBInstance", "there is no password to set"), c)
				continue
			}
			params.password = &req.Login.Password
		} else if err := databaseTable.Patch(&req.Spec, have, []field.Change{c}, &params); err != nil {
			fail(invalid("ModifyDBInstance", "%s", err), c)
			continue
		}
		accepted = append(accepted, c)
	}
	return accepted, params
}

func (d *databases) send(ctx context.Context, req databaseRequest, have *types.DBInstance, params instanceParams) error {
	in, ok := params.modify(have)
	if !ok {
		return nil
	}
	_, err := call(ctx, d.session, "ModifyDBInstance", d.rds.ModifyDBInstance, in)
	err = stillGrowing(err)
	if params.password != nil {
		err = without(req.Login.Password, err)
	}
	return err
}

// stillGrowing recognises that a disk grew in the last six hours: what is refused now will be taken later.
// https://repost.aws/knowledge-center/rds-autoscaling-low-free-storage
func stillGrowing(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "previous storage change is being optimized") {
		return err
	}
	later := *e
	later.Code, later.Message = driver.Busy, "the disk grew a short while ago and can't grow again yet: RDS takes six hours between two growths"
	return &later
}

// writeTags changes tags and mark: one call adds, and one removes if something is to go.
func (d *databases) writeTags(ctx context.Context, req databaseRequest, have *types.DBInstance, changes []field.Change) error {
	set, remove := map[string]string{}, []string{}
	present := instanceTags(have)
	for _, c := range changes {
		if c.Field == driver.FieldMark {
			marked, gone := markDelta(req.Mark)
			maps.Copy(set, marked)
			remove = append(remove, gone...)
			continue
		}
		var params instanceParams
		if err := databaseTable.Patch(&req.Spec, have, []field.Change{c}, &params); err != nil {
			return invalid("AddTagsToResource", "%s", err)
		}
		maps.Copy(set, params.tags.Set)
		remove = append(remove, params.tags.Remove...)
	}
	maps.DeleteFunc(set, func(k, v string) bool { had, ok := present[k]; return ok && had == v })
	if len(set) > 0 {
		_, err := call(ctx, d.session, "AddTagsToResource", d.rds.AddTagsToResource,
			&rds.AddTagsToResourceInput{ResourceName: have.DBInstanceArn, Tags: rdsTags(set)})
		if err != nil {
			return err
		}
	}
	var gone []string
	for _, k := range remove {
		if _, ok := present[k]; ok {
			gone = append(gone, k)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	_, err := call(ctx, d.session, "RemoveTagsFromResource", d.rds.RemoveTagsFromResource,
		&rds.RemoveTagsFromResourceInput{ResourceName: have.DBInstanceArn, TagKeys: gone})
	return err
}
