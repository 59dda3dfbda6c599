package aws_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func TestConformance(t *testing.T) { drivertest.Run(t, harness(t)) }

// The driver passes the whole suite also from a process of its own, where nothing but messages reaches it.
func TestConformanceInAChild(t *testing.T) {
	h := harness(t)
	h.Driver = drivertest.InChild(t)
	drivertest.Run(t, h)
}

// Every request is recorded at the host once, with its end, also when the host is at the other end of a pipe, with keys and with a web
// identity, whose tokens come through the pipe too.
func TestRequestsAreRecordedThroughAPipe(t *testing.T) {
	for name, config := range map[string]func(*reach) driver.Opening{
		"keys": func(r *reach) driver.Opening {
			return driver.Opening{Config: driver.Config{Location: region}, Credentials: r.keys(account)}
		},
		"a role":       (*reach).assuming,
		"web identity": (*reach).web,
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReachWith(t, localcloud.Options{InstanceQuota: -1}), &drivertest.Witness{}
			cfg := config(r)
			cfg.Host = w.Host(cfg.Host)
			d := drivertest.ThroughPipe(t, aws.New(aws.Options{Endpoint: r.AWSEndpoint(), Now: r.clock.Now}))
			session, err := d.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			r.conn = session
			if _, err := r.conn.Identity(drivertest.Caller(t)); err != nil {
				t.Fatal(err)
			}
			r.lead(t)
			w.Verify(t, r.reached(t), map[driver.Code]int{driver.NotFound: 4}) // looked for before, and after
		})
	}
}

func TestMain(m *testing.M) {
	drivertest.ServeChild(func() driver.Driver { return aws.New(aws.Options{CallTimeout: 2 * time.Minute}) })
	os.Exit(m.Run())
}

func harness(t *testing.T) drivertest.Harness {
	const region = "us-east-1" // where S3 is oddest
	w := newWorldIn(t, region, localcloud.Options{Durations: localcloud.Durations{
		Create: 8 * time.Minute, Modify: 4 * time.Minute, Delete: 4 * time.Minute, Snapshot: 6 * time.Minute,
		ModifyOnset: 20 * time.Second,
	}, InstanceQuota: -1})
	b := &backdoor{world: w}
	theirs := driver.Opening{Config: driver.Config{Location: region}, Credentials: w.keys(other)}
	nobodys := driver.Opening{Config: driver.Config{Location: region}, Credentials: w.keys("333333333333")}
	_, secret := w.AWSKeys(account)
	h := drivertest.Harness{
		Driver: aws.New(aws.Options{Endpoint: w.AWSEndpoint(), CallTimeout: 2 * time.Minute}), // longer than the suite's grace
		Config: driver.Opening{
			Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}}, Location: region},
			Credentials: w.keys(account),
		},
		Account: account,
		Other:   &theirs,
		Empty:   &nobodys,
		PageSize: func(n int) (lift func()) {
			w.SetPageLimit(n)
			return func() { w.SetPageLimit(0) }
		},
		Refused: map[string]driver.Opening{
			"no region":    {Credentials: w.keys(account)},
			"no keys":      {Config: driver.Config{Location: region}, Credentials: map[string][]byte{}},
			"a program":    {Config: driver.Config{Location: region}, Credentials: map[string][]byte{"credential_process": []byte("/bin/canary")}},
			"half the key": {Config: driver.Config{Location: region}, Credentials: map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIACANARY")}},
		},
		Secrets:   []string{secret},
		Now:       w.clock.Now,
		Settle:    func(testing.TB) { w.clock.Advance(time.Hour) },
		Calls:     b.calls,
		Fail:      b.fail,
		Buckets:   bucketKind(b, region),
		Databases: databaseKind(b, region),
	}
	// The endpoint is in each config, so that a driver in another process finds it too.
	for _, with := range []*driver.Opening{&h.Config, h.Other, h.Empty} {
		with.Endpoint = w.AWSEndpoint()
	}
	return h
}

// A backdoor is how the suite reaches the cloud behind the driver's back. Its calls do not count.
type backdoor struct {
	*world
	own drivertest.Calls
}

func (b *backdoor) total() drivertest.Calls {
	return drivertest.Calls{
		Reads:  b.Ledger.Count(localcloud.Filter{Write: localcloud.Reads}),
		Writes: b.Ledger.Count(localcloud.Filter{Write: localcloud.Writes}),
	}
}

