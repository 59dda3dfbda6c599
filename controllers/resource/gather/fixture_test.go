package gather

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

func bytesOf(texts map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for k, v := range texts {
		all[k] = []byte(v)
	}
	return all
}

// withPassword returns a Database and its password Secret, which is not stored yet.
func withPassword(content map[string]string) (*v1alpha1.Database, *corev1.Secret) {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now", Finalizers: []string{v1alpha1.FinalizerResource}}}
	return d, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "mooring-system", Name: password.SecretName(d.UID), Labels: map[string]string{
		v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name,
	}}, Data: bytesOf(content)}
}

// gatheringOf returns the gathering about a database, without a request's mark and before it is observed. It has no client that writes.
func gatheringOf(d *v1alpha1.Database, c client.Reader) *gathering {
	g := (&Gatherer{Reader: c, Kind: kind.Database()}).begin(reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	g.Connection = &identity.Connection{}
	g.Described.Name.MaxLength = 63
	return g
}
