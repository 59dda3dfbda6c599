package gcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func TestConformance(t *testing.T) {
	t.Run("at once", func(t *testing.T) { drivertest.Run(t, harness(t, localcloud.Durations{})) })
	t.Run("taking time", func(t *testing.T) {
		drivertest.Run(t, harness(t, localcloud.Durations{
			Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute, Snapshot: 3 * time.Minute,
		}))
	})
}

func TestConformanceThroughAPipe(t *testing.T) {
	h := harness(t, localcloud.Durations{Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute, Snapshot: 3 * time.Minute})
	h.Driver = drivertest.ThroughPipe(t, h.Driver)
	drivertest.Run(t, h)
}

func harness(t *testing.T, durations localcloud.Durations) drivertest.Harness {
	c := newCloud(t, durations)
	ours, other, empty := c.config(project), c.config("somebody-else"), c.config("nobody-at-all")
	withKey := func(key string) driver.Opening {
		cfg := c.config(project)
		cfg.Credentials = map[string][]byte{v1alpha1.SecretKeyGCPCredentials: []byte(key)}
		return cfg
	}
	noProject := c.config(project)
	noProject.Account = v1alpha1.Account{AWS: &v1alpha1.AWSAccount{}}
	return drivertest.Harness{
		Driver: gcp.New(gcp.Options{
			Endpoint: c.GCPEndpoint(), Transport: c.sent, Now: c.clock.Now, CallTimeout: 2 * time.Minute, // longer than the suite's grace
		}),
		Config: ours, Account: project, Other: &other, Empty: &empty,
		PageSize: func(n int) (lift func()) {
			c.SetPageLimit(n)
			return func() { c.SetPageLimit(0) }
		},
		Refused: map[string]driver.Opening{
			"no key":                {Config: driver.Config{Account: ours.Account}, Credentials: map[string][]byte{}},
			"not JSON":              withKey("canary-1"),
			"a key that names URLs": withKey(`{"type":"external_account","token_url":"http://evil.invalid","credential_source":{"executable":{"command":"canary-2"}}}`),
			"a user's key":          withKey(`{"type":"authorized_user","refresh_token":"canary-3"}`),
			"a broken private key":  withKey(`{"type":"service_account","client_email":"a@b","private_key":"canary-4"}`),
			"no project":            noProject,
		},
		Secrets: []string{string(ours.Credentials[v1alpha1.SecretKeyGCPCredentials]), "canary-"},
		Now:     c.clock.Now,
		Settle:  c.settle,
		Calls: func() drivertest.Calls {
			return drivertest.Calls{Reads: c.count(localcloud.Reads), Writes: c.count(localcloud.Writes)}
		},
		Fail:      c.fail,
		Buckets:   bucketKind(c),
		Databases: databaseKind(c),
	}
}

func (c *cloud) fail(f drivertest.Fault) (lift func()) {
	fault := localcloud.Fault{Skip: f.Skip, Kind: map[drivertest.FaultKind]localcloud.FaultKind{
		drivertest.Denied: localcloud.Denied, drivertest.Throttled: localcloud.Throttled, drivertest.ServerError: localcloud.ServerError,
		drivertest.Hang: localcloud.Hang, drivertest.ResponseLost: localcloud.ResponseLost, drivertest.FailLate: localcloud.FailLate,
	}[f.Kind]}
	switch {
	case f.Reads && !f.Writes:
		fault.Write = localcloud.Reads
	case f.Writes && !f.Reads:
		fault.Write = localcloud.Writes
	}
	var lifts []func()
	for _, service := range []string{"storage", "sqladmin"} {
		fault.Service = service
		lifts = append(lifts, c.Faults.Add(fault))
	}
	return func() {
		for _, lift := range lifts {
			lift()
		}
	}
}

