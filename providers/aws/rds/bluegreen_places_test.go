package rds

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// While servers change their names, an object that is absent, or is another one, says nothing: the one of the request is being replaced. No public source says in which order RDS renames them.
func TestNamesThatChangeMeanNothing(t *testing.T) {
	const arn = "arn:aws:rds:eu-central-1:111111111111:db:"
	for name, tt := range map[string]struct {
		status, source string
		have           *instance
	}{
		"nobody has the name":                     {switching, "shop-orders", nil},
		"another one has it":                      {switching, "shop-orders", &instance{DBInstance: types.DBInstance{DbiResourceId: new("db-2")}}},
		"the source has its new name":             {switching, "shop-orders-old1", nil},
		"over, and the source has no new name":    {switched, "shop-orders", nil},
		"over, and a read shows the new one only": {switched, "shop-orders", &instance{DBInstance: types.DBInstance{DbiResourceId: new("db-2")}}},
	} {
		t.Run(name, func(t *testing.T) {
			req := &request{}
			req.Name, req.ID, req.Mark = "shop-orders", "db-1", driver.Mark{Cluster: "c1", UID: "u1"}
			d := &deployment{types.BlueGreenDeployment{BlueGreenDeploymentIdentifier: new("bgd-1"), Status: &tt.status, Source: new(arn + tt.source)}}
			o := driver.Observation{State: driver.Absent}
			if tt.have != nil {
				o.State, o.ID = driver.Ready, "db-2"
			}
			if err := (deployer{&instances{Session: &session.Session{Region: "eu-central-1"}}}).observeDeployment(t.Context(), req, tt.have, d, &o); err != nil {
				t.Fatal(err)
			}
			if o.State != driver.Pending || o.ID != "db-1" || o.Mark != req.Mark || o.Location != "eu-central-1" || o.Operation != "bgd-1" || o.Succession.GetSucceeds() != "" {
				t.Errorf("got %+v", o)
			}
		})
	}
}
