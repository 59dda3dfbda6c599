package admission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// mooring is Mooring's own user, as the policies know it.
const mooring = "system:serviceaccount:mooring-system:mooring"

// The control plane that all tests share, and its administrator. Tests keep apart by namespaces.
var (
	server *cluster.Cluster
	admin  client.Client
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	logf.SetLogger(logr.Discard()) // what there is to say comes back as errors
	var err error
	server, err = cluster.Start(context.Background(), cluster.Options{ControllerManager: true}) // which aggregates roles
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		fmt.Fprintln(os.Stderr, "SKIPPED, NOT TESTED:", err)
		return 0
	}
	if err == nil {
		defer func() { _ = server.Stop() }()
		err = prepare(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare makes the administrator's client, and gives Mooring's user the rights that it has where it is installed.
func prepare(ctx context.Context) (err error) {
	if admin, err = newClient(server.Config()); err != nil {
		return err
	}
	for _, name := range []string{system.Namespace, shop} {
		if err := system.EnsureNamespace(ctx, admin, name); err != nil {
			return err
		}
	}
	role, err := configFile("rbac", "role.yaml")
	if err != nil {
		return err
	}
	return system.Grant(ctx, admin, role, mooring)
}

func newClient(cfg *rest.Config) (client.Client, error) {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, err
	}
	return client.New(cfg, client.Options{Scheme: scheme})
}

// as returns the client of a user, whose rights are what RBAC and its groups grant.
func as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	cfg, err := server.User(user, groups...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// configFile returns the path of a file in config/ of the repository.
func configFile(elem ...string) (string, error) {
	root, err := cluster.Repository()
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{root, "config"}, elem...)...), nil
}

// install makes what is in a file of config/admission, unless it is there already, and waits until the API server has
// taken it up: until inForce says so.
func install(t *testing.T, file string, inForce func() bool) {
	t.Helper()
	path, err := configFile("admission", file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	for documents := yaml.NewYAMLOrJSONDecoder(content, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read %s: %v", file, err)
		}
		// Strict, as kubectl apply is.
		err := client.WithFieldValidation(admin, metav1.FieldValidationStrict).Create(t.Context(), o)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	eventually(t, file+" is in force", inForce)
}

// eventually waits for what the API server takes up by and by.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("never so: %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// ensure makes objects that may be there already.
func ensure(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := admin.Create(t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
