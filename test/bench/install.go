package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// install installs what the chart does with its own values: the rights, the admission policies and the webhook. The controller's user has the name of the
// chart's ServiceAccount, which policies name. There are accounts in the clouds that have objects, and in no other.
func (s *environment) install(ctx context.Context) error {
	accounts := &system.Environment{Cluster: s.cluster, Cloud: s.cloud, Client: s.client}
	if err := accounts.Accounts(ctx); err != nil {
		return err
	}
	for _, p := range system.Providers {
		if s.cloudOption != both && p.Name != s.cloudOption {
			if err := s.client.Delete(ctx, &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: p.Name}}); err != nil {
				return err
			}
		}
	}
	root, err := cluster.Repository()
	if err != nil {
		return err
	}
	if err := system.Grant(ctx, s.client, filepath.Join(root, "config", "rbac", "role.yaml"), system.Installed); err != nil {
		return err
	}
	for _, name := range []string{"consent", "in-use", "annotations", "tokens"} {
		objects, err := system.ReadManifest(filepath.Join(root, "config", "admission", name+".yaml"))
		if err != nil {
			return err
		}
		for _, o := range objects {
			if err := s.client.Create(ctx, o); err != nil {
				return err
			}
		}
	}
	if s.webhook, err = freeAddress(); err != nil {
		return err
	}
	if err := admission.Apply(ctx, s.client, "https://"+s.webhook); err != nil {
		return err
	}
	config, err := s.cluster.UserKubeconfig(system.Installed, "system:serviceaccounts")
	if err != nil {
		return err
	}
	return os.WriteFile(s.kubeconfig(), config, 0o600)
}

// admits reports whether the API server knows whom to trust, so that it asks the controller.
func (s *environment) admits(ctx context.Context) (bool, error) {
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: admission.DefaultName}, c); err != nil {
		return false, err
	}
	for _, w := range c.Webhooks {
		if len(w.ClientConfig.CABundle) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// scrapePeriod is how often Prometheus reads the metrics, as the chart's ServiceMonitor says.
const scrapePeriod = 30 * time.Second

// scrape reads the metrics as Prometheus would, until ctx ends.
func (s *environment) scrape(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(scrapePeriod):
			_, _ = s.answers(ctx)
		}
	}
}

// answers returns how often the webhook answered the API server, as the controller's metrics say.
func (s *environment) answers(ctx context.Context) (n int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.metrics+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "controller_runtime_webhook_requests_total{") {
			continue
		}
		value, err := strconv.ParseFloat(lines.Text()[strings.LastIndex(lines.Text(), " ")+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("read the metrics: %w", err)
		}
		n += int(value)
	}
	return n, nil
}
