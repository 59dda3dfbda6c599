package rds

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
)

const userGuide = "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/"

// What changes cost the users of a server, each as the page says it. Where the page gives no time, the text says so.
var (
	// "Failovers typically complete within 60–120 seconds"; operations that scale compute "generally take only a few minutes from start to finish"
	// (USER_UpgradeDBInstance.Maintenance.html).
	classCost = driver.Cost{
		Text:      "the server is away for a few minutes, until it runs on another host and has recovered",
		MultiZone: "the server is away for a failover, usually 60 to 120 seconds",
		Source:    "https://repost.aws/knowledge-center/rds-performance-impact",
	}
	// "The primary and standby DB instances are upgraded at the same time and you will experience an outage until the upgrade is complete".
	upgradeCost = driver.Cost{
		Text:   "the server and its standby are away for minutes, until the upgrade is done; AWS says only that it takes longer the larger the server is",
		Source: userGuide + "USER_UpgradeDBInstance.MySQL.html",
	}
	certificateCost = driver.Cost{
		Text:   "the server is away while it restarts, and AWS gives no time for that",
		Source: userGuide + "UsingWithRDS.SSL-certificate-rotation.html",
	}
	// "The time required to reboot depends on the crash recovery process." A restart here is no failover (ForceFailover), so a standby makes no difference.
	restartCost = driver.Cost{
		Text:   "the server is away for a moment while it restarts, longer if it has much to recover",
		Source: userGuide + "USER_RebootInstance.html",
	}
	// "Enabling and disabling backups can result in a brief I/O suspension that lasts from a few seconds to a few minutes, depending on the size and class
	// of your DB instance".
	backupsCost = driver.Cost{
		Text:   "the server is away for a few seconds to a few minutes, by its size and class",
		Source: "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html",
	}
	storageTypeCost = driver.Cost{
		Text:      "the server may be away for a few minutes when the conversion starts",
		MultiZone: "the server is away for a failover, usually less than two minutes, when the conversion starts",
		Source:    userGuide + "USER_PIOPS.ModifyingExisting.html",
	}
	logVolumeCost = driver.Cost{
		Text:   "the server is away until the logs are copied: longer, the more there are; AWS gives no time",
		Source: userGuide + "USER_PIOPS.dlv.html",
	}
	// A server moves to another VPC in one zone only.
	moveCost = driver.Cost{
		Text:   "the server is away for minutes while it moves; AWS gives no time",
		Source: userGuide + "USER_VPC.VPC2VPC.html",
	}
	// "Failover times are typically 60–120 seconds".
	failoverCost = driver.Cost{
		Text:   "the server is away for one or two minutes",
		Source: userGuide + "Concepts.MultiAZ.Failover.html",
	}
	// "Possible downtime", and no time.
	addressesCost = driver.Cost{
		Text:   "connections may break for a moment; AWS gives no time",
		Source: userGuide + "USER_VPC.WorkingWithRDSInstanceinaVPC.html",
	}
	noTokensCost = driver.Cost{
		Text:   "those clients stay out until they log in with a password; the others notice nothing",
		Source: userGuide + "UsingWithRDS.IAMDBAuth.Enabling.html",
	}
	tlsCost = driver.Cost{
		Text:   "those clients stay out until they use TLS; the others notice nothing",
		Source: userGuide + "PostgreSQL.Concepts.General.SSL.Requiring.html",
	}
	removedGroupCost = driver.Cost{
		Text:   "those clients stay out for good; the others notice nothing",
		Source: "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html",
	}
	stopCost = driver.Cost{
		Text:   "nobody can connect before it runs again, and RDS starts it after 7 days at the latest",
		Source: userGuide + "USER_StopInstance.html",
	}
)

// InTwoZones implements table.Zoned.
func (i *instance) InTwoZones() bool { return aws.ToBool(i.MultiAZ) }
