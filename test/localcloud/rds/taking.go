package rds

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// An rdsTaking is what a server takes while the status of its instance stays as it is. The memberships show it for a while, and then what they are.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithDBInstanceParamGroups.html (applying)
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_VpcSecurityGroupMembership.html (Status): the guide of Amazon's clients has adding and removing
type rdsTaking struct {
	group      time.Time   // until when the server takes its parameter group, or a change of it
	parameters *engine.Job // and the work on the real server
	members    time.Time   // until when the server takes its security groups
	adding     []string    // of them
	removing   []string
}

func (t *rdsTaking) show(db *rdstypes.DBInstance, now time.Time) {
	if len(db.DBParameterGroups) > 0 && (now.Before(t.group) || !t.parameters.Finished()) {
		group := db.DBParameterGroups[0]
		group.ParameterApplyStatus = aws.String("applying")
		db.DBParameterGroups = []rdstypes.DBParameterGroupStatus{group}
	}
	if !now.Before(t.members) {
		return
	}
	shown := slices.Clone(db.VpcSecurityGroups)
	for i, member := range shown {
		if slices.Contains(t.adding, *member.VpcSecurityGroupId) {
			shown[i].Status = aws.String("adding")
		}
	}
	for _, id := range t.removing {
		shown = append(shown, rdstypes.VpcSecurityGroupMembership{VpcSecurityGroupId: &id, Status: aws.String("removing")})
	}
	db.VpcSecurityGroups = shown
}

// exchange notes that a server takes other security groups.
func (t *rdsTaking) exchange(from, to []rdstypes.VpcSecurityGroupMembership, until time.Time) {
	was, is := idsOf(from), idsOf(to)
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(others, id) })
	}
	if t.adding, t.removing = without(is, was), without(was, is); len(t.adding)+len(t.removing) > 0 {
		t.members = until
	}
}
