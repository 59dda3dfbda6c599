package admission

import (
	"context"
	"os"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// shared is the environment of all tests. They keep apart by namespaces, and its client is an administrator's.
var shared *system.Environment

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard()) // what there is to say comes back as errors
	// Roles are aggregated by a controller of Kubernetes.
	os.Exit(system.Main(m, cluster.Options{ControllerManager: true}, localcloud.Options{ListenersOnly: true}, prepare))
}

// prepare makes the namespace of the tests, and gives Mooring's user the rights that it has where it is installed.
func prepare(ctx context.Context, e *system.Environment) error {
	shared = e
	if err := system.EnsureNamespace(ctx, e.Client, shop); err != nil {
		return err
	}
	role, err := system.ConfigFile("rbac", "role.yaml")
	if err != nil {
		return err
	}
	return system.Grant(ctx, e.Client, role, system.Installed)
}

// fixture is what a test has of the environment.
func fixture(t *testing.T) *system.Fixture {
	return &system.Fixture{T: t, Environment: shared, Namespace: shop}
}

// ensure makes objects that may be there already.
func ensure(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := shared.Client.Create(t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
