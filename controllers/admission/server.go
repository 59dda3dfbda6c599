package admission

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Options configures the webhook server.
type Options struct {
	// Address is the address to listen on, for example ":9443".
	Address string
	// Namespace is Mooring's own namespace, which has the Secret with the certificate.
	Namespace string
	// Name is the name of the ValidatingWebhookConfiguration and of the Service. The default is DefaultName.
	Name string
	// CertDir is a folder with tls.crt and tls.key to serve with. Another program, such as cert-manager, renews them
	// and sets the CA bundle of the ValidatingWebhookConfiguration. If CertDir is empty, Mooring does both with
	// certificates of its own.
	CertDir string
	// Validator validates objects.
	Validator Validator
	// Consent returns, as refusals, what in a request needs the permission to approve changes. It is called for
	// requests of users who lack that permission. If it fails, the request is refused. It may be nil.
	Consent Validator
	// Clock is the clock for the certificate. The default is the real one.
	Clock clock.Clock
	// OnCertificate is called with the expiry of each certificate that the server begins to serve. It may be nil.
	OnCertificate func(until time.Time)
}

// Add adds the webhook server to a manager. The server starts on every replica once the manager's caches have synced,
// because a Validator reads from them.
func Add(mgr manager.Manager, o Options) error {
	host, port, err := ParseAddress(o.Address)
	if err != nil {
		return err
	}
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	s := &server{log: mgr.GetLogger().WithName("admission")}
	certificates, err := s.certificates(mgr, o)
	if err != nil {
		return err
	}
	s.web = webhook.NewServer(webhook.Options{Host: host, Port: port, TLSOpts: []func(*tls.Config){func(c *tls.Config) {
		c.GetCertificate = certificates
	}}})
	h := handler{
		validator: o.Validator, decoder: serializer.NewCodecFactory(mgr.GetScheme()).UniversalDeserializer(), deadline: deadline, deletionDeadline: deletionDeadline,
	}
	s.web.Register(path, &admission.Webhook{Handler: &h})
	if o.Consent != nil {
		consent := h
		consent.validator = o.Consent
		s.web.Register(consentPath, &admission.Webhook{Handler: (*consentHandler)(&consent)})
	}
	return mgr.Add(s)
}

// certificates returns what gives the certificate to serve with, and chooses how that is kept valid.
func (s *server) certificates(mgr manager.Manager, o Options) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if o.CertDir != "" {
		watcher, err := certwatcher.New(filepath.Join(o.CertDir, "tls.crt"), filepath.Join(o.CertDir, "tls.key"))
		if err != nil {
			return nil, fmt.Errorf("read the webhook's certificate: %w", err)
		}
		if o.OnCertificate != nil {
			watcher.RegisterCallback(func(c tls.Certificate) { o.OnCertificate(c.Leaf.NotAfter) }) // at once, and when it changes
		}
		s.renew = watcher.Start
		return watcher.GetCertificate, nil
	}
	r := &rotator{client: mgr.GetClient(), reader: mgr.GetAPIReader(), namespace: o.Namespace, name: o.Name, names: names(o.Namespace, o.Name), clock: o.Clock, serves: o.OnCertificate}
	s.renew = func(ctx context.Context) error {
		s.keep(ctx, r)
		return nil
	}
	return r.get, nil
}

// ParseAddress returns the host and the port of an address to listen on.
func ParseAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("%q is no address to listen at, as :9443", address)
	}
	return host, port, nil
}

// names are what the API servers may call Mooring by: its Service, or this machine, when it runs beside them.
func names(namespace, service string) []string {
	return []string{service + "." + namespace + ".svc", "localhost", "127.0.0.1", "::1"}
}

// A server is the web server and its certificate. It is no webhook.Server, since the manager would start that before
// its caches.
type server struct {
	web webhook.Server
	// renew keeps the certificate valid until ctx ends.
	renew func(ctx context.Context) error
	log   logr.Logger
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (*server) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable. That there is no certificate ends nothing: handshakes fail, and the API servers go
// on without an answer.
func (s *server) Start(ctx context.Context) error {
	keeping := make(chan struct{})
	go func() {
		defer close(keeping)
		if err := s.renew(ctx); err != nil && ctx.Err() == nil {
			s.log.Error(err, "a renewed certificate of the webhook will not be read; restart Mooring before the present one expires")
		}
	}()
	err := s.web.Start(ctx)
	if ctx.Err() != nil { // or else err ends the manager, and with it ctx
		<-keeping
	}
	return err
}

// keep looks after a certificate of Mooring's own until ctx ends.
func (s *server) keep(ctx context.Context, r *rotator) {
	for {
		next, err := r.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error(err, "the webhook's certificate is not as it should be; without it people hear of refusals from status.conditions alone")
		}
		timer := r.clock.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}
