package sql

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	fieldPool      = "gcp.connectionPool.enabled"
	fieldPoolFlags = "gcp.connectionPool.flags"
)

// poolRows are Managed Connection Pooling. No recording shows a connection pool. That it restarts a server to turn the pools on is what the page of MySQL says:
// here that holds for PostgreSQL, too, and for the way back, of which no page says anything.
// https://cloud.google.com/sql/docs/mysql/managed-connection-pooling
// https://cloud.google.com/sql/docs/postgres/managed-connection-pooling
var poolRows = table.Table[databaseParameters, instance, instanceParams]{
	plain(fieldPool, "ConnectionPoolingEnabled", func(i *instance) *bool { return new(i.pooled()) }).
		EffectOf(func(_ *bool, to bool, _ *instance) (driver.Effect, string) {
			if to {
				return driver.Restarts, "Cloud SQL restarts the server to turn its connection pools on"
			}
			return driver.Restarts, "connections through the pools break, and Cloud SQL may restart the server to turn its connection pools off"
		}, table.AlwaysRestarts(poolCost)...),
	poolFlagsRow,
}

var poolFlagsRow = table.Entries(fieldPoolFlags,
	func(p *databaseParameters) map[string]string { return textOf(poolIn(p).Flags) },
	havePoolFlags,
	func(p *instanceParams, d table.Delta) { p.ConnectionPoolFlags = d }).
	Equal(portable.SameParameter, "on, true, yes and 1; off, false, no and 0; another way to write a number; and flags that others set").
	EffectOf(func(table.Delta, *instance) (driver.Effect, string) {
		return driver.Interrupts, "Cloud SQL changes its connection pools"
	}, driver.PossibleEffect{Effect: driver.Interrupts, Cost: poolFlagsCost})

// poolLacks: flags of pools that are off have no effect, and Cloud SQL takes none.
// https://cloud.google.com/sql/docs/postgres/configure-mcp
var poolLacks = []driver.Lack{{
	Field: fieldPoolFlags, Match: `^\{.+\}$`, Values: "a map with entries", Unless: map[string]string{fieldPool: "^true$"}, Invalid: true,
	Why: "Cloud SQL takes flags of connection pools that are on alone", Instead: "set spec." + fieldPool + " to true, or spec." + fieldPoolFlags + " to {}",
}}

func poolIn(p *databaseParameters) *v1alpha1.ConnectionPool {
	if pool := gcpOf(p).ConnectionPool; pool != nil {
		return pool
	}
	return &v1alpha1.ConnectionPool{}
}

// textOf returns values as plain strings; nil stays nil, which is unmanaged.
func textOf(values map[string]v1alpha1.ParameterValue) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = string(value)
	}
	return out
}

// poolOf is the connection pool of an instance that is as a spec says.
func poolOf(p *databaseParameters) *sqladmin.ConnectionPoolConfig {
	pool := poolIn(p)
	return &sqladmin.ConnectionPoolConfig{ConnectionPoolingEnabled: pool.Enabled != nil && *pool.Enabled, Flags: poolFlags(textOf(pool.Flags))}
}

// pooled reports whether an instance has connection pools.
func (i *instance) pooled() bool {
	c := i.settings().ConnectionPoolConfig
	return c != nil && c.ConnectionPoolingEnabled
}

func havePoolFlags(i *instance) map[string]string {
	flags := map[string]string{}
	if c := i.settings().ConnectionPoolConfig; c != nil {
		for _, f := range c.Flags {
			flags[f.Name] = f.Value
		}
	}
	return flags
}

// poolFlags returns flags as calls have them, in the order of their names.
func poolFlags(flags map[string]string) []*sqladmin.ConnectionPoolFlags {
	all := []*sqladmin.ConnectionPoolFlags{}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		all = append(all, &sqladmin.ConnectionPoolFlags{Name: name, Value: flags[name]})
	}
	return all
}

// oncePooled leaves out flags of pools that are off: Cloud SQL takes none, and whatever turns the pools on takes the flags along.
func oncePooled(have *instance, changes []driver.Change) []driver.Change {
	if have.pooled() {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return c.Field == fieldPoolFlags })
}

// poolByHand says why the calls take these parameters in one value.
const poolByHand = "it is a part of connectionPoolConfig"

