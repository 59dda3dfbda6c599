package sql

import "github.com/mooring-dev/mooring/providers/driver"

const sqlDocs = "https://cloud.google.com/sql/docs/"

// What changes cost the users of a server, each as the page says it. Where the page gives no time, the text says so. None of them says that a server with a
// standby restarts faster: a failover is for outages.
var (
	// A server of Enterprise is offline for less than 60 seconds while its CPUs or memory change. That there is hardly any downtime in
	// Enterprise Plus is on https://cloud.google.com/sql/docs/postgres/availability.
	tierCost = driver.Cost{
		Text:   "the server is away for less than 60 seconds; in the edition Enterprise Plus downtime is near zero, and connections break",
		Source: sqlDocs + "postgres/edit-instance",
	}
	editionCost = driver.Cost{
		Text:   "connections break; downtime is near zero on the way to Enterprise Plus, and up to 60 seconds on the way back and within Enterprise",
		Source: sqlDocs + "postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place",
	}
	dataCacheCost = driver.Cost{
		Text:   "connections break; downtime is near zero",
		Source: sqlDocs + "postgres/data-cache",
	}
	restartCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google gives no time for that",
		Source: sqlDocs + "postgres/start-stop-restart-instance",
	}
	majorCost = driver.Cost{
		Text:   "the server is away for minutes, until the upgrade is done; Google says only that it takes longer the more databases and tables there are",
		Source: sqlDocs + "postgres/upgrade-major-db-version-inplace",
	}
	minorCost = driver.Cost{
		Text:   "the server is away until it runs with the new version, and Google gives no time for that",
		Source: sqlDocs + "mysql/upgrade-minor-db-version",
	}
	zonesCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google promises no time for that",
		Source: sqlDocs + "postgres/configure-ha",
	}
	moveCost = driver.Cost{
		Text:   "the server is away until it runs in the other zone, and Google gives no time for that",
		Source: sqlDocs + "postgres/instance-settings",
	}
	recoveryCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google gives no time for that",
		Source: sqlDocs + "postgres/backup-recovery/configure-pitr",
	}
	networkCost = driver.Cost{
		Text:   "the server is away for a few minutes",
		Source: sqlDocs + "postgres/configure-private-ip",
	}
	publicAddressCost = driver.Cost{
		Text:   "clients at the public address stay out for good; the others notice nothing",
		Source: sqlDocs + "postgres/configure-ip",
	}
	insightsCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google gives no time for that",
		Source: sqlDocs + "postgres/using-query-insights",
	}
	connectorCost = driver.Cost{
		Text:   "those clients stay out until they use a connector or the Cloud SQL Auth Proxy; the others notice nothing",
		Source: sqlDocs + "postgres/language-connectors#enforce",
	}
	tlsCost = driver.Cost{
		Text:   "those clients stay out until they connect as the mode demands; the others notice nothing",
		Source: sqlDocs + "postgres/configure-ssl-instance",
	}
	strictTLSCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google gives no time for that",
		Source: sqlDocs + "mysql/configure-ssl-instance",
	}
	noTokensCost = driver.Cost{
		Text:   "those clients stay out until they log in with a password; the others notice nothing",
		Source: sqlDocs + "postgres/create-edit-iam-instances",
	}
	// The page of MySQL says that it restarts the server to turn the pools on. No page says what it takes to turn them off, or to change a flag.
	poolCost = driver.Cost{
		Text:   "the server is away while it restarts, and Google gives no time for that",
		Source: sqlDocs + "mysql/managed-connection-pooling",
	}
	poolFlagsCost = driver.Cost{
		Text:   "connections through the pools can break, and Google gives no time for that; direct connections notice nothing",
		Source: sqlDocs + "postgres/configure-mcp",
	}
	pscCost = driver.Cost{
		Text:   "clients in the networks that are taken off stay out; the others notice nothing",
		Source: sqlDocs + "postgres/about-private-service-connect",
	}
	attachmentCost = driver.Cost{
		Text:   "Google does not say what it takes: count on a restart of the server",
		Source: sqlDocs + "postgres/admin-api/rest/v1/instances#PscConfig",
	}
	stopCost = driver.Cost{
		Text:   "nobody can connect before it runs again",
		Source: sqlDocs + "postgres/start-stop-restart-instance",
	}
)
