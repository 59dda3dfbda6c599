package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Grant makes the roles in a file, which is config/rbac/role.yaml, and gives them to a user who has no other rights:
// one that is missing shows at once. Namespaces of roles must be there.
func Grant(ctx context.Context, c client.Client, file, user string) error {
	content, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	for documents := yaml.NewYAMLOrJSONDecoder(content, 4096); ; {
		role := &unstructured.Unstructured{}
		switch err := documents.Decode(role); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", file, err)
		}
		for _, object := range []client.Object{role, bindingOf(role, user)} {
			if err := c.Create(ctx, object); err != nil {
				return fmt.Errorf("grant %s its rights: %w", user, err)
			}
		}
	}
}

// bindingOf gives a role to a user: in the role's namespace, or in the whole cluster.
func bindingOf(role *unstructured.Unstructured, user string) client.Object {
	meta := metav1.ObjectMeta{Namespace: role.GetNamespace(), Name: user}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.GetKind(), Name: role.GetName()}
	to := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	if role.GetNamespace() != "" {
		return &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: to}
	}
	return &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: to}
}
