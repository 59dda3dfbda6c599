package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/system"
)

// sealed is a driver that says what it knows without an account, and opens none.
type sealed struct{ driver.Driver }

func (sealed) Open(context.Context, driver.Opening) (driver.Session, error) {
	return nil, &driver.Error{Code: driver.Unavailable, Message: "no cloud is reached here"}
}

// checked runs the controller with the drivers of the real clouds, and returns a client and its warnings once the API server asks the controller. Each cloud
// has a team's account, and through a platform's account a class of the cloud's name.
func checked(t *testing.T) (client.Client, *system.Warnings) {
	t.Helper()
	address := system.FreeAddress(t)
	if err := admission.Apply(t.Context(), shared.Client, "https://"+address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unask(t) })
	m, err := system.Start(t.Context(), shared.Cluster.Config(), &system.KillSwitch{}, controllers.Options{
		Drivers:    map[string]driver.Driver{"aws": sealed{aws.New(aws.Options{})}, "gcp": sealed{gcp.New(gcp.Options{})}},
		SyncPeriod: time.Second, ConsistencyWindow: 50 * time.Millisecond, Workers: 4, WebhookAddress: address,
	}, controllers.ManagerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Kill)
	for cloud, account := range map[string]string{"aws": `aws: {region: eu-central-1}`, "gcp": `gcp: {project: shop-test, region: europe-west3}`} {
		spec := account + `, credentials: {secretRef: {name: keys}}`
		stored(t, "ProviderConfig", `{metadata: {name: `+cloud+`}, spec: {`+spec+`}}`, "")
		stored(t, "ClusterProviderConfig", `{metadata: {name: checked-`+cloud+`}, spec: {allowedNamespaces: {}, `+spec+`}}`, "")
		stored(t, "DatabaseClass", `{metadata: {name: `+cloud+`}, spec: {providerConfigRef: {name: checked-`+cloud+`}, allowedNamespaces: {}, defaults: {`+defaults[cloud]+`},
			allowedReferences: [{field: spec.encryption.key, pattern: .*}`+allowed[cloud]+`]}}`, "")
		stored(t, "BucketClass", `{metadata: {name: `+cloud+`}, spec: {providerConfigRef: {name: checked-`+cloud+`}, allowedNamespaces: {}, allowedReferences: [{field: spec.encryption.key, pattern: .*}]}}`, "")
	}
	c, heard := listening(t)
	system.Retry(t, "the webhook to be asked", func() error {
		for _, cloud := range []string{"aws", "gcp"} {
			for _, by := range []string{"className: " + cloud, "providerConfigRef: {name: " + cloud + "}"} {
				if err := c.Create(t.Context(), object(t, "Database", `{spec: {`+by+`, engine: mariadb, version: "11"}}`), client.DryRunAll); !apierrors.IsInvalid(err) {
					return fmt.Errorf("by %s: answered with %w, want it to be refused", by, err)
				}
			}
		}
		return nil
	})
	heard.Take()
	return c, heard
}

// allowed are what the classes let tenants name beside keys.
var allowed = map[string]string{
	"aws": `, {field: spec.aws.performanceInsights.key, pattern: .*}, {field: spec.aws.dbParameterGroupName, pattern: .*}, {field: spec.aws.monitoring.roleARN, pattern: .*}`,
}

// defaults are what the classes give: of each rule the half that a tenant does not see.
var defaults = map[string]string{
	"aws": `engine: postgres, version: "16", storage: {sizeGiB: 100}, backup: {startTime: "03:00"}, tls: Required,
		aws: {instanceClass: db.m7g.large, storageType: gp3, databaseInsightsMode: standard}`,
	"gcp": `engine: postgres, version: "17", backup: {retentionDays: 7}, tls: Required, iamAuthentication: true,
		gcp: {tier: db-c4a-highmem-4, zone: europe-west3-a, privateNetwork: projects/shop-test/global/networks/shop, iops: 4000}`,
}

