package rds

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What RDS would refuse of a source in words that do not help is refused before the call, with the field to change.
func TestPrimaryOfAReplicaIsRefused(t *testing.T) {
	const key = "arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666"
	for _, tt := range []struct {
		name   string
		of     func(*instance)
		none   bool
		engine *v1alpha1.Engine
		key    string
		far    bool
		code   driver.Code
		says   string // empty: it is not refused
	}{
		{name: "a server that can"},
		{name: "its engine", engine: new(v1alpha1.EnginePostgres)},
		{name: "there is none", none: true, code: driver.NotFound, says: "correct spec.replica.primaryRef"},
		{name: "another one of its name", of: func(i *instance) { i.DbiResourceId = new("db-2") }, code: driver.NotFound, says: "no instance shop-orders"},
		{name: "another engine", engine: new(v1alpha1.EngineMySQL), code: driver.Invalid, says: "set spec.engine to postgres"},
		{name: "no backups", of: func(i *instance) { i.BackupRetentionPeriod = new(int32(0)) }, code: driver.Invalid, says: "set spec.backup.retentionDays of its Database"},
		{name: "a replica without backups", of: func(i *instance) {
			i.ReadReplicaSourceDBInstanceIdentifier, i.BackupRetentionPeriod = new("first"), nil
		}, code: driver.Invalid, says: "set spec.backup.retentionDays of its Database"},
		{name: "a password that RDS manages", of: func(i *instance) { i.MasterUserSecret = &types.MasterUserSecret{} }, code: driver.Invalid, says: "credentials.source CloudManaged"},
		{name: "not encrypted", of: func(i *instance) { i.StorageEncrypted = new(false) }, code: driver.Invalid, says: "not encrypted"},
		{name: "its key", key: key},
		{name: "another key", key: strings.Replace(key, "1111-2222", "7777-2222", 1), code: driver.Invalid, says: "remove spec.encryption"},
		{name: "an alias, of which nobody knows the key", key: "alias/shop", code: driver.Invalid, says: "set spec.encryption.key to " + key},
		{name: "an alias in another region, where the replica gets its key", key: "alias/shop", far: true},
		{name: "stopped", of: func(i *instance) { i.DBInstanceStatus = new("stopped") }, code: driver.Busy, says: "set spec.powerState of its Database to Running"},
		{name: "at work, which RDS says itself", of: func(i *instance) { i.DBInstanceStatus = new("modifying") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := &instance{DBInstance: types.DBInstance{
				DbiResourceId: new("db-1"), Engine: new("postgres"), BackupRetentionPeriod: new(int32(7)), StorageEncrypted: new(true), KmsKeyId: new(key), DBInstanceStatus: new("available"),
			}}
			if tt.of != nil {
				tt.of(of)
			}
			if tt.none {
				of = nil
			}
			req := &request{Spec: databaseSpec{Engine: tt.engine}}
			req.Restore = &driver.Restore{Follows: true, Source: driver.ParentRef{Name: "shop-orders", ID: "db-1"}}
			if tt.key != "" {
				req.Spec.Encryption = &v1alpha1.Encryption{Key: &tt.key}
			}
			if tt.far {
				req.Restore.SourceLocation = "eu-west-1"
			}
			refused(t, primaryRefusal(req, of), tt.code, tt.says)
		})
	}
}

func TestFollowing(t *testing.T) {
	const arn = "arn:aws:rds:eu-central-1:111111111111:db:reports"
	status := func(normal bool, text, message string) []types.DBInstanceStatusInfo {
		return []types.DBInstanceStatusInfo{{StatusType: new("read replication"), Status: &text, Normal: &normal, Message: &message}}
	}
	for name, tt := range map[string]struct {
		is   types.DBInstance
		want *driver.Following
	}{
		"none":                      {types.DBInstance{}, nil},
		"in its region":             {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("orders")}, &driver.Following{Primary: "orders"}},
		"in its region, by its ARN": {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("arn:aws:rds:eu-central-1:111111111111:db:orders")}, &driver.Following{Primary: "orders"}},
		"in another region": {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("arn:aws-cn:rds:cn-north-1:111111111111:db:orders")},
			&driver.Following{Primary: "orders", Location: "cn-north-1"}},
		"a cluster": {types.DBInstance{ReadReplicaSourceDBClusterIdentifier: new("arn:aws:rds:eu-central-1:111111111111:cluster:orders")}, &driver.Following{Primary: "orders"}},
		"as it should": {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("orders"), StatusInfos: status(true, "replicating", "")},
			&driver.Following{Primary: "orders"}},
		"no longer": {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("orders"), StatusInfos: status(false, "terminated", "the source was deleted")},
			&driver.Following{Primary: "orders", Problem: "terminated: the source was deleted"}},
		"and nobody says why not": {types.DBInstance{ReadReplicaSourceDBInstanceIdentifier: new("orders"), StatusInfos: status(false, "stopped", "")},
			&driver.Following{Primary: "orders", Problem: "stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.is.DBInstanceArn = new(arn)
			if diff := cmp.Diff(tt.want, following(&instance{DBInstance: tt.is})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	all := followers(&instance{DBInstance: types.DBInstance{ReadReplicaDBInstanceIdentifiers: []string{"second", arn, "first"}}})
	if diff := cmp.Diff([]string{arn, "first", "second"}, all); diff != "" {
		t.Errorf("followers (-want +got):\n%s", diff)
	}
}

// What RDS does not let a replica have as the spec says is no difference while it follows another server; all else is, and everything is afterwards.
func TestWithheldOfReplica(t *testing.T) {
	for _, tt := range []struct {
		engine, version string
		field, to       string
		want            bool
	}{
		{"postgres", "16.4", "databaseName", "shop", true},
		{"postgres", "16.4", driver.FieldUsername, "boss", true},
		{"postgres", "16.4", driver.FieldPowerState, "Stopped", true},
		{"postgres", "16.4", "version", "17", true},
		{"postgres", "16.4", "version", "16.8", false},
		{"mysql", "8.0.36", "version", "8.4", false},
		{"mariadb", "10.6.16", "version", "10.11", false},
		{"postgres", "13.15", "backup.retentionDays", "7", true},
		{"postgres", "14.12", "backup.retentionDays", "7", false},
		{"mysql", "8.0.36", "backup.retentionDays", "7", false},
		{"mariadb", "10.6.16", "backup.retentionDays", "7", false},
		{"postgres", "16.4", "parameters", "", false},
		{"postgres", "16.4", "storage.sizeGiB", "100", false},
	} {
		have := &instance{DBInstance: types.DBInstance{Engine: &tt.engine, EngineVersion: &tt.version, ReadReplicaSourceDBInstanceIdentifier: new("orders")}}
		c := driver.Change{Field: tt.field, To: tt.to}
		if got := withheld(&request{}, have, c); got != tt.want {
			t.Errorf("%s of %s %s to %s: withheld %t, want %t", tt.field, tt.engine, tt.version, tt.to, got, tt.want)
		}
		if have.ReadReplicaSourceDBInstanceIdentifier = nil; withheld(&request{}, have, c) {
			t.Errorf("%s of what follows nothing is withheld", tt.field)
		}
	}
}
