package rds

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// settingsAsked is what Applied remembers beside fields: the parameters that an instance was to have before a group of its own came into force, and that
// no field says any more. A group that an earlier attempt left may set them. All else in it was set by others.
const settingsAsked = "aws.parametersAsked"

// rememberAsked notes what was asked for and is asked for no longer, until the server takes a group; have is nil if there is no instance. An empty list
// says that there was something to remember.
func rememberAsked(req *request, have *instance, o *driver.Observation) {
	if o.Applied == nil {
		return
	}
	engine, own := string(orEngine(&req.Spec)), have != nil && have.inOwnGroup()
	if have != nil {
		engine = aws.ToString(have.Engine)
	}
	before, remembers := req.Applied[settingsAsked]
	asked := slices.Clone(before)
	if !own || have.settings != nil && have.settings.upgrades {
		asked = slices.Concat(asked, settingsOfOurs(req.Applied, engine), slices.Sorted(maps.Keys(wantedSettings(&req.Spec, engine))))
	}
	if own && len(o.Applied[groupInForce]) > 0 && !slices.Equal(o.Applied[groupInForce], req.Applied[groupInForce]) {
		asked = nil
	}
	known := settingsOfOurs(o.Applied, engine)
	asked = slices.DeleteFunc(asked, func(name string) bool { return slices.Contains(known, name) })
	slices.Sort(asked)
	if asked = slices.Compact(asked); remembers || len(asked) > 0 {
		o.Applied[settingsAsked] = append([]string{}, asked...)
	}
}

// settingsOfOurs returns the parameters that fields of Applied set, the entry of tls among them.
func settingsOfOurs(applied driver.Applied, engine string) []string {
	ours := parametersRow.Ours(applied)
	if _, tls := applied["tls"]; tls {
		ours = append(ours, tlsParameter(engine))
	}
	return ours
}

// reuse returns the group that an instance gets in place of p's, a group of whose name is there already: somebody detached it, or an earlier attempt or a
// major upgrade left it. What others set in it stays. A group of an earlier object of the same name has nothing to keep. One that is somebody else's, that
// is released, or that another instance uses, is left alone: the instance gets the other one.
func (g *groups) reuse(ctx context.Context, req *request, p groupPlan) (string, error) {
	var c candidates
	for _, name := range p.candidates(req) {
		found, err := g.calls.find(ctx, name)
		if err != nil {
			return "", err
		}
		why, err := g.whyTaken(ctx, req, found)
		ours := found != nil && found.mark.Is(req.Mark)
		switch {
		case err != nil:
			return "", err
		case ours && why == "" && found.family == p.family:
			return name, g.fill(ctx, req, p, name)
		case why == "":
			c.free = append(c.free, name)
		default:
			c.taken = append(c.taken, why)
		}
		if ours {
			c.ours = append(c.ours, found)
		}
	}
	return g.renew(ctx, req, p, c)
}

// candidates sort the groups that an instance can have: names that are free or hold nothing to keep, why others are taken, and those of its own.
type candidates struct {
	free, taken []string
	ours        []*foundGroup
}

// whyTaken says why a group can't be had, empty if it can: it is somebody else's, it was released, which somebody wanted, or another instance uses it, as a
// promoted read replica does. It refuses all where the instance itself uses it by now, which an earlier attempt brought about.
func (g *groups) whyTaken(ctx context.Context, req *request, found *foundGroup) (string, error) {
	switch {
	case found == nil:
		return "", nil
	case !found.mark.SameOwner(req.Mark):
		return found.name + " exists and does not have this object's mark", nil
	case found.mark.Released:
		return found.name + " is marked as released", nil
	}
	users, err := g.calls.usersOf(ctx, found.name)
	switch {
	case err != nil || len(users) == 0:
		return "", err
	case slices.ContainsFunc(users, func(user string) bool { return strings.EqualFold(user, req.Name) }):
		return "", inUse("DescribeDBInstances", found.name, "instance "+strings.Join(users, ", "))
	}
	return found.name + " is in use by instance " + strings.Join(users, ", "), nil
}

// candidates are the groups that may be there for a plan, the one that it names first. While an instance has a group of its own, that is none.
func (p groupPlan) candidates(req *request) []string {
	all := []string{p.name}
	for _, name := range ownGroups(strings.ToLower(req.Name)) {
		if !p.succeeds && name != p.name {
			all = append(all, name)
		}
	}
	return all
}