func (b *backdoor) calls() drivertest.Calls {
	all := b.total()
	return drivertest.Calls{Reads: all.Reads - b.own.Reads, Writes: all.Writes - b.own.Writes}
}

// uncounted begins work behind the driver's back; its result ends it.
func (b *backdoor) uncounted() (done func()) {
	before := b.total()
	return func() {
		after := b.total()
		b.own.Reads += after.Reads - before.Reads
		b.own.Writes += after.Writes - before.Writes
	}
}

func (b *backdoor) fail(f drivertest.Fault) (lift func()) {
	var lifts []func()
	add := func(side localcloud.Side) {
		lifts = append(lifts, b.Faults.Add(localcloud.Fault{
			Filter: localcloud.Filter{Write: side}, Kind: localcloud.FaultKind(f.Kind), Skip: f.Skip,
		}))
	}
	switch {
	case f.Reads && f.Writes:
		add(localcloud.Any)
	case f.Reads:
		add(localcloud.Reads)
	case f.Writes:
		add(localcloud.Writes)
	}
	return func() {
		for _, lift := range lifts {
			lift()
		}
		if f.Kind == drivertest.Hang {
			b.settleLedger()
		}
	}
}

// settleLedger waits until calls that hung are in the ledger: that is when the cloud notices that the caller has gone.
func (b *backdoor) settleLedger() {
	hung := func() int {
		n := 0
		for _, c := range b.Ledger.Calls(localcloud.Filter{}) {
			if c.Fault == localcloud.Hang {
				n++
			}
		}
		return n
	}
	for begin, seen := time.Now(), 0; time.Since(begin) < 50*time.Millisecond; time.Sleep(time.Millisecond) {
		if n := hung(); n != seen {
			begin, seen = time.Now(), n
		}
	}
}

// only makes one operation fail for one object.
func (b *backdoor) only(name, operation string) (lift func()) {
	if operation == "" {
		return nil
	}
	return b.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation, Resource: name}, Kind: localcloud.Denied})
}

func bucketKind(b *backdoor, region string) *drivertest.Kind[v1alpha1.BucketParameters] {
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		RefusedNames: []string{
			"my", strings.Repeat("a", 64), "Photos", "photos_2026", "-photos", "photos-", "two..dots", "192.168.5.4", "xn--photos", "sthree-photos",
			"amzn-s3-demo-photos", "photos-s3alias", "photos--ol-s3", "photos.mrap", "photos--use1-az4--x-s3", "photos--use1-az4--xa-s3", "photos--table-s3",
		},
		OddNames:     []string{"1photos", "photos--2026", "photos.example.com", "192.168.5.4.5"},
		Full:         fieldedit.AWSBucket(region).Full,
		Minimal:      func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields:       fieldedit.AWSBucket(region).Fields,
		Reads:        4, // one, and one for each aspect: versioning, publicAccess, encryption
		MinimalReads: 1,
		GlobalNames:  true,
		Contents:     true,
		Cloud: drivertest.Backdoor{
			Edit:    b.editBucket,
			Labels:  b.bucketLabels,
			Relabel: b.relabelBucket,
			Remove: func(t testing.TB, name string) {
				defer b.uncounted()()
				do(t, b.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
			},
			Fill: func(t testing.TB, name string) {
				defer b.uncounted()()
				do(t, b.s3.PutObject, &s3.PutObjectInput{Bucket: &name, Key: new("a"), Body: strings.NewReader("x")})
			},
			Hide: func(_ testing.TB, name, f string) func() {
				return b.only(name, map[string]string{
					"versioning": "GetBucketVersioning", "publicAccess": "GetPublicAccessBlock", "encryption.key": "GetBucketEncryption",
				}[f])
			},
			Refuse: func(_ testing.TB, name, f string) func() {
				return b.only(name, map[string]string{
					"versioning": "PutBucketVersioning", "publicAccess": "PutPublicAccessBlock",
					"encryption.key": "PutBucketEncryption", "tags": "PutBucketTagging",
				}[f])
			},
		},
	}
}

