package rds

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// kinds are those of the package, as the driver asks them.
var kinds = table.Kinds[*session.Session]{Databases}

// What RDS is known to refuse is told without a session, with all fields that it depends on; and the creation refuses it before any call.
func TestCheckOfDatabases(t *testing.T) {
	const key, elsewhere = "arn:aws:kms:eu-central-1:111111111111:key/k", "arn:aws:kms:us-east-1:111111111111:key/k"
	for name, tt := range map[string]struct {
		spec, observed string
		fields         string // empty: nothing is refused
		says           string
	}{
		"windows":                        {`{backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:29"}}}`, "", "maintenance.window.startTime backup.startTime", "30 minutes"},
		"windows around midnight":        {`{backup: {startTime: "00:10"}, maintenance: {window: {day: Sunday, startTime: "23:50"}}}`, "", "maintenance.window.startTime backup.startTime", "30 minutes"},
		"windows one after the other":    {`{backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:30"}}}`, "", "", ""},
		"windows half a day apart":       {`{backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "15:00"}}}`, "", "", ""},
		"growth by 9%":                   {`{storage: {sizeGiB: 100, maxSizeGiB: 109}}`, "", "storage.maxSizeGiB storage.sizeGiB", "set it to 110 or more, or to 100"},
		"growth by 10%":                  {`{storage: {sizeGiB: 100, maxSizeGiB: 110}}`, "", "", ""},
		"no growth":                      {`{storage: {sizeGiB: 100, maxSizeGiB: 100}}`, "", "", ""},
		"a class's limit below the size": {`{storage: {sizeGiB: 200, maxSizeGiB: 100}}`, "", "", ""},
		"another cloud's block":          {`{gcp: {tier: db-f1-micro}}`, "", "gcp", "Google Cloud"},
		"parameters and a group":         {`{parameters: {a: b}, aws: {dbParameterGroupName: g}}`, "", "parameters aws.dbParameterGroupName", "exclude"},
		"tls twice":                      {`{tls: Required, parameters: {rds.force_ssl: "1"}}`, "", "tls parameters", "remove one"},
		"logs of another engine":         {`{engine: postgres, aws: {cloudwatchLogsExports: [upgrade, error]}}`, "", "aws.cloudwatchLogsExports engine", "error"},
		"logs of the engine":             {`{engine: mysql, aws: {cloudwatchLogsExports: [error, iam-db-auth-error]}}`, "", "", ""},
		"a zone of another region":       {`{aws: {availabilityZone: eu-central-11a}}`, "", "aws.availabilityZone location", "eu-central-1"},
		"a zone of the region":           {`{aws: {availabilityZone: eu-central-1-ham-1a}}`, "", "", ""},
		"a key of another region":        {`{encryption: {key: ` + elsewhere + `}}`, "", "encryption.key location", "name a key in eu-central-1"},
		"a key of the region":            {`{encryption: {key: ` + key + `}}`, "", "", ""},
		"an alias":                       {`{encryption: {key: alias/k}}`, "", "", ""},
		"another key for insights":       {`{insights: true, aws: {performanceInsights: {key: ` + elsewhere + `}}}`, "", "aws.performanceInsights.key location", "name a key"},
		"insights that are off":          {`{aws: {performanceInsights: {retentionDays: 31}}}`, "", "insights aws.performanceInsights.retentionDays aws.performanceInsights.key", "spec.insights"},
		"insights that somebody began":   {`{aws: {performanceInsights: {retentionDays: 31}}}`, `{insights: true, aws: {storageType: gp3}}`, "", ""},
		"advanced with few days":         {`{insights: true, aws: {databaseInsightsMode: advanced, performanceInsights: {retentionDays: 31}}}`, "", "aws.databaseInsightsMode insights aws.performanceInsights.retentionDays", "465"},
		"advanced that stays":            {`{insights: true, aws: {performanceInsights: {retentionDays: 31}}}`, `{insights: true, aws: {databaseInsightsMode: advanced, storageType: gp3}}`, "aws.databaseInsightsMode insights aws.performanceInsights.retentionDays aws.performanceInsights.key", "standard"},
		"monitoring without a role":      {`{aws: {monitoring: {intervalSeconds: 60}}}`, "", "aws.monitoring.intervalSeconds aws.monitoring.roleARN", "role"},
		"monitoring with the role there": {`{aws: {monitoring: {intervalSeconds: 60}}}`, `{aws: {storageType: gp3, monitoring: {roleARN: r}}}`, "", ""},
		"a log volume beside gp3":        {`{aws: {dedicatedLogVolume: true}}`, "", "aws.dedicatedLogVolume aws.storageType", "io1 or io2"},
		"a log volume beside io2":        {`{aws: {dedicatedLogVolume: true}}`, `{storage: {sizeGiB: 200}, aws: {storageType: io2, iops: 1000}}`, "", ""},
		"IOPS of a small disk":           {`{storage: {sizeGiB: 100}, aws: {iops: 12000}}`, "", "aws.iops aws.throughputMiBps aws.storageType storage.sizeGiB", "400"},
		"IOPS of a disk that grew":       {`{storage: {sizeGiB: 100}, aws: {iops: 12000}}`, `{storage: {sizeGiB: 500}, aws: {storageType: gp3}}`, "", ""},
		"throughput and the IOPS there":  {`{aws: {throughputMiBps: 3500}}`, `{storage: {sizeGiB: 500}, aws: {storageType: gp3, iops: 13000, throughputMiBps: 500}}`, "aws.throughputMiBps aws.iops aws.storageType storage.sizeGiB", "quarter"},
		"io1 without IOPS":               {`{storage: {sizeGiB: 100}, aws: {storageType: io1}}`, "", "aws.iops aws.storageType", "spec.aws.iops"},
		"a mirror without its disk":      {`{aws: {iops: 12000, monitoring: {intervalSeconds: 60}}}`, `{storage: {sizeGiB: 500}}`, "", ""}, // of release 0.1.0
		"io1 of 50 GiB":                  {`{storage: {sizeGiB: 50}, aws: {storageType: io1, iops: 1000}}`, "", "storage.sizeGiB aws.storageType", "100"},
	} {
		t.Run(name, func(t *testing.T) {
			draft := driver.Draft{Spec: jsonOf(t, tt.spec), Location: "eu-central-1"}
			if tt.observed != "" {
				draft.Observed = jsonOf(t, tt.observed)
			}
			got, err := kinds.Check("AWS", "Database", draft)
			if err != nil || (len(got) == 1) != (tt.fields != "") || len(got) > 1 {
				t.Fatalf("got %+v, %v, want one about %q", got, err, tt.fields)
			}
			if tt.fields == "" {
				return
			}
			if !slices.Equal(got[0].Fields, strings.Fields(tt.fields)) || !strings.Contains(got[0].Message, tt.says) {
				t.Errorf("got %+v, want one about %q that says %q", got[0], tt.fields, tt.says)
			}
			var spec v1alpha1.DatabaseParameters
			if err := yaml.Unmarshal(draft.Spec, &spec); err != nil {
				t.Fatal(err)
			}
			req := &request{Request: driver.Request{Location: draft.Location}, Spec: spec, Login: driver.Login{Password: "secret-1"}}
			if err := creatable(req); tt.observed == "" && (driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), got[0].Message)) {
				t.Errorf("the creation: %v, want %q", err, got[0].Message)
			}
		})
	}
}

// Of a draft whose location is not known, and of errors that are no matter of the spec, nothing is told.
func TestCheckOfWhatIsNotKnown(t *testing.T) {
	got, err := kinds.Check("AWS", "Database", driver.Draft{Spec: jsonOf(t, `{encryption: {key: "arn:aws:kms:us-east-1:111111111111:key/k"}, aws: {availabilityZone: us-east-1a}}`)})
	if err != nil || len(got) > 0 {
		t.Errorf("without a location: %+v, %v", got, err)
	}
	if got := table.Refused(nil, session.Invalid("not said with fields")); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

func jsonOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
