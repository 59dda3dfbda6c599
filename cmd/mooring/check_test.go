package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestCheck: where all is there that the chart makes, all is well; and whatever is missing is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := system.NewEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	for _, name := range []string{"shop", "bank"} {
		if err := system.EnsureNamespace(t.Context(), s.Client, name); err != nil {
			t.Fatal(err)
		}
	}
	all := checkFixture{T: t, Environment: s, options: defaults()}
	t.Run("every namespace", func(t *testing.T) {
		s.Install(t, nil)
		c := all.with(t)
		c.says("FAILED  a replica is the leader: ")
		c.lease(time.Now().Add(-time.Hour))
		c.says("FAILED  a replica is the leader: somebody holds Lease mooring-system/mooring-leader, and has not renewed it for ")
		c.lease(time.Now())
		c.says("FAILED  the API server has what it needs to trust the webhook: ")
		c.webhook()
		c.says("FAILED  the API server has what it needs to trust the webhook: ValidatingWebhookConfiguration mooring has no caBundle yet")
		c.trust()
		c.well()
		c.lacks(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "mooring"}}, "secrets", "delete", "it may not delete secrets; ")
		c.lacks(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "mooring"}}, "buckets/status", "patch", "it may not patch buckets/status of mooring.dev; ")
		c.lacks(&rbacv1.Role{ObjectMeta: ownMeta("mooring-own")}, "leases", "update", "it may not update leases of coordination.k8s.io \"mooring-leader\" in namespace mooring-system; ")
	})
	t.Run("two namespaces, another name", func(t *testing.T) {
		s.Install(t, system.Values{"namespaces": []string{"shop", "bank"}, "fullnameOverride": "other"})
		o := all
		o.namespaces, o.webhookName = "shop,bank", "other"
		c := o.with(t)
		c.lease(time.Now())
		c.says("FAILED  the API server has what it needs to trust the webhook: ")
		c.webhook()
		c.trust()
		c.well()
		c.lacks(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "other"}}, "databases", "watch", "it may not watch databases of mooring.dev in namespace bank; ")
		c.lacks(&rbacv1.Role{ObjectMeta: ownMeta("other-own")}, "secrets", "get", "it may not get secrets in namespace mooring-system; ")
		c.lacks(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, "validatingwebhookconfigurations", "patch",
			`it may not patch validatingwebhookconfigurations of admissionregistration.k8s.io "other"; `)
	})
	t.Run("no definitions", func(t *testing.T) {
		c := all.with(t)
		dir, err := cluster.CRDDir()
		c.must(err)
		c.must(s.Cluster.UninstallCRDs(dir))
		c.says("FAILED  it serves all of Mooring's kinds: ")
	})
}

func ownMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: system.Namespace, Name: name}
}

// A checkFixture is an installation, and the options to check it with.
type checkFixture struct {
	*testing.T
	*system.Environment
	options
}

// with returns the fixture for a sub-test, as who was installed last.
func (c checkFixture) with(t *testing.T) checkFixture {
	t.Helper()
	c.T = t
	const name = "mooring"
	cfg := c.Config()
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: name,
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: cfg.Host, CertificateAuthorityData: cfg.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{name: {Token: cfg.BearerToken}},
	})
	c.must(err)
	c.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	c.must(os.WriteFile(c.kubeconfig, content, 0o600))
	return c
}

func (c checkFixture) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// check has little patience: nothing is coming up.
func (c checkFixture) check() (said string, well bool) {
	c.Helper()
	var out strings.Builder
	well = check(c.Context(), c.options, 10*time.Millisecond, &out)
	return out.String(), well
}

// says waits until the check fails and says so. What API servers go by, they learn by and by.
func (c checkFixture) says(line string) {
	c.Helper()
	c.eventually(line, func() (string, bool) {
		said, well := c.check()
		return said, !well && strings.Contains("\n"+said, "\n"+line)
	})
}

// well waits until nothing is wrong.
func (c checkFixture) well() {
	c.Helper()
	c.eventually("all is well", func() (string, bool) {
		said, well := c.check()
		return said, well && strings.Count("\n"+said, "\nok      ") == 5 && strings.Count(said, "\n") == 5
	})
}

