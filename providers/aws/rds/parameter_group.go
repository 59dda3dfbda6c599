package rds

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const parameterGroup = "aws.dbParameterGroupName"

// States of the parameter group of an instance. A recording shows in-sync and pending-reboot.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html
const (
	pendingReboot = "pending-reboot" // the server takes what the group sets when it restarts, and never before
	applyingGroup = "applying"       // the server is taking it
)

// An attachedGroup is a DB parameter group as an instance has it: its name, and what a part of what it sets may wait for. While the server is taking
// the group nobody knows yet whether a restart is left to do.
type attachedGroup struct {
	name  string
	waits string // pendingReboot or applyingGroup; empty if the server took all of it
}

// String is how a change shows it.
func (g attachedGroup) String() string {
	return withWait(g.name, g.waits)
}

// withWait is how a change shows a value that does not apply yet.
func withWait(value, waits string) string {
	if waits == "" {
		return value
	}
	return value + " (" + waits + ")"
}

// MarshalJSON is how the mirror shows it: as the spec would.
func (g attachedGroup) MarshalJSON() ([]byte, error) { return json.Marshal(g.name) }

// parameterGroupRow attaches a group, which disturbs nobody, and then restarts the server, without which it does not take what the group sets:
// two changes of one field, one after the other. The second one also follows where somebody else changes what the group sets.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.Associating.html
var parameterGroupRow = table.Field(parameterGroup,
	func(s *databaseSpec) *attachedGroup {
		if name := awsOf(s).DBParameterGroupName; name != nil {
			return &attachedGroup{name: *name}
		}
		return nil
	},
	groupOf,
	func(p *instanceParams, v attachedGroup) { p.DBParameterGroupName = &v.name },
).Reported(namedGroup).
	Equal(func(want, have attachedGroup) bool {
		return have.waits == "" && strings.EqualFold(want.name, have.name)
	}, "in any case: RDS stores the name in lower case").
	EffectOf(parameterGroupEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "another group is attached; the restart that it takes to come into force is the next change"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "the group is attached, and a part of what it sets waits for a restart", Cost: restartCost}).
	Refers(driver.ReferenceParameterGroup)

// groupOf returns the parameter group of an instance; nil if RDS does not say. An instance has one.
func groupOf(i *instance) *attachedGroup {
	if len(i.DBParameterGroups) == 0 || i.DBParameterGroups[0].DBParameterGroupName == nil {
		return nil
	}
	g := i.DBParameterGroups[0]
	attached := &attachedGroup{name: *g.DBParameterGroupName}
	switch status := aws.ToString(g.ParameterApplyStatus); {
	case isUnfit(i):
		attached.waits = pendingReboot
	case status == pendingReboot, status == applyingGroup:
		attached.waits = status
	}
	return attached
}

// namedGroup returns the group of an instance if that is not its own: its own is how RDS keeps spec.parameters and spec.tls.
func namedGroup(i *instance) *attachedGroup {
	if i.inOwnGroup() {
		return nil
	}
	return groupOf(i)
}

// isAttached reports whether an instance has a group, whether it took what that sets or not.
func isAttached(have *instance, name string) bool {
	now := groupOf(have)
	return now != nil && strings.EqualFold(now.name, name)
}

const restartFollows = "the server takes what the group sets when it restarts, which is a change of its own that follows"

func parameterGroupEffect(from *attachedGroup, to attachedGroup, _ *instance) (driver.Effect, string) {
	if from != nil && from.waits != "" && strings.EqualFold(from.name, to.name) {
		return driver.Restarts, "the server takes what its DB parameter group sets when it restarts"
	}
	return driver.Online, restartFollows
}

const whyAttached = "RDS attaches the group, which disturbs nobody; then the server restarts to take what the group sets"

// withRestartAnnounced gives the attachment of a group the effect of the restart that follows it, for previews: whoever agrees to an edit agrees to all that
// comes of it, and is to know it before.
func withRestartAnnounced(changes []driver.Change) []driver.Change {
	for i, c := range changes {
		if c.Field == parameterGroup && c.Effect == driver.Online && !isRestart(c) {
			changes[i].Effect, changes[i].Why = driver.Restarts, whyAttached
		}
	}
	return changes
}

// isRestart reports whether a change is the restart that the attached group waits for, with or without more that is to be set in it.
func isRestart(c driver.Change) bool { return waitsFor(c, pendingReboot) || isTaking(c) }

