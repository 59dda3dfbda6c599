package sql

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlPoolFlags are options of connection pools: numbers, and those with values of their own. MySQL has a pool of threads, and one option.
// https://cloud.google.com/sql/docs/postgres/managed-connection-pooling https://cloud.google.com/sql/docs/mysql/managed-connection-pooling
var sqlPoolFlags = map[string]map[string][]string{
	"POSTGRES": {
		"pool_mode": {"transaction", "session"}, "max_pool_size": nil, "min_pool_size": nil, "max_client_connections": nil, "client_connection_idle_timeout": nil,
		"server_connection_idle_timeout": nil, "query_wait_timeout": nil, "max_prepared_statements": nil,
	},
	"MYSQL": {"max_pool_size": nil},
}

func poolOf(in *sqladmin.DatabaseInstance) *sqladmin.ConnectionPoolConfig {
	if c := in.Settings.ConnectionPoolConfig; c != nil {
		return c
	}
	return &sqladmin.ConnectionPoolConfig{}
}

// settlePool counts the poolers: one for every 4 vCPUs, which here are one. No recording shows a connection pool, nor what a server says of one that is off: here
// it says what it was told, flags too, and nothing if nobody told it anything.
// https://cloud.google.com/sql/docs/postgres/managed-connection-pooling
func settlePool(c *change) {
	settings := c.settings
	pool, ok := settings["connectionPoolConfig"].(google.Object)
	if !ok {
		return
	}
	delete(pool, "poolerCount")
	google.Defaults(pool, google.Object{"connectionPoolingEnabled": false})
	if pool["connectionPoolingEnabled"] == true {
		pool["poolerCount"] = 1
	}
	if google.Empty(pool["flags"]) {
		delete(pool, "flags")
	}
}

// validPool refuses connection pools outside of Enterprise Plus, and flags that there are not. No recording shows the refusals. The words of the first are those
// that people report: https://github.com/GoogleCloudPlatform/magic-modules/pull/15107.
func validPool(in, _ *sqladmin.DatabaseInstance) error {
	c := poolOf(in)
	if c.ConnectionPoolingEnabled && in.Settings.Edition != "ENTERPRISE_PLUS" {
		return sqlInvalid("Connection pool is only supported for Enterprise Plus edition.")
	}
	for _, f := range c.Flags {
		values, known := sqlPoolFlags[sqlFamily(in.DatabaseVersion)][f.Name]
		number, err := strconv.Atoi(f.Value)
		switch {
		case !known:
			return sqlInvalid("Invalid connection pool flag: " + f.Name)
		case values != nil && !slices.Contains(values, f.Value), values == nil && (err != nil || number < 0):
			return sqlInvalid(fmt.Sprintf("Invalid value of the connection pool flag %s: %q", f.Name, f.Value))
		}
	}
	return nil
}

// validPoolPatch holds a patch to what Cloud SQL takes of connection pools: nothing beside them, and flags of pools alone that are on before or after. No recording
// shows the refusals, nor their words.
// https://cloud.google.com/sql/docs/mysql/mcp-overview (limitations) https://cloud.google.com/sql/docs/mysql/configure-mcp
// https://github.com/hashicorp/terraform-provider-google/issues/25151
func validPoolPatch(asked google.Object, before, after *sqladmin.DatabaseInstance) error {
	settings, _ := asked["settings"].(google.Object)
	if settings["connectionPoolConfig"] == nil {
		return nil
	}
	for name := range maps.Keys(settings) {
		if name != "connectionPoolConfig" && name != "settingsVersion" && name != "kind" {
			return sqlInvalid("Connection pool config can't be updated together with other settings: " + name)
		}
	}
	if was, is := poolOf(before), poolOf(after); !was.ConnectionPoolingEnabled && !is.ConnectionPoolingEnabled && !slices.EqualFunc(was.Flags, is.Flags,
		func(a, b *sqladmin.ConnectionPoolFlags) bool { return a.Name == b.Name && a.Value == b.Value }) {
		return sqlInvalid("Connection pool flags can be updated only if connection pooling is enabled.")
	}
	return nil
}
