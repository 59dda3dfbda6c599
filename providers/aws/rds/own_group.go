package rds

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
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// groups manages the DB parameter groups that Mooring makes for instances. A group belongs to one instance: it has the instance's name and mark, holds
// spec.parameters and spec.tls, and is deleted after the instance.
type groups struct {
	calls *parameterGroups
}

// parameterGroups reads and writes DB parameter groups, whoever they belong to.
type parameterGroups struct {
	session *session.Session
	rds     *rds.Client
	lists   parameterLists
}

// appliedGroups is what Applied remembers beside fields: that the instance may have parameter groups of its own, also when the spec no longer says
// anything of parameters. Only then a deletion looks for them.
const appliedGroups = "aws.parameterGroups"

// groupSuffixes tell the two groups that an instance can have: while it is upgraded to another major version it needs one of each family.
var groupSuffixes = []string{"-a", "-b"}

func ownGroups(name string) []string {
	return []string{name + groupSuffixes[0], name + groupSuffixes[1]}
}

func groupName(i *instance) string {
	if g := groupOf(i); g != nil {
		return strings.ToLower(g.name)
	}
	return ""
}

func isDefaultGroup(name string) bool { return strings.HasPrefix(name, "default.") }

// inOwnGroup reports whether the group of an instance has the name of one of its own, and the spec does not name it: a group that existed before may have
// such a name. Whether it has the mark too is asked before it is changed or copied.
func (i *instance) inOwnGroup() bool {
	return !i.named && slices.Contains(ownGroups(strings.ToLower(aws.ToString(i.DBInstanceIdentifier))), groupName(i))
}

// mayHaveGroups reports whether an instance may have groups of its own, by what is wanted and what was applied.
func mayHaveGroups(req *request) bool {
	_, parameters := req.Applied["parameters"]
	_, tls := req.Applied["tls"]
	_, groups := req.Applied[appliedGroups]
	return parameters || tls || groups || hasParameters(&req.Spec)
}

// A groupPlan is what a group of an instance's own is to be.
type groupPlan struct {
	name, engine, family string
	copyOf               string // empty: a new one
	set                  map[string]string
	succeeds             bool // the instance has a group of its own, and the plan takes all from that
}

// make makes a group that no instance uses yet, and returns its name: another one than the plan's where a group that is there already serves better.
func (g *groups) make(ctx context.Context, req *request, p groupPlan) (name string, err error) {
	err = g.create(ctx, req, p)
	if session.ErrorCode(err) == "DBParameterGroupAlreadyExists" {
		return g.reuse(ctx, req, p)
	}
	if err != nil {
		return "", err
	}
	// No server has it yet, so nothing is applied at once, and whether a parameter is static does not matter.
	return p.name, g.calls.set(ctx, p.name, p.family, nil, p.set, nil)
}

func (g *groups) create(ctx context.Context, req *request, p groupPlan) error {
	tags, about := rdsTags(req.Mark.Labels()), aws.String("Parameters of "+req.Name)
	if p.copyOf != "" {
		_, err := session.Call(ctx, g.calls.session, "CopyDBParameterGroup", g.calls.rds.CopyDBParameterGroup, &rds.CopyDBParameterGroupInput{
			SourceDBParameterGroupIdentifier: &p.copyOf, TargetDBParameterGroupIdentifier: &p.name, TargetDBParameterGroupDescription: about, Tags: tags,
		}, onceRDS)
		return err
	}
	_, err := session.Call(ctx, g.calls.session, "CreateDBParameterGroup", g.calls.rds.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{
		DBParameterGroupName: &p.name, DBParameterGroupFamily: &p.family, Description: about, Tags: tags,
	}, onceRDS)
	return err
}

// mostInCall is how many parameters a call takes.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBParameterGroup.html (Parameters)
const mostInCall = 20

// set sets and resets parameters of a group. What is sent twice is as good as once. list is RDS's list, nil if nothing is to be applied at once.
func (g *parameterGroups) set(ctx context.Context, group, family string, list parameterList, set map[string]string, remove []string) error {
	var sent []types.Parameter
	for _, name := range slices.Sorted(maps.Keys(set)) {
		sent = append(sent, types.Parameter{ParameterName: &name, ParameterValue: new(g.spelled(ctx, family, name, set[name])), ApplyMethod: list.method(name)})
	}
	for lot := range slices.Chunk(sent, mostInCall) {
		_, err := session.Call(ctx, g.session, "ModifyDBParameterGroup", g.rds.ModifyDBParameterGroup,
			&rds.ModifyDBParameterGroupInput{DBParameterGroupName: &group, Parameters: lot}, onceRDS)
		if err != nil {
			return g.explain(ctx, err, family, set)
		}
	}
	var gone []types.Parameter
	for _, name := range remove {
		gone = append(gone, types.Parameter{ParameterName: &name, ApplyMethod: list.method(name)})
	}
	for lot := range slices.Chunk(gone, mostInCall) {
		_, err := session.Call(ctx, g.session, "ResetDBParameterGroup", g.rds.ResetDBParameterGroup,
			&rds.ResetDBParameterGroupInput{DBParameterGroupName: &group, Parameters: lot, ResetAllParameters: aws.Bool(false)}, onceRDS)
		if err != nil {
			return err
		}
	}
	return nil
}

