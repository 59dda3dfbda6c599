package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestValuesRender: what values ask for that other charts take too is rendered, and nothing of it without them.
func TestValuesRender(t *testing.T) {
	for _, c := range []struct {
		name, values string
		// has and lacks are lines, without what they are indented by.
		has, lacks []string
	}{
		{name: "defaults", values: "{}", has: []string{"runAsUser: 65532", "readOnlyRootFilesystem: true"}, lacks: []string{
			"hostNetwork: true", "ipFamilyPolicy: SingleStack", "kind: Certificate", "- --metrics-secure", "resources: [tokenreviews]", "kind: ServiceMonitor", "kind: PrometheusRule",
		}},
		{name: "users that OpenShift chooses", values: "podSecurityContext: {runAsUser: null, runAsGroup: null}", has: []string{"runAsNonRoot: true"}, lacks: []string{"runAsUser: 65532", "runAsGroup: 65532"}},
		{name: "no security context", values: "podSecurityContext: null\nsecurityContext: {readOnlyRootFilesystem: null}", has: []string{"runAsUser: 65532"}, lacks: []string{"readOnlyRootFilesystem: true"}},
		{name: "the nodes' network", values: "hostNetwork: true", has: []string{"hostNetwork: true", "dnsPolicy: ClusterFirstWithHostNet"}},
		{name: "the nodes' network and names", values: "{hostNetwork: true, dnsPolicy: Default}", has: []string{"dnsPolicy: Default"}, lacks: []string{"dnsPolicy: ClusterFirstWithHostNet"}},
		{name: "a registry for all charts", values: "global: {imageRegistry: mirror.example.com/a/}", has: []string{"image: mirror.example.com/a/mooring-dev/mooring:v0.2.0-dev"}},
		{name: "a registry and a repository without one", values: "{global: {imageRegistry: 'localhost:5000', other: 1}, image: {repository: team/mooring, tag: v1}}", has: []string{"image: localhost:5000/team/mooring:v1"}},
		{name: "IPv6", values: "service: {ipFamilyPolicy: SingleStack, ipFamilies: [IPv6]}", has: []string{"ipFamilyPolicy: SingleStack", "- IPv6"}},
		{name: "a certificate of cert-manager", values: "admission: {certManager: {enabled: true}}", has: []string{
			"kind: Certificate", "kind: Issuer", "isCA: true", "ca: {secretName: mooring-ca}", "- --cert-dir=/etc/mooring/certificate", "cert-manager.io/inject-ca-from: mooring-system/mooring-certificate", "secret: {secretName: mooring-certificate}",
		}},
		{name: "an issuer of one's own", values: "admission: {certManager: {enabled: true, issuerRef: {kind: ClusterIssuer, name: company}}}", has: []string{
			"kind: Certificate", "kind: ClusterIssuer", "name: company",
		}, lacks: []string{"kind: Issuer", "isCA: true", "selfSigned: {}"}},
		{name: "no certificate that nobody needs", values: "admission: {webhook: false, certManager: {enabled: true}}", lacks: []string{"kind: Certificate", "- --cert-dir=/etc/mooring/certificate"}},
		{name: "metrics for those alone who may", values: "metrics: {secure: true, serviceMonitor: {enabled: true}}", has: []string{
			"- --metrics-secure", "scheme: https", "insecureSkipVerify: true", "- {nonResourceURLs: [/metrics], verbs: [get]}",
			"- {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}", "- {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}",
		}},
		{name: "no metrics though secure", values: "metrics: {enabled: false, secure: true}", lacks: []string{"kind: Certificate", "- {nonResourceURLs: [/metrics], verbs: [get]}"}},
		{name: "another label of the target", values: "metrics: {serviceMonitor: {enabled: true, honorLabels: false, relabelings: [{targetLabel: node}], metricRelabelings: [{action: drop}]}}", has: []string{
			"honorLabels: false", "relabelings:", "- targetLabel: node", "metricRelabelings:", "- action: drop",
		}},
		{name: "further objects", values: "extraObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}-extra'}}]", has: []string{"name: 'mooring-extra'"}},
		{name: "further objects as text", values: `extraObjects: ["---\n# ours\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ours}\n"]`, has: []string{"metadata: {name: ours}"}},
		{name: "further objects of Mooring's kinds", values: "{crds: {install: false}, extraObjects: [{apiVersion: mooring.dev/v1alpha1, kind: ClusterProviderConfig, metadata: {name: platform, annotations: {a: b}}}]}", has: []string{
			"name: platform", "a: b", "helm.sh/resource-policy: keep",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, program := range helms {
				var lines []string
				for line := range strings.SplitSeq(newHelm(t, program, "").template(t, chartDir(t), c.values), "\n") {
					lines = append(lines, strings.TrimSpace(line))
				}
				for _, line := range c.has {
					if !slices.Contains(lines, line) {
						t.Errorf("%s does not render %q", program, line)
					}
				}
				for _, line := range c.lacks {
					if slices.Contains(lines, line) {
						t.Errorf("%s renders %q", program, line)
					}
				}
			}
		})
	}
}

