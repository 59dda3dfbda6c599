package execute

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// noTeller records nothing.
func noTeller(reconciliation.State, outcome.Note) {}

// newWork returns the work about a bucket that was Ready.
func newWork(t *testing.T) *work {
	t.Helper()
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "photos", UID: "uid-now", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource},
	}}
	b.Status.ExternalName, b.Status.Provider, b.Status.AppliedGeneration = "photos", "aws", 1
	b.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
	return workOn(kind.Bucket(), b, fake.NewClientBuilder().Build())
}

// workOn returns the work about an object.
func workOn(k *kind.Kind, object v1alpha1.ResourceObject, c client.Client) *work {
	e := &Executor{
		Client: c, Reader: c, Kind: k, Deadline: time.Minute, Clock: time.Now,
	}
	task := reconciliation.State{Stored: object, Object: object, Want: object}
	task.Kind = k
	task.Now, task.Redact = time.Now(), func(message string) string { return message }
	return e.begin(task, noTeller)
}
