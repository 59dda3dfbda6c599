package tenancy

import (
	"flag"
	"os"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers"
	webhook "github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

func TestMain(m *testing.M) {
	flag.Parse()
	logf.SetLogger(logr.Discard())
	os.Exit(cluster.Run(m))
}

// The tenants: bank has what thief wants.
const (
	bank  = "bank"
	thief = "thief"
)

// A fixture is a cluster with Mooring as it is installed: its own rights, its policies, and the webhook, unless it is down.
type fixture struct {
	*system.Fixture
	// thief may do in its namespace what its administrator may, and no more.
	thief client.Client
}

func newFixture(t *testing.T, answers bool) *fixture {
	t.Helper()
	s := system.NewEnvironment(t, cluster.Options{Audit: true}, localcloud.Options{ListenersOnly: true, InstanceQuota: -1})
	h := &fixture{Fixture: &system.Fixture{T: t, Environment: s}}
	h.Install(t, nil)
	for _, file := range []string{"rbac/users.yaml", "admission/consent.yaml", "admission/tokens.yaml"} {
		h.Apply(file)
	}
	for _, tenant := range []string{bank, thief} {
		h.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant, Labels: map[string]string{"team": tenant}}})
		h.Create(&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "administrator"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "mooring-admin"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: tenant}},
		})
	}
	h.thief = h.User(thief)
	h.start(answers)
	return h
}

// start starts the controller. Without answers nothing listens where the API server calls the webhook.
func (h *fixture) start(answers bool) {
	h.Helper()
	address, o := system.FreeAddress(h.T), controllers.Options{}
	h.Must(webhook.Apply(h.Context(), h.Client, "https://"+address))
	if answers {
		o.WebhookAddress = address
	}
	h.StartManager(h.T, o, nil)
}
