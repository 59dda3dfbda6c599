package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

// externalAccount is a credential that would have Mooring read a file and send it where the tenant likes.
const externalAccount = `{"type": "external_account", "audience": "a", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
	"token_url": "https://example.com/token", "credential_source": {"file": "/etc/passwd"}}`

// What is wrong with an object or around it is told by one condition, and heals once it is mended.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		cloud  string
		object func(*fixture, *system.Cloud) client.Object
		reason v1alpha1.Reason
		says   []string
		mend   func(*fixture, *system.Cloud, client.Object)
		// stranger: AWS does not know the keys, so that the calls are no account's.
		stranger bool
	}{
		{
			name: "a list of networks in RDS", cloud: "aws", reason: v1alpha1.ReasonNotSupported,
			says:   []string{"spec.network.allowedCIDRs", "set spec.aws.vpcSecurityGroupIDs"},
			object: networkedDatabase(v1alpha1.DatabaseNetwork{AllowedCIDRs: []string{"203.0.113.0/24"}}),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Network = nil }),
		},
		{
			name: "a Cloud SQL server without any way in", cloud: "gcp", reason: v1alpha1.ReasonInvalid,
			says:   []string{"spec.network.publicAccess", "set spec.gcp.privateNetwork"},
			object: networkedDatabase(v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}),
			mend: edited(func(o client.Object) {
				o.(*v1alpha1.Database).Spec.Network.PublicAccess = new(v1alpha1.PublicAccessAllowed)
			}),
		},
		{
			name: "a private network at a public address", cloud: "gcp", reason: v1alpha1.ReasonNotSupported,
			says:   []string{"spec.network.allowedCIDRs", "set spec.gcp.privateNetwork"},
			object: networkedDatabase(v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed), AllowedCIDRs: []string{"10.0.0.0/8"}}),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Network.AllowedCIDRs = []string{} }),
		},
		{
			name: "a region that AWS lacks", cloud: "aws", reason: v1alpha1.ReasonInvalid, says: []string{"region"},
			object: bucketWith(v1alpha1.BucketParameters{Location: new("mars-1")}),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Location = nil }),
		},
		{
			name: "a region that Google lacks", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"location"},
			object: bucketWith(v1alpha1.BucketParameters{Location: new("mars-north1")}),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Location = nil }),
		},
		{
			name: "a name that S3 keeps for itself", cloud: "aws", reason: v1alpha1.ReasonInvalid,
			says:   []string{`nothing can be created under the name "photos-s3alias": S3 reserves names that end with -s3alias`, "choose another spec.externalName"},
			object: named(bucketWith(v1alpha1.BucketParameters{}), "photos-s3alias"),
			mend:   renamed("photos"),
		},
		{
			name: "a name of a directory bucket", cloud: "aws", reason: v1alpha1.ReasonInvalid,
			says:   []string{"is the name of a directory bucket", "choose another spec.externalName"},
			object: named(bucketWith(v1alpha1.BucketParameters{}), "photos--use1-az4--x-s3"),
			mend:   renamed("photos"),
		},
		{
			name: "a name that Cloud Storage refuses", cloud: "gcp", reason: v1alpha1.ReasonInvalid,
			says:   []string{`Cloud Storage does not accept a name that begins with "goog"`, "choose another spec.externalName"},
			object: named(bucketWith(v1alpha1.BucketParameters{}), "google-photos"),
			mend:   renamed("photos"),
		},
		{
			name: "a name too long for RDS", cloud: "aws", reason: v1alpha1.ReasonInvalid,
			says:   []string{"RDS accepts names of at most 63 characters", "choose another spec.externalName"},
			object: named(databaseWith(func(*v1alpha1.DatabaseParameters) {}), strings.Repeat("a", 64)),
			mend:   renamed("orders"),
		},
		{
			name: "a name too long for Cloud SQL", cloud: "gcp", reason: v1alpha1.ReasonInvalid,
			says:   []string{"Cloud SQL accepts names of at most 98 characters including project and colon", "choose another spec.externalName"},
			object: named(databaseWith(func(*v1alpha1.DatabaseParameters) {}), strings.Repeat("a", 98)),
			mend:   renamed("orders"),
		},
		{
			name: "a version that RDS lacks", cloud: "aws", reason: v1alpha1.ReasonInvalid, says: []string{"correct spec.version", "RDS says: ", "99"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") }),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Version = new("16") }),
		},
		{
			name: "a version that Cloud SQL lacks", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"correct spec.version", "Cloud SQL says: ", "99"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") }),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Version = new("16") }),
		},
		{
			name: "several fields that contradict others in RDS", cloud: "aws", reason: v1alpha1.ReasonInvalid,
			says: []string{"spec.aws.iops", "spec.aws.dedicatedLogVolume needs a disk", "spec.aws.performanceInsights needs spec.insights"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.AWS.IOPS, p.AWS.DedicatedLogVolume = new(int32(4000)), new(true)
				p.AWS.PerformanceInsights = &v1alpha1.PerformanceInsights{RetentionDays: new(int32(7))}
			}),
			mend: edited(func(o client.Object) {
				d := o.(*v1alpha1.Database)
				d.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: d.Spec.AWS.InstanceClass}
			}),
		},
		{
			name: "several fields that contradict others in Cloud SQL", cloud: "gcp", reason: v1alpha1.ReasonInvalid,
			says: []string{"spec.version: mysql has no version", "spec.gcp.secondaryZone is the zone of a standby"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Engine, p.Version, p.GCP.SecondaryZone = new(v1alpha1.EngineMySQL), new("8"), new("europe-west1-c")
			}),
			mend: edited(func(o client.Object) {
				d := o.(*v1alpha1.Database)
				d.Spec.Version, d.Spec.GCP.SecondaryZone = new("8.4"), nil
			}),
		},
		{
			name: "Google's block in AWS", cloud: "aws", reason: v1alpha1.ReasonInvalid, says: []string{"spec.gcp is for Google Cloud", "set spec.aws.instanceClass"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.AWS, p.GCP = nil, &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")}
			}),
			mend: edited(func(o client.Object) {
				d := o.(*v1alpha1.Database)
				d.Spec.GCP, d.Spec.AWS = nil, &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
			}),
		},
		{
			name: "what Cloud SQL lacks", cloud: "gcp", reason: v1alpha1.ReasonNotSupported,
			says: []string{"spec.maintenance.minorUpgrades: Manual is not supported", "set spec.maintenance.minorUpgrades to Automatic"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Maintenance = &v1alpha1.DatabaseMaintenance{MinorUpgrades: new(v1alpha1.MinorUpgradesManual)}
			}),
			mend: edited(func(o client.Object) {
				*o.(*v1alpha1.Database).Spec.Maintenance.MinorUpgrades = v1alpha1.MinorUpgradesAutomatic
			}),
		},
		{
			name: "an engine that Cloud SQL lacks", cloud: "gcp", reason: v1alpha1.ReasonNotSupported,
			says: []string{"spec.engine: mariadb is not supported, because Cloud SQL has no MariaDB", "set spec.engine to mysql"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Engine, p.Version = new(v1alpha1.EngineMariaDB), nil
			}),
			mend: edited(func(o client.Object) { *o.(*v1alpha1.Database).Spec.Engine = v1alpha1.EngineMySQL }),
		},
		{
			name: "logins by token that MariaDB lacks", cloud: "aws", reason: v1alpha1.ReasonNotSupported,
			says: []string{"spec.iamAuthentication: true for MariaDB 10.6 and older is not supported", "set spec.version to 10.11 or later"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Engine, p.Version, p.IAMAuthentication = new(v1alpha1.EngineMariaDB), new("10.6"), new(true)
			}),
			mend: edited(func(o client.Object) { *o.(*v1alpha1.Database).Spec.Version = "10.11" }),
		},
		{
			name: "tags that labels can't hold", cloud: "gcp", reason: v1alpha1.ReasonNotSupported,
			says: []string{
				`spec.tags: the key "CostCenter" is not supported`, `spec.tags: the key "a.b" is not supported`,
				`spec.tags: the value "Team Shop" of the key "CostCenter" is not supported`, "for example cost-center",
			},
			object: bucketWith(v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"CostCenter": "Team Shop", "a.b": "c", "team": "shop"}}),
			mend: edited(func(o client.Object) {
				o.(*v1alpha1.Bucket).Spec.Tags = map[string]v1alpha1.TagValue{"cost-center": "team-shop", "team": "shop"}
			}),
		},
		{
			name: "parameters that RDS refuses", cloud: "aws", reason: v1alpha1.ReasonInvalid,
			says: []string{`correct spec.parameters: array_nulls has to be one of 0,1, and is "2"; work_memory is no parameter of postgres16. RDS says: `},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Version, p.Parameters = new("16"), map[string]v1alpha1.ParameterValue{"work_memory": "8192", "array_nulls": "2"}
			}),
			mend: edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Parameters = nil }),
		},
		{
			name: "flags that Cloud SQL refuses", cloud: "gcp", reason: v1alpha1.ReasonInvalid,
			says: []string{`correct spec.parameters: max_connections has to be from 14 to 262142, and is 5; work_memory is no flag of POSTGRES_17, and work_mem is one. Cloud SQL says: `},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) {
				p.Parameters = map[string]v1alpha1.ParameterValue{"work_memory": "8192", "max_connections": "5", "log_connections": "on"}
			}),
			mend: edited(func(o client.Object) {
				o.(*v1alpha1.Database).Spec.Parameters = map[string]v1alpha1.ParameterValue{"work_mem": "8192", "max_connections": "50", "log_connections": "on"}
			}),
		},
		{
			name: "no size", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"set spec.gcp.tier"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.GCP = nil }),
			mend: edited(func(o client.Object) {
				o.(*v1alpha1.Database).Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")}
			}),
		},
		{
			name: "no class", cloud: "aws", reason: v1alpha1.ReasonClassNotFound, says: []string{`no BucketClass "none"`, "kubectl get bucketclasses"},
			object: func(w *fixture, c *system.Cloud) client.Object {
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				b.Spec.ProviderConfigRef, b.Spec.ClassName = nil, "none"
				return b
			},
			mend: func(w *fixture, c *system.Cloud, o client.Object) {
				edit(w, o, func(o client.Object) { system.SpecOf(o).ProviderConfigRef, system.SpecOf(o).ClassName = c.Ref(), "" })
			},
		},
		{
			name: "no provider config", cloud: "aws", reason: v1alpha1.ReasonProviderConfigNotFound, says: []string{"there is no ProviderConfig team; create it"},
			object: ofTeam,
			mend: func(w *fixture, c *system.Cloud, _ client.Object) {
				w.credentials(c, nil)
				w.Must(w.Client.Create(w.Context(), w.team(c)))
			},
		},
		{
			name: "no credentials", cloud: "aws", reason: v1alpha1.ReasonCredentialsNotFound, says: []string{"no Secret keys", "create it"},
			object: func(w *fixture, c *system.Cloud) client.Object {
				w.Must(w.Client.Create(w.Context(), w.team(c)))
				return ofTeam(w, c)
			},
			mend: func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials without a key", cloud: "aws", reason: v1alpha1.ReasonCredentialsNotFound,
			says:   []string{"Secret keys has no key AWS_SECRET_ACCESS_KEY; add it"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: nil}),
			mend:   func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials with a line break", cloud: "aws", reason: v1alpha1.ReasonCredentialsInvalid, says: []string{"line breaks"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: []byte("secret\n")}),
			mend:   func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials that are wrong", cloud: "aws", reason: v1alpha1.ReasonDenied, says: []string{"credentials"},
			object:   withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: []byte("not-the-secret")}),
			stranger: true,
			mend:     func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "no key of Google's", cloud: "gcp", reason: v1alpha1.ReasonCredentialsNotFound,
			says:   []string{"Secret keys has no key " + v1alpha1.SecretKeyGCPCredentials + "; add it"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyGCPCredentials: nil, "other": []byte("x")}),
			mend:   func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "a key of Google's that is not JSON", cloud: "gcp", reason: v1alpha1.ReasonCredentialsInvalid,
			says:   []string{"is not JSON: store a service account key there"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyGCPCredentials: []byte("a key")}),
			mend:   func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "a key of Google's that names where to go", cloud: "gcp", reason: v1alpha1.ReasonCredentialsInvalid,
			says:   []string{`of type "external_account"`, "create a key of a service account"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyGCPCredentials: []byte(externalAccount)}),
			mend:   func(w *fixture, c *system.Cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "no provider config of the cluster", cloud: "gcp", reason: v1alpha1.ReasonProviderConfigNotFound,
			says: []string{"there is no ClusterProviderConfig", "create it"},
			object: func(w *fixture, c *system.Cloud) client.Object {
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				b.Spec.ProviderConfigRef.Name = w.Namespace + "-later"
				return b
			},
			mend: func(w *fixture, c *system.Cloud, _ client.Object) { w.lend(c, w.Namespace+"-later") },
		},
		{
			name: "a provider config for others", cloud: "aws", reason: v1alpha1.ReasonProviderConfigNotAllowed,
			says: []string{"is not allowed in namespace", "ask your platform team"},
			object: func(w *fixture, c *system.Cloud) client.Object {
				w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) {
					s.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"team": w.Namespace}}
				})
				return w.bucket(c, "photos", v1alpha1.BucketParameters{})
			},
			mend: func(w *fixture, _ *system.Cloud, _ client.Object) {
				ns := &corev1.Namespace{}
				w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.Namespace}, ns))
				ns.Labels["team"] = w.Namespace
				w.Must(w.Client.Update(w.Context(), ns))
			},
		},
		{
			name: "a provider config for classes only", cloud: "gcp", reason: v1alpha1.ReasonProviderConfigNotAllowed, says: []string{"through a class only"},
			object: func(w *fixture, c *system.Cloud) client.Object {
				w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) { s.DirectUse = false })
				return w.bucket(c, "photos", v1alpha1.BucketParameters{})
			},
			mend: func(w *fixture, c *system.Cloud, _ client.Object) {
				w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) { s.DirectUse = true })
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newFixture(t)
			c := w.alone(test.cloud)
			o := test.object(w, c)
			w.create(o)
			w.refers(o, test.reason, test.says...)
			account := c.Account
			if test.stranger {
				account = ""
			}
			w.calm(c, account)
			w.Disturb()
			test.mend(w, c, o)
			w.ready(o)
		})
	}
}

