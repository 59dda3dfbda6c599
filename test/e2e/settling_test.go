package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// What refers to something that was made or changed a moment ago is refused once, because the cloud does not see that everywhere yet, and is right. Nobody is told to correct it.
// https://github.com/hashicorp/terraform-provider-aws/issues/8905, https://github.com/hashicorp/terraform-provider-google/issues/5151
func TestWhatIsRightInAMoment(t *testing.T) {
	for name, tt := range map[string]struct {
		cloud, operation string
		status           int
		code, says       string
		edit             func(*system.Cloud, *v1alpha1.BucketParameters)
	}{
		"a role in a policy": {"aws", "PutBucketPolicy", http.StatusBadRequest, "MalformedPolicy", "Invalid principal in policy", func(_ *system.Cloud, s *v1alpha1.BucketParameters) {
			s.AWS = &v1alpha1.BucketAWS{Policy: letting("arn:aws:iam::222222222222:role/new")}
		}},
		"the policy of a queue": {"aws", "PutBucketNotificationConfiguration", http.StatusBadRequest, "InvalidArgument", "Unable to validate the following destination configurations",
			func(c *system.Cloud, s *v1alpha1.BucketParameters) {
				s.AWS = &v1alpha1.BucketAWS{Notifications: &v1alpha1.BucketNotificationsAWS{Queues: []v1alpha1.BucketNotificationAWS{
					{Name: "uploads", ARN: "arn:aws:sqs:" + c.Region() + ":111111111111:uploads", Events: []string{"s3:ObjectCreated:*"}}}}}
			}},
		"a service account": {"gcp", "buckets.setIamPolicy", http.StatusBadRequest, "invalid", "Service account new@shop.iam.gserviceaccount.com does not exist.", func(_ *system.Cloud, s *v1alpha1.BucketParameters) {
			s.GCP = &v1alpha1.BucketGCP{IAMBindings: []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"serviceAccount:new@shop.iam.gserviceaccount.com"}}}}
		}},
		"the grant of a key": {"gcp", "buckets.patch", http.StatusForbidden, "forbidden",
			"Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use this key.", func(c *system.Cloud, s *v1alpha1.BucketParameters) {
				s.Encryption = &v1alpha1.Encryption{Key: new(c.Key("b"))}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			c := w.cloud(tt.cloud)
			b := w.bucket(c, "new", v1alpha1.BucketParameters{})
			tt.edit(c, &b.Spec.BucketParameters)
			b = throughOpenClass(w, c, b)
			full := b.Spec.BucketParameters
			b.Spec.BucketParameters = v1alpha1.BucketParameters{}
			w.create(b)
			external := w.ready(b).Status.ExternalName
			refused := localcloud.Filter{Operation: tt.operation, Resource: external}
			w.Cloud.Faults.Add(localcloud.Fault{Filter: refused, Kind: localcloud.Refused, Status: tt.status, Code: tt.code, Message: tt.says, Times: 1})
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.BucketParameters = full })
			w.ready(b)
			if calls := w.Cloud.Ledger.Calls(refused); len(calls) < 2 || calls[0].Status != tt.status {
				w.Errorf("it was not refused: %+v", calls)
			}
			for _, transition := range w.Transitions("Bucket", b.Name, 0) {
				if strings.Contains(transition, "Failed") {
					w.Errorf("it went through %s", transition)
				}
			}
		})
	}
}

// A key whose use was granted a moment ago is refused until the clouds see the grant everywhere, and used then. Nobody is told to correct it, whichever service refuses it: where it encrypts a new
// object, or becomes the key of an old one. S3 does not look at a key before somebody writes an object.
func TestKeysOfAMomentAgo(t *testing.T) {
	for _, tt := range []struct {
		kind, cloud, create string
		letters             []string // of keys that no other test has
	}{
		{"Database", "aws", "CreateDBInstance", []string{"d"}}, {"Database", "gcp", "instances.insert", []string{"d"}}, {"Bucket", "gcp", "buckets.insert", []string{"e", "f"}},
	} {
		t.Run(tt.kind+"/"+tt.cloud, func(t *testing.T) {
			w := newFixture(t)
			c := w.cloud(tt.cloud)
			encryption := &v1alpha1.Encryption{Key: new(c.Key(tt.letters[0]))}
			if tt.kind == "Database" {
				parameters := system.MinimalDatabase(c)
				parameters.Encryption = encryption
				d := throughOpenClass(w, c, w.database(c, "encrypted", parameters))
				w.seenLate(d, tt.kind, *encryption.Key, tt.create, func() { w.create(d) })
				return
			}
			b := throughOpenClass(w, c, w.bucket(c, "encrypted", v1alpha1.BucketParameters{Location: new(c.Region()), Encryption: encryption}))
			w.seenLate(b, tt.kind, *encryption.Key, tt.create, func() { w.create(b) })
			another := c.Key(tt.letters[1])
			w.seenLate(b, tt.kind, another, "buckets.patch", func() {
				edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Encryption.Key = &another })
			})
		})
	}
}

