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
	"github.com/mooring-dev/mooring/test/system"
)

// What is wrong with an object or around it is told by one condition, and heals once it is mended.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		cloud  string
		object func(*world, *cloud) client.Object
		reason v1alpha1.Reason
		says   []string
		mend   func(*world, *cloud, client.Object)
	}{
		{
			name: "a region that AWS lacks", cloud: "aws", reason: v1alpha1.ReasonInvalid, says: []string{"region"},
			object: bucketWith(v1alpha1.BucketParameters{Location: new("mars-1")}),
			mend:   again(func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Location = nil }),
		},
		{
			name: "a region that Google lacks", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"location"},
			object: bucketWith(v1alpha1.BucketParameters{Location: new("mars-north1")}),
			mend:   again(func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Location = nil }),
		},
		{
			name: "a version that RDS lacks", cloud: "aws", reason: v1alpha1.ReasonInvalid, says: []string{"99"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") }),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Version = new("16") }),
		},
		{
			name: "a version that Cloud SQL lacks", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"99"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") }),
			mend:   edited(func(o client.Object) { o.(*v1alpha1.Database).Spec.Version = new("16") }),
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
			name: "no size", cloud: "gcp", reason: v1alpha1.ReasonInvalid, says: []string{"set spec.gcp.tier"},
			object: databaseWith(func(p *v1alpha1.DatabaseParameters) { p.GCP = nil }),
			mend: edited(func(o client.Object) {
				o.(*v1alpha1.Database).Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")}
			}),
		},
		{
			name: "no class", cloud: "aws", reason: v1alpha1.ReasonClassNotFound, says: []string{`no class "none"`, "spec.providerConfigRef"},
			object: func(w *world, c *cloud) client.Object {
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				b.Spec.ProviderConfigRef, b.Spec.ClassName = nil, "none"
				return b
			},
			mend: func(w *world, c *cloud, o client.Object) {
				edit(w, o, func(o client.Object) { spec(o).ProviderConfigRef, spec(o).ClassName = c.ref(), "" })
			},
		},
		{
			name: "no provider config", cloud: "aws", reason: v1alpha1.ReasonProviderConfigNotFound, says: []string{"there is no ProviderConfig team; create it"},
			object: ofTeam,
			mend: func(w *world, c *cloud, _ client.Object) {
				w.credentials(c, nil)
				w.must(w.Client.Create(w.Context(), w.team()))
			},
		},
		{
			name: "no credentials", cloud: "aws", reason: v1alpha1.ReasonCredentialsNotFound, says: []string{"no Secret keys", "create it"},
			object: func(w *world, c *cloud) client.Object {
				w.must(w.Client.Create(w.Context(), w.team()))
				return ofTeam(w, c)
			},
			mend: func(w *world, c *cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials without a key", cloud: "aws", reason: v1alpha1.ReasonCredentialsNotFound,
			says:   []string{"Secret keys has no key AWS_SECRET_ACCESS_KEY; add it"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: nil}),
			mend:   func(w *world, c *cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials with a line break", cloud: "aws", reason: v1alpha1.ReasonCredentialsInvalid, says: []string{"line breaks"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: []byte("secret\n")}),
			mend:   func(w *world, c *cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "credentials that are wrong", cloud: "aws", reason: v1alpha1.ReasonDenied, says: []string{"credentials"},
			object: withKeys(map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: []byte("not-the-secret")}),
			mend:   func(w *world, c *cloud, _ client.Object) { w.credentials(c, nil) },
		},
		{
			name: "a provider config for others", cloud: "aws", reason: v1alpha1.ReasonProviderConfigNotAllowed,
			says: []string{"is not for namespace", "ask your platform team"},
			object: func(w *world, c *cloud) client.Object {
				config := system.ClusterConfig(w.namespace, v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, c.AWSEndpoint())
				config.Spec.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"team": w.namespace}}
				config.Spec.Credentials.SecretRef.Name = "aws"
				w.must(w.Client.Create(w.Context(), config))
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				b.Spec.ProviderConfigRef.Name = w.namespace
				return b
			},
			mend: func(w *world, _ *cloud, _ client.Object) {
				ns := &corev1.Namespace{}
				w.must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.namespace}, ns))
				ns.Labels["team"] = w.namespace
				w.must(w.Client.Update(w.Context(), ns))
			},
		},
		{
			name: "a provider config for classes only", cloud: "gcp", reason: v1alpha1.ReasonProviderConfigNotAllowed, says: []string{"through a class only"},
			object: func(w *world, c *cloud) client.Object {
				config := system.ClusterConfig(w.namespace, v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: system.GCPProject, Region: system.GCPRegion}}, c.GCPEndpoint())
				config.Spec.DirectUse, config.Spec.Credentials.SecretRef.Name = false, "gcp"
				w.must(w.Client.Create(w.Context(), config))
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				b.Spec.ProviderConfigRef.Name = w.namespace
				return b
			},
			mend: func(w *world, _ *cloud, _ client.Object) {
				config := &v1alpha1.ClusterProviderConfig{}
				w.must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.namespace}, config))
				config.Spec.DirectUse = true
				err := w.Client.Update(w.Context(), config)
				for apierrors.IsConflict(err) {
					w.must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.namespace}, config))
					config.Spec.DirectUse = true
					err = w.Client.Update(w.Context(), config)
				}
				w.must(err)
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			c := w.cloud(test.cloud)
			o := test.object(w, c)
			w.create(o)
			w.stalled(o, test.reason, test.says...)
			w.calm(c, o)
			test.mend(w, c, o)
			w.ready(o)
		})
	}
}

