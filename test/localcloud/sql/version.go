package sql

import (
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"
)

// sqlVersions are the database versions on offer, in the order in which one can be upgraded to another.
var sqlVersions = map[string][]string{
	"POSTGRES": {"POSTGRES_9_6", "POSTGRES_10", "POSTGRES_11", "POSTGRES_12", "POSTGRES_13", "POSTGRES_14", "POSTGRES_15", "POSTGRES_16", "POSTGRES_17", "POSTGRES_18"},
	"MYSQL":    {"MYSQL_5_7", "MYSQL_8_0", "MYSQL_8_4"},
}

// sqlPlusByDefault are the versions that get ENTERPRISE_PLUS unless an edition is asked for.
var sqlPlusByDefault = []string{"POSTGRES_16", "POSTGRES_17", "POSTGRES_18", "MYSQL_8_4"}

// sqlNeverPlus are the versions that are too old for ENTERPRISE_PLUS.
var sqlNeverPlus = []string{"POSTGRES_9_6", "POSTGRES_10", "POSTGRES_11", "MYSQL_5_7"}

func sqlFamily(version string) string {
	family, _, _ := strings.Cut(version, "_")
	return family
}

// settleVersion chooses a version where a request names none.
func settleVersion(c *change) {
	if version, _ := c.resource["databaseVersion"].(string); version == "" {
		c.resource["databaseVersion"] = "MYSQL_8_0"
	}
}

// validVersion refuses a version that is not on offer, and a way back.
func validVersion(now, old *sqladmin.DatabaseInstance) error {
	if !slices.Contains(sqlVersions[sqlFamily(now.DatabaseVersion)], now.DatabaseVersion) {
		return sqlInvalid("Invalid value for database version: " + now.DatabaseVersion)
	}
	if old == nil {
		return nil
	}
	if all := sqlVersions[sqlFamily(old.DatabaseVersion)]; slices.Index(all, now.DatabaseVersion) < slices.Index(all, old.DatabaseVersion) {
		return sqlInvalid("Can't upgrade from " + old.DatabaseVersion + " to " + now.DatabaseVersion + ".")
	}
	return nil
}

// settleEdition chooses the edition by the version.
func settleEdition(c *change) {
	if c.settings["edition"] != nil {
		return
	}
	c.settings["edition"] = "ENTERPRISE"
	if slices.Contains(sqlPlusByDefault, c.version()) {
		c.settings["edition"] = "ENTERPRISE_PLUS"
	}
}