// seenLate makes a change that names a key, whose grant the cloud sees only after it refused the change once. It demands that the change is made then, and that
// nothing ever said that it failed.
func (w *fixture) seenLate(o client.Object, kind, key, operation string, change func()) {
	w.Helper()
	last := func() (status int) {
		for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Operation: operation}) {
			if strings.HasPrefix(call.Resource, w.Namespace+"-"+o.GetName()) {
				status = call.Status
			}
		}
		return status
	}
	w.Cloud.GrantKey(key, time.Hour)
	change()
	w.Eventually(operation+" is refused", func() bool { return last() >= http.StatusBadRequest })
	w.Cloud.GrantKey(key, 0)
	w.ready(o)
	if status := last(); status >= http.StatusBadRequest {
		w.Errorf("%s ended with status %d", operation, status)
	}
	for _, transition := range w.Transitions(kind, o.GetName(), 0) {
		if strings.Contains(transition, "Failed") {
			w.Errorf("it went through %s", transition)
		}
	}
}

// A refusal by a code that nobody here knows is told in the cloud's words, with the field, and is not tried again at once for ever. That of a policy of the organization is no lost race.
func TestUnknownRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		cloud, operation string
		status           int
		code, says       string
		reason           v1alpha1.Reason
	}{
		"400 of S3":               {"aws", "PutBucketCors", http.StatusBadRequest, "SomethingNew", "This bucket is not ripe.", v1alpha1.ReasonInvalid},
		"404 of S3":               {"aws", "PutBucketCors", http.StatusNotFound, "NoSuchThing", "There is no such thing.", v1alpha1.ReasonInvalid},
		"422 of S3":               {"aws", "PutBucketCors", http.StatusUnprocessableEntity, "Unprocessable", "This can't be processed.", v1alpha1.ReasonInvalid},
		"422 of Cloud Storage":    {"gcp", "buckets.patch", http.StatusUnprocessableEntity, "somethingNew", "This bucket is not ripe.", v1alpha1.ReasonInvalid},
		"412 of Cloud Storage":    {"gcp", "buckets.patch", http.StatusPreconditionFailed, "conditionNotMet", "This bucket is not ripe.", v1alpha1.ReasonInvalid},
		"a policy, Cloud Storage": {"gcp", "buckets.patch", http.StatusPreconditionFailed, "conditionNotMet", "Request violates constraint 'constraints/storage.somethingNew'", v1alpha1.ReasonDenied},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			c := w.cloud(tt.cloud)
			b := w.bucket(c, "new", v1alpha1.BucketParameters{})
			w.create(b)
			external := w.ready(b).Status.ExternalName
			lift := w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: tt.operation, Resource: external}, Kind: localcloud.Refused, Status: tt.status, Code: tt.code, Message: tt.says})
			edit(w, b, func(b *v1alpha1.Bucket) {
				b.Spec.CORS = []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://example.com"}, AllowedMethods: []string{"GET"}}}
			})
			w.stalled(b, tt.reason, "cors: ", strings.TrimSuffix(tt.says, "."))
			w.Disturb()
			lift()
			w.ready(b)
		})
	}
}

// The policy of an organization that forbids a bucket is told in Google's words at its creation, and the bucket is made once the policy allows it.
func TestPolicyOfTheOrganization(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	b := w.bucket(c, "outside", v1alpha1.BucketParameters{Location: new("us")})
	lift := w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.insert"}, Body: w.Namespace + "-outside", Kind: localcloud.Refused, Status: http.StatusPreconditionFailed,
		Code: "conditionNotMet", Message: "'us' violates constraint 'constraints/gcp.resourceLocations'"})
	w.create(b)
	w.stalled(b, v1alpha1.ReasonDenied, "'us' violates constraint 'constraints/gcp.resourceLocations'", "ask an administrator of the organization")
	w.Disturb()
	lift()
	w.ready(b)
}
