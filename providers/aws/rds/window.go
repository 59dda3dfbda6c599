package rds

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
)

// shortestWindow is how long a window is at least, and how long those are that the driver asks for.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (PreferredBackupWindow, PreferredMaintenanceWindow)
const shortestWindow = 30 * time.Minute

const clockLayout = "15:04"

// backupWindow returns the shortest window for backups that begins at a time. The API has checked the time. A window may end on the
// next day.
func backupWindow(start string) string {
	at, _ := time.Parse(clockLayout, start)
	return start + "-" + at.Add(shortestWindow).Format(clockLayout)
}

// windowStart returns when a window for backups begins; nil if it is none.
func windowStart(window *string) *string {
	start, _, ok := strings.Cut(aws.ToString(window), "-")
	if _, err := time.Parse(clockLayout, start); !ok || err != nil {
		return nil
	}
	return &start
}

// explainBackup adds what to do to a refusal of when and how long to keep backups.
func explainBackup(err error, have *instance) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	explained := *e
	switch {
	case strings.Contains(e.Message, "backup window and maintenance window must not overlap"):
		if have.PreferredMaintenanceWindow != nil {
			explained.Message += fmt.Sprintf(" (the maintenance window is %s, the backup window %s)", *have.PreferredMaintenanceWindow, aws.ToString(have.PreferredBackupWindow))
		}
		explained.Message = "set spec.backup.startTime or spec.maintenance.window to another time: " + explained.Message
	case strings.Contains(e.Message, "AWS Backup"): // https://docs.aws.amazon.com/aws-backup/latest/devguide/point-in-time-recovery.html
		explained.Message = "AWS Backup decides when backups are taken and how long they are kept: remove spec.backup, or take the instance out of its backup plan: " + e.Message
	default:
		return err
	}
	return &explained
}
