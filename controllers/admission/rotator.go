package admission

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SecretName is the name of the Secret in Mooring's namespace that holds the certificate.
const SecretName = "mooring-webhook-certificate"

// authoritiesKey is the key of the Secret that holds the authorities to trust.
const authoritiesKey = corev1.ServiceAccountRootCAKey // ca.crt, by everybody's convention

const (
	// lookEvery is how often Secret and configuration are looked at.
	lookEvery = time.Hour
	// lookSoon is how soon they are looked at again when not all is well, and how long a new authority is known to
	// the API servers before the certificate changes.
	lookSoon = time.Minute
)

// A rotator makes and renews the certificate: in a Secret that all replicas share, in the configuration of the webhook, whose
// caBundle says which authorities the API servers trust, and in memory, to serve with.
//
// At renewal the new authority is first trusted beside the old one, and only at a later look does a replica serve with
// the new certificate; so it does not matter which replica looks when.
type rotator struct {
	client    client.Client
	reader    client.Reader // not from a cache: for Secrets that would list and watch them all
	namespace string
	name      string   // of the configuration
	names     []string // that the certificate is for
	clock     clock.Clock
	// serves is told until when a certificate is valid that is served from now on; nil for nobody.
	serves func(until time.Time)

	serving atomic.Pointer[tls.Certificate]
	// announced is the certificate that is to be served next, whose authority is trusted already.
	announced []byte
}

// errUncertified is what a caller gets for whom there is no certificate yet.
var errUncertified = errors.New("no certificate yet")

// get returns the certificate to serve with, for a tls.Config.
func (r *rotator) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := r.serving.Load(); c != nil {
		return c, nil
	}
	return nil, errUncertified
}

// look brings Secret, configuration and memory together, and returns when to look again.
func (r *rotator) look(ctx context.Context) (time.Duration, error) {
	stored, loaded, err := r.stored(ctx)
	if err != nil {
		return lookSoon, err
	}
	configured, err := r.publish(ctx, stored.authorities)
	switch now := r.serving.Load(); {
	case now == nil || r.clock.Now().After(now.Leaf.NotAfter):
		r.serve(loaded) // nothing is lost with it
	case bytes.Equal(now.Leaf.Raw, loaded.Leaf.Raw):
		r.announced = nil
	case err != nil: // it may not be trusted yet
	case bytes.Equal(r.announced, loaded.Leaf.Raw):
		r.serve(loaded)
		r.announced = nil
	default:
		r.announced = loaded.Leaf.Raw
	}
	if err != nil || !configured || r.announced != nil {
		return lookSoon, err
	}
	return lookEvery, nil
}

func (r *rotator) serve(c *tls.Certificate) {
	r.serving.Store(c)
	if r.serves != nil {
		r.serves(c.Leaf.NotAfter)
	}
}

// stored returns the certificate in the Secret. It makes the one or renews the other if need be; whichever replica is
// first makes it for all.
func (r *rotator) stored(ctx context.Context) (*certificate, *tls.Certificate, error) {
	const attempts = 3 // each lost to a replica that was faster
	var err error
	for range attempts {
		var c *certificate
		if c, err = r.readOrMake(ctx); apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			break
		}
		loaded, err := c.load(r.names)
		return c, loaded, err
	}
	return nil, nil, fmt.Errorf("keep the webhook's certificate in Secret %s/%s: %w", r.namespace, SecretName, err)
}

func (r *rotator) readOrMake(ctx context.Context) (*certificate, error) {
	secret := &corev1.Secret{}
	err := r.reader.Get(ctx, client.ObjectKey{Namespace: r.namespace, Name: SecretName}, secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return nil, err
	}
	c := &certificate{cert: secret.Data[corev1.TLSCertKey], key: secret.Data[corev1.TLSPrivateKeyKey], authorities: secret.Data[authoritiesKey]}
	now := r.clock.Now()
	if loaded, err := c.load(r.names); err == nil && !due(loaded, now) {
		return c, nil
	}
	if c, err = newCertificate(r.names, now, newest(c.authorities, now)); err != nil {
		return nil, err
	}
	secret.Data = map[string][]byte{corev1.TLSCertKey: c.cert, corev1.TLSPrivateKeyKey: c.key, authoritiesKey: c.authorities}
	if missing {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: r.namespace, Name: SecretName}
		secret.Type = corev1.SecretTypeTLS
		return c, r.client.Create(ctx, secret, client.DisableReadYourWritesConsistency)
	}
	return c, r.client.Update(ctx, secret, client.DisableReadYourWritesConsistency) // guarded by the resourceVersion it has
}

// publish makes the API servers trust the authorities. It returns false if there is no configuration, so that nobody
// calls. What is trusted besides stays, for a replica that looked at the Secret before it was renewed must not take
// back what another has published since.
func (r *rotator) publish(ctx context.Context, authorities []byte) (bool, error) {
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	err := r.reader.Get(ctx, client.ObjectKey{Name: r.name}, configuration)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the webhook's configuration: %w", err)
	}
	before := configuration.DeepCopy()
	stale := false
	for i := range configuration.Webhooks {
		bundle := &configuration.Webhooks[i].ClientConfig.CABundle
		if !contains(*bundle, authorities) {
			*bundle, stale = authorities, true
		}
	}
	if !stale {
		return true, nil
	}
	patch := client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, configuration, patch, client.DisableReadYourWritesConsistency); err != nil {
		return true, fmt.Errorf("tell the API servers whom to trust: %w", err)
	}
	return true, nil
}
