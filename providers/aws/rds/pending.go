package rds

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// restarting are the values that may wait, restart the server when RDS applies them, and are no field of a Database.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html
var restarting = []string{"DBInstanceIdentifier", "ProcessorFeatures"}

// disruptiveWaits returns the changes that wait in PendingModifiedValues and disturb the server's users when RDS applies them.
func disruptiveWaits(have *instance) []driver.Change {
	asked := have.PendingModifiedValues
	if asked == nil {
		return nil
	}
	present := *have
	present.PendingModifiedValues = nil
	wanted := databaseSpec{Version: asked.EngineVersion, IAMAuthentication: asked.IAMDatabaseAuthenticationEnabled, Backup: &v1alpha1.DatabaseBackup{RetentionDays: asked.BackupRetentionPeriod}, AWS: &v1alpha1.DatabaseAWS{
		InstanceClass: asked.DBInstanceClass, CACertificateIdentifier: asked.CACertificateIdentifier, StorageType: asked.StorageType, DBSubnetGroupName: asked.DBSubnetGroupName,
		DedicatedLogVolume: asked.DedicatedLogVolume, Port: asked.Port,
	}}
	waits := slices.DeleteFunc(rows.Diff(&wanted, &present, nil, nil), func(c driver.Change) bool { return !c.Effect.Disruptive() })
	for _, name := range restarting {
		if !reflect.ValueOf(*asked).FieldByName(name).IsZero() {
			waits = append(waits, driver.Change{Field: name, Effect: driver.Restarts, Why: restartCost.Text})
		}
	}
	return waits
}

// withWaits gives each change that ModifyDBInstance makes the effect of what waits for RDS's own maintenance window: the call has
// ApplyImmediately, and applies that too. The changes that take back what waits are sent before all others, and leave nothing of it to apply.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.ApplyImmediately.html
func withWaits(have *instance, changes []driver.Change) []driver.Change {
	waits := disruptiveWaits(have)
	if len(waits) == 0 {
		return changes
	}
	waiting := driver.Names(waits)
	var takenBack []string
	for _, c := range changes {
		if c.Effect == driver.Online && slices.Contains(waiting, c.Field) {
			takenBack = append(takenBack, c.Field)
		}
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		beside := slices.DeleteFunc(slices.Clone(waits), func(w driver.Change) bool {
			return w.Field == c.Field || slices.Contains(takenBack, c.Field) && slices.Contains(takenBack, w.Field)
		})
		ownCall := c.Field == "tags" || c.Field == driver.FieldPowerState || ofGroup(c.Field) && have.inOwnGroup() && c.Effect != driver.Restarts
		if !ownCall && len(beside) > 0 {
			changes[i] = raised(c, beside)
		}
	}
	return changes
}

// raised returns a change with the effect of what RDS applies with it, if that is worse.
func raised(c driver.Change, beside []driver.Change) driver.Change {
	worst := slices.MaxFunc(beside, func(a, b driver.Change) int { return a.Effect.Compare(b.Effect) })
	if c.Effect.Compare(worst.Effect) >= 0 {
		return c
	}
	verb := "waits"
	if len(beside) > 1 {
		verb = "wait"
	}
	why := fmt.Sprintf("RDS also applies %s, which %s for its own maintenance window", strings.Join(driver.Names(beside), " and "), verb)
	if worst.Why != "" {
		why += ": " + worst.Why
	}
	if c.Why != "" {
		why = c.Why + "; " + why
	}
	c.Effect, c.Why = worst.Effect, why
	return c
}

// onlyPassword reports whether nothing but a password is to be sent, or who manages it. RDS does that as soon as it can, also without ApplyImmediately.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (MasterUserPassword)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Manage master credentials in AWS Secrets Manager)
func onlyPassword(params *instanceParams) bool {
	others := *params
	others.MasterUserPassword, others.ManageMasterUserPassword = nil, nil
	return (params.MasterUserPassword != nil || params.ManageMasterUserPassword != nil) && reflect.ValueOf(others).IsZero()
}
