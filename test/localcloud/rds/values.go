package rds

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// A disk is the storage of an instance, as described.
type disk struct {
	kind       string
	iops       *int32
	throughput *int32
}

// gp3Threshold is the size in GiB from which gp3 can be provisioned.
const gp3Threshold = 400

// validLogVolume refuses a dedicated log volume beside a disk other than io1 and io2. No recording shows the refusal, nor its words.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.dlv.html
func validLogVolume(db *rdstypes.DBInstance, pending *rdstypes.PendingModifiedValues) error {
	if pending == nil {
		pending = &rdstypes.PendingModifiedValues{}
	}
	kind := orElse(pending.StorageType, *db.StorageType)
	if aws.ToBool(orElse(pending.DedicatedLogVolume, aws.ToBool(db.DedicatedLogVolume))) && !strings.HasPrefix(*kind, "io") {
		return invalidCombination("Dedicated log volume isn't supported for storage type %s.", *kind)
	}
	return nil
}

// diskOf checks a size and kind of storage and fills in what the kind brings along.
func diskOf(engine, kind string, size int32, iops, throughput *int32) (disk, error) {
	if kind == "" {
		if kind = "gp3"; iops != nil {
			kind = "io1"
		}
	}
	limits, ok := map[string][2]int32{
		"gp2": {20, 65536}, "gp3": {20, 65536}, "io1": {100, 65536}, "io2": {100, 65536}, "standard": {5, 3072},
	}[kind]
	switch {
	case !ok:
		return disk{}, invalidValue("Invalid storage type: %s", kind)
	case size < limits[0] || size > limits[1]:
		return disk{}, invalidValue("Invalid storage size for engine name %s and storage type %s: %d", engine, kind, size)
	case kind == "gp3":
		return gp3(engine, size, iops, throughput)
	case throughput != nil:
		return disk{}, invalidCombination("You can't specify storage throughput for storage type %s.", kind)
	case strings.HasPrefix(kind, "io"):
		if iops == nil || *iops < 1000 || *iops > 256000 {
			return disk{}, invalidCombination("The parameter iops must be provided, 1000 to 256000, when storage type is %s", kind)
		}
		// No recording shows that RDS refuses IOPS that do not suit the size:
		// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#USER_PIOPS
		if most := map[string]int64{"io1": 50, "io2": 1000}[kind]; 2*int64(*iops) < int64(size) || int64(*iops) > most*int64(size) {
			return disk{}, invalidCombination("The IOPS to GiB ratio of storage type %s must be between .5 and %d.", kind, most)
		}
		return disk{kind: kind, iops: iops, throughput: aws.Int32(0)}, nil
	case iops != nil:
		return disk{}, invalidCombination("You can't specify IOPS for storage type %s.", kind)
	}
	return disk{kind: kind, throughput: aws.Int32(0)}, nil
}

func gp3(engine string, size int32, iops, throughput *int32) (disk, error) {
	if size < gp3Threshold {
		if iops != nil || throughput != nil {
			return disk{}, invalidCombination("You can't specify IOPS or storage throughput for engine %s and a storage size less than %d.", engine, gp3Threshold)
		}
		return disk{kind: "gp3", iops: aws.Int32(3000), throughput: aws.Int32(125)}, nil
	}
	d := disk{kind: "gp3", iops: orElse(iops, 12000), throughput: orElse(throughput, 500)}
	if *d.iops < 12000 || *d.iops > 64000 || *d.throughput < 500 || *d.throughput > 4000 {
		return disk{}, invalidCombination("IOPS must be 12000 to 64000 and storage throughput 500 to 4000 for storage type gp3 of %d GiB.", size)
	}
	// No recording shows the refusal of more throughput than 0.25 MiB/s for each of the IOPS:
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ValidStorageOptions.html (StorageThroughputToIopsRatio)
	if 4*int64(*d.throughput) > int64(*d.iops) {
		return disk{}, invalidCombination("The storage throughput to IOPS ratio of storage type gp3 must be at most 0.25.")
	}
	return d, nil
}

