package rds

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// unknownPort is that of an instance of which RDS reports no port yet. It is no difference: a creation that names a port gets it.
const unknownPort = 0

// portRow is the port of the server. RDS reports it with the address, once the server is there; the field DbInstancePort beside it is 0 in all
// recordings but one. A change is made at once, whatever ApplyImmediately says.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (DBPortNumber)
var portRow = table.Field("aws.port",
	func(s *databaseSpec) *int32 { return awsOf(s).Port },
	func(i *instance) *int32 { return first(pending(i).Port, aws.Int32(unknownPort)) },
	func(p *instanceParams, v int32) { p.Port = &v },
).Reported(port).
	Equal(func(want, have int32) bool { return want == have || have == unknownPort }, "a server whose port RDS does not report yet").
	EffectOf(portEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "it takes back a change that has not begun"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "the server gets another port; clients must connect there from then on", Cost: restartCost})

// port returns the port at which an instance accepts connections; nil if RDS does not say.
func port(i *instance) *int32 {
	if i.Endpoint == nil || aws.ToInt32(i.Endpoint.Port) == unknownPort {
		return nil
	}
	return i.Endpoint.Port
}

// portEffect: "your database restarts regardless of the value of the ApplyImmediately parameter".
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (DBPortNumber)
func portEffect(_ *int32, to int32, have *instance) (driver.Effect, string) {
	if now := port(have); now != nil && *now == to {
		return driver.Online, ""
	}
	return driver.Restarts, "the server restarts, and accepts connections at the new port only"
}
