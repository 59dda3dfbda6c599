package tenancy

import (
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	webhook "github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	flag.Parse()
	logf.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// The tenants: bank has what thief wants.
const (
	bank  = "bank"
	thief = "thief"
)

// A house is a cluster with Mooring as it is installed: its own rights, its policies, and the webhook, unless it is down.
type house struct {
	*testing.T
	*system.Environment
	// thief may do in its namespace what its administrator may, and no more.
	thief client.Client
}

func newHouse(t *testing.T, answers bool) *house {
	t.Helper()
	s := system.NewEnvironment(t, cluster.Options{Audit: true}, localcloud.Options{ListenersOnly: true, InstanceQuota: -1})
	h := &house{T: t, Environment: s}
	h.Install(t, nil)
	for _, file := range []string{"rbac/users.yaml", "admission/consent.yaml", "admission/tokens.yaml"} {
		h.apply(file)
	}
	for _, tenant := range []string{bank, thief} {
		h.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant, Labels: map[string]string{"team": tenant}}})
		h.create(&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "administrator"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "mooring-admin"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: tenant}},
		})
	}
	h.thief = h.as(thief)
	h.run(answers)
	return h
}

// run starts the controller. Without answers nobody is at home where the API server asks.
func (h *house) run(answers bool) {
	h.Helper()
	address := h.freeAddress()
	h.must(webhook.Apply(h.Context(), h.Client, "https://"+address))
	life := &system.KillSwitch{}
	o := controllers.Options{Drivers: h.Drivers(life, 5*time.Second), SyncPeriod: 2 * time.Second, Settle: 300 * time.Millisecond, Workers: 8}
	if answers {
		o.WebhookAddress = address
	}
	m, err := system.Start(h.Context(), h.Config(), life, o, controllers.ManagerOptions{})
	h.must(err)
	h.Cleanup(m.Kill)
}

func (h *house) freeAddress() string {
	h.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	h.must(err)
	h.must(listener.Close())
	return listener.Addr().String()
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *house) create(objects ...client.Object) {
	h.Helper()
	for _, o := range objects {
		h.must(h.Client.Create(h.Context(), o))
	}
}

func (h *house) config(elem ...string) string {
	h.Helper()
	root, err := cluster.Repository()
	h.must(err)
	return filepath.Join(append([]string{root, "config"}, elem...)...)
}

// apply makes what is in a file of config/.
func (h *house) apply(file string) {
	h.Helper()
	content, err := os.Open(h.config(strings.Split(file, "/")...))
	h.must(err)
	defer func() { _ = content.Close() }()
	for documents := yaml.NewYAMLOrJSONDecoder(content, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(o); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			h.Fatal(err)
		}
		h.create(o)
	}
}

// as returns the client of a user.
func (h *house) as(user string) client.Client {
	h.Helper()
	cfg, err := h.Cluster.User(user)
	h.must(err)
	c, err := client.New(cfg, client.Options{Scheme: h.Client.Scheme()})
	h.must(err)
	return c
}

func (h *house) eventually(what string, so func() bool) {
	h.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

// status reads an object, and returns the part of its status that all kinds share.
func (h *house) status(o client.Object) *v1alpha1.ResourceStatus {
	h.Helper()
	h.must(h.Client.Get(h.Context(), client.ObjectKeyFromObject(o), o))
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return &o.Status.ResourceStatus
	case *v1alpha1.Database:
		return &o.Status.ResourceStatus
	default:
		h.Fatalf("%T has no such status", o)
		return nil
	}
}

func (h *house) ready(o client.Object) *v1alpha1.ResourceStatus {
	h.Helper()
	var s *v1alpha1.ResourceStatus
	h.eventually(o.GetName()+" is Ready", func() bool {
		s = h.status(o)
		return meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReady)
	})
	return s
}
