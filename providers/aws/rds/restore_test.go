package rds

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What RDS would refuse in words that do not help, and what would be less safe than a new instance, is refused before the call.
func TestSourceOfARestoreIsRefused(t *testing.T) {
	const key, another = "arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666", "0b3c1a5e-7777-2222-3333-444455556666"
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	fit := func() *instance {
		return &instance{DBInstance: types.DBInstance{
			DbiResourceId: new("db-1"), BackupRetentionPeriod: new(int32(7)), StorageEncrypted: new(true), KmsKeyId: new(key), LatestRestorableTime: new(now.Add(-4 * time.Minute)),
		}}
	}
	for _, tt := range []struct {
		name string
		of   func(*instance)
		key  string
		time time.Time
		code driver.Code
		says string // empty: it is not refused
	}{
		{name: "the latest time"},
		{name: "an earlier time", time: now.Add(-time.Hour)},
		{name: "its key", key: key},
		{name: "its key by its id", key: key[strings.LastIndexByte(key, '/')+1:]},
		{name: "an alias, of which nobody knows the key", key: "alias/shop", code: driver.Invalid, says: "set spec.encryption.key to " + key},
		{name: "the ARN of an alias", key: "arn:aws:kms:eu-central-1:111111111111:alias/shop", code: driver.Invalid, says: "only AWS KMS knows"},
		{name: "no backups", of: func(i *instance) { i.BackupRetentionPeriod = new(int32(0)) }, code: driver.Invalid, says: "set spec.backup.retentionDays"},
		{name: "not encrypted", of: func(i *instance) { i.StorageEncrypted = new(false) }, code: driver.Invalid, says: "copy a snapshot of it with a key"},
		{name: "another key", key: another, code: driver.Invalid, says: "remove spec.encryption"},
		{name: "a time that RDS can't restore yet", time: now.Add(-time.Minute), code: driver.Busy, says: "Mooring tries again"},
		{name: "a time to come", time: now.Add(time.Minute), code: driver.Invalid, says: "still to come"},
		{name: "a past time, and nothing says the latest", time: now.Add(-time.Minute), of: func(i *instance) { i.LatestRestorableTime = nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := fit()
			if tt.of != nil {
				tt.of(of)
			}
			req := &request{}
			req.Restore = &driver.Restore{Source: driver.ParentRef{Name: "shop-orders", ID: "db-1"}, Time: tt.time}
			if tt.key != "" {
				req.Spec.Encryption = &v1alpha1.Encryption{Key: &tt.key}
			}
			refused(t, sourceRefusal(req, of, now), tt.code, tt.says)
		})
	}
	for _, tt := range []struct {
		name, key string
		snapshot  *types.DBSnapshot
		code      driver.Code
		says      string
	}{
		{name: "the key of the snapshot", key: key, snapshot: &types.DBSnapshot{Encrypted: new(true), KmsKeyId: new(key)}},
		{name: "another key than the snapshot's", key: another, snapshot: &types.DBSnapshot{Encrypted: new(true), KmsKeyId: new(key)}, code: driver.Invalid, says: "copy the snapshot with that key"},
		{name: "an alias, of which nobody knows the key", key: "alias/shop", snapshot: &types.DBSnapshot{Encrypted: new(true), KmsKeyId: new(key)}, code: driver.Invalid, says: "set spec.encryption.key to " + key},
		{name: "a key, and a snapshot without", key: "alias/shop", snapshot: &types.DBSnapshot{Encrypted: new(false)}, code: driver.Invalid, says: "not encrypted"},
		{name: "no snapshot", key: key, code: driver.NotFound, says: "correct spec.restoreFrom"},
	} {
		t.Run(tt.name, func(t *testing.T) { refused(t, keyRefusal(tt.key, "nightly", tt.snapshot), tt.code, tt.says) })
	}
}

// refused checks that an error is of a code and says something; none is wanted if it is to say nothing.
func refused(t *testing.T, err error, code driver.Code, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("refused: %v", err)
	case says != "" && (err == nil || driver.CodeOf(err) != code || !strings.Contains(err.Error(), says)):
		t.Errorf("got %v (%v), want %v: %q", err, driver.CodeOf(err), code, says)
	}
}