// validMaxStorage holds autoscaling to at least 10% above the size. No recording shows the refusals. The words are those of users' issues:
// https://github.com/ministryofjustice/cloud-platform-environments/pull/7483, https://github.com/ministryofjustice/cloud-platform-environments/pull/24410
func validMaxStorage(most *int32, size int32) error {
	switch {
	case most == nil:
		return nil
	case *most <= size:
		return invalidCombination("Max storage size must be greater than storage size")
	case int(*most)*10 < int(size)*11:
		return invalidCombination("The maximum allocated storage must be increased by at least 10 percent.")
	}
	return nil
}

func validRetention(days *int32) error {
	if days != nil && (*days < 0 || *days > 35) {
		return invalidValue("Invalid backup retention period: %d. Retention period must be between 0 and 35", *days)
	}
	return nil
}

// validPort refuses ports that RDS does not take. No recording shows the refusal, nor a change of the port: the range is that of
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (Port).
func validPort(port *int32) error {
	if port != nil && (*port < 1150 || *port > 65535) {
		return invalidValue("Invalid database port: %d. It must be between 1150 and 65535", *port)
	}
	return nil
}

// validIAM refuses logins by token where an engine's version has none. No recording shows the refusal, nor its words.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.RDS_Fea_Regions_DB-eng.Feature.IamDatabaseAuthentication.html
func validIAM(engine, version string, enable *bool) error {
	if aws.ToBool(enable) && engine == "mariadb" && olderVersion(engine, version, "10.11.11") {
		return invalidCombination("IAM Database Authentication is not supported for this configuration.")
	}
	return nil
}

func validCertificate(name *string) error {
	if name != nil && !slices.Contains(Certificates, *name) {
		return certificateResource.missing(*name)
	}
	return nil
}

var (
	backupWindow      = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
	maintenanceWindow = regexp.MustCompile(`^(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d-(mon|tue|wed|thu|fri|sat|sun):([01]\d|2[0-3]):[0-5]\d$`)
)

// windows checks and normalises both windows; what is not asked for stays as it is. If they overlap, RDS refuses what is asked for.
// https://github.com/hashicorp/terraform-provider-aws/issues/49828
func windows(backup, maintenance *string, haveBackup, haveMaintenance string) (string, string, error) {
	if backup != nil {
		if haveBackup = strings.ToLower(*backup); !backupWindow.MatchString(haveBackup) {
			return "", "", invalidValue("Invalid backup window format: %s. Should be specified as a range hh24:mi-hh24:mi (24H Clock UTC).", haveBackup)
		}
	}
	if maintenance != nil {
		if haveMaintenance = strings.ToLower(*maintenance); !maintenanceWindow.MatchString(haveMaintenance) {
			return "", "", invalidValue("Invalid maintenance window format: %s. Should be specified as a range ddd:hh24:mi-ddd:hh24:mi (24H Clock UTC).", haveMaintenance)
		}
	}
	for _, window := range []string{haveBackup, haveMaintenance} {
		if windowLength(window) < 30*time.Minute {
			return "", "", invalidValue("Invalid window %s: it must be at least 30 minutes long", window)
		}
	}
	if (backup != nil || maintenance != nil) && overlap(haveBackup, haveMaintenance) {
		return "", "", invalidValue("The backup window and maintenance window must not overlap.")
	}
	return haveBackup, haveMaintenance, nil
}

// overlap reports whether a daily window and a weekly one have a minute in common.
func overlap(daily, weekly string) bool {
	start, _, _ := windowTimes(daily)
	begins, _, _ := windowTimes(weekly)
	const day = 24 * time.Hour
	untilWeekly, untilDaily := (begins-start+7*day)%day, (start-begins+7*day)%day
	return untilWeekly < windowLength(daily) || untilDaily < windowLength(weekly)
}