// fill makes a group of the plan's family what the plan says, without what earlier attempts of ours left in it. No server of ours has it yet, so nothing
// is applied at once.
func (g *groups) fill(ctx context.Context, req *request, p groupPlan, name string) error {
	present, err := g.calls.settingsIn(ctx, name)
	if err != nil {
		return err
	}
	wanted, err := g.settingsOf(ctx, p)
	if err != nil {
		return err
	}
	var gone []string
	for _, setting := range slices.Sorted(maps.Keys(present)) {
		if _, wants := wanted[setting]; !wants && p.drops(req, setting, present[setting]) {
			gone = append(gone, setting)
		}
	}
	maps.DeleteFunc(wanted, func(setting, value string) bool {
		now, sets := present[setting]
		return sets && portable.SameParameter(value, now)
	})
	return g.calls.set(ctx, name, p.family, nil, wanted, gone)
}

// settingsOf returns all that a plan sets, with what it copies.
func (g *groups) settingsOf(ctx context.Context, p groupPlan) (map[string]string, error) {
	all := map[string]string{}
	if p.copyOf != "" {
		var err error
		if all, err = g.calls.settingsIn(ctx, p.copyOf); err != nil {
			return nil, err
		}
	}
	maps.Copy(all, p.set)
	return all, nil
}

// drops reports whether an entry that the plan does not set goes from a group that is there already. That of tls stays where the spec says the same.
func (p groupPlan) drops(req *request, name, value string) bool {
	if req.Spec.TLS != nil && name == tlsParameter(p.engine) {
		return tlsValue(*req.Spec.TLS) != value
	}
	return isExact(&req.Spec) ||
		slices.Contains(settingsOfOurs(req.Applied, p.engine), name) || slices.Contains(req.Applied[settingsAsked], name)
}

// renew makes a group anew where none of the right family is there. Unless the instance has one of its own, from which the plan takes all, what others
// set in the newest of ours goes along as far as the family has it, and that group stays as it is.
func (g *groups) renew(ctx context.Context, req *request, p groupPlan, c candidates) (string, error) {
	if len(c.ours) > 0 && !p.succeeds {
		newest := slices.MaxFunc(c.ours, func(a, b *foundGroup) int {
			return portable.CompareVersions(strings.TrimPrefix(a.family, p.engine), strings.TrimPrefix(b.family, p.engine))
		})
		var err error
		if p.set, err = g.settingsAlong(ctx, req, p, newest.name); err != nil {
			return "", err
		}
		c.free = slices.DeleteFunc(c.free, func(name string) bool { return name == newest.name })
	}
	if len(c.free) == 0 {
		return "", &driver.Error{Code: driver.Conflict, Op: "DescribeDBInstances", Message: fmt.Sprintf("DB parameter group %s: delete the group that nobody needs, or attach "+
			"another group to the instances that use it, or make a group by hand and set spec.aws.dbParameterGroupName in place of spec.parameters and spec.tls", strings.Join(c.taken, ", and "))}
	}
	p.name = c.free[0]
	if err := g.calls.delete(ctx, p.name); session.ErrorCode(err) == "InvalidDBParameterGroupState" {
		return "", inUse("DeleteDBParameterGroup", p.name, "another instance")
	} else if err != nil {
		return "", err
	}
	if err := g.create(ctx, req, p); err != nil {
		return "", err
	}
	return p.name, g.calls.set(ctx, p.name, p.family, nil, p.set, nil)
}

// settingsAlong returns all that a plan sets, and what others set in a group as far as the plan's family has it.
func (g *groups) settingsAlong(ctx context.Context, req *request, p groupPlan, group string) (map[string]string, error) {
	along, err := g.calls.settingsIn(ctx, group)
	if err != nil {
		return nil, err
	}
	list := g.calls.list(ctx, p.family, nil)
	maps.DeleteFunc(along, func(name, value string) bool {
		_, has := list[name]
		return list != nil && !has || p.drops(req, name, value)
	})
	wanted, err := g.settingsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	maps.Copy(along, wanted)
	return along, nil
}

func inUse(op, group, by string) error {
	return &driver.Error{Code: driver.Conflict, Op: op, Message: "DB parameter group " + group + " is in use by " + by}
}