// poolConfig returns what is to become of the connection pool of an instance; nil if the parameters say nothing. A call replaces all flags: those that stay are
// sent, too.
func (p *instanceParams) poolConfig(have *instance) *sqladmin.ConnectionPoolConfig {
	changes := len(p.ConnectionPoolFlags.Names()) > 0
	if p.ConnectionPoolingEnabled == nil && !changes {
		return nil
	}
	c := &sqladmin.ConnectionPoolConfig{ConnectionPoolingEnabled: have.pooled(), ForceSendFields: []string{"ConnectionPoolingEnabled"}}
	setPart(&c.ConnectionPoolingEnabled, p.ConnectionPoolingEnabled, &c.ForceSendFields, "ConnectionPoolingEnabled")
	if !changes {
		return c
	}
	flags := havePoolFlags(have)
	maps.Copy(flags, p.ConnectionPoolFlags.Set)
	for _, name := range p.ConnectionPoolFlags.Remove {
		delete(flags, name)
	}
	c.Flags, c.ForceSendFields = poolFlags(flags), append(c.ForceSendFields, "Flags")
	return c
}

// pools are the calls about connection pools.
type pools struct {
	*session.Caller
	sql *sqladmin.Service
}

// change changes the connection pool, alone: Cloud SQL takes nothing beside it. What turns the pools on takes the flags along. Should Cloud SQL refuse that,
// the pools come first, and then the flags are a change of their own, which is refused by its own name.
// https://cloud.google.com/sql/docs/mysql/mcp-overview (limitations)
// https://github.com/hashicorp/terraform-provider-google/issues/25151
func (c *pools) change(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (string, error) {
	if err := cmp.Or(notStopped(have, changes), checkPool(params, &req.Spec, have)); err != nil {
		return "", err
	}
	if have.pooled() || params.ConnectionPoolingEnabled == nil {
		return c.send(ctx, req, have, params)
	}
	params.ConnectionPoolFlags = poolFlagsRow.Delta(&req.Spec, have, req.Applied)
	operation, err := c.send(ctx, req, have, params)
	if driver.CodeOf(err) != driver.Invalid || err == nil || len(params.ConnectionPoolFlags.Names()) == 0 {
		return operation, err
	}
	return c.send(ctx, req, have, &instanceParams{ConnectionPoolingEnabled: params.ConnectionPoolingEnabled})
}

// checkPool refuses pools in an edition without them, and lets them wait for a move that the spec asks for.
func checkPool(params *instanceParams, spec *databaseParameters, have *instance) error {
	if params.ConnectionPoolingEnabled == nil || !*params.ConnectionPoolingEnabled || have.edition() != enterprise {
		return nil
	}
	if err := checkEdition(params, spec, have); err != nil {
		return err
	}
	return &driver.Error{Code: driver.Busy, Op: "instances.patch", Message: "spec." + fieldPool + ": the connection pools come once the server is in the edition Enterprise Plus"}
}

// end turns the pools off before an instance moves to Enterprise, which has none. The changes that it was to get wait for that.
func (c *pools) end(ctx context.Context, req *request, have *instance, changes []driver.Change) (string, error) {
	operation, err := c.send(ctx, req, have, &instanceParams{
		ConnectionPoolingEnabled: new(false), ConnectionPoolFlags: poolFlagsRow.Delta(&req.Spec, have, req.Applied),
	})
	if err != nil {
		return "", err
	}
	waits := &driver.Error{Code: driver.Busy, Message: "Cloud SQL turns the connection pools off, which the edition Enterprise does not have; this change is next"}
	var failed table.FieldErrors
	for _, change := range changes {
		failed = append(failed, driver.FieldError{Field: change.Field, Err: waits})
	}
	return operation, failed
}

// send makes the call.
func (c *pools) send(ctx context.Context, req *request, have *instance, params *instanceParams) (string, error) {
	body := &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		SettingsVersion: have.settings().SettingsVersion, ConnectionPoolConfig: params.poolConfig(have),
	}}
	started, err := session.Do(ctx, c.Caller, "instances.patch", func(ctx context.Context) (*sqladmin.Operation, error) {
		return c.sql.Instances.Patch(c.Project, req.Name, body).Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return started.Name, nil
}
