// Command generate writes what in the chart is made of the rest of the repository: the CRDs and the manifests of
// admission as they are, and the RBAC rules, sorted by where they are needed.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

//go:generate go run . ../..

const generated = "# Generated from config by charts/generate.\n"

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: generate REPOSITORY")
	}
	if err := generate(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func generate(root string) error {
	files := filepath.Join(root, "charts", "mooring", "files")
	for _, folder := range []string{"crds", "admission"} { // none from before may linger
		if err := os.RemoveAll(filepath.Join(files, folder)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(files, folder), 0o755); err != nil {
			return err
		}
	}
	for from, to := range map[string]string{
		"crd/*.yaml": "crds", "admission/*.yaml": "admission", "rbac/users.yaml": "rbac-users.yaml",
	} {
		if err := copyAll(filepath.Join(root, "config", from), filepath.Join(files, to)); err != nil {
			return err
		}
	}
	clusterScoped, err := clusterScoped(filepath.Join(root, "config", "crd"))
	if err != nil {
		return err
	}
	role, err := os.ReadFile(filepath.Join(root, "config", "rbac", "role.yaml"))
	if err != nil {
		return err
	}
	sorted, err := sortRules(role, clusterScoped)
	if err != nil {
		return err
	}
	content, err := yaml.Marshal(sorted)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(files, "rbac.yaml"), append([]byte(generated), content...), 0o644)
}

// copyAll copies files byte by byte, into a folder or over a file.
func copyAll(pattern, to string) error {
	paths, err := filepath.Glob(pattern)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("there is no %s", pattern)
	}
	for _, from := range paths {
		target := to
		if filepath.Ext(to) == "" {
			target = filepath.Join(to, filepath.Base(from))
		}
		content, readErr := os.ReadFile(from)
		err = errors.Join(err, readErr)
		if readErr == nil {
			err = errors.Join(err, os.WriteFile(target, content, 0o644))
		}
	}
	return err
}

// rules are the RBAC rules, by where they are needed.
type rules struct {
	// ClusterScoped rules are about cluster-scoped resources. A Role can't grant them.
	ClusterScoped []rbacv1.PolicyRule `json:"clusterScoped"`
	// Namespaced rules are about resources in the namespaces of users.
	Namespaced []rbacv1.PolicyRule `json:"namespaced"`
	// ReleaseNamespace rules are about resources in Mooring's own namespace.
	ReleaseNamespace []rbacv1.PolicyRule `json:"releaseNamespace"`
	// ReleaseNamespaceToo are the namespaced rules that Mooring also needs in its own namespace, if it does not have them in all
	// namespaces: for credentials and certificate authorities of ClusterProviderConfigs, private copies, and Events on
	// ClusterProviderConfigs. It creates tokens for
	// ServiceAccounts of users only, never for one in its own namespace.
	ReleaseNamespaceToo []rbacv1.PolicyRule `json:"releaseNamespaceToo"`
}

// sortRules reads a ClusterRole and a Role, and tells the rules of the first from each other by the scope of the resources.
func sortRules(manifest []byte, clusterScoped map[string]bool) (rules, error) {
	var out rules
	for documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096); ; {
		var role rbacv1.ClusterRole
		if err := documents.Decode(&role); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
		if role.Kind == "Role" {
			out.ReleaseNamespace = append(out.ReleaseNamespace, role.Rules...)
			continue
		}
		for _, rule := range role.Rules {
			cluster, namespaced := split(rule, clusterScoped)
			out.ClusterScoped, out.Namespaced = appendRule(out.ClusterScoped, cluster), appendRule(out.Namespaced, namespaced)
			for _, own := range []struct{ group, resource string }{{"", "configmaps"}, {"", "secrets"}, {"events.k8s.io", "events"}} {
				if slices.Contains(rule.APIGroups, own.group) && slices.Contains(namespaced.Resources, own.resource) {
					rule := namespaced
					rule.Resources = []string{own.resource}
					out.ReleaseNamespaceToo = append(out.ReleaseNamespaceToo, rule)
				}
			}
		}
	}
}

// split tells the resources of a rule from each other.
func split(rule rbacv1.PolicyRule, clusterScoped map[string]bool) (cluster, namespaced rbacv1.PolicyRule) {
	cluster, namespaced = rule, rule
	cluster.Resources, namespaced.Resources = nil, nil
	for _, resource := range rule.Resources {
		name, _, _ := strings.Cut(resource, "/")
		if clusterScoped[name] {
			cluster.Resources = append(cluster.Resources, resource)
		} else {
			namespaced.Resources = append(namespaced.Resources, resource)
		}
	}
	return cluster, namespaced
}

func appendRule(rules []rbacv1.PolicyRule, rule rbacv1.PolicyRule) []rbacv1.PolicyRule {
	if len(rule.Resources) == 0 {
		return rules
	}
	return append(rules, rule)
}

// clusterScoped returns the resources that are in no namespace: our own by their definitions, and those of Kubernetes that
// Mooring needs.
func clusterScoped(folder string) (map[string]bool, error) {
	scoped := map[string]bool{"namespaces": true, "customresourcedefinitions": true, "validatingwebhookconfigurations": true}
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(content, &definition); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		scoped[definition.Spec.Names.Plural] = definition.Spec.Scope == apiextensionsv1.ClusterScoped
	}
	return scoped, nil
}
