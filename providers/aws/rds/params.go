package rds

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// tagLacks are tags that S3 has and RDS does not: neither a key nor a value begins with one of its prefixes. The CRD refuses aws: in keys.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Tag.html
var tagLacks = []driver.Lack{
	{
		Field: "tags", Each: driver.EntryKey, Match: "^(?i)(aws|rds):", Values: "a key that begins with rds:", Why: "RDS keeps that prefix for itself",
		Instead: "use a key with another prefix",
	},
	{
		Field: "tags", Each: driver.EntryValue, Match: "^(?i)(aws|rds):", Values: "a value that begins with aws: or rds:", Why: "RDS keeps these prefixes for itself",
		Instead: "use a value with another prefix",
	},
}

func rdsTags(tags map[string]string) []types.Tag {
	list := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return list
}

// defaultUsername is the administrator that an engine's users expect on RDS.
func defaultUsername(engine string) string {
	if engine == string(v1alpha1.EnginePostgres) {
		return "postgres"
	}
	return "admin"
}
