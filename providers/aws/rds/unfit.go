package rds

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
)

// unfit is the status of an instance whose server does not start with the parameters of its group. RDS only restarts or deletes it: what the group sets has to
// be corrected first.
// https://aws.amazon.com/premiumsupport/knowledge-center/aurora-mysql-incompatible-parameter/
const unfit = "incompatible-parameters"

const whyUnfit = "the server does not run, so that a restart disturbs nobody"

func isUnfit(have *instance) bool { return aws.ToString(have.DBInstanceStatus) == unfit }

// whileUnfit leaves of the changes of an instance that is unfit those that RDS makes: of what its own group sets, the restart for its group, and of tags.
// Nobody is asked for these, since no server is interrupted by them.
func whileUnfit(have *instance, changes []driver.Change) []driver.Change {
	if !isUnfit(have) {
		return changes
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool {
		return c.Field != "tags" && !isRestart(c) && (!ofGroup(c.Field) || !have.inOwnGroup())
	})
	for i, c := range changes {
		if c.Effect.Disruptive() {
			changes[i].Effect, changes[i].Why = driver.Online, whyUnfit
		}
	}
	return changes
}
