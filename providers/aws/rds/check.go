package rds

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// checkSpec returns why RDS refuses a spec, as far as that is known without a call. have is the instance, empty for a new one, and nil if it is not
// known; location is where it is or is to be, empty if that is not known. The API refuses some of it in a spec alone; here a class may have set one of the fields.
func checkSpec(spec *databaseSpec, have *instance, location string) []error {
	problems := []error{checkBlocks(spec), checkParameters(spec), checkWindows(spec), checkGrowth(spec), checkLogs(spec), checkZone(spec, location)}
	if have != nil {
		for _, refuses := range []func(*databaseSpec, *instance) error{checkInsights, checkMonitoring, checkLogVolume, checkDisk} {
			problems = append(problems, refuses(spec, have))
		}
	}
	return append(problems,
		session.CheckKey("encryption.key", portable.WantedDiskKey(spec), location),
		session.CheckKey("aws.performanceInsights.key", performanceInsightsOf(spec).Key, location))
}

// checkDraft is what driver.Driver says of a check.
func checkDraft(draft driver.Draft) ([]driver.Refusal, error) {
	return table.CheckOf(draft, func(spec, observed *databaseSpec, location string) []driver.Refusal {
		have := &instance{}
		if observed != nil {
			have = mirrored(observed)
		}
		return table.Refused(checkSpec(spec, have, location)...)
	})
}

// mirrored returns the instance of a mirror, with what checks look at; nil for a mirror of a release that did not show that yet. Each server has a type of disk.
func mirrored(s *databaseSpec) *instance {
	if awsOf(s).StorageType == nil {
		return nil
	}
	have := instanceOf(s)
	if s.Storage != nil {
		have.AllocatedStorage = s.Storage.SizeGiB
	}
	have.Iops, have.StorageThroughput = awsOf(s).IOPS, awsOf(s).ThroughputMiBps
	have.PerformanceInsightsEnabled, have.PerformanceInsightsRetentionPeriod = s.Insights, performanceInsightsOf(s).RetentionDays
	have.DatabaseInsightsMode = types.DatabaseInsightsMode(aws.ToString(awsOf(s).DatabaseInsightsMode))
	have.MonitoringRoleArn = monitoringOf(s).RoleARN
	return have
}

func checkBlocks(spec *databaseSpec) error {
	if spec.GCP == nil {
		return nil
	}
	return table.Fields{"gcp"}.Refuse("spec.gcp is for Google Cloud, and this account is in AWS: remove it, and set spec.aws.instanceClass")
}

// checkWindows refuses windows that overlap. RDS gives each of them 30 minutes here, and the one for backups is there every day.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (PreferredBackupWindow)
func checkWindows(spec *databaseSpec) error {
	if spec.Backup == nil || spec.Backup.StartTime == nil || maintenanceOf(spec).StartTime == nil {
		return nil
	}
	backup, err := time.Parse(clockLayout, *spec.Backup.StartTime)
	maintenance, other := time.Parse(clockLayout, *maintenanceOf(spec).StartTime)
	if err != nil || other != nil {
		return nil //nolint:nilerr // the API has checked the times
	}
	if apart := backup.Sub(maintenance).Abs(); min(apart, 24*time.Hour-apart) >= shortestWindow {
		return nil
	}
	return table.Fields{"maintenance.window.startTime", "backup.startTime"}.Refuse("spec.backup.startTime %s and spec.maintenance.window.startTime %s have to be "+
		"at least 30 minutes apart in AWS, because each window has 30 minutes and the two must not overlap: change one of them", *spec.Backup.StartTime, *maintenanceOf(spec).StartTime)
}

// checkGrowth refuses a limit of automatic growth that is less than 10% above the size. The same size is no limit: the disk does not grow then.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.Autoscaling.html
func checkGrowth(spec *databaseSpec) error {
	if spec.Storage == nil || spec.Storage.MaxSizeGiB == nil || spec.Storage.SizeGiB == nil {
		return nil
	}
	most, size := int64(*spec.Storage.MaxSizeGiB), int64(*spec.Storage.SizeGiB)
	if most <= size || most*10 >= size*11 {
		return nil
	}
	return table.Fields{"storage.maxSizeGiB", "storage.sizeGiB"}.Refuse("spec.storage.maxSizeGiB is %d, and in AWS it has to be at least 10%% above spec.storage.sizeGiB, which is %d: "+
		"set it to %d or more, or to %[2]d for a disk that does not grow by itself", most, size, (size*11+9)/10)
}

// logsOfPostgres are those that only PostgreSQL has; iamLogs have all engines.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_LogAccess.Procedural.UploadtoCloudWatch.html
var logsOfPostgres = []string{"postgresql", "upgrade"}

const iamLogs = "iam-db-auth-error"

// checkLogs refuses logs of another engine.
func checkLogs(spec *databaseSpec) error {
	for _, log := range awsOf(spec).CloudwatchLogsExports {
		if spec.Engine == nil || log == iamLogs || slices.Contains(logsOfPostgres, log) == (*spec.Engine == v1alpha1.EnginePostgres) {
			continue
		}
		return table.Fields{"aws.cloudwatchLogsExports", "engine"}.Refuse("spec.aws.cloudwatchLogsExports has %s, which %s does not have: name logs of the engine, which are postgresql, upgrade and "+
			"iam-db-auth-error of postgres, and audit, error, general, slowquery and iam-db-auth-error of mysql and mariadb", log, *spec.Engine)
	}
	return nil
}

// zoneOfRegion is what follows the region in the name of a zone; that of a Local Zone has a place first.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.RegionsAndAvailabilityZones.html
var zoneOfRegion = regexp.MustCompile(`^(-[a-z]+-[0-9]+)?[a-z]$`)

// checkZone refuses a zone of another region than the server's.
func checkZone(spec *databaseSpec, location string) error {
	zone := aws.ToString(awsOf(spec).AvailabilityZone)
	if rest, ok := strings.CutPrefix(zone, location); zone == "" || location == "" || ok && zoneOfRegion.MatchString(rest) {
		return nil
	}
	return table.Fields{"aws.availabilityZone", "location"}.Refuse("spec.aws.availabilityZone %s is no zone of %s, where the server is: name one of its zones, for example %[2]sa", zone, location)
}
