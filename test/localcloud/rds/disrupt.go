package rds

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// disrupts returns which of the values that a modification begins to apply take the server down or break its connections; empty if none does. It is what RDS
// says, and knows nothing of what a driver says. https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html
func disrupts(before, next *Instance) string {
	was, is := before.applying, next.applying
	retention := func(days *int32) bool { return days != nil && (*days == 0) != (*before.db.BackupRetentionPeriod == 0) }
	storage := aws.ToString(before.db.StorageType)
	var all []string
	for _, c := range []struct {
		name string
		down bool
	}{
		{"EngineVersion", was.EngineVersion == nil && is.EngineVersion != nil},
		{"DBInstanceClass", was.DBInstanceClass == nil && is.DBInstanceClass != nil},
		{"DBPortNumber", was.Port == nil && is.Port != nil},
		{"DBSubnetGroupName", was.DBSubnetGroupName == nil && is.DBSubnetGroupName != nil},
		{"CACertificateIdentifier", was.CACertificateIdentifier == nil && is.CACertificateIdentifier != nil},
		{"DedicatedLogVolume", was.DedicatedLogVolume == nil && is.DedicatedLogVolume != nil},
		{"BackupRetentionPeriod", was.BackupRetentionPeriod == nil && retention(is.BackupRetentionPeriod)},
		// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html: between gp2 and gp3 the server stays
		{"StorageType", was.StorageType == nil && is.StorageType != nil && !strings.HasPrefix(storage, "gp")},
		{"NetworkType", before.takes.networkType == nil && next.takes.networkType != nil},
	} {
		if c.down {
			all = append(all, c.name)
		}
	}
	return strings.Join(all, " ")
}
