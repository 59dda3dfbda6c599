package identity

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// longestBundle is how many bytes of authorities go into a connection Secret: the largest bundle of RDS, that of all regions, has some
// 165,000, and a Secret can hold a MiB.
const longestBundle = 256 << 10

// caSource names the key of a ConfigMap that holds the authorities of database servers.
type caSource struct {
	client.ObjectKey
	Key string
}

func caSourceOf(ref *v1alpha1.ConfigMapKeyReference, namespace string) *caSource {
	if ref == nil {
		return nil
	}
	return &caSource{client.ObjectKey{Namespace: namespace, Name: ref.Name}, cmp.Or(ref.Key, corev1.ServiceAccountRootCAKey)}
}

// bundle is what was read last from a ConfigMap.
type bundle struct {
	// pem are the authorities; empty as long as the ConfigMap was of no use. One that is lost or spoiled later leaves the last good ones, so
	// that no client loses what it knows the server by.
	pem string
	// problem is why the ConfigMap is of no use, for a person to correct; nil if it is good.
	problem error
}

// authorities are those of database servers, by the key of a ConfigMap. They are shared by all who name it, so that a re-check of an object reads
// nothing: the reconciler of the provider config reads it again and again. The zero value lacks its reader.
type authorities struct {
	live  client.Reader
	mu    sync.Mutex
	known map[caSource]bundle
}

// of returns the authorities of a source, and whether they are known. It asks the API server only if nobody has asked yet.
func (a *authorities) of(ctx context.Context, source *caSource) (certificates string, known bool) {
	if source == nil {
		return "", true
	}
	a.mu.Lock()
	b, asked := a.known[*source]
	a.mu.Unlock()
	if !asked {
		b, _ = a.refresh(ctx, *source)
	}
	return b.pem, b.pem != ""
}

// refresh reads a source. An error says that the API server did not answer, which changes nothing.
func (a *authorities) refresh(ctx context.Context, source caSource) (bundle, error) {
	certificates, err := a.read(ctx, source)
	problem, refused := errors.AsType[*ValidationError](err)
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.known[source]
	if err != nil && !refused {
		return b, err
	}
	if b.problem = nil; refused {
		b.problem = problem
	} else {
		b.pem = certificates
	}
	if a.known == nil {
		a.known = map[caSource]bundle{}
	}
	a.known[source] = b
	return b, nil
}

func (a *authorities) read(ctx context.Context, source caSource) (string, error) {
	held := &corev1.ConfigMap{}
	err := a.live.Get(ctx, source.ObjectKey, held)
	refuse := func(format string, args ...any) (string, error) {
		return "", &ValidationError{v1alpha1.ReasonInvalid, fmt.Sprintf(format, args...)}
	}
	switch {
	case apierrors.IsNotFound(err):
		return refuse("there is no ConfigMap %s in namespace %s; create it", source.Name, source.Namespace)
	case apierrors.IsForbidden(err):
		return refuse("Mooring may not read ConfigMap %s in namespace %s; allow it the verb get for configmaps there", source.Name, source.Namespace)
	case err != nil:
		return "", fmt.Errorf("read ConfigMap %s/%s: %w", source.Namespace, source.Name, err)
	}
	text, has := held.Data[source.Key]
	if !has {
		return refuse("ConfigMap %s in namespace %s has no key %s; add it", source.Name, source.Namespace, source.Key)
	}
	certificates, problem := validateBundle(text)
	if problem != "" {
		return refuse("key %s of ConfigMap %s in namespace %s %s; correct it", source.Key, source.Name, source.Namespace, problem)
	}
	return certificates, nil
}

// validateBundle returns the certificates in a text, without the comments between them, or what is wrong with it. A private key that somebody put
// there by mistake must not reach every connection Secret.
func validateBundle(text string) (certificates, problem string) {
	if len(text) > longestBundle {
		return "", fmt.Sprintf("has more than %d KiB: use the bundle of one region", longestBundle>>10)
	}
	var out strings.Builder
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return "", fmt.Sprintf("contains a %.40q besides certificates", block.Type)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "", "contains a certificate that can't be parsed"
		}
		block.Headers = nil
		_ = pem.Encode(&out, block) // a strings.Builder takes everything
	}
	if out.Len() == 0 {
		return "", "contains no certificate in PEM"
	}
	return out.String(), ""
}
