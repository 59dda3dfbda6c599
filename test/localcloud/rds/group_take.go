package rds

import (
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// The servers of a group's members take its parameters as those of RDS do: a member has what the group set when its server started, and what was changed at once since.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html

// An rdsGroupChange is what a call changes of a group.
type rdsGroupChange struct {
	atOnce  map[string]*string // by name; nil for one that is reset
	restart bool               // some waits for a restart of the members
}

func (g *rdsGroupChange) add(p rdstypes.Parameter, value *string) {
	if p.ApplyMethod == rdstypes.ApplyMethodPendingReboot {
		g.restart = true
		return
	}
	if g.atOnce == nil {
		g.atOnce = map[string]*string{}
	}
	g.atOnce[*p.ParameterName] = value
}

// allReset is the change of a call that resets a whole group: "dynamic parameters are updated immediately and static parameters are set to pending-reboot".
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ResetDBParameterGroup.html
func allReset(g *rdsGroup) rdsGroupChange {
	change := rdsGroupChange{restart: true}
	for name := range g.values {
		if s := settingOf(g.family, name); s != nil && !s.static {
			change.add(rdstypes.Parameter{ParameterName: &name}, nil)
		}
	}
	return change
}

// carryOutInMembers changes the servers of a group's members, and marks that what is left waits for their restart.
func (c *call) carryOutInMembers(g *rdsGroup, change rdsGroupChange) {
	for _, key := range c.members(g) {
		next := c.instances[key].Now.clone()
		if change.restart {
			next.joinGroup(g.name, "pending-reboot")
		}
		next.taking.group = c.now.Add(c.cloud.Options.Durations.Modify)
		if id := *next.db.DbiResourceId; change.atOnce != nil {
			next.taking.parameters = c.begin(func() (*engine.Engine, error) { return nil, c.cloud.Engines.ChangeParameters(id, change.atOnce) })
		}
		c.store(key, next)
	}
}

// parametersOf returns what the group of an instance sets.
func (s *Service) parametersOf(key Key, in *Instance) map[string]string {
	key.name = in.groupName()
	values := map[string]string{}
	if g := s.groups[key]; g != nil {
		for name, v := range g.values {
			values[name] = v.value
		}
	}
	return values
}

// retaker returns what makes the server of an instance take what its group sets, and then does work on it.
func (s *Service) retaker(key Key) func(*Instance, func(id string) error) *engine.Job {
	return func(of *Instance, work func(id string) error) *engine.Job {
		id, values := *of.db.DbiResourceId, s.parametersOf(key, of)
		return s.begin(func() (*engine.Engine, error) {
			if err := s.cloud.Engines.SetParameters(id, values); err != nil {
				return nil, err
			}
			return nil, work(id)
		})
	}
}
