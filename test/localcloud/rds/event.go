package rds

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
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

// checkEvents refuses what DescribeEvents does not take. No recording shows the call, an answer or a refusal.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeEvents.html
func checkEvents(in *rds.DescribeEventsInput) error {
	switch {
	case in.SourceIdentifier != nil && in.SourceType == "":
		return invalidCombination("SourceType must be provided if SourceIdentifier is.")
	case in.SourceType != "" && !slices.Contains(in.SourceType.Values(), in.SourceType):
		return invalidValue("Invalid source type: %s", in.SourceType)
	case in.Duration != nil && (*in.Duration < 1 || *in.Duration > rdsEventsKept):
		return invalidValue("Invalid duration: %d", *in.Duration)
	}
	return nil
}

// shownEvents are the events of the last minutes, in the order of their times. No recording shows whether a name that nothing has is refused:
// here it has no events.
func (c *call) shownEvents(in *rds.DescribeEventsInput) (found []rdstypes.Event, _ error) {
	since := c.now.Add(-time.Duration(*orElse(in.Duration, rdsEventsShown)) * time.Minute)
	for _, p := range own(c, c.instances) {
		if p.Now == nil {
			continue
		}
		for _, e := range p.Now.events {
			if !e.Date.Before(since) {
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b rdstypes.Event) int { return a.Date.Compare(*b.Date) })
	return found, nil
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
