package rds

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Only the version is changed by another server. What else costs as much as an upgrade in place does so in any case.
func TestCostOfAnUpgradeByAnotherServer(t *testing.T) {
	changes := []driver.Change{
		{Field: "version", Effect: driver.Irreversible, Why: "it can't be undone; " + upgradeCost.Text}, {Field: "maintenance.minorUpgrades", Effect: driver.Restarts, Why: upgradeCost.Text},
	}
	for i, c := range costBeside(true, changes) {
		if beside := i == 0; strings.Contains(c.Why, besideCost) != beside || strings.Contains(c.Why, upgradeCost.Text) == beside {
			t.Errorf("%s: %q", c.Field, c.Why)
		}
	}
	if got := costBeside(false, changes)[0].Why; !strings.Contains(got, upgradeCost.Text) {
		t.Errorf("in place: %q", got)
	}
}