// isTaking reports whether a change is that of a group which the server is taking: a restart may be left to do after that.
func isTaking(c driver.Change) bool { return waitsFor(c, applyingGroup) }

func waitsFor(c driver.Change, what string) bool {
	switch c.Field {
	case parameterGroup, "tls":
		return strings.EqualFold(c.From, withWait(c.To, what))
	case "parameters":
		return strings.HasSuffix(c.From, "("+what+")") // alone, where no parameters are set
	}
	return false
}

// withoutTaken leaves out changes of a group that the server is taking if what the spec wants was in force before: then somebody else changed the group, and
// whether a restart is left to do is seen afterwards. Of an instance without the mark it leaves out all of them, since that is written at once.
func withoutTaken(req *request, mark driver.Mark, changes []driver.Change) []driver.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool {
		before := slices.Equal(req.Applied[c.Field], []string{c.To})
		if c.Entries {
			before = len(c.Names) > 0 && len(c.Drifted) == len(c.Names)
		}
		return isTaking(c) && (before || !mark.Is(req.Mark))
	})
}

// withoutRestart leaves out the restart for a parameter group where another one comes: the start of a stopped server, or what waits in
// PendingModifiedValues, such as an upgrade that RDS has not begun yet.
func withoutRestart(have *instance, changes []driver.Change) []driver.Change {
	if aws.ToString(have.DBInstanceStatus) != "stopped" && len(disruptiveWaits(have)) == 0 {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), isRestart)
}

// withUpgrade has a parameter group or an option group attached together with an upgrade to another major version: RDS takes a group of the new version with
// it, and neither of the two alone.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.MajorVersion.Process.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateOptionGroup.html (MajorEngineVersion)
func withUpgrade(changes []driver.Change) []driver.Change {
	upgrade := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == "version" && c.Effect == driver.Irreversible })
	if upgrade < 0 {
		return changes
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		if (c.Field == parameterGroup || c.Field == optionGroup) && !isRestart(c) {
			changes[i].Effect, changes[i].Why = driver.Irreversible, "RDS attaches a group of the new version together with the upgrade"
		}
	}
	return changes
}

// restart restarts a server that waits for it, without a failover: a standby keeps its place and takes the same parameters.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RebootDBInstance.html
func (d *instances) restart(ctx context.Context, have *instance) error {
	_, err := session.Call(ctx, d.Session, "RebootDBInstance", d.rds.RebootDBInstance, &rds.RebootDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier}, onceRDS)
	return err
}

// takeRestart takes the group out of parameters where the instance has it already, and reports whether the changes ask for the restart that the
// group waits for. What the caller planned decides: an attachment whose answer was lost is no consent to a restart.
func takeRestart(params *instanceParams, have *instance, changes []driver.Change) bool {
	if params.DBParameterGroupName != nil && isAttached(have, *params.DBParameterGroupName) {
		params.DBParameterGroupName = nil
	}
	now := groupOf(have)
	return params.DBParameterGroupName == nil && now != nil && now.waits != "" &&
		slices.ContainsFunc(changes, func(c driver.Change) bool { return isRestart(c) && (c.Effect != driver.Online || isUnfit(have)) })
}

// restartLater is why a restart is not made beside other changes: RDS restarts no server that it is changing, and the other changes may restart it.
func restartLater(changes []driver.Change) (later table.FieldErrors) {
	for _, c := range changes {
		if slices.Contains([]string{parameterGroup, "parameters", "tls"}, c.Field) {
			later = append(later, driver.FieldError{Field: c.Field, Err: &driver.Error{Code: driver.Busy, Op: "RebootDBInstance",
				Message: "RDS makes the other changes first; the server restarts for its DB parameter group after them"}})
		}
	}
	return later
}

// explainGroup names the field of a parameter group that RDS does not take.
func explainGroup(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || e.Code != driver.Invalid {
		return err
	}
	explained := *e
	switch said := strings.ToLower(e.Message); {
	case session.ErrorCode(err) == "DBParameterGroupNotFound":
		explained.Message = "set spec.aws.dbParameterGroupName to a DB parameter group of this account and region: " + e.Message
	case strings.Contains(said, "parameter group") && strings.Contains(said, "is custom"):
		explained.Message = "set spec.aws.dbParameterGroupName to a DB parameter group of the new version's family together with spec.version: " + e.Message
	case strings.Contains(said, "dbparametergroupfamily"):
		explained.Message = "set spec.aws.dbParameterGroupName to a DB parameter group of the family of the server's version: " + e.Message
	default:
		return err
	}
	return &explained
}
