package aws

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// Update implements driver.External: one call for all that ModifyDBInstance takes, one for tags and mark. The instance
// is read first, as the calls depend on what is there; if another has taken its name nothing is changed.
func (d *databases) Update(ctx context.Context, req databaseRequest, changes []field.Change) (driver.Result, error) {
	if err := d.serves(req.Location); err != nil {
		return driver.Result{}, err
	}
	result := driver.Result{}
	fail := func(err error, failed ...field.Change) {
		for _, c := range failed {
			result.Failed = append(result.Failed, driver.FieldError{Field: c.Field, Err: err})
		}
	}
	impossible, possible := split(changes, func(c field.Change) bool { return c.Effect == field.Impossible })
	for _, c := range impossible {
		fail(invalid("%s can't change: %s", c.Field, c.Why), c)
	}
	if len(possible) == 0 {
		return result, nil
	}
	have, err := d.describe(ctx, req.Name)
	switch {
	case err != nil:
		return result, err
	case have == nil:
		return result, &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstances", Message: "the instance is not there any more"}
	case req.ID != "" && req.ID != aws.ToString(have.DbiResourceId):
		return result, &driver.Error{Code: driver.Conflict, Op: "DescribeDBInstances",
			Message: "another instance has taken the name: the one before was deleted by someone else"}
	}
	result.ID = aws.ToString(have.DbiResourceId)
	tagging, modifying := split(possible, func(c field.Change) bool { return c.Field == driver.FieldMark || c.Field == "tags" })
	if err := d.writeTags(ctx, req, have, tagging); err != nil {
		fail(err, tagging...)
	}
	d.modify(ctx, req, have, modifying, fail)
	return result, nil
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
	return code == driver.Invalid || code == driver.Quota || code == driver.Capacity || (code == driver.Busy && apiCode(err) != "InvalidDBInstanceState")
}

// params collects what changes ask for, and returns those that can be sent.
func (d *databases) params(req databaseRequest, have *types.DBInstance, changes []field.Change, fail func(error, ...field.Change)) (accepted []field.Change, params instanceParams) {
	for _, c := range changes {
		if c.Field == driver.FieldPassword {
			if req.Login.Password == "" {
				fail(invalid("there is no password to set"), c)
				continue
			}
			params.password = &req.Login.Password
		} else if err := databaseTable.Patch(&req.Spec, have, []field.Change{c}, &params); err != nil {
			fail(invalid("%s", err), c)
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
	_, err := call(ctx, d.session, "ModifyDBInstance", d.rds.ModifyDBInstance, in, onceRDS)
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
	later.Code, later.Message = driver.Busy, "the disk grew a short while ago and can't grow again yet: RDS requires six hours between two changes"
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
			return invalid("%s", err)
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