// refers waits until an object is stalled, or waits for what it refers to, with a message about it.
func (w *fixture) refers(o client.Object, reason v1alpha1.Reason, says ...string) {
	w.Helper()
	switch reason {
	case v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonPasswordNotFound, v1alpha1.ReasonClassNotFound:
		w.awaitMissing(o, reason, says...)
	default:
		w.stalled(o, reason, says...)
	}
}

// calm waits until an object that can't go on is no longer written about: not once in a sync period. What is new in the namespace
// is written about first. Meanwhile the cloud is asked now and then, and not over and over: how often exactly is for TestADay,
// which has a clock of its own. The account is the test's own.
func (w *fixture) calm(c *system.Cloud, account string) {
	w.Helper()
	var writes cluster.Requests
	ours := func(r cluster.Request) bool { return r.Namespace == w.Namespace }
	for wait := patience.New(); ; {
		mark, err := w.Cluster.Audit().Mark()
		w.Must(err)
		before, begun := callsIn(c, account), time.Now()
		w.Eventually("a sync period", func() bool { return time.Since(begun) > syncPeriod })
		requests, err := w.Cluster.Audit().Since(mark)
		w.Must(err)
		if calls := callsIn(c, account) - before; calls > mostCalls {
			w.Fatalf("%d calls in a sync period", calls)
		}
		if writes = requests.Where(cluster.By(system.Installed), cluster.Writes, ours); len(writes) == 0 {
			return
		}
		if wait.Over() {
			w.Fatalf("an object that can't go on is written about for %s:\n%v", wait, writes)
		}
	}
}

