package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/mooring-dev/mooring/test/system"
)

// The people whom the guides are for, by the groups of config/samples/tenancy/roles.yaml. The platform engineer has the file
// kubeconfig, who may do everything.
var people = []struct{ file, user, group string }{
	{"developer.kubeconfig", "developer", "shop-developers"},
	{"lead.kubeconfig", "lead", "shop-leads"},
}

// team is the namespace of the samples.
const team = "shop"

// admitPeople makes the roles of people and the policies that the chart installs, and a kubeconfig for each.
func (t *target) admitPeople(ctx context.Context, f *folder) error {
	if !t.installed { // else place made it
		if err := t.client.Create(ctx, namespace(team)); err != nil {
			return fmt.Errorf("make namespace %s: %w", team, err)
		}
	}
	files, err := peopleFiles(filepath.Join(t.root, "config"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := t.create(ctx, file); err != nil {
			return err
		}
	}
	for _, p := range people {
		config, err := t.cluster.UserKubeconfig(p.user, p.group)
		if err != nil {
			return fmt.Errorf("make a kubeconfig for the %s: %w", p.user, err)
		}
		if err := os.WriteFile(f.file(p.file), config, 0o600); err != nil {
			return err
		}
	}
	t.step("people               a developer and a lead of namespace %s, and you, the platform engineer", team)
	return nil
}

// peopleFiles returns the files with people's roles and with all policies. The webhook is not among them: outside of the cluster it is
// called by address (see launch).
func peopleFiles(config string) ([]string, error) {
	policies, err := filepath.Glob(filepath.Join(config, "admission", "*.yaml"))
	if err != nil {
		return nil, err
	}
	policies = slices.DeleteFunc(policies, func(path string) bool { return filepath.Base(path) == "webhook.yaml" })
	return append(policies, filepath.Join(config, "rbac", "users.yaml"), filepath.Join(config, "samples", "tenancy", "roles.yaml")), nil
}

// create makes the objects in a manifest.
func (t *target) create(ctx context.Context, path string) error {
	objects, err := objectsIn(path)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := t.client.Create(ctx, o); err != nil {
			return fmt.Errorf("make %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// objectsIn reads a manifest. In it the controller is called what it is called in a cluster; here it is a user.
func objectsIn(path string) (objects []*unstructured.Unstructured, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(content), "system:serviceaccount:"+system.Namespace+":mooring", controllerUser)
	for documents := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(o); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
