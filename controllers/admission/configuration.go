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

// DefaultName is the name of the ValidatingWebhookConfiguration, and of the Service in Mooring's namespace, unless
// Options.Name says otherwise.
const DefaultName = "mooring"

// path is where the API server asks. It never changes: manifest and controller may be one release apart.
const path = "/verdict"

// Apply creates or updates the ValidatingWebhookConfiguration with a URL, for example https://127.0.0.1:9443. It is for
// a Mooring that runs outside the cluster. Inside, the configuration is applied as a manifest. Mooring sets the CA
// bundle itself when it runs.
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