// callsIn counts the calls in an account, asking for tokens among them; those with wrong keys are no account's.
func callsIn(c *system.Cloud, account string) int {
	n := 0
	for _, call := range c.Ledger.Calls(localcloud.Filter{}) {
		if call.Account == account {
			n++
		}
	}
	return n
}

// editConfig changes the cloud's ClusterProviderConfig as a person would, and waits until the controller goes by it.
func (w *fixture) editConfig(c *system.Cloud, change func(*v1alpha1.ClusterProviderConfigSpec)) {
	w.Helper()
	config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: c.Config}}
	w.Eventually("the provider config is edited", func() bool {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(config), config))
		change(&config.Spec)
		return w.Client.Update(w.Context(), config) == nil
	})
	w.AwaitObject(config, "the controller has seen the provider config", func() bool {
		return config.Status.ObservedGeneration == config.Generation
	})
}

func bucketWith(p v1alpha1.BucketParameters) func(*fixture, *system.Cloud) client.Object {
	return func(w *fixture, c *system.Cloud) client.Object { return w.bucket(c, "photos", p) }
}

func databaseWith(change func(*v1alpha1.DatabaseParameters)) func(*fixture, *system.Cloud) client.Object {
	return func(w *fixture, c *system.Cloud) client.Object {
		p := system.MinimalDatabase(c)
		change(&p)
		return w.database(c, "orders", p)
	}
}

