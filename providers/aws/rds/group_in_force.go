package rds

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
)

// groupInForce is what Applied remembers beside fields: the instance's own group, once the server took it. While it is attached, a dynamic parameter
// applies at once, whatever else in the group waits for a restart. Of a group that was just attached, all parameters wait.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html
const groupInForce = "aws.parameterGroupInForce"

func rememberInForce(req *request, have *instance, o *driver.Observation) {
	name := groupName(have)
	if o.Applied == nil {
		return
	}
	if _, before := req.Applied[groupInForce]; before {
		o.Applied[groupInForce] = []string{}
	}
	if !have.inOwnGroup() {
		return
	}
	if inSync := aws.ToString(have.DBParameterGroups[0].ParameterApplyStatus) == "in-sync"; inSync || slices.Contains(req.Applied[groupInForce], name) {
		o.Applied[groupInForce] = []string{name}
	}
}

// groupWaits says what a part of the instance's group may wait for: a restart for which somebody has to ask, or what the server is at until it is known whether
// that is left to do. It is empty if another restart comes, such as the start of a stopped server, or that for what waits in PendingModifiedValues.
func (i *instance) groupWaits() string {
	now := groupOf(i)
	if now == nil || aws.ToString(i.DBInstanceStatus) == "stopped" || len(disruptiveWaits(i)) > 0 {
		return ""
	}
	return now.waits
}