func (c checkFixture) eventually(what string, so func() (string, bool)) {
	c.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		said, is := so()
		if is {
			return
		}
		if time.Now().After(deadline) {
			c.Fatalf("not so after %v: %s; it says\n%s", patience, what, said)
		}
	}
}

// lacks takes one right out of a role, and gives it back once the check has said so.
func (c checkFixture) lacks(role client.Object, resource, verb, says string) {
	c.Helper()
	c.must(c.Client.Get(c.Context(), client.ObjectKeyFromObject(role), role))
	whole := role.DeepCopyObject().(client.Object)
	took := false
	for _, rule := range c.split(role) {
		if rule.Resources[0] == resource && rule.Verbs[0] == verb {
			took = true
			continue
		}
		c.add(role, rule)
	}
	if !took {
		c.Fatalf("%s has no right to %s %s", role.GetName(), verb, resource)
	}
	c.must(c.Client.Update(c.Context(), role))
	c.says("FAILED  Mooring has the permissions that it needs: " + says)
	whole.SetResourceVersion("")
	c.must(c.Client.Update(c.Context(), whole))
	c.well()
}

// split takes all rules out of a role, and returns them as rules of one resource and one verb each.
func (c checkFixture) split(role client.Object) (single []rbacv1.PolicyRule) {
	c.Helper()
	var rules []rbacv1.PolicyRule
	switch r := role.(type) {
	case *rbacv1.ClusterRole:
		rules, r.Rules = r.Rules, nil
	case *rbacv1.Role:
		rules, r.Rules = r.Rules, nil
	}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				one := rule.DeepCopy()
				one.Resources, one.Verbs = []string{resource}, []string{verb}
				single = append(single, *one)
			}
		}
	}
	return single
}

func (c checkFixture) add(role client.Object, rule rbacv1.PolicyRule) {
	switch r := role.(type) {
	case *rbacv1.ClusterRole:
		r.Rules = append(r.Rules, rule)
	case *rbacv1.Role:
		r.Rules = append(r.Rules, rule)
	}
}

// lease has somebody hold the Lease.
func (c checkFixture) lease(renewed time.Time) {
	c.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: ownMeta(controllers.LeaderLease)}
	c.must(client.IgnoreNotFound(c.Client.Delete(c.Context(), lease.DeepCopy())))
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: new("somebody"), LeaseDurationSeconds: new(int32(60)), RenewTime: &metav1.MicroTime{Time: renewed}}
	c.must(c.Client.Create(c.Context(), lease))
}

// webhook makes the webhook's configuration.
func (c checkFixture) webhook() {
	c.Helper()
	objects, err := system.Render(c, system.Values{"fullnameOverride": c.webhookName}, "validatingwebhookconfiguration")
	c.must(err)
	for _, o := range objects {
		if o.GetKind() == "ValidatingWebhookConfiguration" {
			c.must(c.Client.Create(c.Context(), o))
		}
	}
}

// trust has the API server trust whoever serves the webhook.
func (c checkFixture) trust() {
	c.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	c.must(c.Client.Get(c.Context(), client.ObjectKey{Name: c.webhookName}, configuration))
	for i := range configuration.Webhooks {
		configuration.Webhooks[i].ClientConfig.CABundle = []byte("authorities")
	}
	c.must(c.Client.Update(c.Context(), configuration))
}

// What was wrong is told, and not that the last look was cut off.
func TestCheckTellsWhatWasWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong, looks := errors.New("nobody leads"), 0
		err := again(t.Context(), 5*time.Second, func(ctx context.Context) error {
			if looks++; looks < 3 {
				return wrong
			}
			<-ctx.Done()
			return ctx.Err()
		}, wrong)
		if !errors.Is(err, wrong) || looks != 3 {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if err := again(t.Context(), 5*time.Second, func(context.Context) error { return nil }, wrong); err != nil {
			t.Errorf("all is well, and it says: %v", err)
		}
	})
}
