package system

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
)

// Grant makes the roles in a file, which is config/rbac/role.yaml, and gives them to a user who has no other rights:
// one that is missing shows at once. Namespaces of roles must be there.
func Grant(ctx context.Context, c client.Client, file, user string) error {
	roles, err := ReadManifest(file)
	if err != nil {
		return err
	}
	for _, role := range roles {
		for _, object := range []client.Object{role, bindingOf(role, user)} {
			if err := c.Create(ctx, object); err != nil {
				return fmt.Errorf("grant %s its rights: %w", user, err)
			}
		}
	}
	return nil
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

// A Right is one thing that a role lets its subjects do. Roles of one name in several namespaces are one role here.
type Right struct {
	Kind, Role  string // "ClusterRole", "mooring"
	Verb, Group string
	Resource    string // with its subresource: "buckets/status"
	Name        string // of the one object that it is about; empty for all
}

// String is how a failed test shows it.
func (r Right) String() string {
	text := r.Verb + " " + r.Resource
	if r.Group != "" {
		text += "." + r.Group
	}
	if r.Name != "" {
		text += fmt.Sprintf(" %q", r.Name)
	}
	return fmt.Sprintf("%s, by %s %s", text, r.Kind, r.Role)
}

// allowed reports whether a request was made by this right. The authorizer says by which role it allowed one; each right is
// in a role once.
func (r Right) allowed(q cluster.Request) bool {
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	return q.Verb == r.Verb && q.Group == r.Group && resource == r.Resource && (r.Name == "" || q.Name == r.Name) &&
		strings.Contains(q.Reason, fmt.Sprintf(" of %s %q to ", r.Kind, r.Role))
}

// Rights are what roles let their subjects do, each right once.
type Rights []Right

// RightsOf returns the rights of the roles among objects.
func RightsOf(objects []*unstructured.Unstructured) (all Rights, err error) {
	for _, o := range objects {
		if o.GetKind() != "ClusterRole" && o.GetKind() != "Role" {
			continue
		}
		role := &rbacv1.ClusterRole{} // which has all that a Role has
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, role); err != nil {
			return nil, fmt.Errorf("read %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		for _, rule := range role.Rules {
			for _, right := range rightsOf(rule) {
				right.Kind, right.Role = o.GetKind(), o.GetName()
				if !slices.Contains(all, right) {
					all = append(all, right)
				}
			}
		}
	}
	return all, nil
}

// rightsOf returns the single rights of a rule.
func rightsOf(rule rbacv1.PolicyRule) (all []Right) {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range names {
					all = append(all, Right{Verb: verb, Group: group, Resource: resource, Name: name})
				}
			}
		}
	}
	return all
}

// Unused returns the rights by which no request was made. The verb adopt is of no request: the policy mooring-adopt asks for it at a creation that takes over what
// exists, and refuses that without it. So a creation by the same role uses it.
func (rs Rights) Unused(requests cluster.Requests) (unused Rights) {
	for _, r := range rs {
		if r.Verb == "adopt" {
			creates := r
			creates.Verb = "create"
			if slices.ContainsFunc(requests, creates.allowed) {
				continue
			}
		}
		if !slices.ContainsFunc(requests, r.allowed) {
			unused = append(unused, r)
		}
	}
	return unused
}

// String is one line a right.
func (rs Rights) String() string {
	lines := make([]string, len(rs))
	for i, r := range rs {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}
