package tenancy

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// recordWarnings returns an administrator's client that keeps warnings.
func (h *fixture) recordWarnings() (client.Client, *system.Warnings) {
	h.Helper()
	c, warnings, err := system.WithWarnings(h.Cluster.Config(), client.Options{Scheme: h.Client.Scheme()})
	h.Must(err)
	return c, warnings
}

// taken returns the warnings since they were last taken, as one text.
func taken(w *system.Warnings) string { return strings.Join(w.Take(), "\n") }

func (h *fixture) expect(what string, err error, heard string, refusal string, wanted ...string) {
	h.Helper()
	switch {
	case refusal == "" && err != nil:
		h.Errorf("%s: refused: %v", what, err)
	case refusal != "" && (!apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), refusal)):
		h.Errorf("%s: got %v, want it to be refused with %q", what, err, refusal)
	}
	for _, text := range wanted {
		if !strings.Contains(heard, text) {
			h.Errorf("%s: warned of %q, want %q", what, heard, text)
		}
	}
}

// The guard-rails hold when something is applied: a dry run validates all of it, and says what a changed class would do.
func TestValidation(t *testing.T) {
	t.Parallel()
	h := newFixture(t, true)
	c, heard := h.recordWarnings()
	h.Apply("samples/00-namespace.yaml")
	h.Apply("samples/classes/aws.yaml")
	class := &v1alpha1.DatabaseClass{}
	h.Eventually("the webhook answers", func() bool {
		d := order("huge")
		err := c.Create(t.Context(), d, client.DryRunAll)
		heard.Take()
		return apierrors.IsForbidden(err)
	})
	for _, tt := range []struct {
		name    string
		change  func(*v1alpha1.Database)
		refusal string
		warned  string
	}{
		{"as it should be", func(*v1alpha1.Database) {}, "", ""},
		{"a size that is none", func(d *v1alpha1.Database) { d.Spec.Size = "huge" }, `spec.size: there is no size "huge" in class "postgres-standard"; choose one of small (2 vCPU, 1 GiB, about 15 EUR a month)`, ""},
		{"a disk too large", func(d *v1alpha1.Database) { d.Spec.Storage.SizeGiB = new(int32(500)) }, "spec.storage.sizeGiB: 500 is too large", ""},
		{"a rule broken", func(d *v1alpha1.Database) { d.Spec.Engine = new(v1alpha1.EngineMySQL) }, "spec.engine: this class is for PostgreSQL", ""},
		{"against what is enforced", func(d *v1alpha1.Database) {
			d.Spec.Tags = map[string]v1alpha1.TagValue{"cost-center": "mine"}
		}, "enforces platform, not mine", ""},
		{"two things at once", func(d *v1alpha1.Database) { d.Spec.Size = "huge"; d.Spec.Engine = new(v1alpha1.EngineMySQL) }, "this class is for PostgreSQL", ""},
		{"a class that may come", func(d *v1alpha1.Database) { d.Spec.ClassName = "none" }, "", `there is no DatabaseClass "none"`},
		{"an account that may come", func(d *v1alpha1.Database) {
			d.Spec.ClassName, d.Spec.Size, d.Spec.ProviderConfigRef = "", "", &v1alpha1.ProviderConfigReference{Name: "none"}
			d.Spec.Engine = new(v1alpha1.EnginePostgres)
		}, "", "there is no ProviderConfig none"},
	} {
		d := order("small")
		tt.change(d)
		err := c.Create(t.Context(), d, client.DryRunAll)
		h.expect(tt.name, err, taken(heard), tt.refusal, tt.warned)
		if tt.refusal != "" && !apierrors.IsForbidden(err) { // it is well-formed, and the class does not allow it
			t.Errorf("%s: %v, want Forbidden", tt.name, err)
		}
	}
	closed := system.ClusterConfig("closed", v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, h.Cloud.AWSEndpoint())
	closed.Spec.AllowedNamespaces = nil
	h.Create(closed, &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "closed"}, Spec: v1alpha1.BucketClassSpec{ClassSpec: v1alpha1.ClassSpec{
		ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "closed"}, AllowedNamespaces: &metav1.LabelSelector{},
	}}})
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	b.Spec.ClassName = "closed"
	h.Eventually("an account that is not for the namespace is refused through a class, too", func() bool {
		err := c.Create(t.Context(), b.DeepCopy(), client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "spec.className: ClusterProviderConfig closed is not allowed in namespace shop")
	})
	d := order("small")
	h.Create(d)
	h.AwaitReady(d)
	h.changeClass(c, heard, class)

	// What is wrong already keeps nobody from mending another object.
	h.Must(retry.RetryOnConflict(retry.DefaultRetry, func() error { // Mooring writes the status meanwhile
		h.Must(c.Get(t.Context(), client.ObjectKey{Name: "postgres-standard"}, class))
		class.Spec.Sizes[0].Storage.MaxGiB = new(int32(30))
		return c.Update(t.Context(), class)
	}))
	heard.Take()
	h.Eventually("another thing is mended", func() bool {
		h.Must(c.Get(t.Context(), client.ObjectKeyFromObject(d), d))
		d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
		err := c.Update(t.Context(), d, client.DryRunAll)
		if !apierrors.IsConflict(err) { // Mooring writes the status meanwhile
			h.Must(err)
		}
		return strings.Contains(taken(heard), "50 is too large for size")
	})
	worse := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"storage":{"sizeGiB":60}}}`))
	h.expect("worse than it is", c.Patch(t.Context(), d, worse, client.DryRunAll), taken(heard), "60 is too large")
	h.Must(c.Delete(t.Context(), d))
	h.Eventually("it is deleted all the same", func() bool {
		return apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(d), d))
	})
}

// changeClass tries changes of the class that one database uses.
func (h *fixture) changeClass(c client.Client, heard *system.Warnings, class *v1alpha1.DatabaseClass) {
	h.Helper()
	for _, tt := range []struct {
		name    string
		change  func(*v1alpha1.DatabaseClassSpec)
		refusal string
		warned  []string
	}{
		{"nothing that matters", func(s *v1alpha1.DatabaseClassSpec) { s.Description = "other" }, "", []string{"objects of kind Database that use this class: 1; none would change"}},
		{"online", func(s *v1alpha1.DatabaseClassSpec) { s.Defaults.Backup.RetentionDays = new(int32(14)) }, "",
			[]string{"objects of kind Database that use this class: 1; of these would change: 1", "of 1: backup.retentionDays becomes 14 (online"}},
		{"fewer backups", func(s *v1alpha1.DatabaseClassSpec) { s.Defaults.Backup.RetentionDays = new(int32(0)) }, "", []string{
			"of 1: backup.retentionDays becomes 0 (loses backups: automatic backups end, and with them the restore to a point in time; " +
				"the server is away for a few seconds to a few minutes, by its size and class; waits for approval)"}},
		{"disruptive", func(s *v1alpha1.DatabaseClassSpec) { s.Sizes[0].AWS.InstanceClass = new("db.t4g.small") }, "",
			[]string{"of 1: aws.instanceClass becomes db.t4g.small (restarts: the server is away for a few minutes, until it runs on another host and has recovered; waits for approval)"}},
		{"disruptive, and nobody asked", func(s *v1alpha1.DatabaseClassSpec) {
			s.Sizes[0].AWS.InstanceClass = new("db.t4g.small")
			s.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways}
		}, "", []string{"of 1: aws.instanceClass becomes db.t4g.small (restarts: the server is away for a few minutes, until it runs on another host and has recovered)"}},
		{"another cloud", func(s *v1alpha1.DatabaseClassSpec) {
			s.ProviderConfigRef.Name = "gcp"
			for i := range s.Sizes {
				s.Sizes[i].AWS, s.Sizes[i].GCP = nil, &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")}
			}
		}, "", []string{"objects of kind Database that use this class: 1; all stay in the cloud that they were made in"}},
		{"an account that is not there", func(s *v1alpha1.DatabaseClassSpec) { s.ProviderConfigRef.Name = "awz" }, "",
			[]string{"there is no ClusterProviderConfig awz"}},
		{"nobody's class", func(s *v1alpha1.DatabaseClassSpec) { s.AllowedNamespaces = nil }, "", []string{"no namespace may use this class"}},
		{"no longer allowed", func(s *v1alpha1.DatabaseClassSpec) { s.Sizes[0].Storage.MaxGiB = new(int32(30)) }, "",
			[]string{"1 would no longer be allowed, and stay as they are until they are mended: shop/orders (spec.storage.sizeGiB: 50 is too large"}},
		{"a rule with a slip", func(s *v1alpha1.DatabaseClassSpec) { s.Constraints[0].Rule = "spec.engin == 'postgres'" }, "undefined field 'engin'", nil},
		{"a rule that is no answer", func(s *v1alpha1.DatabaseClassSpec) { s.Constraints[0].Rule = "spec.engine" }, "a rule is true or false", nil},
		{"a key of another cloud", func(s *v1alpha1.DatabaseClassSpec) {
			s.Enforced.Encryption = &v1alpha1.Encryption{Key: new("projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k")}
		}, "a key of Cloud KMS is not supported, because AWS encrypts with keys of AWS KMS", nil},
		{"a pattern that can't be read", func(s *v1alpha1.DatabaseClassSpec) {
			s.AllowedReferences = []v1alpha1.AllowedReference{{Field: "spec.encryption.key", Pattern: "alias/("}}
		}, "spec.allowedReferences[0].pattern: Invalid value: error parsing regexp", nil},
		{"a location that the class does not list", func(s *v1alpha1.DatabaseClassSpec) {
			s.Locations, s.Defaults.Location = []string{"eu-west-1"}, new("eu-central-1")
		}, "spec.defaults.location: Invalid value: eu-central-1 is not in spec.locations (eu-west-1)", nil},
		{"an account of another cloud", func(s *v1alpha1.DatabaseClassSpec) {
			s.Accounts = []v1alpha1.ClassAccount{{NamespaceSelector: &metav1.LabelSelector{}, ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "gcp"}}}
		}, "spec.accounts[0].providerConfigRef: Invalid value: ClusterProviderConfig gcp is in gcp, and the class is in aws", nil},
		{"an account for some", func(s *v1alpha1.DatabaseClassSpec) {
			s.Accounts = []v1alpha1.ClassAccount{{NamespaceSelector: &metav1.LabelSelector{}, ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "closed"}}}
			s.ProviderConfigRef.Name = ""
		}, "", []string{"ClusterProviderConfig closed (until now ClusterProviderConfig aws)", "objects that exist stay in the account that they were created in"}},
		{"a field that is none", func(s *v1alpha1.DatabaseClassSpec) { s.Constraints[0].Field = "spec.nothing" }, `there is no field "spec.nothing"`, nil},
	} {
		err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // Mooring writes the status meanwhile
			h.Must(c.Get(h.Context(), client.ObjectKey{Name: "postgres-standard"}, class))
			tt.change(&class.Spec)
			heard.Take()
			return c.Update(h.Context(), class, client.DryRunAll)
		})
		h.expect("the class: "+tt.name, err, taken(heard), tt.refusal, tt.warned...)
	}
}

func order(size string) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ClassName, d.Spec.Size = "postgres-standard", size
	d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}
	d.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	return d
}

// A webhook that is down keeps nobody from anything, and the controller enforces all the same.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	h := newFixture(t, false)
	h.Apply("samples/classes/aws.yaml")
	h.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"stage": "production"}}})
	good, bad := order("small"), order("huge")
	bad.Name = "bad"
	brief := order("small")
	brief.Name, brief.Spec.Backup = "brief", &v1alpha1.DatabaseBackup{RetentionDays: new(int32(1))}
	h.Create(good, bad, brief)
	h.AwaitReady(good)
	for o, says := range map[*v1alpha1.Database]string{bad: "there is no size", brief: "databases in production keep backups for 7 days"} {
		h.Eventually(o.Name+" is refused by the controller", func() bool {
			for _, c := range h.Refresh(o).Conditions {
				if c.Type == v1alpha1.ConditionStalled && c.Reason == string(v1alpha1.ReasonClassViolated) {
					return strings.Contains(c.Message, says)
				}
			}
			return false
		})
	}
	for _, o := range []client.Object{good, bad, brief} {
		h.Must(h.Client.Delete(h.Context(), o))
		h.Eventually("it is deleted", func() bool {
			return apierrors.IsNotFound(h.Client.Get(h.Context(), client.ObjectKeyFromObject(o), o))
		})
	}
}
