package docs

import (
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// values are those of the chart that samples may set.
type values struct {
	Replicas         int                           `json:"replicas"`
	Image            struct{ Repository string }   `json:"image"`
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets"`
	ClusterID        string                        `json:"clusterID"`
	SyncPeriod       string                        `json:"syncPeriod"`
	Workers          int                           `json:"workers"`
	Namespaces       []string                      `json:"namespaces"`
	ServiceAccount   struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"serviceAccount"`
	Metrics struct {
		ServiceMonitor, Rules, Dashboard struct {
			Enabled bool `json:"enabled"`
		}
	} `json:"metrics"`
	Proxy         struct{ HTTP, HTTPS, No string } `json:"proxy"`
	CABundle      struct{ ConfigMap, Key string }  `json:"caBundle"`
	NetworkPolicy struct {
		Enabled bool `json:"enabled"`
	} `json:"networkPolicy"`
	Resources                 corev1.ResourceRequirements       `json:"resources"`
	PriorityClassName         string                            `json:"priorityClassName"`
	NodeSelector              map[string]string                 `json:"nodeSelector"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints"`
}

// TestValuesAreKnown demands of samples of values for the chart that they set what it has, in its form.
func TestValuesAreKnown(t *testing.T) {
	for path, content := range files(t, filepath.Join(root(t), "config", "samples", "values"), ".yaml") {
		if err := yaml.UnmarshalStrict([]byte(content), &values{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
