package controllers

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// A Secret that another object names or has is refused to whoever begins to ask for it. What was so already may be edited, and one that is being
// deleted keeps nobody from taking its Secret over.
func TestConnectionSecretOfAnother(t *testing.T) {
	database := func(name, secret string) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
		d.Spec.ProviderConfigRef = itsConfig
		if secret != "" {
			d.Spec.Connection = &v1alpha1.Connection{SecretName: secret}
		}
		return d
	}
	renamed, leaving, elsewhere, observed := database("renamed", "new"), database("leaving", "left"), database("elsewhere", "far"), database("observed", "seen")
	observed.Spec.Management = v1alpha1.ManagementObserve
	renamed.Status.Binding, renamed.Status.FormerSecrets = &v1alpha1.Binding{Name: "bound"}, []v1alpha1.FormerSecret{{Name: "former"}}
	leaving.Finalizers, leaving.DeletionTimestamp = []string{"mooring.dev/finalizer"}, &metav1.Time{Time: metav1.Now().Time}
	elsewhere.Namespace = "pay"
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	b.Spec.Connection = &v1alpha1.Connection{SecretName: "photos"}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	now := fake.NewClientBuilder().WithScheme(scheme).WithObjects(database("orders", "orders-db"), renamed, leaving, elsewhere, observed, b).Build()
	before := fake.NewClientBuilder().WithScheme(scheme).WithObjects(database("orders", "orders-db"), database("gone", "freed"), renamed, leaving, elsewhere, observed, b).Build()

	r := validating(func() ([]string, error) { return nil, nil })
	r.kinds = append(r.kinds, addedKind{Kind: kind.Bucket()})
	r.secrets, r.log = &secretHolders{cached: before, live: now}, logr.Discard()
	for name, tt := range map[string]struct {
		old    *v1alpha1.Database
		secret string
		of     string // whose Secret it is
	}{
		"named by another":           {nil, "orders-db", "Database orders"},
		"bound to another":           {nil, "bound", "Database renamed"},
		"another's former one":       {nil, "former", ""},
		"of one that is observed":    {nil, "seen", ""},
		"a bucket's":                 {nil, "photos", "Bucket photos"},
		"free":                       {nil, "mine", ""},
		"none":                       {nil, "", ""},
		"of one that is deleted":     {nil, "left", ""},
		"of one that is gone by now": {nil, "freed", ""},
		"in another namespace":       {nil, "far", ""},
		"by an edit":                 {database("new", "mine"), "orders-db", "Database orders"},
		"an edit of something else":  {database("new", "orders-db"), "orders-db", ""},
		"its own":                    {database("orders", ""), "orders-db", ""},
	} {
		t.Run(name, func(t *testing.T) {
			review := admission.Review{Object: database("new", tt.secret)}
			if tt.old != nil {
				review.Old = tt.old
				review.Object.SetName(tt.old.Name)
			}
			result, err := r.validate(t.Context(), review)
			if err != nil {
				t.Fatal(err)
			}
			switch refused := result.Refusals.ToAggregate(); {
			case tt.of == "" && refused != nil:
				t.Errorf("refused: %v", refused)
			case tt.of != "" && (refused == nil || !strings.Contains(refused.Error(), "spec.connection.secretName: Invalid value: the Secret "+tt.secret+" is that of "+tt.of)):
				t.Errorf("%v, want a word of %s", refused, tt.of)
			}
		})
	}
}
