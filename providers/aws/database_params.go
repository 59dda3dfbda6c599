package aws

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func rdsTags(tags map[string]string) []types.Tag {
	list := make([]types.Tag, 0, len(tags))
	for _, k := range sortedKeys(tags) {
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
