package sql

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What Cloud SQL is known to refuse is told without a session, with all fields that it depends on; and the creation refuses it before any call.
func TestCheckOfDatabases(t *testing.T) {
	const key = "projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k"
	deny := fieldDeny + ".startDate " + fieldDeny + ".endDate"
	for name, tt := range map[string]struct {
		spec, observed string
		fields         string // empty: nothing is refused
		says           string
	}{
		"another cloud's block":          {`{aws: {instanceClass: db.m7g.large}}`, "", "aws", "Amazon RDS"},
		"two zones without backups":      {`{availability: MultiZone, backup: {retentionDays: 0}}`, "", "availability backup.retentionDays", "automatic backups"},
		"no backups, and two zones":      {`{backup: {retentionDays: 0}}`, `{availability: MultiZone}`, "availability backup.retentionDays", "automatic backups"},
		"two zones without recovery":     {`{availability: MultiZone, backup: {pointInTimeRecovery: false}}`, "", "availability backup.pointInTimeRecovery", "recovery"},
		"recovery without backups":       {`{backup: {retentionDays: 0, pointInTimeRecovery: true}}`, "", "backup.pointInTimeRecovery backup.retentionDays", "automatic backups"},
		"a standby's zone in one zone":   {`{gcp: {secondaryZone: europe-west3-b}}`, "", "gcp.secondaryZone availability", "MultiZone"},
		"a standby's zone, and it is":    {`{gcp: {secondaryZone: europe-west3-b}}`, `{availability: MultiZone}`, "", ""},
		"both zones the same":            {`{availability: MultiZone, gcp: {zone: europe-west3-b, secondaryZone: europe-west3-b}}`, "", "gcp.secondaryZone gcp.zone", "another zone"},
		"a zone of another region":       {`{gcp: {zone: europe-west30-b}}`, "", "gcp.zone location", "europe-west3"},
		"a second zone elsewhere":        {`{availability: MultiZone, gcp: {secondaryZone: us-east1-b}}`, "", "gcp.secondaryZone location", "europe-west3"},
		"zones of the region":            {`{availability: MultiZone, gcp: {zone: europe-west3-a, secondaryZone: europe-west3-b}}`, "", "", ""},
		"tls twice":                      {`{tls: Required, gcp: {sslMode: ALLOW_UNENCRYPTED_AND_ENCRYPTED}}`, "", "tls gcp.sslMode", "contradict"},
		"iam twice":                      {`{iamAuthentication: true, parameters: {cloudsql.iam_authentication: "on"}}`, "", "iamAuthentication parameters", "remove one"},
		"throughput beyond the IOPS":     {`{gcp: {iops: 4000, throughputMiBps: 1001}}`, "", "gcp.throughputMiBps gcp.iops", "quarter"},
		"IOPS beyond the throughput":     {`{gcp: {iops: 40000, throughputMiBps: 140}}`, "", "gcp.throughputMiBps gcp.iops", "256"},
		"a speed":                        {`{gcp: {iops: 4000, throughputMiBps: 1000}}`, "", "", ""},
		"a key of another location":      {`{encryption: {key: projects/p/locations/global/keyRings/r/cryptoKeys/k}}`, "", "encryption.key location", "name a key in europe-west3"},
		"a key of the location":          {`{encryption: {key: ` + key + `}}`, "", "", ""},
		"a version of another engine":    {`{engine: mysql, version: "16"}`, "", "version engine", "no version"},
		"MariaDB, which is lacking":      {`{engine: mariadb, version: "11.4"}`, "", "", ""},
		"half a window":                  {`{maintenance: {window: {day: Sunday}}}`, "", "maintenance.window.day maintenance.window.startTime", "set both"},
		"half a window, and the other":   {`{maintenance: {window: {day: Sunday}}}`, `{maintenance: {window: {day: Monday, startTime: "03:00"}}}`, "", ""},
		"a window between hours":         {`{maintenance: {window: {day: Sunday, startTime: "03:30"}}}`, "", "maintenance.window.startTime", "full hour"},
		"half a deny period":             {`{gcp: {denyMaintenancePeriod: {startDate: "11-05"}}}`, "", deny, "set both"},
		"half a deny period, and a half": {`{gcp: {denyMaintenancePeriod: {startDate: "11-05"}}}`, `{gcp: {denyMaintenancePeriod: {startDate: "11-01", endDate: "12-01"}}}`, "", ""},
		"no deny period":                 {`{gcp: {denyMaintenancePeriod: {}}}`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			draft := driver.Draft{Spec: jsonOf(t, tt.spec), Location: "europe-west3"}
			if tt.observed != "" {
				draft.Observed = jsonOf(t, tt.observed)
			}
			got, err := DatabaseKind.Check(draft)
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

func jsonOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
