package rds

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// askedSettings takes what is to become of parameters out of the parameters of a call, the entry of tls among them. Where the spec has tls, that alone
// decides about the entry, also where spec.parameters had it before.
func askedSettings(params *instanceParams, spec *databaseSpec, have *instance) table.Delta {
	asked := table.Delta{Set: maps.Clone(params.Parameters.Set), Remove: params.Parameters.Remove}
	if asked.Set == nil {
		asked.Set = map[string]string{}
	}
	if ofTLS := tlsParameter(aws.ToString(have.Engine)); spec.TLS != nil {
		delete(asked.Set, ofTLS)
		asked.Remove = slices.DeleteFunc(slices.Clone(asked.Remove), func(name string) bool { return name == ofTLS })
	}
	if params.TLS != nil && (have.settings == nil || have.settings.tls == nil || have.settings.tls.value != *params.TLS) {
		asked.Set[tlsParameter(aws.ToString(have.Engine))] = tlsValue(*params.TLS)
	}
	params.Parameters, params.TLS = table.Delta{}, nil
	return asked
}

// change brings parameters into the group of the instance, or into a group of its own that params attach then. It reports whether there was
// anything to do, and whether the server has to restart for it: that was planned, or else it waits, and is the next change.
func (g *groups) change(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (written, restarts bool, err error) {
	speaks := slices.ContainsFunc(changes, func(c driver.Change) bool { return c.Field == "parameters" || c.Field == "tls" })
	if twice := tlsTwice(&req.Spec); twice != "" && slices.ContainsFunc(changes, setsTwice) {
		return false, false, session.Invalid("%s", twice)
	}
	asked := askedSettings(params, &req.Spec, have)
	upgrade := params.EngineVersion != nil && have.isMajor(*params.EngineVersion)
	if upgrade {
		if err := keepTLS(&req.Spec, have, params, &asked); err != nil {
			return false, false, err
		}
	}
	names := asked.Names()
	switch {
	case len(names) > 0 && have.settings == nil:
		return false, false, &driver.Error{Code: driver.Internal, Message: "the parameters of the instance were not read"}
	case len(names) > 0 && have.settings.err != nil:
		return false, false, have.settings.err
	case len(names) > 0 && awsOf(&req.Spec).DBParameterGroupName != nil:
		return false, false, session.Invalid("DB parameter group %s sets the parameters: remove spec.aws.dbParameterGroupName, or change the group", *awsOf(&req.Spec).DBParameterGroupName)
	case params.DBParameterGroupName != nil:
		return speaks, false, g.checkTLS(ctx, &req.Spec, *params.DBParameterGroupName)
	case len(names) == 0 && (!upgrade || !have.inOwnGroup()):
		return speaks, false, nil
	case upgrade:
		return true, false, g.upgrade(ctx, req, have, params, asked)
	case !have.inOwnGroup():
		return true, false, g.first(ctx, req, have, params, asked)
	}
	group := groupName(have)
	if err := g.checkMark(ctx, req, group); err != nil {
		return false, false, err
	}
	list := g.calls.list(ctx, have.family(), names)
	planned := isUnfit(have) || slices.ContainsFunc(changes, func(c driver.Change) bool {
		return (c.Field == "parameters" || c.Field == "tls") && c.Effect == driver.Restarts
	})
	if err := g.calls.set(ctx, group, have.family(), list, asked.Set, asked.Remove); err != nil || !planned {
		return true, false, err
	}
	return true, isUnfit(have) || len(list.static(names)) > 0, g.checkTaken(ctx, group, have.family(), asked.Set)
}

// first makes the first group of the instance's own: a copy of the group that it has, so that what others set stays, unless the spec is exact. Where it
// had one before, that is attached again.
func (g *groups) first(ctx context.Context, req *request, have *instance, params *instanceParams, asked table.Delta) error {
	p := groupPlan{name: ownGroups(strings.ToLower(req.Name))[0], engine: aws.ToString(have.Engine), family: have.family(), set: asked.Set}
	if now := groupName(have); !isDefaultGroup(now) && !isExact(&req.Spec) {
		p.copyOf = now
	} else if isExact(&req.Spec) {
		p.set = wantedSettings(&req.Spec, aws.ToString(have.Engine))
	}
	return g.attach(ctx, req, params, p)
}

// attach makes a group, and has a call attach it.
func (g *groups) attach(ctx context.Context, req *request, params *instanceParams, p groupPlan) error {
	name, err := g.make(ctx, req, p)
	params.DBParameterGroupName = &name
	return err
}

// upgrade makes the other group, of the family of the version to which the instance is upgraded, with what the present one sets as far as the new
// family has it.
func (g *groups) upgrade(ctx context.Context, req *request, have *instance, params *instanceParams, asked table.Delta) error {
	groups, engine, now := ownGroups(strings.ToLower(req.Name)), aws.ToString(have.Engine), groupName(have)
	p := groupPlan{name: groups[0], engine: engine, family: familyOf(engine, *params.EngineVersion), set: map[string]string{}, succeeds: have.inOwnGroup()}
	if now == groups[0] {
		p.name = groups[1]
	}
	if p.succeeds {
		if err := g.checkMark(ctx, req, now); err != nil {
			return err
		}
	}
	if now != "" && !isDefaultGroup(now) {
		set, err := g.calls.settingsIn(ctx, now)
		if err != nil {
			return err
		}
		wanted, list := wantedSettings(&req.Spec, engine), g.calls.list(ctx, p.family, nil)
		for name, value := range set {
			_, wants := wanted[name]
			if _, has := list[name]; wants || has || list == nil {
				p.set[name] = value
			}
		}
		for name, value := range wanted {
			if _, has := have.settings.values()[name]; has { // also one that the present family has by itself: the new one may have another value
				p.set[name] = value
			}
		}
	}
	maps.Copy(p.set, asked.Set)
	for _, name := range asked.Remove {
		delete(p.set, name)
	}
	return g.attach(ctx, req, params, p)
}

// rememberGroups notes that the instance may have groups of its own where no field says so.
func rememberGroups(req *request, have *instance, o *driver.Observation) {
	if req.Deletion != nil && hasParameters(&req.Spec) { // they were not read
		o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), func(c driver.Change) bool { return c.Field == "parameters" || c.Field == "tls" })
		o.Applied, o.Mirror, o.Fixed = nil, nil, nil
	}
	if have.inOwnGroup() || mayHaveGroups(req) {
		noteGroups(req, o)
	}
}

