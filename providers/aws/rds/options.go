package rds

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const optionGroup = "aws.optionGroupName"

// optionGroupRow is which option group a server has. An instance has one, and two while RDS exchanges them.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithOptionGroups.html
var optionGroupRow = table.Field(optionGroup,
	func(s *databaseSpec) *string { return awsOf(s).OptionGroupName },
	askedOptions,
	func(p *instanceParams, v string) { p.OptionGroupName = &v },
).Reported(presentOptions).
	Equal(strings.EqualFold, "in any case").
	EffectOf(optionsEffect, table.Always(driver.Online)...).
	Refers(driver.ReferenceOptionGroup)

// States of the option group of an instance. Recordings show in-sync alone.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_OptionGroupMembership.html
const (
	optionsInSync = "in-sync"
	optionsFailed = "failed"
)

func optionsLeave(m types.OptionGroupMembership) bool {
	return slices.Contains([]string{"pending-removal", "pending-maintenance-removal", "removing"}, aws.ToString(m.Status))
}

func optionsIn(m types.OptionGroupMembership) bool {
	return optionsLeave(m) || slices.Contains([]string{optionsInSync, optionsFailed}, aws.ToString(m.Status))
}

// optionsOf returns the name of the first option group of which something holds. PostgreSQL has no options: the empty default group that RDS reports of it
// is nothing that anybody can write.
func optionsOf(i *instance, holds func(types.OptionGroupMembership) bool) *string {
	if i.engine() == v1alpha1.EnginePostgres {
		return nil
	}
	if at := slices.IndexFunc(i.OptionGroupMemberships, holds); at >= 0 {
		return i.OptionGroupMemberships[at].OptionGroupName
	}
	return nil
}

// askedOptions returns the option group that an instance has or was asked to take.
func askedOptions(i *instance) *string {
	return optionsOf(i, func(m types.OptionGroupMembership) bool { return !optionsLeave(m) })
}

// presentOptions returns the option group whose options the server has.
func presentOptions(i *instance) *string { return first(optionsOf(i, optionsIn), askedOptions(i)) }

// isDefaultOptions reports whether an option group is the empty one of an engine's version, such as default:mysql-8-0.
func isDefaultOptions(name string) bool { return strings.HasPrefix(strings.ToLower(name), "default:") }

// optionsEffect: "Changing this parameter doesn't result in an outage", but for an option of Oracle's. "After you remove the MariaDB Audit Plugin, you need to
// restart your DB instance to stop auditing." What options a group has, no call of this driver asks.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (OptionGroupName)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Appendix.MariaDB.Options.html
func optionsEffect(from *string, _ string, _ *instance) (driver.Effect, string) {
	if from == nil || isDefaultOptions(*from) {
		return driver.Online, ""
	}
	return driver.Online, "if option group " + *from + " has MARIADB_AUDIT_PLUGIN and the new group does not, auditing goes on until the server restarts"
}

// takesOptions reports whether RDS is exchanging the option group that a spec declares, or leaves it for the maintenance window.
func takesOptions(spec *databaseSpec, have *instance) bool {
	return awsOf(spec).OptionGroupName != nil && slices.ContainsFunc(have.OptionGroupMemberships, func(m types.OptionGroupMembership) bool {
		return !slices.Contains([]string{optionsInSync, optionsFailed}, aws.ToString(m.Status))
	})
}

// optionsProblem says that RDS could not apply the option group that a spec declares; nothing if it could.
func optionsProblem(spec *databaseSpec, have *instance) string {
	name := awsOf(spec).OptionGroupName
	if name == nil || !slices.ContainsFunc(have.OptionGroupMemberships, func(m types.OptionGroupMembership) bool {
		return aws.ToString(m.Status) == optionsFailed && strings.EqualFold(aws.ToString(m.OptionGroupName), *name)
	}) {
		return ""
	}
	return "RDS could not apply option group " + *name + ": correct its options, or set spec.aws.optionGroupName to another group"
}

// optionLacks: "PostgreSQL does not use options and option groups. PostgreSQL uses extensions and modules to provide additional features."
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithOptionGroups.html
var optionLacks = []driver.Lack{{
	Field: optionGroup, Match: ".", Values: "an option group for PostgreSQL", With: map[string]string{"engine": "^postgres$"},
	Why: "PostgreSQL has extensions in place of options", Instead: "remove spec.aws.optionGroupName, and create extensions with SQL",
}}

// explainOptions names the field of an option group that RDS does not take.
func explainOptions(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || e.Code != driver.Invalid {
		return err
	}
	explained := *e
	switch {
	case session.ErrorCode(err) == "OptionGroupNotFound":
		explained.Message = "set spec.aws.optionGroupName to an option group of this account and region: " + e.Message
	case strings.Contains(strings.ToLower(e.Message), "option group"):
		explained.Message = "set spec.aws.optionGroupName to an option group of the server's engine and major version; for another major version, set it together with spec.version: " + e.Message
	default:
		return err
	}
	return &explained
}