// windowsOfNew returns the windows of a new instance. RDS chooses those that are not asked for, and none that overlaps the other.
func windowsOfNew(backup, maintenance *string) (string, string, error) {
	const theirBackup = "03:15-03:45"
	if backup == nil && maintenance != nil && maintenanceWindow.MatchString(strings.ToLower(*maintenance)) && overlap(theirBackup, strings.ToLower(*maintenance)) {
		return windows(nil, maintenance, "13:15-13:45", "")
	}
	if maintenance == nil && backup != nil && backupWindow.MatchString(*backup) && overlap(*backup, "sun:05:10-sun:05:40") {
		return windows(backup, nil, "", "sun:15:10-sun:15:40")
	}
	return windows(backup, maintenance, theirBackup, "sun:05:10-sun:05:40")
}

// nextWindow returns when a maintenance window opens next.
func nextWindow(window string, after time.Time) time.Time {
	start, _, week := windowTimes(window)
	after = after.UTC()
	opens := after.Truncate(24*time.Hour).AddDate(0, 0, -int(after.Weekday())).Add(start)
	if !opens.After(after) {
		opens = opens.Add(week)
	}
	return opens
}

// windowTimes returns the offsets of a window's start and end in its period, and the period: a day, or a week that begins on Sunday.
func windowTimes(window string) (start, end, period time.Duration) {
	from, to, _ := strings.Cut(window, "-")
	period = 24 * time.Hour
	at := func(text string) time.Duration {
		var day time.Duration
		if name, rest, _ := strings.Cut(text, ":"); strings.Count(text, ":") == 2 {
			day = time.Duration(slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, name)) * 24 * time.Hour
			text, period = rest, 7*24*time.Hour
		}
		clock, _ := time.Parse("15:04", text)
		return day + time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	}
	return at(from), at(to), period
}

func windowLength(window string) time.Duration {
	start, end, period := windowTimes(window)
	return (end - start + period) % period
}

var kmsKeyID = regexp.MustCompile(`^(mrk-[0-9a-f]{32}|[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})$`)

// arnOfKey is the beginning of the ARN of a key or an alias, with its region.
var arnOfKey = regexp.MustCompile(`^arn:aws:kms:([a-z0-9-]+):[0-9]{12}:`)

// kmsARN returns the key of encrypted storage as an ARN, whichever way it was named. A key of another account has to be named by an ARN.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (KmsKeyId)
func (c *call) kmsARN(key *string, encrypted *bool) (*string, error) {
	if key == nil && !aws.ToBool(encrypted) {
		return nil, nil
	}
	if key != nil && !aws.ToBool(encrypted) {
		return nil, invalidCombination("KmsKeyId can only be specified when StorageEncrypted is true")
	}
	prefix := fmt.Sprintf("arn:aws:kms:%s:%s:", c.caller.Region, c.caller.Account)
	name := aws.ToString(orElse(key, "alias/aws/rds"))
	if arn := arnOfKey.FindStringSubmatch(name); arn != nil && arn[1] == c.caller.Region {
		prefix, name = arn[0], strings.TrimPrefix(name, arn[0])
	}
	id := strings.TrimPrefix(name, "key/")
	switch alias, isAlias := strings.CutPrefix(name, "alias/"); {
	case isAlias && alias != "":
		sum := sha256.Sum256([]byte(prefix + alias))
		id = fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	case !kmsKeyID.MatchString(id):
		return nil, noKey(*key)
	}
	arn := prefix + "key/" + id
	if named := aws.ToString(key); c.cloud.Fresh.Has(arn, c.now) || c.cloud.Fresh.Has(named, c.now) {
		return nil, noKey(named)
	}
	return &arn, nil
}

// noKey is the answer of RDS where it can't use a key, whether it is not there or nobody granted its use.
func noKey(named string) error {
	return amazon.Err(http.StatusBadRequest, "KMSKeyNotAccessibleFault", "The specified KMS key ["+named+"] does not exist, is not enabled or you do not have permissions to access it.")
}