func noteGroups(req *request, o *driver.Observation) {
	_, parameters := o.Applied["parameters"]
	_, tls := o.Applied["tls"]
	_, before := req.Applied[appliedGroups]
	if o.Applied != nil && (before || !parameters && !tls) {
		o.Applied[appliedGroups] = ownGroups(req.Name)
	}
}

// remain looks for the groups of an instance that is gone. While one is left a deletion goes on.
func (g *groups) remain(ctx context.Context, req *request, o *driver.Observation) error {
	if !mayHaveGroups(req) {
		return nil
	}
	if req.Deletion == nil {
		noteGroups(req, o)
		rememberAsked(req, nil, o)
		return nil
	}
	for _, group := range ownGroups(req.Name) {
		found, err := g.calls.find(ctx, group)
		if err != nil {
			return err
		}
		if found != nil && found.mark.SameOwner(req.Mark) && !found.mark.Released {
			o.State, o.ID, o.Mark, o.Location, o.Applied = driver.Ready, req.ID, req.Mark, g.calls.session.Region, nil
			return nil
		}
	}
	return nil
}

// deleteOf deletes the groups of an instance that is gone; groups of others stay. One that another instance uses, as a read replica of the former does, is
// released and stays with that. It returns what stays.
func (g *groups) deleteOf(ctx context.Context, req *request) (left string, err error) {
	for _, group := range ownGroups(req.Name) {
		found, err := g.calls.find(ctx, group)
		if err == nil && found != nil && found.mark.SameOwner(req.Mark) && !found.mark.Released {
			err = g.calls.delete(ctx, group)
		}
		if session.ErrorCode(err) != "InvalidDBParameterGroupState" {
			if err != nil {
				return "", err
			}
			continue
		}
		users, listed := g.calls.usersOf(ctx, group)
		if listed != nil {
			return "", listed
		}
		if len(users) == 0 { // RDS still counts the instance that is gone
			return "", err
		}
		released := found.mark
		released.Released = true
		if err := g.calls.tag(ctx, found, released); err != nil {
			return "", err
		}
		left = fmt.Sprintf("DB parameter group %s stays, marked as released, because RDS deletes none in use: instance %s uses it", group, strings.Join(users, ", "))
	}
	return left, nil
}

