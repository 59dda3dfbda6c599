package rds

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// upgradeRefused matches the events by which RDS says that it looked for what is in the way of a major version and found something, or that the upgrade failed and was taken back. People report "Database instance is in a state that
// cannot be upgraded: ..." and "PreUpgrade checks failed: ..."; AWS's list has the first, and "engine version upgrade failed".
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html
var upgradeRefused = regexp.MustCompile(`(?i)cannot be upgraded|can't be upgraded|pre-?upgrade checks failed|upgrade failed`)

// eventsKept is how long RDS keeps events, in minutes: 14 days.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeEvents.html
const eventsKept = 14 * 24 * 60

// upgrades are how the operations are called that stand for an upgrade to another major version: RDS has no name for it. The version and the second in which it was asked for follow.
const upgrades = "upgrade-to-"

// upgradeOperation returns the operation that stands for an upgrade; empty if a change is none.
func upgradeOperation(have *instance, version *string, now time.Time) string {
	if version == nil || !have.isMajor(*version) {
		return ""
	}
	return fmt.Sprintf("%s%s-%d", upgrades, *version, now.Unix())
}

// askedFor returns the version to which an operation upgrades, and since when; false if it is none.
func askedFor(operation string) (version string, since time.Time, is bool) {
	rest, is := strings.CutPrefix(operation, upgrades)
	version, second, ok := strings.Cut(rest, "-")
	at, err := strconv.ParseInt(second, 10, 64)
	return version, time.Unix(at, 0), is && ok && err == nil
}

// The clock of RDS may be behind that of this machine by clocksDiffer. An upgrade shows after appears at the latest: from then on an instance that goes on with its version was not upgraded.
const (
	clocksDiffer = time.Minute
	appears      = 5 * time.Minute
)

// upgradeLogs are the files in which RDS says what is in the way, by the engine.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.MajorVersion.Process.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html
var upgradeLogs = map[string]string{"postgres": "pg_upgrade", "mysql": "PrePatchCompatibility.log", "mariadb": "error"}

// observeUpgrade completes the observation of an instance that was asked for another major version. If it goes on with the one before, RDS found something in the way: it checks in the course of the upgrade. An event alone says what,
// as long as RDS keeps it and if Mooring may read events; that takes a call. Nothing is tried again before somebody asks, whether the reason is known or not.
func observeUpgrade(ctx context.Context, d *instances, req *request, have *instance, o *driver.Observation) error {
	version, since, is := askedFor(req.Operation)
	if have == nil || !is || req.Beside || req.Deletion != nil {
		return nil
	}
	switch wanted := req.Spec.Version; {
	case wanted == nil || !portable.VersionServes(have.engine(), *wanted, version):
		return nil
	case o.State == driver.Pending, have.isMajor(aws.ToString(pending(have).EngineVersion)): // which is what it will have
		o.Operation = req.Operation
		return nil
	case o.State != driver.Ready || !have.isMajor(version):
		return nil
	}
	refused, reason, err := refusedUpgrade(ctx, d, have, since.Add(-clocksDiffer))
	if err != nil {
		return err
	}
	if o.Operation = req.Operation; !refused && d.Now().Sub(since) < appears { // a read may be stale, and the event not be there yet
		o.State, o.Work = driver.Pending, works["upgrading"]
		return nil
	}
	if was := o.Applied; was != nil { // it never took: what still differs is what the spec asks for, and no drift
		o.Applied = was.Clone()
		o.Applied["version"] = []string{aws.ToString(have.EngineVersion)}
	}
	o.OperationError = &driver.Error{Code: driver.Invalid, Op: "ModifyDBInstance", Message: fmt.Sprintf(
		"RDS could not upgrade the server to version %s, and it goes on as before. %s; the log files of the instance with %s in their names say more. Correct that, and set the annotation mooring.dev/reconcile to another value: Mooring then tries again. Or set spec.version back",
		version, reason, upgradeLogs[strings.ToLower(aws.ToString(have.Engine))])}
	return nil
}

// refusedUpgrade reports whether an event since a time says why an instance was not upgraded, and what the newest one says, or why none is known. Those of an earlier instance of its name do not count.
func refusedUpgrade(ctx context.Context, d *instances, have *instance, since time.Time) (refused bool, reason string, err error) {
	var newest types.Event
	in := &rds.DescribeEventsInput{
		SourceType: types.SourceTypeDbInstance, SourceIdentifier: have.DBInstanceIdentifier, EventCategories: []string{"maintenance"}, Duration: aws.Int32(eventsKept),
	}
	for {
		out, err := session.Call(ctx, d.Session, "DescribeEvents", d.rds.DescribeEvents, in)
		switch code := driver.CodeOf(err); {
		case err != nil && (code == driver.Denied || code == driver.Unsupported):
			return false, "Its events say why, and Mooring may not read them: that takes rds:DescribeEvents", nil
		case err != nil:
			return false, "", err
		}
		for _, e := range out.Events {
			at := aws.ToTime(e.Date)
			if at.Before(since) || at.Before(aws.ToTime(have.InstanceCreateTime)) || at.Before(aws.ToTime(newest.Date)) || !upgradeRefused.MatchString(aws.ToString(e.Message)) {
				continue
			}
			newest = e
		}
		if in.Marker = out.Marker; aws.ToString(in.Marker) == "" {
			break
		}
	}
	if newest.Message == nil {
		return false, "Its events do not say why, or no longer do", nil
	}
	return true, "RDS says: " + strings.TrimRight(*newest.Message, ". "), nil
}