// named is object under another name in the cloud, renamed gives it one that no other test has.
func named(object func(*fixture, *system.Cloud) client.Object, name string) func(*fixture, *system.Cloud) client.Object {
	return func(w *fixture, c *system.Cloud) client.Object {
		o := object(w, c)
		system.SpecOf(o).ExternalName = name
		return o
	}
}

func renamed(name string) func(*fixture, *system.Cloud, client.Object) {
	return func(w *fixture, _ *system.Cloud, o client.Object) {
		edit(w, o, func(o client.Object) { system.SpecOf(o).ExternalName = name + "-" + w.Namespace })
	}
}

func edited(change func(client.Object)) func(*fixture, *system.Cloud, client.Object) {
	return func(w *fixture, _ *system.Cloud, o client.Object) { edit(w, o, change) }
}

// team is the ProviderConfig of the namespace, with credentials from the Secret keys.
func (w *fixture) team(c *system.Cloud) *v1alpha1.ProviderConfig {
	return &v1alpha1.ProviderConfig{ObjectMeta: w.Meta("team"), Spec: v1alpha1.ProviderConfigSpec{
		Account:     c.AccountSpec(),
		Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: "keys"}},
	}}
}

func ofTeam(w *fixture, c *system.Cloud) client.Object {
	b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
	return b
}

