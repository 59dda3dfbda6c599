package gcp

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// databaseLacks are what databases have in other clouds and not in Cloud SQL.
var databaseLacks = []driver.Lack{
	// https://cloud.google.com/sql/docs/postgres/maintenance
	{
		Field: "maintenance.minorUpgrades", Match: "^Manual$", Values: "Manual",
		Why: "Cloud SQL always upgrades minor versions in its maintenance", Instead: "set spec.maintenance.minorUpgrades to Automatic, or remove it",
	},
}
