package rds

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// An rdsOptions is an option group: of an engine and a major version. What options it has, nothing here depends on.
type rdsOptions struct{ engine, major string }

// rdsGivenOptions are option groups that somebody made in every account and region.
var rdsGivenOptions = map[string]rdsOptions{
	"audit": {"mysql", "8.4"}, "audit-queries": {"mysql", "8.4"}, "audit-before": {"mysql", "8.0"},
	"audit-maria": {"mariadb", "11.4"}, "audit-maria-next": {"mariadb", "11.8"},
}

func isDefaultOptions(name string) bool { return name == "" || strings.HasPrefix(name, "default:") }

// defaultOptions is the empty option group of an engine's major version, as in the recordings: default:mysql-8-0.
func defaultOptions(engine, major string) string {
	return "default:" + engine + "-" + strings.ReplaceAll(major, ".", "-")
}

// optionsNamed returns an option group. The code of the refusal is that of
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (Errors). No recording shows it.
func optionsNamed(name string) (rdsOptions, error) {
	name = strings.ToLower(name)
	if options, ok := rdsGivenOptions[name]; ok {
		return options, nil
	}
	for engine, versions := range Versions {
		for _, version := range versions {
			if major := MajorVersion(engine, version); defaultOptions(engine, major) == name {
				return rdsOptions{engine, major}, nil
			}
		}
	}
	return rdsOptions{}, optionGroupResource.missing(name)
}

// validOptions holds an option group to the engine and the major version of an instance: a group is of one of each. No recording shows the refusal, nor its
// words.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateOptionGroup.html (EngineName, MajorEngineVersion)
func validOptions(name, engine, version string) error {
	options, err := optionsNamed(name)
	if major := MajorVersion(engine, version); err == nil && (options != rdsOptions{engine, major}) {
		return invalidCombination("The option group %s is of engine %s and major version %s, and can't be used for an instance of %s %s.", name, options.engine, options.major, engine, version)
	}
	return err
}

func (in *Instance) optionGroup() string {
	if len(in.db.OptionGroupMemberships) == 0 {
		return ""
	}
	return aws.ToString(in.db.OptionGroupMemberships[0].OptionGroupName)
}

// askOptions makes another option group wait. Together with an upgrade to another major version, an instance with a group that somebody made needs another
// one. No recording shows a change, nor the refusal. AWS says so for the engines that it has a page about.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Oracle.OGPG.html
func askOptions(next *Instance, in *rds.ModifyDBInstanceInput) error {
	engine, version := *next.db.Engine, *orElse(next.db.PendingModifiedValues.EngineVersion, *next.db.EngineVersion)
	if name := in.OptionGroupName; name != nil {
		lower := strings.ToLower(*name)
		ask(&next.waits.optionGroup, aws.String(next.optionGroup()), &lower)
		return validOptions(lower, engine, version)
	}
	present := *orElse(next.waits.optionGroup, next.optionGroup())
	if options, err := optionsNamed(present); in.EngineVersion != nil && !isDefaultOptions(present) && err == nil && options.major != MajorVersion(engine, version) {
		return invalidCombination("The option group %s is of major version %s. You must specify an option group of major version %s for the engine version upgrade.", present, options.major, MajorVersion(engine, version))
	}
	return nil
}

// takeOptions gives an instance another option group.
func takeOptions(db *rdstypes.DBInstance, name *string) {
	if name != nil {
		db.OptionGroupMemberships = []rdstypes.OptionGroupMembership{{OptionGroupName: aws.String(strings.ToLower(*name)), Status: aws.String("in-sync")}}
	}
}

// optionGroups are the option groups of an instance: two while RDS exchanges them. No recording shows that; the states are those of
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_OptionGroupMembership.html.
func (in *Instance) optionGroups() []rdstypes.OptionGroupMembership {
	to := in.waits.optionGroup
	if to == nil {
		return in.db.OptionGroupMemberships
	}
	leaves, comes := "pending-maintenance-removal", "pending-maintenance-apply"
	switch taken := in.takes.optionGroup == to; {
	case taken && in.step == modifying:
		leaves, comes = "removing", "applying"
	case taken:
		leaves, comes = "pending-removal", "pending-apply"
	}
	return []rdstypes.OptionGroupMembership{
		{OptionGroupName: aws.String(in.optionGroup()), Status: &leaves}, {OptionGroupName: to, Status: &comes},
	}
}
