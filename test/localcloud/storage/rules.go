package storage

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

const day = 24 * 60 * 60 // seconds

// gcsMultiRegions maps a multi-region of Cloud Storage to the location of its KMS keys; a
// dual-region to "".
var (
	gcsMultiRegions = map[string]string{"US": "us", "EU": "europe", "ASIA": "asia"}
	gcsDualRegions  = map[string]string{"ASIA1": "asia1", "EUR4": "eur4", "EUR5": "eur5", "EUR7": "eur7", "EUR8": "eur8", "NAM4": "nam4"}
)

var (
	bucketNames  = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*[a-z0-9]$`)
	googleNames  = regexp.MustCompile(`^goog|g[o0][o0]g[l1]e`)
	gcsClasses   = []string{"STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL", "DURABLE_REDUCED_AVAILABILITY"}
	gcsRPOs      = []string{"DEFAULT", "ASYNC_TURBO"}
	preventions  = []string{"inherited", "enforced"}
	ruleActions  = []string{"Delete", "SetStorageClass", "AbortIncompleteMultipartUpload"}
	shortestSoft = int64(7 * day)
	longestSoft  = int64(90 * day)
)

// validBucketName holds a name to the rules at https://cloud.google.com/storage/docs/buckets#naming.
func validBucketName(name string) error {
	longest := 63
	if strings.Contains(name, ".") {
		longest = 222
	}
	bad := len(name) < 3 || len(name) > longest || !bucketNames.MatchString(name) || net.ParseIP(name) != nil ||
		googleNames.MatchString(name) || strings.Contains(name, "..")
	for part := range strings.SplitSeq(name, ".") {
		bad = bad || len(part) > 63
	}
	if bad {
		return google.Invalid(fmt.Sprintf("Invalid bucket name: '%s'", name))
	}
	return nil
}

// settleBucket turns what was asked for into what will be: it normalises, fills in what follows, and
// refuses what can't be. old is the bucket as it was, nil for a new one.
func settleBucket(r *google.Request, resource google.Object, old *storage.Bucket) error {
	if err := settleLocation(resource, old); err != nil {
		return err
	}
	if encryption, ok := resource["encryption"].(google.Object); ok && encryption["defaultKmsKeyName"] == "" {
		delete(encryption, "defaultKmsKeyName")
	}
	for _, k := range []string{"labels", "encryption", "website", "logging", "lifecycle", "retentionPolicy", "cors"} {
		if google.Empty(resource[k]) {
			delete(resource, k)
		}
	}
	settleLogging(resource)
	settleFilter(resource, old)
	if class, ok := resource["storageClass"].(string); ok {
		resource["storageClass"] = strings.ToUpper(class)
	} else {
		resource["storageClass"] = "STANDARD"
	}
	if err := settleAccess(r, resource, old); err != nil {
		return err
	}
	if err := settleRetention(r, resource, old); err != nil {
		return err
	}
	now := google.Typed[storage.Bucket](resource)
	if err := validBucket(now, old); err != nil {
		return err
	}
	return usableBucketKey(r, now, old)
}

// usableBucketKey refuses another key that Cloud Storage may not use yet.
func usableBucketKey(r *google.Request, b, old *storage.Bucket) error {
	key := func(b *storage.Bucket) string {
		if b == nil || b.Encryption == nil {
			return ""
		}
		return b.Encryption.DefaultKmsKeyName
	}
	if key(b) != key(old) && r.Cloud.Fresh.Has(key(b), r.Now) {
		return google.Err(http.StatusForbidden, "forbidden", "Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use this key.")
	}
	return nil
}

func settleLocation(resource google.Object, old *storage.Bucket) error {
	location, _ := resource["location"].(string)
	location = strings.ToUpper(location)
	resource["location"] = location
	switch {
	case slices.Contains(google.Regions, strings.ToLower(location)):
		resource["locationType"] = "region"
	case gcsMultiRegions[location] != "":
		resource["locationType"] = "multi-region"
	case gcsDualRegions[location] != "":
		resource["locationType"] = "dual-region"
	default:
		return google.Invalid("The specified location constraint is not valid.")
	}
	if err := settlePlacement(resource); err != nil {
		return err
	}
	if resource["locationType"] != "region" && resource["rpo"] == nil {
		resource["rpo"] = "DEFAULT"
	}
	if old != nil && old.Location != location {
		return google.Invalid("The location of a bucket can't be changed.")
	}
	return nil
}

// settleAccess keeps the lock of uniform access, and shows both names that it has.
func settleAccess(r *google.Request, resource google.Object, old *storage.Bucket) error {
	iam := google.Member(resource, "iamConfiguration")
	if iam["publicAccessPrevention"] == nil {
		iam["publicAccessPrevention"] = "inherited"
	}
	if iam["publicAccessPrevention"] == "unspecified" {
		iam["publicAccessPrevention"] = "inherited"
	}
	uniform := google.Member(iam, "uniformBucketLevelAccess")
	delete(uniform, "lockedTime")
	enabled, _ := uniform["enabled"].(bool)
	uniform["enabled"] = enabled
	locked := ""
	if old != nil && old.IamConfiguration.UniformBucketLevelAccess.Enabled {
		locked = old.IamConfiguration.UniformBucketLevelAccess.LockedTime
	}
	switch {
	case enabled && locked == "":
		locked = gcsTime(r.Now.Add(90 * 24 * time.Hour))
	case !enabled && locked != "":
		if at, err := time.Parse(time.RFC3339, locked); err != nil || !r.Now.Before(at) {
			return google.Invalid("Uniform bucket-level access is locked and can't be disabled.")
		}
	}
	if enabled {
		uniform["lockedTime"] = locked
		delete(resource, "acl")
		delete(resource, "defaultObjectAcl")
	}
	iam["bucketPolicyOnly"] = google.Cloned(uniform)
	return nil
}

func settleRetention(r *google.Request, resource google.Object, old *storage.Bucket) error {
	settleSoftDelete(r, resource, old)
	now := google.Typed[storage.Bucket](resource)
	settleAutoclass(r, resource, old)
	if old != nil && old.RetentionPolicy != nil && old.RetentionPolicy.IsLocked &&
		(now.RetentionPolicy == nil || now.RetentionPolicy.RetentionPeriod < old.RetentionPolicy.RetentionPeriod) {
		return google.Err(http.StatusForbidden, "forbidden", "Cannot reduce the retention duration of a locked retention policy.")
	}
	if retention, ok := resource["retentionPolicy"].(google.Object); ok {
		retention["isLocked"] = old != nil && old.RetentionPolicy != nil && old.RetentionPolicy.IsLocked
		if old == nil || old.RetentionPolicy == nil || old.RetentionPolicy.RetentionPeriod != now.RetentionPolicy.RetentionPeriod {
			retention["effectiveTime"] = gcsTime(r.Now)
		}
		if !retention["isLocked"].(bool) {
			delete(retention, "isLocked")
		}
	}
	return nil
}

// validBucket holds a bucket to the rules that concern one field at a time. No recording shows the refusals, nor their words.
// https://cloud.google.com/storage/docs/json_api/v1/buckets
func validBucket(b, old *storage.Bucket) error {
	if err := google.ValidLabels(b.Labels); err != nil {
		return err
	}
	namespaced := func(b *storage.Bucket) bool {
		return b.HierarchicalNamespace != nil && b.HierarchicalNamespace.Enabled
	}
	soft := b.SoftDeletePolicy.RetentionDurationSeconds
	switch {
	case old != nil && old.Name != b.Name:
		return google.Invalid("The name of a bucket can't be changed.")
	case !slices.Contains(gcsClasses, b.StorageClass):
		return google.Invalid("Invalid storage class: " + b.StorageClass)
	case !slices.Contains(preventions, b.IamConfiguration.PublicAccessPrevention):
		return google.Invalid("Invalid public access prevention: " + b.IamConfiguration.PublicAccessPrevention)
	case b.Rpo != "" && (!slices.Contains(gcsRPOs, b.Rpo) || b.Rpo == "ASYNC_TURBO" && b.LocationType != "dual-region"):
		return google.Invalid("Invalid recovery point objective: " + b.Rpo)
	case soft != 0 && (soft < shortestSoft || soft > longestSoft):
		return google.Invalid("Soft delete policy duration must be 0 or between 7 and 90 days.")
	case b.RetentionPolicy != nil && (b.RetentionPolicy.RetentionPeriod < 1 || b.RetentionPolicy.RetentionPeriod > 3155760000):
		return google.Invalid("Retention period must be between 1 second and 100 years.")
	case b.RetentionPolicy != nil && b.Versioning != nil && b.Versioning.Enabled:
		return google.Invalid("Object Versioning cannot be enabled on a bucket with a retention policy.")
	case namespaced(b) && !b.IamConfiguration.UniformBucketLevelAccess.Enabled:
		return google.Invalid("Hierarchical namespace requires uniform bucket-level access.")
	case old != nil && namespaced(b) != namespaced(old):
		return google.Invalid("The hierarchical namespace of a bucket can't be changed.")
	case old != nil && !reflect.DeepEqual(b.CustomPlacementConfig, old.CustomPlacementConfig):
		return google.Invalid("The placement of a bucket can't be changed.")
	}
	if err := cmp.Or(validAutoclass(b), validFilter(b)); err != nil {
		return err
	}
	if b.Lifecycle != nil {
		for _, rule := range b.Lifecycle.Rule {
			if rule.Action == nil || !slices.Contains(ruleActions, rule.Action.Type) || rule.Condition == nil {
				return google.Invalid("Invalid lifecycle rule: it needs an action and a condition.")
			}
			if rule.Action.Type == "SetStorageClass" && !slices.Contains(gcsClasses, rule.Action.StorageClass) {
				return google.Invalid("Invalid storage class in lifecycle rule: " + rule.Action.StorageClass)
			}
		}
	}
	return validBucketKey(b)
}

// validBucketKey demands a key where the bucket is.
func validBucketKey(b *storage.Bucket) error {
	if b.Encryption == nil || b.Encryption.DefaultKmsKeyName == "" {
		return nil
	}
	key := google.KMSKeyNames.FindStringSubmatch(b.Encryption.DefaultKmsKeyName)
	if key == nil {
		return google.Invalid("Malformed Cloud KMS crypto key: " + b.Encryption.DefaultKmsKeyName)
	}
	want := strings.ToLower(b.Location)
	if multi := gcsMultiRegions[b.Location]; multi != "" {
		want = multi
	}
	if key[1] != want {
		return google.Invalid(fmt.Sprintf("Cloud KMS key location '%s' does not match bucket location '%s'.", key[1], b.Location))
	}
	return nil
}