func bucketKind(c *cloud) *drivertest.Kind[v1alpha1.BucketParameters] {
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		RefusedNames: []string{
			"my", strings.Repeat("a", 64), "Photos", "-photos", "photos-", "two..dots", "192.168.5.4", "goog-photos", "my-google-photos", "my-g00gle-photos",
			strings.Repeat("a", 64) + ".example.com",
		},
		OddNames: []string{"1photos", "photos--2026", "photos_2026"},
		Full:     fieldedit.GCPBucket(location).Full,
		Minimal:  func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields:   fieldedit.GCPBucket(location).Fields,
		Reads:    1, MinimalReads: 1,
		HasID: true, GlobalNames: true, Contents: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				text, _ := value.(string)
				patch := &storage.Bucket{}
				switch field {
				case "versioning":
					patch.Versioning = &storage.BucketVersioning{Enabled: text == "Enabled", ForceSendFields: []string{"Enabled"}}
				case "publicAccess":
					prevention := map[string]string{"Blocked": "enforced", "Allowed": "inherited"}[text]
					patch.IamConfiguration = &storage.BucketIamConfiguration{PublicAccessPrevention: prevention}
				case "encryption.key":
					patch.Encryption = &storage.BucketEncryption{DefaultKmsKeyName: text}
				default:
					t.Fatalf("no way to edit %s", field)
				}
				c.patchBucket(t, name, patch)
			},
			Labels: func(t testing.TB, name string) map[string]string { return c.bucket(t, name).Labels },
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				patch := &storage.Bucket{Labels: labels}
				for k := range c.bucket(t, name).Labels {
					if _, stays := labels[k]; !stays {
						patch.NullFields = append(patch.NullFields, "Labels."+k)
					}
				}
				c.patchBucket(t, name, patch)
			},
			Remove: func(t testing.TB, name string) {
				if err := c.storage.Buckets.Delete(name).Do(); err != nil {
					t.Fatal(err)
				}
			},
			Fill: func(t testing.TB, name string) { c.fill(t, name, 3) },
		},
	}
}

// fill puts objects into a bucket, the last in two versions if the bucket keeps versions.
func (c *cloud) fill(t testing.TB, name string, objects int) {
	t.Helper()
	for i := range objects + 1 {
		object := &storage.Object{Name: fmt.Sprintf("object-%04d", min(i, objects-1))}
		if _, err := c.storage.Objects.Insert(name, object).Media(strings.NewReader("content")).Do(); err != nil {
			t.Fatal(err)
		}
	}
}

func databaseKind(c *cloud) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	return &drivertest.Kind[v1alpha1.DatabaseParameters]{
		RefusedNames: []string{strings.Repeat("a", 98-len(project)), "1orders", "orders-", "shop_orders", "shop.orders"},
		OddNames:     []string{"o", "shop--orders", strings.Repeat("a", 97-len(project))},
		Full:         fieldedit.GCPDatabase(location).Full,
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EngineMySQL), GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")}}
		},
		Login:  driver.Login{Password: "canary-7f3a"},
		Fields: fieldedit.GCPDatabase(location).Fields,
		Reads:  1, MinimalReads: 1,
		HasID: true, Snapshots: true,
		Cloud: drivertest.Backdoor{
			Edit:    c.editInstance,
			Labels:  func(t testing.TB, name string) map[string]string { return c.instance(t, name).Settings.UserLabels },
			Relabel: c.relabelInstance,
			Remove: func(t testing.TB, name string) {
				op, err := c.sql.Instances.Delete(project, name).Do()
				if err != nil {
					t.Fatal(err)
				}
				c.end(t, op)
			},
			Stop: func(t testing.TB, name string) {
				c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: "NEVER"}})
			},
		},
	}
}

func (c *cloud) editInstance(t testing.TB, name, field string, value any) {
	t.Helper()
	settings := &sqladmin.Settings{}
	switch field {
	case "storage.sizeGiB":
		settings.DataDiskSizeGb = int64(value.(int))
	case "backup.retentionDays":
		settings.BackupConfiguration = &sqladmin.BackupConfiguration{
			Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: int64(value.(int))},
		}
	case "deletionProtection":
		settings.DeletionProtectionEnabled = value.(bool)
		settings.ForceSendFields = []string{"DeletionProtectionEnabled"}
	case "gcp.tier":
		settings.Tier = value.(string)
	default:
		t.Fatalf("no way to edit %s", field)
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

func (c *cloud) relabelInstance(t testing.TB, name string, labels map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{UserLabels: labels}
	for k := range c.instance(t, name).Settings.UserLabels {
		if _, stays := labels[k]; !stays {
			settings.NullFields = append(settings.NullFields, "UserLabels."+k)
		}
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}
