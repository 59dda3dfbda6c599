package fieldedit

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

func init() {
	add("DatabaseSnapshot", "aws", AWSSnapshot())
}

// AWSSnapshot is the kind DatabaseSnapshot in RDS.
func AWSSnapshot() Kind[v1alpha1.DatabaseSnapshotParameters] {
	return Kind[v1alpha1.DatabaseSnapshotParameters]{
		Full: func() v1alpha1.DatabaseSnapshotParameters {
			return v1alpha1.DatabaseSnapshotParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop", "env": "test"}}
		},
		Fields: []drivertest.Field{{Name: "tags", To: map[string]string{"team": "pay", "env": "prod"}}},
	}
}
