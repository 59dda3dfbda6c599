package rds

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of what was deleted nothing is made that RDS would refuse in words that do not help, or that would be less safe than a new instance.
func TestRestoreOfTheDeletedIsRefused(t *testing.T) {
	const key, another = "arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666", "0b3c1a5e-7777-2222-3333-444455556666"
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		change func(*types.DBInstanceAutomatedBackup)
		none   bool
		key    string
		time   time.Time
		code   driver.Code
		says   string // empty: it is not refused
	}{
		{name: "the latest time"},
		{name: "a time", time: at.Add(-time.Minute)},
		{name: "the first time", time: at.Add(-time.Hour)},
		{name: "the last time", time: at},
		{name: "its key", key: key},
		{name: "there are none", none: true, code: driver.NotFound, says: "no retained backups of it"},
		{name: "of another instance", change: func(b *types.DBInstanceAutomatedBackup) { b.DbiResourceId = new("db-2") }, code: driver.NotFound, says: "no instance shop-orders"},
		{name: "of another name", change: func(b *types.DBInstanceAutomatedBackup) { b.DBInstanceIdentifier = new("others") }, code: driver.NotFound, says: "no instance shop-orders"},
		{name: "of an instance that is there", change: func(b *types.DBInstanceAutomatedBackup) { b.Status = new("active") }, code: driver.NotFound, says: "no retained backups"},
		{name: "never complete", change: func(b *types.DBInstanceAutomatedBackup) { b.RestoreWindow = nil }, code: driver.NotFound, says: "no retained backups"},
		{name: "not encrypted", change: func(b *types.DBInstanceAutomatedBackup) { b.Encrypted = new(false) }, code: driver.Invalid, says: "copy a snapshot of it with a key"},
		{name: "an alias, of which nobody knows the key", key: "alias/shop", code: driver.Invalid, says: "set spec.encryption.key to " + key},
		{name: "another key", key: another, code: driver.Invalid, says: "remove spec.encryption"},
		{name: "too early", time: at.Add(-2 * time.Hour), code: driver.Invalid, says: "from 2026-11-27T11:00:00Z to 2026-11-27T12:00:00Z"},
		{name: "too late", time: at.Add(time.Second), code: driver.Invalid, says: "from 2026-11-27T11:00:00Z to 2026-11-27T12:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := types.DBInstanceAutomatedBackup{
				DbiResourceId: new("db-1"), DBInstanceIdentifier: new("shop-orders"), Status: new("retained"), Encrypted: new(true), KmsKeyId: new(key),
				RestoreWindow: &types.RestoreWindow{EarliestTime: new(at.Add(-time.Hour)), LatestTime: &at},
			}
			if tt.change != nil {
				tt.change(&b)
			}
			all := []types.DBInstanceAutomatedBackup{b}
			if tt.none {
				all = nil
			}
			req := &request{}
			req.Restore = &driver.Restore{Source: driver.ParentRef{Name: "shop-orders", ID: "db-1"}, Time: tt.time}
			if tt.key != "" {
				req.Spec.Encryption = &v1alpha1.Encryption{Key: &tt.key}
			}
			refused(t, deletedRefusal(req, all), tt.code, tt.says)
		})
	}
}
