package admission

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/admission"
)

// DefaultName is what the ValidatingWebhookConfiguration that makes the API servers ask is called, and the Service in
// Mooring's namespace by which they reach it, unless Options say otherwise.
const DefaultName = "mooring"

// path is where the API server asks. It never changes: manifest and controller may be one release apart.
const path = "/verdict"

// Apply makes the API server ask Mooring at a URL, as https://127.0.0.1:9443, or brings that up to date. It is for a
// Mooring that runs outside of the cluster; inside, the manifest is applied as it is. Whom to trust, Mooring itself says
// when it runs.
func Apply(ctx context.Context, c client.Client, url string) error {
	content, err := admission.Files.ReadFile("webhook.yaml")
	if err != nil {
		return fmt.Errorf("read the webhook's configuration: %w", err)
	}
	configuration := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &configuration.Object); err != nil {
		return fmt.Errorf("read the webhook's configuration: %w", err)
	}
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return fmt.Errorf("read the webhook's configuration: %w", err)
	}
	for _, w := range webhooks {
		at, _, _ := unstructured.NestedString(w.(map[string]any), "clientConfig", "service", "path")
		w.(map[string]any)["clientConfig"] = map[string]any{"url": strings.TrimSuffix(url, "/") + at}
	}
	if err := unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks"); err != nil {
		return fmt.Errorf("write the webhook's configuration: %w", err)
	}
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(configuration), client.FieldOwner("mooring"), client.ForceOwnership)
}
