package tenancy

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A treasure is what there is to be stolen, by the kind of thing that a reference may name.
type treasure struct {
	secrets, accounts, clusterAccounts, bucketClasses, databaseClasses, serviceAccounts []string
	// buckets and databases are the names in the cloud of what bank has there, and last of what it left there: those of this cluster
	// alone.
	buckets, databases []string
}

var named = treasure{
	secrets:         []string{"payroll", "keys", "vault", "ledger", "aws", "gcp"},
	accounts:        []string{"team"},
	clusterAccounts: []string{"for-bank", "by-class", "aws-of-nobody"},
	bucketClasses:   []string{"for-bank"},
	databaseClasses: []string{"for-bank"},
	serviceAccounts: []string{"payer"},
}

// furnish fills bank's namespace and the platform's with it.
func (h *house) furnish() (all treasure) {
	h.Helper()
	id, secret := h.Cloud.AWSKeys(system.AWSAccount)
	keys := map[string]string{v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret}
	in := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: bank, Name: name} }
	account := v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}
	h.create(
		&corev1.Secret{ObjectMeta: in("payroll"), StringData: map[string]string{"password": "of-the-payroll", "credentials.json": "{}"}},
		&corev1.Secret{ObjectMeta: in("keys"), StringData: keys},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: bank, Name: "payer", Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
		&v1alpha1.ProviderConfig{ObjectMeta: in("team"), Spec: v1alpha1.ProviderConfigSpec{
			Account: account, Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: "keys"}},
		}},
	)
	for name, change := range map[string]func(*v1alpha1.ClusterProviderConfigSpec){
		"for-bank": func(s *v1alpha1.ClusterProviderConfigSpec) {
			s.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"team": bank}}
		},
		"by-class":      func(s *v1alpha1.ClusterProviderConfigSpec) { s.DirectUse = false },
		"aws-of-nobody": func(s *v1alpha1.ClusterProviderConfigSpec) { s.AllowedNamespaces = nil },
	} {
		c := system.ClusterConfig(name, account, h.Cloud.AWSEndpoint())
		c.Spec.Credentials.SecretRef.Name = "aws"
		change(&c.Spec)
		h.create(c)
	}
	for name, selector := range map[string]*metav1.LabelSelector{
		"for-bank": {MatchLabels: map[string]string{"team": bank}},
		"for-all":  {},
	} {
		shared := v1alpha1.ClassSpec{ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "by-class"}, AllowedNamespaces: selector}
		h.create(
			&v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.BucketClassSpec{ClassSpec: shared}},
			&v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.DatabaseClassSpec{
				ClassSpec: shared, Defaults: &v1alpha1.DatabaseParameters{
					Engine: new(v1alpha1.EnginePostgres), AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")},
					Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))},
				},
			}},
		)
	}
	all = named
	leftBucket, leftDatabase := &v1alpha1.Bucket{ObjectMeta: in("left")}, &v1alpha1.Database{ObjectMeta: in("left")}
	leftBucket.Spec.ClassName, leftDatabase.Spec.ClassName = "for-bank", "for-bank"
	leftBucket.Spec.DeletionPolicy, leftDatabase.Spec.DeletionPolicy = v1alpha1.DeletionRetain, v1alpha1.DeletionRetain
	h.create(leftBucket, leftDatabase)
	vault, ledger := &v1alpha1.Bucket{ObjectMeta: in("vault")}, &v1alpha1.Database{ObjectMeta: in("ledger")}
	vault.Spec.ClassName, ledger.Spec.ClassName = "for-bank", "for-bank"
	vault.Spec.Connection, ledger.Spec.Connection = &v1alpha1.Connection{SecretName: "vault"}, &v1alpha1.Connection{SecretName: "ledger"}
	h.create(vault, ledger)
	all.buckets = []string{h.ready(vault).ExternalName, h.ready(leftBucket).ExternalName}
	all.databases = []string{h.ready(ledger).ExternalName, h.ready(leftDatabase).ExternalName}
	for _, o := range []client.Object{leftBucket, leftDatabase} {
		h.must(h.Client.Delete(h.Context(), o))
		h.eventually("bank leaves it behind", func() bool {
			return apierrors.IsNotFound(h.Client.Get(h.Context(), client.ObjectKeyFromObject(o), o))
		})
	}
	// From here on nothing of bank's gives Mooring a reason to read bank's Secrets, but for its account's.
	for _, o := range []client.Object{vault, ledger} {
		h.must(h.Client.Patch(h.Context(), o, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"mooring.dev/paused":"true"}}}`))))
	}
	h.eventually("bank's objects are paused", func() bool {
		return paused(h.status(vault)) && paused(h.status(ledger))
	})
	return all
}

func paused(s *v1alpha1.ResourceStatus) bool {
	for _, c := range s.Conditions {
		if c.Type == v1alpha1.ConditionSynced && c.Reason == string(v1alpha1.ReasonPaused) {
			return true
		}
	}
	return false
}
