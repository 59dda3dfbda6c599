package chart

import (
	"encoding/pem"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// TestTakeOwnership: what is there already, of a trial without Helm or of a release that was, is not taken by accident, and is
// taken as docs/install.md says; no CRD has to go for that.
func TestTakeOwnership(t *testing.T) {
	t.Parallel()
	eachHelm(t, func(w *fixture) {
		paths, err := filepath.Glob(filepath.Join(root(w), "config", "crd", "*.yaml"))
		w.Must(err)
		var uids []types.UID
		for _, path := range paths {
			content, err := os.ReadFile(path)
			w.Must(err)
			crd := &apiextensionsv1.CustomResourceDefinition{}
			w.Must(yaml.Unmarshal(content, crd))
			w.Must(w.Client.Create(w.Context(), crd))
			uids = append(uids, crd.UID)
		}
		install := []string{"install", w.release, chartDir(w), "--namespace", w.namespace, "--create-namespace"}
		if _, says, err := w.try(w, install...); err == nil || !strings.Contains(says, "cannot be imported into the current release") {
			w.Errorf("the CRDs are of nobody's release, and it is installed: %v\n%s", err, says)
		}
		w.run(w, append(install, "--take-ownership")...)
		w.run(w, "uninstall", w.release, "--namespace", w.namespace)
		install[1] = "other"
		if _, says, err := w.try(w, install...); err == nil || !strings.Contains(says, "cannot be imported into the current release") {
			w.Errorf("the CRDs are of another release, and it is installed: %v\n%s", err, says)
		}
		w.run(w, append(install, "--take-ownership")...)
		definitions := &apiextensionsv1.CustomResourceDefinitionList{}
		w.Must(w.Client.List(w.Context(), definitions))
		for _, d := range definitions.Items {
			if !slices.Contains(uids, d.UID) || d.Annotations["meta.helm.sh/release-name"] != "other" {
				w.Errorf("%s was made anew, or is of release %q", d.Name, d.Annotations["meta.helm.sh/release-name"])
			}
		}
		if len(definitions.Items) != len(uids) {
			w.Errorf("%d definitions of %d", len(definitions.Items), len(uids))
		}
		w.run(w, "uninstall", "other", "--namespace", w.namespace)
		w.loseCRDs()
	})
}

// TestElsewhere installs it under another name, in another namespace, for one namespace alone: it finds its own objects,
// the API server finds it, and what is in other namespaces is none of its business. It reaches AWS by TLS alone, with an
// authority that only its ConfigMap makes it trust.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	w := newFixtureNamed(t, "helm", "prod", "prod-mooring", "clouds")
	w.Must(system.EnsureNamespace(t.Context(), w.Client, "shop"))
	wrap := func(plain string) (secure string, authority []byte) {
		to, err := url.Parse(plain)
		w.Must(err)
		// The host stays as it was: it is signed.
		server := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = r.In.Host
		}})
		t.Cleanup(server.Close)
		return server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	}
	amazon, authority := wrap(w.Cloud.AWSEndpoint()) // Google's tokens are for one address
	w.Must(w.Client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "authorities"}, Data: map[string]string{"all.crt": string(authority)}}))
	w.install(chartDir(t), build(t, root(t)), often+"namespaces: [shop]\ncaBundle: {configMap: authorities, key: all.crt}\n")
	w.serve()
	w.test()
	w.lend(amazon)

	// A second one would lead over the same objects. Even without all that there is once in a cluster it is refused.
	without := valuesFile(t, "crds: {install: false}\nrbac: {aggregateClusterRoles: false}\nadmission: {policies: false}\n")
	if _, says, err := w.try(t, "install", "second", chartDir(t), "--namespace", "second", "--create-namespace", "--values", without); err == nil || !strings.Contains(says, "mooring-tokens") {
		t.Errorf("a second release: %v\n%s", err, says)
	}

	theirs := objects("elsewhere", 1)
	w.create(theirs)
	ours := objects("shop", 1)
	w.create(ours)
	w.ready(ours)
	w.awaitObserved(ours)
	for _, o := range theirs {
		w.Must(w.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o))
		if len(system.StatusOf(o).Conditions) > 0 || len(o.GetFinalizers()) > 0 {
			t.Errorf("%T %s in another namespace was touched: %v", o, o.GetName(), system.StatusOf(o).Conditions)
		}
	}

	// The API server finds the webhook by its Service, and asks about this namespace alone.
	closed := system.ClusterConfig("closed", v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, "")
	closed.Spec.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"account": "closed"}}
	w.Must(w.Client.Create(t.Context(), closed))
	bad := func(namespace string) client.Object {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "bad"}}
		b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "closed"}
		return b
	}
	w.Eventually("who may not use an account is refused at once", func() bool {
		return w.Client.Create(t.Context(), bad("shop"), client.DryRunAll) != nil
	})
	if err := w.Client.Create(t.Context(), bad("elsewhere"), client.DryRunAll); err != nil {
		t.Errorf("another namespace's object is refused: %v", err)
	}
	w.goesOn(ours)
}

// lend makes the accounts of system.Environment in the fixture's own namespace.
func (w *fixture) lend(amazon string) {
	w.Helper()
	id, secret := w.Cloud.AWSKeys(system.AWSAccount)
	for _, o := range []client.Object{
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "aws"}, StringData: map[string]string{
			v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret,
		}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "gcp"}, Data: map[string][]byte{
			v1alpha1.SecretKeyGCPCredentials: w.Cloud.GCPKey(system.GCPProject),
		}},
		system.ClusterConfig("aws", v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, amazon),
		system.ClusterConfig("gcp", v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: system.GCPProject, Region: system.GCPRegion}}, w.Cloud.GCPEndpoint()),
	} {
		w.Must(w.Client.Create(w.Context(), o))
	}
}
