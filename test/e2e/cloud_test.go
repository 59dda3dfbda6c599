package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A cloud is one of the two clouds as other people use it: by its own SDK, behind Mooring's back.
type cloud struct {
	*localcloud.Cloud
	name string // aws or gcp
	// config is the ClusterProviderConfig that leads there, account the account or project that it leads to.
	config, account string
	hands
}

// hands are what other people do. tags that are nil stand for a thing that is not there.
type hands interface {
	makeBucket(t *testing.T, name string, tags map[string]string)
	bucketTags(t *testing.T, name string) map[string]string
	tagBucket(t *testing.T, name string, tags map[string]string)
	version(t *testing.T, name string, on bool)
	publish(t *testing.T, name string, on bool)
	encrypt(t *testing.T, name, key string)
	dropBucket(t *testing.T, name string)
	putObject(t *testing.T, bucket, key string)
	dropObject(t *testing.T, bucket, key string)

	makeDatabase(t *testing.T, name string, tags map[string]string)
	databaseTags(t *testing.T, name string) map[string]string
	tagDatabase(t *testing.T, name string, tags map[string]string)
	retain(t *testing.T, name string, days int)
	protect(t *testing.T, name string, on bool)
	resize(t *testing.T, name, size string)
	grow(t *testing.T, name string, gib int)
	upgrade(t *testing.T, name, version string)
	dropDatabase(t *testing.T, name string)
	snapshots(t *testing.T, database string) []string // those that are available
}

// lookTimes returns when an object was observed: each time a read is made that every observation begins with.
func (c *cloud) lookTimes(name string) []time.Time {
	var times []time.Time
	for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Reads}) {
		switch call.Operation {
		case "GetBucketTagging", "DescribeDBInstances", "buckets.get", "instances.get":
			times = append(times, call.Time)
		}
	}
	return times
}

// looks counts the observations of an object.
func (c *cloud) looks(name string) int { return len(c.lookTimes(name)) }

// writes lists the writes to an object, whoever made them.
func (c *cloud) writes(name string) []string {
	var operations []string
	for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Writes}) {
		operations = append(operations, call.Operation)
	}
	return operations
}

// ref is the reference to the cloud's config in a spec.
func (c *cloud) ref() *v1alpha1.ProviderConfigReference {
	return &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: c.config}
}

var hasHands = sync.OnceValue(func() map[string]hands {
	return map[string]hands{"aws": awsHands(theStage.Cloud), "gcp": gcpHands(theStage.Cloud)}
})

// cloud returns one cloud of the stage.
func (s *stage) cloud(name string) *cloud {
	return &cloud{Cloud: s.Cloud, name: name, config: name, account: accounts[name], hands: hasHands()[name]}
}

var accounts = map[string]string{"aws": system.AWSAccount, "gcp": system.GCPProject}

// alone returns a cloud with an account that no other test has, so that all calls in it are this test's.
func (w *world) alone(name string) *cloud {
	w.Helper()
	c := w.cloud(name)
	if c.account = w.namespace; name == "aws" {
		c.account = fmt.Sprintf("%012d", w.number)
	}
	w.lend(c, w.namespace)
	return c
}

// lend makes a ClusterProviderConfig that leads to the cloud's account, and has the cloud use it.
func (w *world) lend(c *cloud, config string) {
	w.Helper()
	c.config = config
	w.account(c)
	w.Cleanup(func() {
		for _, o := range []client.Object{
			&v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: config}},
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: config}},
		} {
			if err := w.Client.Delete(whole.Context(), o); err != nil {
				w.Error(err)
			}
		}
	})
}

// account makes the cloud's ClusterProviderConfig and its Secret.
func (w *world) account(c *cloud) {
	w.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: c.config}, Data: c.keys()}
	w.must(w.Client.Create(w.Context(), secret))
	w.must(w.Client.Create(w.Context(), system.ClusterConfig(c.config, c.place(), c.endpoint())))
}

// keys are the credentials of the account, place is what a provider config says of it.
func (c *cloud) keys() map[string][]byte {
	if c.name == "gcp" {
		return map[string][]byte{v1alpha1.SecretKeyGCPCredentials: c.GCPKey(c.account)}
	}
	id, secret := c.AWSKeys(c.account)
	return map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)}
}

func (c *cloud) place() v1alpha1.Account {
	if c.name == "gcp" {
		return v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: c.account, Region: system.GCPRegion}}
	}
	return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}
}

func (c *cloud) endpoint() string {
	if c.name == "gcp" {
		return c.GCPEndpoint()
	}
	return c.AWSEndpoint()
}

// onBoth runs a test on both clouds, beside all others.
func onBoth(t *testing.T, test func(*world, *cloud)) {
	t.Parallel()
	for _, name := range []string{"aws", "gcp"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test(w, w.cloud(name))
		})
	}
}

func awsHands(local *localcloud.Cloud) hands {
	id, secret := local.AWSKeys(system.AWSAccount)
	cfg := awssdk.Config{
		Region: system.AWSRegion, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		BaseEndpoint: awssdk.String(local.AWSEndpoint()),
	}
	return &amazon{s3: s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), rds: rds.NewFromConfig(cfg)}
}

func gcpHands(local *localcloud.Cloud) hands {
	config, err := google.JWTConfigFromJSON(local.GCPKey(system.GCPProject), storage.CloudPlatformScope)
	if err != nil {
		panic(err)
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{})
	client := option.WithHTTPClient(config.Client(ctx))
	g := &googleCloud{}
	if g.sql, err = sqladmin.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/")); err != nil {
		panic(err)
	}
	if g.storage, err = storage.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/storage/v1/")); err != nil {
		panic(err)
	}
	return g
}

// key returns the name of an encryption key, one for each letter from a to f.
func (c *cloud) key(letter string) string {
	if c.name == "aws" {
		part := func(n int) string { return strings.Repeat(letter, n) }
		return "arn:aws:kms:" + system.AWSRegion + ":" + system.AWSAccount + ":key/" +
			strings.Join([]string{part(8), part(4), part(4), part(4), part(12)}, "-")
	}
	return "projects/" + system.GCPProject + "/locations/" + system.GCPRegion + "/keyRings/ring/cryptoKeys/" + letter
}

// someoneElses is another cluster's mark.
func someoneElses() map[string]string {
	return driver.Mark{Cluster: "other-cluster", Namespace: "shop", Name: "orders", UID: "u1"}.Labels()
}