// TestPolicies: every policy of config/admission is rendered unless admission.policies is false.
func TestPolicies(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root(t), "config", "admission", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, policies(manifests(t, string(content)))...)
	}
	slices.Sort(want)
	for _, program := range helms {
		for values, want := range map[string][]string{"{}": want, "admission: {policies: false}": {"mooring-tokens", "mooring-tokens binding"}} {
			got := policies(manifests(t, newHelm(t, program, "").template(t, chartDir(t), values)))
			slices.Sort(got)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s, %s: policies %q, want %q", program, values, got, want)
			}
		}
	}
}

// policies returns the names of the ValidatingAdmissionPolicies and of their bindings.
func policies(objects []*unstructured.Unstructured) (names []string) {
	for _, o := range objects {
		switch o.GetKind() {
		case "ValidatingAdmissionPolicy":
			names = append(names, o.GetName())
		case "ValidatingAdmissionPolicyBinding":
			names = append(names, o.GetName()+" binding")
		}
	}
	return names
}

// TestAlertsAreAdjusted: values switch alerts off, and say for how long and with which labels they fire; the others stay as they are
// in the file.
func TestAlertsAreAdjusted(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(chartDir(t), "files", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{}
	for _, rule := range rulesIn(t, file) {
		if name, ok := rule["alert"].(string); ok {
			want[name] = rule
		}
	}
	const values = "metrics: {rules: {enabled: true, alertLabels: {team: a}, alerts: {MooringApprovalWaits: {enabled: false}, MooringAbsent: {for: 1h, labels: {team: b, severity: warning}}}}}"
	for _, program := range helms {
		got := map[string]map[string]any{}
		for _, o := range manifests(t, newHelm(t, program, "").template(t, chartDir(t), values)) {
			if o.GetKind() != "PrometheusRule" {
				continue
			}
			for _, rule := range rulesIn(t, o.Object["spec"].(map[string]any)) {
				if name, ok := rule["alert"].(string); ok {
					got[name] = rule
				}
			}
		}
		if got["MooringApprovalWaits"] != nil || len(got) != len(want)-1 {
			t.Errorf("%s: %d alerts of %d, and the one that is off: %v", program, len(got), len(want), got["MooringApprovalWaits"])
		}
		for name, rule := range got {
			labels := rule["labels"].(map[string]any)
			team, severity, after := "a", want[name]["labels"].(map[string]any)["severity"], want[name]["for"]
			if name == "MooringAbsent" {
				team, severity, after = "b", "warning", "1h"
			}
			if labels["team"] != team || labels["severity"] != severity || rule["for"] != after || rule["expr"] != want[name]["expr"] {
				t.Errorf("%s: %s has labels %v, for %v", program, name, labels, rule["for"])
			}
		}
	}
}

func rulesIn(t *testing.T, spec map[string]any) (rules []map[string]any) {
	t.Helper()
	groups, _, err := unstructured.NestedSlice(spec, "groups")
	if err != nil || len(groups) == 0 {
		t.Fatal("no groups", err)
	}
	for _, group := range groups {
		for _, rule := range group.(map[string]any)["rules"].([]any) {
			rules = append(rules, rule.(map[string]any))
		}
	}
	return rules
}

// TestNoPrometheusOperator: a kind that the cluster does not have is skipped, and the notes say so; the rest is installed.
func TestNoPrometheusOperator(t *testing.T) {
	t.Parallel()
	values := valuesFile(t, "metrics: {serviceMonitor: {enabled: true}, rules: {enabled: true}}")
	eachHelm(t, func(w *fixture) {
		says := w.run(w, "install", w.release, chartDir(w), "--namespace", w.namespace, "--values", values)
		if !strings.Contains(says, "does not have the kind ServiceMonitor and PrometheusRule") {
			w.Errorf("it does not say that they were skipped:\n%s", says)
		}
		if says := w.run(w, "upgrade", w.release, chartDir(w), "--namespace", w.namespace, "--reset-values"); strings.Contains(says, "does not have the kind") {
			w.Errorf("it says that something was skipped that nobody asked for:\n%s", says)
		}
		w.sizesFit()
		w.uninstall()
		w.loseCRDs()
	})
}