// spelled writes a switch as RDS takes it: 0 or 1 where the list says so, and the spec may say on or true. Other values need no list.
func (g *parameterGroups) spelled(ctx context.Context, family, name, value string) string {
	on, isSwitch := portable.Switch(value)
	if !isSwitch || value == "0" || value == "1" {
		return value
	}
	p := g.list(ctx, family, []string{name})[name]
	switch {
	case aws.ToString(p.AllowedValues) != "0,1":
		return value
	case on:
		return "1"
	}
	return "0"
}

// A foundGroup is a DB parameter group as RDS has it.
type foundGroup struct {
	name, family, arn string
	mark              driver.Mark
}

// find returns a group; nil if there is none of that name.
func (g *parameterGroups) find(ctx context.Context, group string) (*foundGroup, error) {
	out, err := session.Call(ctx, g.session, "DescribeDBParameterGroups", g.rds.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{DBParameterGroupName: &group})
	if session.ErrorCode(err) == "DBParameterGroupNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.DBParameterGroups) != 1 {
		return nil, &driver.Error{Code: driver.Internal, Op: "DescribeDBParameterGroups", Message: "RDS did not return one group"}
	}
	seen := out.DBParameterGroups[0]
	tags, err := session.Call(ctx, g.session, "ListTagsForResource", g.rds.ListTagsForResource, &rds.ListTagsForResourceInput{ResourceName: seen.DBParameterGroupArn})
	if err != nil {
		return nil, err
	}
	return &foundGroup{
		name: group, family: aws.ToString(seen.DBParameterGroupFamily), arn: aws.ToString(seen.DBParameterGroupArn),
		mark: driver.MarkFrom(instanceTags(&instance{DBInstance: types.DBInstance{TagList: tags.TagList}})),
	}, nil
}

// checkMark refuses a group that is not the instance's: nothing without the mark is changed.
func (g *groups) checkMark(ctx context.Context, req *request, group string) error {
	found, err := g.calls.find(ctx, group)
	if err != nil || found == nil || found.mark.SameOwner(req.Mark) {
		return err
	}
	return &driver.Error{Code: driver.Conflict, Op: "ListTagsForResource",
		Message: fmt.Sprintf("DB parameter group %s exists and does not have this object's mark: delete it, rename it, or attach another group and set spec.aws.dbParameterGroupName", group)}
}

func (g *parameterGroups) delete(ctx context.Context, group string) error {
	_, err := session.Call(ctx, g.session, "DeleteDBParameterGroup", g.rds.DeleteDBParameterGroup, &rds.DeleteDBParameterGroupInput{DBParameterGroupName: &group}, onceRDS)
	if session.ErrorCode(err) == "DBParameterGroupNotFound" {
		return nil
	}
	return err
}

// wantedSettings are all parameters that a spec asks for, its tls among them.
func wantedSettings(spec *databaseSpec, engine string) map[string]string {
	set := maps.Clone(portable.WantedParameters(spec))
	if spec.TLS != nil {
		if set == nil {
			set = map[string]string{}
		}
		set[tlsParameter(engine)] = tlsValue(*spec.TLS)
	}
	return set
}

// ofNew makes the group of an instance that is to be created; its name is empty if the instance needs none. AWS advises to wait five minutes between the
// two, above all for parameters by which the first database is made, such as its character set. The creation does not wait: no call says whether a
// group is complete, and docs/guides/parameters.md says what to do about such parameters.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBParameterGroup.html
func (g *groups) ofNew(ctx context.Context, req *request, params *instanceParams) (name string, err error) {
	if named := params.DBParameterGroupName; named != nil {
		return *named, g.checkTLS(ctx, &req.Spec, *named)
	}
	version := aws.ToString(params.EngineVersion)
	set := wantedSettings(&req.Spec, *params.Engine)
	if req.Spec.TLS != nil {
		without := &instance{DBInstance: types.DBInstance{Engine: params.Engine, EngineVersion: &version}}
		if version != "" && without.tlsBy(nil).value == *req.Spec.TLS {
			delete(set, tlsParameter(*params.Engine))
		}
	}
	if len(set) == 0 {
		return "", nil
	}
	if version == "" {
		return "", session.Invalid("set spec.version: spec.parameters and spec.tls need a DB parameter group, which is of a version")
	}
	return g.make(ctx, req, groupPlan{name: ownGroups(req.Name)[0], engine: *params.Engine, family: familyOf(*params.Engine, version), set: set})
}

// checkTLS refuses tls that a group which the spec names contradicts, before a server has that group.
func (g *groups) checkTLS(ctx context.Context, spec *databaseSpec, group string) error {
	if spec.TLS == nil {
		return nil
	}
	var set map[string]string // a default group sets nothing
	if !isDefaultGroup(strings.ToLower(group)) {
		var err error
		if set, err = g.calls.settingsIn(ctx, group); err != nil {
			return explainGroup(err)
		}
	}
	parameter := tlsParameter(string(orEngine(spec)))
	if _, says := set[parameter]; !says && spec.Version == nil {
		return nil // it is as the version has it, which RDS chooses
	}
	have := &instance{DBInstance: types.DBInstance{Engine: (*string)(spec.Engine), EngineVersion: spec.Version}}
	if have.tlsBy(set).value != *spec.TLS {
		return session.Invalid("spec.tls is %s, and DB parameter group %s says otherwise: set %s to %s in the group, or remove spec.tls", *spec.TLS, group, parameter, tlsValue(*spec.TLS))
	}
	return nil
}

func orEngine(spec *databaseSpec) v1alpha1.Engine {
	if spec.Engine == nil {
		return ""
	}
	return *spec.Engine
}