const (
	keyElsewhere = `"arn:aws:kms:us-east-1:111111111111:key/0d9f3a7e-1111-4222-8333-944455556666"`
	keyHere      = `"arn:aws:kms:eu-central-1:111111111111:key/0d9f3a7e-1111-4222-8333-944455556666"`
	gcpElsewhere = `projects/shop-test/locations/us-east1/keyRings/r/cryptoKeys/k`
	gcpHere      = `projects/shop-test/locations/europe-west3/keyRings/r/cryptoKeys/k`
)

// rules are what a cloud is known to refuse: what a user of a class writes beside the class's defaults, and what the two are without a class.
var rules = []struct {
	name, cloud string
	// own is the user's spec. given is what the class adds, written out for an object without a class.
	own, given string
	field      string // that the refusal names
	says       string
}{
	{"windows overlap", "aws", `maintenance: {window: {day: Sunday, startTime: "03:20"}}`, `maintenance: {window: {day: Sunday, startTime: "03:20"}}, backup: {startTime: "03:00"}`,
		"spec.maintenance.window.startTime", "at least 30 minutes apart"},
	{"windows overlap around midnight", "aws", `backup: {startTime: "23:50"}, maintenance: {window: {day: Sunday, startTime: "00:10"}}`, ``,
		"spec.maintenance.window.startTime", "at least 30 minutes apart"},
	{"growth by less than a tenth", "aws", `storage: {maxSizeGiB: 105}`, `storage: {sizeGiB: 100, maxSizeGiB: 105}`, "spec.storage", "10% above"},
	{"IOPS of a small disk", "aws", `aws: {iops: 12000}`, `storage: {sizeGiB: 100}, aws: {instanceClass: db.m7g.large, iops: 12000}`, "spec.aws.iops", "spec.storage.sizeGiB to 400 or more"},
	{"a log volume beside gp3", "aws", `aws: {dedicatedLogVolume: true}`, `aws: {instanceClass: db.m7g.large, dedicatedLogVolume: true}`, "spec.aws.dedicatedLogVolume", "io1 or io2"},
	{"insights that are off", "aws", `aws: {performanceInsights: {retentionDays: 31}}`, ``, "spec.aws.performanceInsights.retentionDays", "set spec.insights to true"},
	{"advanced mode with few days", "aws", `insights: true, aws: {databaseInsightsMode: advanced, performanceInsights: {retentionDays: 31}}`, ``,
		"spec.aws.databaseInsightsMode", "at least 465"},
	{"monitoring without a role", "aws", `aws: {monitoring: {intervalSeconds: 60}}`, ``, "spec.aws.monitoring.intervalSeconds", "roleARN"},
	{"logs of another engine", "aws", `aws: {cloudwatchLogsExports: [slowquery]}`, `engine: postgres, aws: {cloudwatchLogsExports: [slowquery]}`, "spec.aws", "postgresql"},
	{"TLS twice", "aws", `parameters: {rds.force_ssl: "1"}`, `tls: Required, parameters: {rds.force_ssl: "1"}`, "spec.", "remove one of them"},
	{"a group and parameters", "aws", `parameters: {work_mem: "64"}, aws: {dbParameterGroupName: ours}`, ``, "spec.parameters", "exclude each other"},
	{"a zone of another region", "aws", `aws: {availabilityZone: us-east-1a}`, ``, "spec.aws.availabilityZone", "eu-central-1"},
	{"a key of another region", "aws", `encryption: {key: ` + keyElsewhere + `}`, ``, "spec.encryption.key", "name a key in eu-central-1"},
	{"a key of another region for insights", "aws", `insights: true, aws: {performanceInsights: {key: ` + keyElsewhere + `}}`, ``, "spec.aws.performanceInsights.key", "name a key in eu-central-1"},
	{"a location without the key", "aws", `location: us-east-1, encryption: {key: ` + keyHere + `}`, ``, "spec.encryption.key", "spec.encryption.key"},

	{"backups off beside two zones", "gcp", `availability: MultiZone, backup: {retentionDays: 0}`, `availability: MultiZone, backup: {retentionDays: 0}, gcp: {tier: db-c4a-highmem-4}`,
		"spec.availability", "automatic backups"},
	{"recovery off beside two zones", "gcp", `availability: MultiZone, backup: {pointInTimeRecovery: false}`, `availability: MultiZone, backup: {pointInTimeRecovery: false}, gcp: {tier: db-c4a-highmem-4}`,
		"spec.availability", "point-in-time recovery"},
	{"a standby's zone in one zone", "gcp", `gcp: {secondaryZone: europe-west3-b}`, ``, "spec.gcp.secondaryZone", "MultiZone"},
	{"both zones the same", "gcp", `availability: MultiZone, gcp: {secondaryZone: europe-west3-a}`, `availability: MultiZone, gcp: {zone: europe-west3-a, secondaryZone: europe-west3-a}`,
		"spec.gcp", "the zone of the server fails"},
	{"a zone of another region", "gcp", `gcp: {zone: us-east1-b}`, ``, "spec.gcp.zone", "europe-west3"},
	{"IAM twice", "gcp", `parameters: {cloudsql.iam_authentication: "on"}`, `iamAuthentication: true, parameters: {cloudsql.iam_authentication: "on"}`, "spec.", "iamAuthentication"},
	{"throughput beyond the IOPS", "gcp", `gcp: {throughputMiBps: 1200}`, `gcp: {iops: 4000, throughputMiBps: 1200}`, "spec.gcp.throughputMiBps", "a quarter of"},
	{"a key of another region", "gcp", `encryption: {key: ` + gcpElsewhere + `}`, ``, "spec.encryption.key", "name a key in europe-west3"},
}

