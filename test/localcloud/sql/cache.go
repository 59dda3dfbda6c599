package sql

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleDataCache switches the data cache on where Enterprise Plus begins and nothing is said of it. No recording shows a data cache, nor what
// an instance of Enterprise says of one: the recordings of Enterprise have no such member, so one that says that there is none goes.
// https://cloud.google.com/sql/docs/mysql/data-cache
func settleDataCache(c *change) {
	settings := c.settings
	if settings["edition"] == "ENTERPRISE_PLUS" {
		google.Defaults(google.Member(settings, "dataCacheConfig"), google.Object{"dataCacheEnabled": true})
		return
	}
	if cache, ok := settings["dataCacheConfig"].(google.Object); ok && cache["dataCacheEnabled"] != true {
		delete(settings, "dataCacheConfig")
	}
}

// validDataCache refuses a data cache in the other edition. No recording shows that, nor its words.
// https://cloud.google.com/sql/docs/postgres/data-cache
func validDataCache(in, _ *sqladmin.DatabaseInstance) error {
	if c := in.Settings.DataCacheConfig; c != nil && c.DataCacheEnabled && in.Settings.Edition != "ENTERPRISE_PLUS" {
		return sqlInvalid("Data cache is only supported for ENTERPRISE_PLUS edition instances.")
	}
	return nil
}