// credentials makes or mends the Secret keys. but replaces some of its entries, by nothing if nil.
func (w *fixture) credentials(c *system.Cloud, but map[string][]byte) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: w.Meta("keys"), Data: c.Keys()}
	for k, v := range but {
		if s.Data[k] = v; v == nil {
			delete(s.Data, k)
		}
	}
	err := w.Client.Create(w.Context(), s)
	if apierrors.IsAlreadyExists(err) {
		err = w.Client.Update(w.Context(), s)
	}
	w.Must(err)
}

func withKeys(but map[string][]byte) func(*fixture, *system.Cloud) client.Object {
	return func(w *fixture, c *system.Cloud) client.Object {
		w.credentials(c, but)
		w.Must(w.Client.Create(w.Context(), w.team(c)))
		return ofTeam(w, c)
	}
}

// What can be seen without the cloud is refused at admission, and told what to change.
func TestRefusedAtAdmission(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	for _, test := range []struct {
		name string
		says string
		bad  func(*v1alpha1.Bucket)
	}{
		{"a dot in the name", "no dots", func(b *v1alpha1.Bucket) { b.Name = "a.b" }},
		{"a long name", "at most 63 characters", func(b *v1alpha1.Bucket) { b.Name = strings.Repeat("a", 64) }},
		{"capitals in the cloud's name", "must be a bucket name", func(b *v1alpha1.Bucket) { b.Spec.ExternalName = "Photos" }},
		{"a tag of the mark", "Mooring's own mark", func(b *v1alpha1.Bucket) { b.Spec.Tags = map[string]v1alpha1.TagValue{"mooring-cluster": "x"} }},
		{"two accounts", "exclude each other", func(b *v1alpha1.Bucket) { b.Spec.ClassName = "standard" }},
		{"nothing to observe", "Observe needs spec.externalName", func(b *v1alpha1.Bucket) { b.Spec.Management = v1alpha1.ManagementObserve }},
	} {
		w.run(test.name, func(w *fixture) {
			b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
			test.bad(b)
			if err := w.Client.Create(w.Context(), b); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.says) {
				w.Errorf("it is answered with %v, want it to be refused because %q", err, test.says)
			}
		})
	}
}

// networkedDatabase returns a way to make a Database with a network.
func networkedDatabase(n v1alpha1.DatabaseNetwork) func(*fixture, *system.Cloud) client.Object {
	return func(w *fixture, c *system.Cloud) client.Object {
		p := system.MinimalDatabase(c)
		p.Network = &n
		return w.database(c, "orders", p)
	}
}
