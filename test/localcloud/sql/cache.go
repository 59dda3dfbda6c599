package sql

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleDataCache switches the data cache on where Enterprise Plus begins and nothing is said of it. No recording shows a data cache, nor what
// an instance of Enterprise says of one: the recordings of Enterprise have no such member, so one that says that there is none goes.
// https://cloud.google.com/sql/docs/mysql/data-cache
func settleDataCache(settings google.Object) {
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
func validDataCache(in *sqladmin.DatabaseInstance) error {
	if c := in.Settings.DataCacheConfig; c != nil && c.DataCacheEnabled && in.Settings.Edition != "ENTERPRISE_PLUS" {
		return sqlInvalid("Data cache is only supported for ENTERPRISE_PLUS edition instances.")
	}
	return nil
}

// dataCacheRestarts reports whether a change of the data cache takes the server down, which it does for a moment.
func dataCacheRestarts(old, now *sqladmin.DatabaseInstance) bool {
	on := func(in *sqladmin.DatabaseInstance) bool {
		return in.Settings.DataCacheConfig != nil && in.Settings.DataCacheConfig.DataCacheEnabled
	}
	return on(old) != on(now)
}
