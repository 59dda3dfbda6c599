package sql

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// parametersRow has the database flags. The instance carries them.
// https://cloud.google.com/sql/docs/postgres/flags https://cloud.google.com/sql/docs/mysql/flags
var parametersRow = table.Entries("parameters", portable.WantedParameters, haveFlags,
	func(p *instanceParams, d table.Delta) { p.DatabaseFlags = d }).
	Exact(portable.ExactParameters).
	Except(iamFlagOf).
	Equal(portable.SameParameter, portable.SameParameterDoc).
	EffectOf(flagsEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "none of the flags that change needs a restart, as Cloud SQL's list of flags says"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "one of them needs a restart, or the list can't be read", Cost: restartCost},
		driver.PossibleEffect{Effect: driver.Impossible, When: "the list does not have one of them", Instead: misspelt})

func haveFlags(i *instance) map[string]string {
	flags := map[string]string{}
	for _, f := range i.settings().DatabaseFlags {
		flags[f.Name] = f.Value
	}
	return flags
}

// whyUnknown is what a change of flags does as long as nobody has read Cloud SQL's list of them, as in a preview.
const whyUnknown = "some flags restart the server and others apply at once; Mooring reads Cloud SQL's list of flags before it makes the change"

// flagsEffect says what a change of flags does. One to set that the list does not have is misspelt: Cloud SQL would refuse it. One to remove that the list
// no longer has is taken for one that restarts.
func flagsEffect(d table.Delta, have *instance) (driver.Effect, string) {
	if have.flags == nil {
		return driver.Restarts, whyUnknown
	}
	if unknown := unknownFlags(d, have); unknown != "" {
		return driver.Impossible, unknown + ": " + misspelt
	}
	var restarting []string
	for _, name := range d.Names() {
		if f := have.flags[name]; f == nil || f.RequiresRestart {
			restarting = append(restarting, name)
		}
	}
	if len(restarting) == 0 {
		return driver.Online, ""
	}
	return driver.Restarts, "Cloud SQL restarts the server for " + strings.Join(restarting, ", ")
}

// learnFlags reads what Cloud SQL says of flags, where some differ.
func (d *instances) learnFlags(ctx context.Context, req *request, have *instance) {
	changes := append(parametersRow.Delta(&req.Spec, have, req.Applied).Names(), iamChange(&req.Spec, have)...)
	if len(changes) > 0 {
		have.flags = d.flags.of(ctx, have.DatabaseVersion, changes)
	}
}

// flagsOf returns flags as calls have them, in the order of their names.
func flagsOf(flags map[string]string) []*sqladmin.DatabaseFlags {
	var all []*sqladmin.DatabaseFlags
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		all = append(all, &sqladmin.DatabaseFlags{Name: name, Value: flags[name]})
	}
	return all
}

// changeFlags puts a change of flags into settings. A patch replaces all flags: those that stay are sent too, as they are, and none at all
// as an empty list, which the client would leave out.
// https://cloud.google.com/sql/docs/postgres/flags#set_a_database_flag
func (p *instanceParams) changeFlags(into *sqladmin.Settings, have *instance) {
	if len(p.DatabaseFlags.Names()) == 0 {
		return
	}
	flags := haveFlags(have)
	maps.Copy(flags, p.DatabaseFlags.Set)
	for _, name := range p.DatabaseFlags.Remove {
		delete(flags, name)
	}
	into.DatabaseFlags = append([]*sqladmin.DatabaseFlags{}, flagsOf(flags)...)
	into.ForceSendFields = append(into.ForceSendFields, "DatabaseFlags")
}

// newFlags is after how long a list is read again because it lacks a flag, unless a person asks for an observation:
// Cloud SQL adds some with minor versions, and most that a list lacks are misspelt.
const newFlags = time.Hour

// A flagCatalogue is what Cloud SQL said of the flags of each database version. It lasts as long as the session, and is read again when it
// lacks a flag, as newFlags says: Cloud SQL adds flags, and does not change whether one restarts the server.
type flagCatalogue struct {
	*session.Caller
	sql *sqladmin.Service

	mu       sync.Mutex
	versions map[string]flagList
}

// A flagList has the flags of a database version by their names, and when they were read.
type flagList struct {
	flags map[string]*sqladmin.Flag
	read  time.Time
}

// of returns the flags of a database version, by their names; nil if they can't be read, which must not keep an instance from being
// observed. names are flags that it should have.
//
// The call names no project, and the reference names no permission for it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/flags/list
func (c *flagCatalogue) of(ctx context.Context, version string, names []string) map[string]*sqladmin.Flag {
	c.mu.Lock()
	list, known := c.versions[version]
	c.mu.Unlock()
	lacks := func(name string) bool { return list.flags[name] == nil }
	if known && (!slices.ContainsFunc(names, lacks) || c.Now().Sub(list.read) < newFlags && !table.AskedSince(ctx, list.read)) {
		return list.flags
	}
	out, err := session.Do(ctx, c.Caller, "flags.list", func(ctx context.Context) (*sqladmin.FlagsListResponse, error) {
		return c.sql.Flags.List().DatabaseVersion(version).Context(ctx).Do()
	})
	if err != nil {
		return list.flags
	}
	read := make(map[string]*sqladmin.Flag, len(out.Items))
	for _, f := range out.Items {
		read[f.Name] = f
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.versions == nil {
		c.versions = map[string]flagList{}
	}
	c.versions[version] = flagList{read, c.Now()}
	return read
}

// explain names all flags that Cloud SQL refuses, before its own words: these name one at most.
func (c *flagCatalogue) explain(ctx context.Context, err error, version string, asked table.Delta) error {
	if driver.CodeOf(err) != driver.Invalid || len(asked.Set) == 0 {
		return err
	}
	var problems []string
	if flags := c.of(ctx, version, slices.Collect(maps.Keys(asked.Set))); flags != nil {
		problems = flagProblems(flags, version, asked)
	}
	if len(problems) == 0 && refusesFlag(err) {
		problems = []string{"one of " + strings.Join(slices.Sorted(maps.Keys(asked.Set)), ", ") + " has a value that Cloud SQL does not take for this instance"}
	}
	if len(problems) == 0 {
		return err
	}
	explained := *driver.ErrorOf(err)
	explained.Message = "correct spec.parameters: " + prose.Join(problems) + ". Cloud SQL says: " + explained.Message
	return &explained
}

// spell writes switches as Cloud SQL takes them: on or off, where a spec may say true or 1. It takes the list of flags to know which flags are
// switches. Without the list a value is sent as it is.
func (c *flagCatalogue) spell(ctx context.Context, version string, asked *table.Delta) {
	var odd []string
	for name, value := range asked.Set {
		if _, isSwitch := portable.Switch(value); isSwitch && value != "on" && value != "off" {
			odd = append(odd, name)
		}
	}
	if len(odd) == 0 {
		return
	}
	flags, all := c.of(ctx, version, odd), maps.Clone(asked.Set)
	for _, name := range odd {
		all[name] = spelled(flags[name], all[name])
	}
	asked.Set = all
}

// refusesFlag reports whether Cloud SQL says that a flag is what it refuses: invalidFlagName, invalidFlagValue.
// https://github.com/google/exposure-notifications-server/issues/746
func refusesFlag(err error) bool {
	refusal, ok := errors.AsType[*googleapi.Error](err)
	return ok && slices.ContainsFunc(refusal.Errors, func(item googleapi.ErrorItem) bool { return strings.HasPrefix(item.Reason, "invalidFlag") })
}
