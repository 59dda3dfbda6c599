package rds

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestBackupWindow(t *testing.T) {
	for start, want := range map[string]string{"03:00": "03:00-03:30", "00:00": "00:00-00:30", "23:30": "23:30-00:00", "23:59": "23:59-00:29"} {
		if got := backupWindow(start); got != want || *windowStart(&got) != start {
			t.Errorf("from %s: %s, want %s", start, got, want)
		}
	}
	if got := windowStart(new("03:00-08:00")); *got != "03:00" {
		t.Errorf("a longer window begins at %s", *got)
	}
	for _, window := range []*string{nil, new(""), new("string"), new("3-4"), new("soon-later")} {
		if got := windowStart(window); got != nil {
			t.Errorf("%v begins at %s", window, *got)
		}
	}
}

// The words of RDS stay, and before them stands what to do. The refusals are from issues of others:
// https://github.com/hashicorp/terraform-provider-aws/issues/49828, https://github.com/crossplane-contrib/provider-aws/issues/1356
func TestRefusedBackups(t *testing.T) {
	const (
		overlap = "The backup window and maintenance window must not overlap."
		plan    = "Your RDS instance db is associated with an AWS Backup resource with id arn:aws:backup:eu-north-1:111111111111:recovery-point:continuous:db-1."
		other   = "Cannot upgrade postgres from 16.4 to 15.2"
	)
	have := &instance{DBInstance: types.DBInstance{PreferredMaintenanceWindow: new("sun:05:10-sun:05:40"), PreferredBackupWindow: new("01:00-01:30")}}
	for text, want := range map[string][]string{
		overlap: {"set spec.backup.startTime", overlap, "sun:05:10-sun:05:40"}, plan: {"remove spec.backup", plan}, other: {other},
	} {
		err := explainBackup(&driver.Error{Code: driver.Invalid, Message: text}, have)
		at := 0
		for _, part := range want {
			i := strings.Index(err.Error()[at:], part)
			if i < 0 {
				t.Fatalf("%q lacks %q", err, part)
			}
			at += i
		}
		if text == other && err.Error() != (&driver.Error{Code: driver.Invalid, Message: other}).Error() {
			t.Errorf("another refusal has become %q", err)
		}
		if driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%q has the code %v", err, driver.CodeOf(err))
		}
	}
	if err := explainBackup(nil, have); err != nil {
		t.Errorf("no error has become %v", err)
	}
}
