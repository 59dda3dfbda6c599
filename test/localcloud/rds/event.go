package rds

import (
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// event notes an event of an instance. There are those of upgrades which RDS refuses; all others are not served.
// The words are those that people report: "Database instance is in a state that cannot be upgraded: ..." in the category maintenance. No recording shows an event.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html
func (in *Instance) event(at time.Time, message string) {
	in.events = append(slices.Clone(in.events), rdstypes.Event{
		Date: aws.Time(at), EventCategories: []string{"maintenance"}, Message: aws.String(message), SourceType: rdstypes.SourceTypeDbInstance,
		SourceArn: in.db.DBInstanceArn, SourceIdentifier: in.db.DBInstanceIdentifier,
	})
}

// The time for which events are shown, in minutes: RDS keeps them for 14 days, and shows those of the past hour unless it is asked for more.
const (
	rdsEventsKept  = 14 * 24 * 60
	rdsEventsShown = 60
)

// describeEvents is DescribeEvents. No recording shows the call, an answer or a refusal, nor whether a name that there is not is refused: here it has no events.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeEvents.html
func (c *call) describeEvents(in *rds.DescribeEventsInput) (any, error) {
	minutes := aws.ToInt32(in.Duration)
	switch {
	case in.SourceIdentifier != nil && in.SourceType == "":
		return nil, invalidCombination("SourceType must be provided if SourceIdentifier is.")
	case in.SourceType != "" && !slices.Contains(in.SourceType.Values(), in.SourceType):
		return nil, invalidValue("Invalid source type: %s", in.SourceType)
	case in.Duration != nil && (minutes < 1 || minutes > rdsEventsKept):
		return nil, invalidValue("Invalid duration: %d", minutes)
	case in.StartTime != nil || in.EndTime != nil || len(in.Filters) > 0:
		return nil, amazon.Err(http.StatusNotImplemented, "NotImplemented", "StartTime, EndTime and Filters are not served here.")
	}
	if minutes == 0 {
		minutes = rdsEventsShown
	}
	since := c.now.Add(-time.Duration(minutes) * time.Minute)
	var found []rdstypes.Event
	for key, p := range c.instances {
		ours := p.Now != nil && key.account == c.caller.Account && key.region == c.caller.Region
		if !ours || in.SourceIdentifier != nil && *in.SourceIdentifier != key.name || in.SourceType != "" && in.SourceType != rdstypes.SourceTypeDbInstance {
			continue
		}
		for _, e := range p.Now.events {
			category := func(asked string) bool { return slices.Contains(e.EventCategories, asked) }
			if !e.Date.Before(since) && (len(in.EventCategories) == 0 || slices.ContainsFunc(in.EventCategories, category)) {
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b rdstypes.Event) int { return a.Date.Compare(*b.Date) })
	page, marker, err := paginate(found, in.Marker, in.MaxRecords, c.cloud.PageOfAtMost)
	return &rds.DescribeEventsOutput{Events: page, Marker: marker}, err
}

// refusesUpgrade reports whether changes end without having changed anything, because something is in the way of the major version among them.
func (in *Instance) refusesUpgrade(to *string) bool {
	return in.obstacle != "" && to != nil && MajorVersion(*in.db.Engine, *to) != MajorVersion(*in.db.Engine, *in.db.EngineVersion)
}

// noteRefusedUpgrade notes the event of an upgrade that ended so.
func (in *Instance) noteRefusedUpgrade() {
	in.event(in.due, "Database instance is in a state that cannot be upgraded: "+in.obstacle)
}

// SetUpgradeObstacle says what RDS finds before it upgrades an instance; empty is nothing.
func (s *Service) SetUpgradeObstacle(account, region, name, obstacle string) bool {
	return s.alter(Key{account, region, name}, func(in *Instance) { in.obstacle = obstacle })
}
