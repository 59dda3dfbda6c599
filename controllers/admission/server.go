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

// Options says how the API servers are answered.
type Options struct {
	// Address is where to listen, as ":9443".
	Address string
	// Namespace is Mooring's own, where the Secret with the certificate is.
	Namespace string
	// Name is what the ValidatingWebhookConfiguration and the Service are called, default DefaultName.
	Name string
	// CertDir is a folder with tls.crt and tls.key to serve with. Somebody else renews these, such as cert-manager, and
	// publishes the authority to the API servers. If it is empty, Mooring makes certificates of its own, and publishes theirs.
	CertDir string
	// Validator says what is wrong with objects.
	Validator Validator
	// Consent says what a request would need the consent of a person for. It is asked about requests of users who may not give it. It refuses what it can't
	// find out; nil if nobody asks.
	Consent Validator
	// Clock is the certificate's, default the real one.
	Clock clock.Clock
	// Serves, unless nil, is called with the end of the validity of each certificate that is served from then on.
	OnCertificate func(until time.Time)
}

// Add adds a server to a manager. It starts when the manager's caches are filled, since a Validator reads from them, on every
// replica.
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

// ParseAddress returns host and port of an address to listen at.
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
