package system

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/test/cluster"
)

// The name of the chart's release, and so of all that it makes; see Installed.
const release = "mooring"

// tokenLife is longer than any suite takes.
const tokenLife = 6 * time.Hour

// Values are those of the chart that differ from its own.
type Values map[string]any

// Install makes managers that start from now on who Mooring is where it is installed: they have a token of the chart's
// ServiceAccount, and no rights but those that the chart gives it, so that one that is missing shows. If values name
// namespaces, which must be there, managers look after these alone.
func (e *Environment) Install(t testing.TB, values Values) {
	t.Helper()
	objects, err := Render(t, values, "serviceaccount", "rbac")
	if err != nil {
		t.Fatal(err)
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(tokenLife.Seconds()))}}
	for _, o := range objects {
		if err := e.Client.Create(t.Context(), o); err != nil {
			t.Fatalf("install %s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if o.GetKind() != "ServiceAccount" {
			continue
		}
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: o.GetNamespace(), Name: o.GetName()}}
		if err := e.Client.SubResource("token").Create(t.Context(), account, request); err != nil {
			t.Fatal(err)
		}
	}
	if e.Rights, err = RightsOf(objects); err != nil {
		t.Fatal(err)
	}
	e.user = rest.AnonymousClientConfig(e.Cluster.Config())
	e.user.BearerToken = request.Status.Token
	e.namespaces, _ = values["namespaces"].([]string)
	e.watchSecrets, _ = values["watchSecrets"].(bool)
}

// Render returns what templates of the chart make of values, by the templates' names.
func Render(t testing.TB, values Values, templates ...string) ([]*unstructured.Unstructured, error) {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		return nil, err
	}
	content, err := yaml.Marshal(values)
	if err != nil {
		return nil, err
	}
	args := []string{"template", release, filepath.Join(root, "charts", "mooring"), "--namespace", Namespace, "--values", "-"}
	for _, name := range templates {
		args = append(args, "--show-only", filepath.Join("templates", name+".yaml"))
	}
	home := t.TempDir()
	helm := exec.CommandContext(t.Context(), cluster.ProgramForTest(t, "helm"), args...)
	helm.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var out, errs bytes.Buffer
	helm.Stdin, helm.Stdout, helm.Stderr = bytes.NewReader(content), &out, &errs
	if err := helm.Run(); err != nil {
		return nil, fmt.Errorf("render the chart: %w: %s", err, &errs)
	}
	return decode(&out)
}

// ReadManifest returns the objects in a file.
func ReadManifest(path string) ([]*unstructured.Unstructured, error) {
	content, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	return decode(content)
}

// decode reads the objects of a manifest.
func decode(manifest io.Reader) (objects []*unstructured.Unstructured, err error) {
	for documents := utilyaml.NewYAMLOrJSONDecoder(manifest, 4096); ; {
		o := &unstructured.Unstructured{}
		switch err := documents.Decode(o); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("read a manifest: %w", err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
