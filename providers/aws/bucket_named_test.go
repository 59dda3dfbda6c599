package aws_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A namedSort is how somebody else uses a sort of configurations that S3 keeps by their names.
type namedSort struct {
	call   string // what the calls are named by
	put    func(t testing.TB, c *s3.Client, bucket string, entry any)
	list   func(t testing.TB, c *s3.Client, bucket string) []string
	remove func(t testing.TB, c *s3.Client, bucket, name string)
	// some are two entries of one name, and one that S3 refuses, as JSON.
	ours, changed, refused string
}

var namedSorts = map[string]namedSort{
	"aws.metrics": {
		"Metrics",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			m := entry.(v1alpha1.BucketMetricsAWS)
			do(t, c.PutBucketMetricsConfiguration, &s3.PutBucketMetricsConfigurationInput{Bucket: &bucket, Id: &m.Name, MetricsConfiguration: theirMetrics(m)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, m := range do(t, c.ListBucketMetricsConfigurations, &s3.ListBucketMetricsConfigurationsInput{Bucket: &bucket}).MetricsConfigurationList {
				names = append(names, *m.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			do(t, c.DeleteBucketMetricsConfiguration, &s3.DeleteBucketMetricsConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours"}`, `{"name": "ours", "prefix": "a/"}`, `{"name": "bad", "accessPointARN": "arn:aws:s3:mars-1:111111111111:accesspoint/a"}`,
	},
	"aws.intelligentTiering": {
		"IntelligentTiering",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketIntelligentTieringAWS)
			do(t, c.PutBucketIntelligentTieringConfiguration, &s3.PutBucketIntelligentTieringConfigurationInput{Bucket: &bucket, Id: &e.Name, IntelligentTieringConfiguration: theirTiering(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range do(t, c.ListBucketIntelligentTieringConfigurations, &s3.ListBucketIntelligentTieringConfigurationsInput{Bucket: &bucket}).IntelligentTieringConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			do(t, c.DeleteBucketIntelligentTieringConfiguration, &s3.DeleteBucketIntelligentTieringConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours", "tierings": {"archiveAccessDays": 90}}`, `{"name": "ours", "prefix": "a/", "tierings": {"archiveAccessDays": 90}}`,
		`{"name": "bad", "tierings": {"archiveAccessDays": 1}}`,
	},
}

func init() {
	namedSorts["aws.analytics"] = namedSort{
		"Analytics",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketAnalyticsAWS)
			do(t, c.PutBucketAnalyticsConfiguration, &s3.PutBucketAnalyticsConfigurationInput{Bucket: &bucket, Id: &e.Name, AnalyticsConfiguration: theirAnalysis(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range do(t, c.ListBucketAnalyticsConfigurations, &s3.ListBucketAnalyticsConfigurationsInput{Bucket: &bucket}).AnalyticsConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			do(t, c.DeleteBucketAnalyticsConfiguration, &s3.DeleteBucketAnalyticsConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours"}`, `{"name": "ours", "prefix": "a/"}`, `{"name": "bad", "export": {"bucket": "no-such-bucket"}}`,
	}
	namedSorts["aws.inventory"] = namedSort{
		"Inventory",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketInventoryAWS)
			do(t, c.PutBucketInventoryConfiguration, &s3.PutBucketInventoryConfigurationInput{Bucket: &bucket, Id: &e.Name, InventoryConfiguration: theirInventory(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range do(t, c.ListBucketInventoryConfigurations, &s3.ListBucketInventoryConfigurationsInput{Bucket: &bucket}).InventoryConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			do(t, c.DeleteBucketInventoryConfiguration, &s3.DeleteBucketInventoryConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "audit-logs-` + region + `", "format": "CSV"}}`,
		`{"name": "ours", "frequency": "Weekly", "includedObjectVersions": "All", "destination": {"bucket": "audit-logs-` + region + `", "format": "CSV"}}`,
		`{"name": "bad", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "no-such-bucket", "format": "CSV"}}`,
	}
}

// A key of another region is refused before any call, and as a draft.
func TestInventoryKeysOfAnotherRegion(t *testing.T) {
	spec := namedSpec(t, "aws.inventory", `{"name": "a", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "reports", "format": "CSV",
		"encryption": {"keyARN": "arn:aws:kms:us-west-2:111111111111:key/k"}}}`)
	spec.Location = new(region)
	w := newEnvironment(t, localcloud.Options{})
	if _, err := drivertest.Buckets(w.conn).Create(t.Context(), bucketOf("shop-never", spec)); driver.CodeOf(err) != driver.Invalid || len(w.operations()) != 0 {
		t.Errorf("created with %v after %v", err, w.operations())
	}
	if refusals := refusedDrafts(t, spec); len(refusals) != 1 || !strings.Contains(refusals[0].Message, "spec.aws.inventory is a key in us-west-2") {
		t.Errorf("the draft is refused by %v", refusals)
	}
}

// editNamed makes the configurations of a sort what somebody else wants, one by one.
func (b *backdoor) editNamed(t testing.TB, name, f string, value any) {
	t.Helper()
	var names []string
	for _, entry := range reflect.ValueOf(value).Seq2() {
		names = append(names, entry.FieldByName("Name").String())
		namedSorts[f].put(t, b.s3, name, entry.Interface())
	}
	for _, there := range namedSorts[f].list(t, b.s3, name) {
		if !slices.Contains(names, there) {
			namedSorts[f].remove(t, b.s3, name, there)
		}
	}
}

// theirMetrics writes what can be written in several ways in another one than the driver.
func theirMetrics(m v1alpha1.BucketMetricsAWS) *s3types.MetricsConfiguration {
	c := &s3types.MetricsConfiguration{Id: &m.Name}
	tags := theirTags(m.Tags)
	switch {
	case m.AccessPointARN != nil:
		c.Filter = &s3types.MetricsFilterMemberAccessPointArn{Value: *m.AccessPointARN}
	case len(tags) > 0:
		c.Filter = &s3types.MetricsFilterMemberAnd{Value: s3types.MetricsAndOperator{Prefix: m.Prefix, Tags: tags}}
	case m.Prefix == nil:
		c.Filter = &s3types.MetricsFilterMemberPrefix{} // all names begin with nothing
	default:
		c.Filter = &s3types.MetricsFilterMemberPrefix{Value: *m.Prefix}
	}
	return c
}

// theirTiering has the deeper tier first.
func theirTiering(e v1alpha1.BucketIntelligentTieringAWS) *s3types.IntelligentTieringConfiguration {
	c := &s3types.IntelligentTieringConfiguration{Id: &e.Name, Status: s3types.IntelligentTieringStatusEnabled}
	if e.Status != nil {
		c.Status = s3types.IntelligentTieringStatus(*e.Status)
	}
	if days := e.Tierings.DeepArchiveAccessDays; days != nil {
		c.Tierings = append(c.Tierings, s3types.Tiering{AccessTier: "DEEP_ARCHIVE_ACCESS", Days: days})
	}
	if days := e.Tierings.ArchiveAccessDays; days != nil {
		c.Tierings = append(c.Tierings, s3types.Tiering{AccessTier: "ARCHIVE_ACCESS", Days: days})
	}
	if tags := theirTags(e.Tags); len(tags) > 0 {
		c.Filter = &s3types.IntelligentTieringFilter{And: &s3types.IntelligentTieringAndOperator{Prefix: e.Prefix, Tags: tags}}
	} else if e.Prefix != nil {
		c.Filter = &s3types.IntelligentTieringFilter{Prefix: e.Prefix}
	}
	return c
}

func theirAnalysis(e v1alpha1.BucketAnalyticsAWS) *s3types.AnalyticsConfiguration {
	c := &s3types.AnalyticsConfiguration{Id: &e.Name, StorageClassAnalysis: &s3types.StorageClassAnalysis{}, Filter: &s3types.AnalyticsFilterMemberPrefix{}}
	if tags := theirTags(e.Tags); len(tags) > 0 {
		c.Filter = &s3types.AnalyticsFilterMemberAnd{Value: s3types.AnalyticsAndOperator{Prefix: e.Prefix, Tags: tags}}
	} else if e.Prefix != nil {
		c.Filter = &s3types.AnalyticsFilterMemberPrefix{Value: *e.Prefix}
	}
	if to := e.Export; to != nil {
		c.StorageClassAnalysis.DataExport = &s3types.StorageClassAnalysisDataExport{OutputSchemaVersion: "V_1", Destination: &s3types.AnalyticsExportDestination{
			S3BucketDestination: &s3types.AnalyticsS3BucketDestination{Bucket: new("arn:aws:s3:::" + to.Bucket), BucketAccountId: to.AccountID, Prefix: to.Prefix, Format: "CSV"}}}
	}
	return c
}

// theirInventory has the columns in the order in which they come.
func theirInventory(e v1alpha1.BucketInventoryAWS) *s3types.InventoryConfiguration {
	to := &s3types.InventoryS3BucketDestination{Bucket: new("arn:aws:s3:::" + e.Destination.Bucket), AccountId: e.Destination.AccountID, Prefix: e.Destination.Prefix,
		Format: s3types.InventoryFormat(e.Destination.Format)}
	if key := e.Destination.Encryption; key != nil && key.KeyARN != nil {
		to.Encryption = &s3types.InventoryEncryption{SSEKMS: &s3types.SSEKMS{KeyId: key.KeyARN}}
	} else if key != nil {
		to.Encryption = &s3types.InventoryEncryption{SSES3: &s3types.SSES3{}}
	}
	c := &s3types.InventoryConfiguration{
		Id: &e.Name, IsEnabled: new(e.Enabled == nil || *e.Enabled), IncludedObjectVersions: s3types.InventoryIncludedObjectVersions(e.IncludedObjectVersions),
		Schedule: &s3types.InventorySchedule{Frequency: s3types.InventoryFrequency(e.Frequency)}, Destination: &s3types.InventoryDestination{S3BucketDestination: to},
	}
	if e.Prefix != nil {
		c.Filter = &s3types.InventoryFilter{Prefix: e.Prefix}
	}
	for _, field := range e.OptionalFields {
		c.OptionalFields = append(c.OptionalFields, s3types.InventoryOptionalField(field))
	}
	return c
}

func theirTags(tags map[string]v1alpha1.TagValue) (set []s3types.Tag) {
	for k, v := range tags {
		set = append(set, s3types.Tag{Key: &k, Value: new(string(v))})
	}
	return set
}

// namedSpec is a spec with entries of a sort, which are JSON.
func namedSpec(t *testing.T, field string, entries ...string) (spec v1alpha1.BucketParameters) {
	t.Helper()
	_, list, _ := strings.Cut(field, ".")
	if err := json.Unmarshal(fmt.Appendf(nil, `{"aws": {%q: [%s]}}`, list, strings.Join(entries, ",")), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// forNamed runs a test for each sort, with a bucket in which somebody else has an entry.
func forNamed(t *testing.T, test func(t *testing.T, w *environment, field string, sort namedSort, req bucketRequest)) {
	for field, sort := range namedSorts {
		t.Run(field, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := bucketOf("shop-shared", v1alpha1.BucketParameters{})
			w.settleBucket(req)
			theirs := namedSpec(t, field, strings.ReplaceAll(sort.ours, "ours", "theirs"))
			sort.put(t, w.s3, req.Name, reflect.ValueOf(theirs.AWS).Elem().FieldByNameFunc(func(name string) bool {
				return strings.EqualFold("aws."+name, field)
			}).Index(0).Interface())
			test(t, w, field, sort, req)
		})
	}
}

// Entries of others survive that ours are added, changed, removed and released.
func TestNamedConfigurationsOfOthersStay(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort namedSort, req bucketRequest) {
		for _, step := range []struct {
			name string
			spec v1alpha1.BucketParameters
			want []string
		}{
			{"added", namedSpec(t, field, sort.ours), []string{"ours", "theirs"}},
			{"changed", namedSpec(t, field, sort.changed), []string{"ours", "theirs"}},
			{"removed", namedSpec(t, field), []string{"theirs"}},
			{"added again", namedSpec(t, field, sort.ours), []string{"ours", "theirs"}},
			{"released", v1alpha1.BucketParameters{}, []string{"ours", "theirs"}},
			{"none, where nothing is ours any more", namedSpec(t, field), []string{"ours", "theirs"}},
		} {
			req.Spec = step.spec
			req.Applied = w.settleBucket(req).Applied
			if diff := cmp.Diff(step.want, sort.list(t, w.s3, req.Name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// An entry that S3 refuses keeps no other from being set, and what somebody else deleted meanwhile is deleted.
func TestNamedConfigurationsThatAreRefused(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort namedSort, req bucketRequest) {
		req.Spec = namedSpec(t, field, sort.ours)
		req.Applied = w.settleBucket(req).Applied
		req.Spec = namedSpec(t, field, sort.refused, strings.ReplaceAll(sort.ours, "ours", "more"))
		changes := w.bucket(req).Changes
		sort.remove(t, w.s3, req.Name, "ours")
		result, err := drivertest.Buckets(w.conn).Update(t.Context(), req, driver.Edit{Changes: changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != field || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%v, failed %v; want %s, Invalid", err, result.Failed, field)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, `correct "bad" of spec.`+field) || !strings.Contains(message, "Amazon S3 says: ") {
			t.Errorf("%q does not say what to do", message)
		}
		if diff := cmp.Diff([]string{"more", "theirs"}, sort.list(t, w.s3, req.Name)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// S3 takes each filter, and what it then has is no difference.
func TestFiltersOfNamedConfigurations(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort namedSort, req bucketRequest) {
		filters := []string{`"prefix": "a/"`, `"tags": {"a": "b"}`, `"tags": {"a": "b", "c": "d"}`, `"prefix": "a/", "tags": {"a": "b"}`, `"prefix": "a/", "tags": {"a": "b", "c": "d"}`}
		switch field {
		case "aws.inventory":
			filters = filters[:1]
		case "aws.metrics":
			const through = `"accessPointARN": "arn:aws:s3:` + region + `:111111111111:accesspoint/a"`
			filters = append(filters, through, through+`, "prefix": "a/"`, through+`, "tags": {"a": "b"}`)
		}
		for _, filter := range filters {
			req.Spec = namedSpec(t, field, strings.Replace(sort.ours, "{", "{"+filter+",", 1))
			req.Applied = w.settleBucket(req).Applied
			if changes := w.bucket(req).Changes; len(changes) != 0 {
				t.Errorf("%s: differences %+v", filter, changes)
			}
		}
	})
}

// All pages are read: an entry on the last one is no difference.
func TestNamedConfigurationsInPages(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort namedSort, req bucketRequest) {
		var entries []string
		for i := range 5 {
			entries = append(entries, strings.ReplaceAll(sort.ours, "ours", fmt.Sprint("ours-", i)))
		}
		req.Spec = namedSpec(t, field, entries...)
		req.Applied = w.settleBucket(req).Applied
		w.SetPageLimit(2)
		if changes := w.bucket(req).Changes; len(changes) != 0 {
			t.Errorf("differences %+v", changes)
		}
	})
}

// Two entries of one name are refused, by the webhook and before a call, although one of them is as S3 has it: the other one would never be in force. Other
// fields are written.
func TestTwoOfOneName(t *testing.T) {
	ours := map[string]string{"aws.replication.rules": `{"name": "ours", "priority": 1, "bucket": "shop-copies"}`}
	changed := map[string]string{"aws.replication.rules": `{"name": "ours", "priority": 1, "bucket": "shop-copies", "prefix": "a/"}`}
	for field, sort := range namedSorts {
		ours[field], changed[field] = sort.ours, sort.changed
	}
	for field := range ours {
		t.Run(field, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			of := func(entries ...string) (spec v1alpha1.BucketParameters) {
				list := "[" + strings.Join(entries, ", ") + "]"
				block := strings.TrimPrefix(field, "aws.") + `": ` + list
				if field == "aws.replication.rules" {
					block = `replication": {"role": "` + copyRole + `", "rules": ` + list + "}"
				}
				if err := json.Unmarshal([]byte(`{"versioning": "Enabled", "aws": {"`+block+`}}`), &spec); err != nil {
					t.Fatal(err)
				}
				return spec
			}
			isRefused := func(what string, err error) {
				t.Helper()
				if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), `spec.`+field+` has two entries of one name, "ours"`) {
					t.Errorf("%s: %v", what, err)
				}
			}
			w.settleBucket(bucketOf("shop-copies", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}))
			req := bucketOf("shop-twice", of(changed[field]))
			w.settleBucket(req)

			req.Spec = of(ours[field], changed[field])
			req.Spec.RequesterPays = new(true)
			result, err := drivertest.Buckets(w.conn).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
			if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != field {
				t.Fatalf("%v, failed %v; want %s", err, result.Failed, field)
			}
			isRefused("an edit", result.Failed[0].Err)
			if left := w.bucket(req).Changes; len(left) != 1 {
				t.Errorf("after the edit %v differ, want %s alone", left, field)
			}

			fresh := bucketOf("shop-fresh", req.Spec)
			_, err = drivertest.Buckets(w.conn).Create(t.Context(), fresh)
			isRefused("a creation", err)

			raw, err := json.Marshal(req.Spec)
			if err != nil {
				t.Fatal(err)
			}
			refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: region})
			if err != nil || len(refusals) != 1 || !slices.Equal(refusals[0].Fields, []string{field}) {
				t.Errorf("the webhook is told %v, %v", refusals, err)
			}
		})
	}
}
