package aws

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

var minorUpgradesRow = table.Field("maintenance.minorUpgrades",
	func(s *databaseSpec) *v1alpha1.MinorUpgrades {
		if s.Maintenance == nil {
			return nil
		}
		return s.Maintenance.MinorUpgrades
	},
	func(i *types.DBInstance) *v1alpha1.MinorUpgrades {
		switch {
		case i.AutoMinorVersionUpgrade == nil:
			return nil
		case *i.AutoMinorVersionUpgrade:
			return new(v1alpha1.MinorUpgradesAutomatic)
		}
		return new(v1alpha1.MinorUpgradesManual)
	},
	func(p *instanceParams, v v1alpha1.MinorUpgrades) {
		p.AutoMinorVersionUpgrade = aws.Bool(v == v1alpha1.MinorUpgradesAutomatic)
	},
).EffectOf(minorUpgradesEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes Manual"},
	driver.PossibleEffect{Effect: driver.Restarts, When: "it becomes Automatic: " + minorUpgradeRestarts})

const minorUpgradeRestarts = "if there is a newer minor version, RDS upgrades the server in its maintenance window and restarts it"

// minorUpgradesEffect: to allow upgrades leads to one if a newer minor version is there, and that is not known here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (AutoMinorVersionUpgrade)
func minorUpgradesEffect(_ *v1alpha1.MinorUpgrades, to v1alpha1.MinorUpgrades, _ *types.DBInstance) (driver.Effect, string) {
	if to == v1alpha1.MinorUpgradesAutomatic {
		return driver.Restarts, minorUpgradeRestarts
	}
	return driver.Online, ""
}