// What a cloud is known to refuse is refused at admission, with its field and advice: of a user of a class, who sees half of it, and of an object
// without a class.
func TestWhatACloudRefusesIsRefusedAtAdmission(t *testing.T) {
	c, _ := checked(t)
	for _, rule := range rules {
		given := rule.given
		if given == "" {
			given = rule.own
		}
		if !strings.Contains(given, "engine:") {
			given += `, engine: postgres`
		}
		for how, spec := range map[string]string{"by a class": `className: ` + rule.cloud + `, ` + rule.own, "without a class": `providerConfigRef: {name: ` + rule.cloud + `}, ` + given} {
			t.Run(rule.cloud+"/"+rule.name+"/"+how, func(t *testing.T) {
				err := c.Create(t.Context(), object(t, "Database", `{spec: {`+spec+`}}`), client.DryRunAll)
				if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), rule.says) || !strings.Contains(err.Error(), rule.field) {
					t.Errorf("%s\nis answered with %v, want it to be refused with %s and %q", spec, err, rule.field, rule.says)
				}
			})
		}
	}
}

// A bucket's key is checked, too. Which key the bucket of a multi-region takes is for the cloud to say.
func TestKeysOfBuckets(t *testing.T) {
	c, _ := checked(t)
	for spec, says := range map[string]string{
		`className: aws, encryption: {key: ` + keyElsewhere + `}`:                          "name a key in eu-central-1",
		`className: aws, location: us-east-1, encryption: {key: ` + keyElsewhere + `}`:     "",
		`className: aws, encryption: {key: alias/ours}`:                                    "",
		`className: gcp, encryption: {key: ` + gcpElsewhere + `}`:                          "name a key in europe-west3",
		`className: gcp, encryption: {key: ` + gcpHere + `}`:                               "",
		`className: gcp, location: eu, encryption: {key: ` + gcpHere + `}`:                 "",
		`providerConfigRef: {name: aws}, encryption: {key: ` + keyElsewhere + `}`:          "name a key in eu-central-1",
		`providerConfigRef: {name: gcp}, encryption: {key: ` + gcpElsewhere + `}`:          "name a key in europe-west3",
		`providerConfigRef: {name: gcp}, location: us, encryption: {key: ` + gcpHere + `}`: "",
	} {
		err := c.Create(t.Context(), object(t, "Bucket", `{spec: {`+spec+`}}`), client.DryRunAll)
		answered(t, err, says)
	}
}

