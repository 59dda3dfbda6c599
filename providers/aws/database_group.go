package aws

import "github.com/mooring-dev/mooring/providers/driver"

// databaseLacks are what databases have in other clouds and not in RDS.
var databaseLacks = []driver.Lack{
	{
		Field: "tls", Why: "RDS has a parameter for it (rds.force_ssl, require_secure_transport), and Mooring does not manage DB parameter groups yet",
		Instead: "remove spec.tls, and change the DB parameter group of the instance in RDS",
	},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.RDSSecurityGroups.html
	{
		Field: "network.allowedCIDRs", Match: `^\[.+\]$`, Values: "a list with entries", Why: "RDS has no list of networks: the rules of security groups say who can connect",
		Instead: "set spec.aws.vpcSecurityGroupIDs to security groups that let these networks in, and remove it",
	},
	{Field: "parameters", Why: "Mooring does not manage DB parameter groups yet", Instead: "remove spec.parameters, and change the DB parameter group of the instance in RDS"},
}
