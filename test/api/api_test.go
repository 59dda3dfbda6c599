package api

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/test/cluster"
)

// The API server that all tests share. That its CRDs could be installed shows that their rules are
// within the cost budget.
var (
	server *rest.Config
	api    client.Client
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	c, err := cluster.Start(context.Background(), cluster.Options{})
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		fmt.Fprintln(os.Stderr, "SKIPPED, NOT TESTED:", err)
		return 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = c.Stop() }()
	server = c.Config()
	if api, err = client.New(server, client.Options{}); err == nil {
		err = api.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const namespace = "shop"

// object reads an object of our group: kind, spec and, if need be, metadata.
func object(t *testing.T, kind, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(raw, &o.Object) // the API machinery's: whole numbers are int64
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	o.SetAPIVersion("mooring.dev/v1alpha1")
	o.SetKind(kind)
	if o.GetName() == "" {
		o.SetName("orders")
	}
	if kind != "ClusterProviderConfig" && !strings.HasSuffix(kind, "Class") {
		o.SetNamespace(namespace)
	}
	return o
}

// answered compares the API server's answer with what is wanted: nothing, or words of the message.
func answered(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted, want %q", want)
	case want != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want Invalid with %q", err, want)
	}
}
