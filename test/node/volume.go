package node

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mount writes what the Pod's volumes hold to where its container has them mounted.
func (p *Pod) mount(ctx context.Context) error {
	for _, m := range p.container().VolumeMounts {
		files, err := p.volume(ctx, m.Name)
		if err != nil {
			return fmt.Errorf("volume %q: %w", m.Name, err)
		}
		dir := filepath.Join(p.root, m.MountPath)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o444); err != nil {
				return err
			}
		}
	}
	return nil
}

// volume returns the files in a volume.
func (p *Pod) volume(ctx context.Context, name string) (map[string][]byte, error) {
	for _, v := range p.Spec.Volumes {
		if v.Name != name {
			continue
		}
		switch {
		case v.ConfigMap != nil:
			return p.fromConfigMap(ctx, v.ConfigMap.Name, v.ConfigMap.Items)
		case v.Secret != nil:
			secret := &corev1.Secret{}
			err := p.node.client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: v.Secret.SecretName}, secret)
			return choose(secret.Data, v.Secret.Items, err)
		case v.Projected != nil:
			return p.projected(ctx, v.Projected)
		}
	}
	return nil, fmt.Errorf("there is none of that name, or it is of a sort that this node does not have")
}

// projected returns what several sources put into one folder.
func (p *Pod) projected(ctx context.Context, from *corev1.ProjectedVolumeSource) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, source := range from.Sources {
		var files map[string][]byte
		var err error
		switch {
		case source.ServiceAccountToken != nil:
			files, err = p.token(ctx, source.ServiceAccountToken)
		case source.ConfigMap != nil:
			files, err = p.fromConfigMap(ctx, source.ConfigMap.Name, source.ConfigMap.Items)
		case source.DownwardAPI != nil:
			files = map[string][]byte{}
			for _, item := range source.DownwardAPI.Items {
				var value string
				value, err = p.field(item.FieldRef)
				files[item.Path] = []byte(value)
			}
		default:
			err = fmt.Errorf("it has a source that this node does not have")
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(all, files)
	}
	return all, nil
}

// token asks the API server for a token of the Pod's ServiceAccount, good as long as the Pod is there.
func (p *Pod) token(ctx context.Context, from *corev1.ServiceAccountTokenProjection) (map[string][]byte, error) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: from.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID},
	}}
	if from.Audience != "" {
		request.Spec.Audiences = []string{from.Audience}
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Spec.ServiceAccountName}}
	err := p.node.client.SubResource("token").Create(ctx, account, request)
	return map[string][]byte{from.Path: []byte(request.Status.Token)}, err
}

// rootCA is the ConfigMap that Kubernetes puts into every namespace, by a controller that tests do not run.
const rootCA = "kube-root-ca.crt"

func (p *Pod) fromConfigMap(ctx context.Context, name string, items []corev1.KeyToPath) (map[string][]byte, error) {
	config := &corev1.ConfigMap{}
	err := p.node.client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: name}, config)
	if apierrors.IsNotFound(err) && name == rootCA {
		return map[string][]byte{corev1.ServiceAccountRootCAKey: p.node.cluster.Config().CAData}, nil
	}
	data := maps.Clone(config.BinaryData)
	if data == nil {
		data = map[string][]byte{}
	}
	for key, value := range config.Data {
		data[key] = []byte(value)
	}
	return choose(data, items, err)
}

// choose returns the items of data, or all of it.
func choose(data map[string][]byte, items []corev1.KeyToPath, err error) (map[string][]byte, error) {
	if err != nil || len(items) == 0 {
		return data, err
	}
	chosen := map[string][]byte{}
	for _, item := range items {
		value, ok := data[item.Key]
		if !ok {
			return nil, fmt.Errorf("there is no key %q", item.Key)
		}
		chosen[item.Path] = value
	}
	return chosen, nil
}

// environment returns the container's variables, and those by which Pods find the API server.
func (p *Pod) environment(ctx context.Context) ([]string, error) {
	host, port := p.node.apiServer()
	out := []string{"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port}
	if len(p.container().EnvFrom) > 0 {
		return nil, fmt.Errorf("this node does not have envFrom")
	}
	for _, v := range p.container().Env {
		value, from := v.Value, v.ValueFrom
		var err error
		switch {
		case from == nil:
		case from.FieldRef != nil:
			value, err = p.field(from.FieldRef)
		case from.SecretKeyRef != nil:
			secret := &corev1.Secret{}
			err = p.node.client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: from.SecretKeyRef.Name}, secret)
			value = string(secret.Data[from.SecretKeyRef.Key])
		default:
			err = fmt.Errorf("it has a source that this node does not have")
		}
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Name, err)
		}
		out = append(out, v.Name+"="+value)
	}
	return out, nil
}

// field returns what the downward API says.
func (p *Pod) field(ref *corev1.ObjectFieldSelector) (string, error) {
	switch ref.FieldPath {
	case "metadata.name":
		return p.Name, nil
	case "metadata.uid":
		return string(p.UID), nil
	case "metadata.namespace":
		return p.Namespace, nil
	case "status.podIP":
		return p.Address, nil
	default:
		return "", fmt.Errorf("this node does not know the field %q", ref.FieldPath)
	}
}