// calm checks that an object which can't go on is not tried over and over: over a sync period nothing is written to
// Kubernetes, and the cloud is asked a few times at most. What is new in the namespace is written about first.
func (w *world) calm(c *cloud, o client.Object) {
	w.Helper()
	states := w.of(kindOf(o), o.GetName(), 0)
	name := states[len(states)-1].status.ExternalName
	count := func() int { return len(c.Ledger.Calls(localcloud.Filter{Resource: name})) }
	var writes cluster.Requests
	for range 3 {
		mark, err := w.Cluster.Audit().Mark()
		w.must(err)
		before, begun := count(), time.Now()
		w.eventually("a sync period", func() bool { return time.Since(begun) > syncPeriod })
		requests, err := w.Cluster.Audit().Since(mark)
		w.must(err)
		// After a second, after two more: each try looks, and may try to write.
		tries := int(time.Since(begun)/(700*time.Millisecond)) + 1
		if calls := count() - before; name != "" && calls > 3*tries {
			w.Errorf("%d calls in %v", calls, time.Since(begun))
		}
		ours := func(r cluster.Request) bool { return r.Namespace == w.namespace }
		if writes = requests.Where(cluster.By(system.User), cluster.Writes, ours); len(writes) == 0 {
			return
		}
	}
	w.Errorf("an object that can't go on is written about without end:\n%v", writes)
}

func bucketWith(p v1alpha1.BucketParameters) func(*world, *cloud) client.Object {
	return func(w *world, c *cloud) client.Object { return w.bucket(c, "photos", p) }
}

func databaseWith(change func(*v1alpha1.DatabaseParameters)) func(*world, *cloud) client.Object {
	return func(w *world, c *cloud) client.Object {
		p := smallDatabase(c)
		change(&p)
		return w.database(c, "orders", p)
	}
}

func edited(change func(client.Object)) func(*world, *cloud, client.Object) {
	return func(w *world, _ *cloud, o client.Object) { edit(w, o, change) }
}

// again makes the object anew, as for what is bound before the cloud refuses it.
func again(change func(client.Object)) func(*world, *cloud, client.Object) {
	return func(w *world, _ *cloud, o client.Object) {
		w.delete(o)
		w.gone(o)
		o.SetResourceVersion("")
		o.SetUID("")
		change(o)
		w.create(o)
	}
}

// team is the ProviderConfig of the namespace, with credentials from the Secret keys.
func (w *world) team() *v1alpha1.ProviderConfig {
	return &v1alpha1.ProviderConfig{ObjectMeta: w.meta("team"), Spec: v1alpha1.ProviderConfigSpec{
		Account:     v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}},
		Credentials: v1alpha1.Credentials{SecretRef: v1alpha1.LocalSecretReference{Name: "keys"}},
	}}
}

func ofTeam(w *world, c *cloud) client.Object {
	b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
	return b
}

// credentials makes or mends the Secret keys. but replaces some of its entries, by nothing if nil.
func (w *world) credentials(c *cloud, but map[string][]byte) {
	w.Helper()
	id, secret := c.AWSKeys(system.AWSAccount)
	s := &corev1.Secret{ObjectMeta: w.meta("keys"), Data: map[string][]byte{
		v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret),
	}}
	for k, v := range but {
		if s.Data[k] = v; v == nil {
			delete(s.Data, k)
		}
	}
	err := w.Client.Create(w.Context(), s)
	if apierrors.IsAlreadyExists(err) {
		err = w.Client.Update(w.Context(), s)
	}
	w.must(err)
}

func withKeys(but map[string][]byte) func(*world, *cloud) client.Object {
	return func(w *world, c *cloud) client.Object {
		w.credentials(c, but)
		w.must(w.Client.Create(w.Context(), w.team()))
		return ofTeam(w, c)
	}
}

// What can be seen without the cloud is refused at admission, and told what to change.
func TestRefusedAtAdmission(t *testing.T) {
	w := newWorld(t)
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
		{"no account", "set spec.className or spec.providerConfigRef", func(b *v1alpha1.Bucket) { b.Spec.ProviderConfigRef = nil }},
		{"nothing to observe", "Observe needs spec.externalName", func(b *v1alpha1.Bucket) { b.Spec.Management = v1alpha1.ManagementObserve }},
	} {
		w.run(test.name, func(w *world) {
			b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
			test.bad(b)
			if err := w.Client.Create(w.Context(), b); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.says) {
				w.Errorf("it is answered with %v, want it to be refused because %q", err, test.says)
			}
		})
	}
}
