package aws

import "github.com/mooring-dev/mooring/providers/driver"

// databaseLacks are what databases have in other clouds and not in RDS.
var databaseLacks = []driver.Lack{
	{Field: "parameters", Why: "Mooring does not manage DB parameter groups yet", Instead: "remove spec.parameters, and change the DB parameter group of the instance in RDS"},
}
