package sql

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const misspelt = "correct the name, or remove it from spec.parameters"

// unknownFlags says what is wrong with the flags to set, if Cloud SQL's list does not have one of them; nothing if it has them all.
func unknownFlags(d table.Delta, have *instance) string {
	lacks := func(name string) bool { return have.flags[name] == nil }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(d.Set)), lacks) {
		return ""
	}
	return prose.Join(flagProblems(have.flags, have.DatabaseVersion, d))
}

// flagProblems says what is wrong with each flag to set, in the order of their names.
func flagProblems(flags map[string]*sqladmin.Flag, version string, asked table.Delta) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(asked.Set)) {
		f := flags[name]
		problem := flagProblem(f, version, spelled(f, asked.Set[name]))
		if near := nearFlag(name, flags); f == nil && near != "" {
			problem += ", and " + near + " is one"
		}
		if problem != "" {
			problems = append(problems, name+" "+problem)
		}
	}
	return problems
}

// spelled returns a value of a switch as Cloud SQL takes it: on or off, where a spec may say true or 1. Other values stay as they are.
func spelled(f *sqladmin.Flag, value string) string {
	on, isSwitch := portable.Switch(value)
	switch {
	case f == nil || f.Type != "BOOLEAN" || !isSwitch:
		return value
	case on:
		return "on"
	}
	return "off"
}

// flagProblem says what is wrong with a value of a flag, by what Cloud SQL's list says of it; nothing if that is not known.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/flags#Flag
func flagProblem(f *sqladmin.Flag, version, value string) string {
	if f == nil {
		return "is no flag of " + version
	}
	switch f.Type {
	case "BOOLEAN":
		if value != "on" && value != "off" {
			return fmt.Sprintf("has to be on or off, and is %q", value)
		}
	case "INTEGER":
		number, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
			return fmt.Sprintf("has to be a whole number, and is %q", value)
		case slices.Contains(f.AllowedIntValues, number):
		case f.MinValue != 0 || f.MaxValue != 0:
			if number < f.MinValue || number > f.MaxValue {
				return fmt.Sprintf("has to be from %d to %d, and is %s", f.MinValue, f.MaxValue, value)
			}
		case len(f.AllowedIntValues) > 0:
			return fmt.Sprintf("has to be one of %s, and is %s", strings.Trim(fmt.Sprint([]int64(f.AllowedIntValues)), "[]"), value)
		}
	case "STRING":
		if len(f.AllowedStringValues) > 0 && !slices.Contains(f.AllowedStringValues, value) {
			return fmt.Sprintf("has to be one of %s, and is %q", strings.Join(f.AllowedStringValues, ", "), value)
		}
	}
	return ""
}

// nearFlag returns the flag whose name is most like one that Cloud SQL does not have; empty if none is like it.
func nearFlag(name string, flags map[string]*sqladmin.Flag) string {
	near, least := "", max(2, len(name)/3)+1
	for _, other := range slices.Sorted(maps.Keys(flags)) {
		if d := portable.EditDistance(name, other); d < least {
			near, least = other, d
		}
	}
	return near
}