// What is refused of a new spec keeps nobody from another edit: not from one of what the refusal says nothing of, also where the class was changed since, and
// not from what Kubernetes and the controller write.
func TestWhatExistsStaysEditable(t *testing.T) {
	c, heard := checked(t)
	class := stored(t, "DatabaseClass", `{metadata: {name: moved}, spec: {providerConfigRef: {name: checked-aws}, allowedNamespaces: {}, defaults: {
		engine: postgres, version: "16", storage: {sizeGiB: 100}, backup: {startTime: "05:00"}, aws: {instanceClass: db.m7g.large}}}}`, "")
	const paused = `annotations: {mooring.dev/paused: "true"}`
	db := stored(t, "Database", `{metadata: {name: moved, `+paused+`}, spec: {className: moved, maintenance: {window: {day: Sunday, startTime: "03:20"}}}}`, "")
	if err := c.Patch(t.Context(), class, merge(t, `{spec: {defaults: {backup: {startTime: "03:00"}}}}`)); err != nil {
		t.Fatal(err)
	}
	const overlap = "at least 30 minutes apart"
	system.Retry(t, "the class to be known as it is now", func() error {
		heard.Take()
		if err := c.Patch(t.Context(), db.DeepCopy(), merge(t, `{spec: {deletionProtection: true}}`), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(heard.Take(), "\n"); !strings.Contains(got, overlap) || !strings.Contains(got, `with spec.backup.startTime 03:00 of class "moved": `) {
			return fmt.Errorf("warnings %q", got)
		}
		return nil
	})
	for name, tt := range map[string]struct{ patch, says string }{
		"a label":                              {`{metadata: {labels: {a: b}}}`, ""},
		"a finalizer":                          {`{metadata: {finalizers: [example.com/theirs]}}`, ""},
		"another field":                        {`{spec: {storage: {sizeGiB: 200}}}`, ""},
		"another day, which does not matter":   {`{spec: {maintenance: {window: {day: Monday}}}}`, ""},
		"the window, and it still overlaps":    {`{spec: {maintenance: {window: {startTime: "03:10"}}}}`, overlap},
		"the window, and it no longer does":    {`{spec: {maintenance: {window: {startTime: "04:00"}}}}`, ""},
		"no window":                            {`{spec: {maintenance: null}}`, ""},
		"another field, and something is new":  {`{spec: {storage: {sizeGiB: 200, maxSizeGiB: 205}}}`, "10% above"},
		"one thing mended, another left as is": {`{spec: {backup: {startTime: "06:00"}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answered(t, c.Patch(t.Context(), db.DeepCopy(), merge(t, tt.patch), client.DryRunAll), tt.says)
		})
	}
	if err := c.Status().Patch(t.Context(), db.DeepCopy(), merge(t, `{status: {location: eu-central-1}}`)); err != nil {
		t.Errorf("its status: %v", err)
	}
	answered(t, c.Create(t.Context(), object(t, "Database", `{spec: {className: moved, maintenance: {window: {day: Sunday, startTime: "03:20"}}}}`), client.DryRunAll), overlap)
}

// An edit of a disk is checked with the disk that is there.
func TestEditsOfADisk(t *testing.T) {
	c, _ := checked(t)
	db := stored(t, "Database", `{metadata: {name: hidden, annotations: {mooring.dev/paused: "true"}}, spec: {providerConfigRef: {name: aws}, engine: postgres, storage: {sizeGiB: 500},
		aws: {instanceClass: db.m7g.large, storageType: io2, iops: 20000}}}`,
		`{status: {externalName: hidden, provider: aws, observed: {storage: {sizeGiB: 500}, aws: {storageType: io2, iops: 20000}}}}`)
	for patch, says := range map[string]string{
		`{spec: {aws: {storageType: gp3}}}`:                            "",
		`{spec: {aws: {storageType: gp3, iops: 9000}}}`:                "12000 to 64000",
		`{spec: {aws: {storageType: null}}}`:                           "",
		`{spec: {aws: {storageType: null, dedicatedLogVolume: true}}}`: "", // the disk is io2
	} {
		answered(t, c.Patch(t.Context(), db.DeepCopy(), merge(t, patch), client.DryRunAll), says)
	}
}

// What is there counts, not what a new object would be: a disk that grew has IOPS of its own, and what takes over an object, or looks at it, is not checked
// before anybody has seen that.
func TestWhatIsThereCounts(t *testing.T) {
	c, _ := checked(t)
	const small = `engine: postgres, storage: {sizeGiB: 100}, aws: {instanceClass: db.m7g.large`
	db := stored(t, "Database", `{metadata: {name: grown, annotations: {mooring.dev/paused: "true"}}, spec: {providerConfigRef: {name: aws}, `+small+`}}}`,
		`{status: {externalName: grown, provider: aws, location: us-east-1, observed: {storage: {sizeGiB: 500}, aws: {storageType: gp3}}}}`)
	answered(t, c.Patch(t.Context(), db.DeepCopy(), merge(t, `{spec: {aws: {iops: 12000}}}`), client.DryRunAll), "")
	answered(t, c.Patch(t.Context(), db.DeepCopy(), merge(t, `{spec: {aws: {iops: 9000}}}`), client.DryRunAll), "12000 to 64000")
	answered(t, c.Patch(t.Context(), db.DeepCopy(), merge(t, `{spec: {insights: true, aws: {performanceInsights: {key: `+keyElsewhere+`}}}}`), client.DryRunAll), "")
	for spec, says := range map[string]string{
		`adoption: IfExists, externalName: theirs, `:     "",
		`management: Observe, externalName: theirs, `:    "",
		`adoption: IfMarked, externalName: ours-again, `: "400 or more",
	} {
		answered(t, c.Create(t.Context(), object(t, "Database", `{spec: {providerConfigRef: {name: aws}, `+spec+small+`, iops: 12000}}}`), client.DryRunAll), says)
	}
}

// Without its class nobody knows what an object is to be: it passes. What a class alone says is the platform team's to mend: it is warned of, and its users pass with
// a warning.
func TestClassesThatCanNotBeKept(t *testing.T) {
	c, heard := checked(t)
	answered(t, c.Create(t.Context(), object(t, "Database", `{spec: {className: absent, backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:10"}}}}`), client.DryRunAll), "")
	heard.Take()
	class := object(t, "DatabaseClass", `{metadata: {name: unsound}, spec: {providerConfigRef: {name: checked-aws}, allowedNamespaces: {}, defaults: {
		engine: postgres, backup: {startTime: "03:00"}, aws: {instanceClass: db.m7g.large}}, enforced: {maintenance: {window: {day: Sunday, startTime: "03:10"}}}}}`)
	if err := c.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, class) })
	if got := strings.Join(heard.Take(), "\n"); !strings.Contains(got, "objects that leave spec.maintenance.window.startTime and spec.backup.startTime to this class are refused by the cloud: ") {
		t.Errorf("warnings of the class %q", got)
	}
	system.Retry(t, "the class to be known", func() error {
		heard.Take()
		if err := c.Create(t.Context(), object(t, "Database", `{spec: {className: unsound}}`), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(heard.Take(), "\n"); !strings.Contains(got, "at least 30 minutes apart") || !strings.Contains(got, `of class "unsound": `) {
			return fmt.Errorf("warnings %q", got)
		}
		return nil
	})
	answered(t, c.Create(t.Context(), object(t, "Database", `{spec: {className: unsound, backup: {startTime: "03:30"}}}`), client.DryRunAll), "at least 30 minutes apart")
	answered(t, c.Create(t.Context(), object(t, "Database", `{spec: {className: unsound, backup: {startTime: "04:00"}}}`), client.DryRunAll), "")
}