// usersOf returns the instances in a group, but for those that are being deleted.
func (g *parameterGroups) usersOf(ctx context.Context, group string) (users []string, err error) {
	in := &rds.DescribeDBInstancesInput{}
	for {
		out, err := session.Call(ctx, g.session, "DescribeDBInstances", g.rds.DescribeDBInstances, in)
		if err != nil {
			return nil, err
		}
		for i := range out.DBInstances {
			if one := (&instance{DBInstance: out.DBInstances[i]}); isAttached(one, group) && aws.ToString(one.DBInstanceStatus) != "deleting" {
				users = append(users, aws.ToString(one.DBInstanceIdentifier))
			}
		}
		if aws.ToString(out.Marker) == "" {
			return users, nil
		}
		in.Marker = out.Marker
	}
}

// release marks the groups of an instance that is released; have is nil if somebody deleted it.
func (g *groups) release(ctx context.Context, req *request, have *instance) (left string, err error) {
	kept, err := g.markOf(ctx, req, cmp.Or(have, &instance{}))
	switch names := strings.Join(kept, " and "); {
	case err != nil || len(kept) == 0:
		return "", err
	case have == nil:
		return "the instance is gone, and DB parameter group " + names + " of it stays, marked as released", nil
	default:
		return "DB parameter group " + names + " stays with it, marked as released too", nil
	}
}

// markOf gives the groups of an instance the mark that it gets: those that have its mark, or the one that the instance has until then, which may be of
// another cluster or object. A group that somebody else marked stays as it is, and so does one that was released without the instance. It returns those that
// have the mark now.
func (g *groups) markOf(ctx context.Context, req *request, have *instance) (marked []string, err error) {
	was := driver.MarkFrom(instanceTags(have))
	if !have.inOwnGroup() && !mayHaveGroups(req) {
		return nil, nil
	}
	for _, group := range ownGroups(strings.ToLower(req.Name)) {
		found, err := g.calls.find(ctx, group)
		if err != nil {
			return nil, err
		}
		if found == nil || !found.mark.SameOwner(req.Mark) && (was.Zero() || !found.mark.SameOwner(was)) {
			continue
		}
		if found.mark.Released && !req.Mark.Released {
			if back, err := g.comesBack(ctx, found, have, was); err != nil {
				return nil, err
			} else if !back {
				continue
			}
		}
		marked = append(marked, group)
		if err := g.calls.tag(ctx, found, req.Mark); err != nil {
			return nil, err
		}
	}
	return marked, nil
}

// comesBack reports whether a released group is taken back with its instance: the one that the instance uses, and one that was released together with the
// instance. Another one was released on its own, because a promoted read replica uses it, or by somebody's hand: as one of ours it would be deleted or changed.
func (g *groups) comesBack(ctx context.Context, found *foundGroup, have *instance, was driver.Mark) (bool, error) {
	switch {
	case isAttached(have, found.name):
		return true, nil
	case !was.Released:
		return false, nil
	}
	users, err := g.calls.usersOf(ctx, found.name)
	return len(users) == 0, err
}

// tag gives a group a mark that it does not have yet.
func (g *parameterGroups) tag(ctx context.Context, group *foundGroup, mark driver.Mark) error {
	if group.mark.Is(mark) {
		return nil
	}
	_, err := session.Call(ctx, g.session, "AddTagsToResource", g.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: &group.arn, Tags: rdsTags(mark.Labels())})
	if err == nil && group.mark.Released != mark.Released {
		_, err = session.Call(ctx, g.session, "RemoveTagsFromResource", g.rds.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: &group.arn, TagKeys: []string{mark.Obsolete()}})
	}
	if err != nil {
		return fmt.Errorf("mark DB parameter group %s: %w", group.name, err)
	}
	return nil
}