func (b *backdoor) editBucket(t testing.TB, name, f string, value any) {
	defer b.uncounted()()
	switch f {
	case "versioning":
		do(t, b.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{Bucket: &name,
			VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatus(value.(string))}})
	case "publicAccess":
		on := new(value == "Blocked")
		do(t, b.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{Bucket: &name,
			PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{
				BlockPublicAcls: on, IgnorePublicAcls: on, BlockPublicPolicy: on, RestrictPublicBuckets: on}})
	case "encryption.key":
		do(t, b.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{Bucket: &name,
			ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{Rules: []s3types.ServerSideEncryptionRule{{
				ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{
					SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: new(value.(string))}}}}})
	default:
		t.Fatalf("no way to edit %s", f)
	}
}

func (b *backdoor) bucketLabels(t testing.TB, name string) map[string]string {
	defer b.uncounted()()
	tags := map[string]string{}
	for _, tag := range do(t, b.s3.GetBucketTagging, &s3.GetBucketTaggingInput{Bucket: &name}).TagSet {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

func (b *backdoor) relabelBucket(t testing.TB, name string, labels map[string]string) {
	defer b.uncounted()()
	var set []s3types.Tag
	for k, v := range labels {
		set = append(set, s3types.Tag{Key: &k, Value: &v})
	}
	do(t, b.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: set}})
}

func databaseKind(b *backdoor, region string) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	return &drivertest.Kind[v1alpha1.DatabaseParameters]{
		RefusedNames: []string{strings.Repeat("a", 64), "1orders", "shop--orders", "orders-", "shop_orders", "shop.orders"},
		OddNames:     []string{"o", "o2"},
		Full:         fieldedit.AWSDatabase(region).Full,
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Engine: ptr(v1alpha1.EngineMySQL), AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")},
			}
		},
		Login:        driver.Login{Password: "Canary-Horse-77"},
		Fields:       fieldedit.AWSDatabase(region).Fields,
		Reads:        1,
		MinimalReads: 1,
		HasID:        true,
		IDAtOnce:     true,
		Snapshots:    true,
		Cloud: drivertest.Backdoor{
			Edit: b.editDatabase,
			Labels: func(t testing.TB, name string) map[string]string {
				defer b.uncounted()()
				tags := map[string]string{}
				for _, tag := range b.instance(t, name).TagList {
					tags[*tag.Key] = *tag.Value
				}
				return tags
			},
			Relabel: b.relabelDatabase,
			Remove: func(t testing.TB, name string) {
				defer b.uncounted()()
				do(t, b.rds.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: new(true)})
			},
			Stop: func(t testing.TB, name string) {
				defer b.uncounted()()
				do(t, b.rds.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &name})
			},
			Hide:   func(testing.TB, string, string) func() { return nil },
			Refuse: func(testing.TB, string, string) func() { return nil },
		},
	}
}

func (b *backdoor) instance(t testing.TB, name string) rdstypes.DBInstance {
	return do(t, b.rds.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}).DBInstances[0]
}

func (b *backdoor) editDatabase(t testing.TB, name, f string, value any) {
	defer b.uncounted()()
	b.clock.Advance(time.Hour) // RDS takes one change at a time
	in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, ApplyImmediately: new(true)}
	switch f {
	case "aws.instanceClass":
		in.DBInstanceClass = new(value.(string))
	case "storage.sizeGiB":
		in.AllocatedStorage = new(int32(value.(int)))
	case "backup.retentionDays":
		in.BackupRetentionPeriod = new(int32(value.(int)))
	case "deletionProtection":
		in.DeletionProtection = new(value.(bool))
	default:
		t.Fatalf("no way to edit %s", f)
	}
	do(t, b.rds.ModifyDBInstance, in)
}

func (b *backdoor) relabelDatabase(t testing.TB, name string, labels map[string]string) {
	defer b.uncounted()()
	have := b.instance(t, name)
	var gone []string
	for _, tag := range have.TagList {
		if _, stays := labels[*tag.Key]; !stays {
			gone = append(gone, *tag.Key)
		}
	}
	if len(gone) > 0 {
		do(t, b.rds.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: have.DBInstanceArn, TagKeys: gone})
	}
	var set []rdstypes.Tag
	for k, v := range labels {
		set = append(set, rdstypes.Tag{Key: &k, Value: &v})
	}
	do(t, b.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: have.DBInstanceArn, Tags: set})
}
