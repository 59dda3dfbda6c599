package admission

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/clock"
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
	// Judge says what is wrong with objects.
	Judge Judge
	// Clock is the certificate's, default the real one.
	Clock clock.Clock
	// Serves is told until when a certificate is valid that is served from now on; nil for nobody.
	Serves func(until time.Time)
}

// Add adds a server to a manager. It starts when the manager's caches are filled, since a Judge reads from them, on every
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
	k := &keeper{client: mgr.GetClient(), reader: mgr.GetAPIReader(), namespace: o.Namespace, name: o.Name, names: names(o.Namespace, o.Name), clock: o.Clock, serves: o.Serves}
	web := webhook.NewServer(webhook.Options{Host: host, Port: port, TLSOpts: []func(*tls.Config){func(c *tls.Config) {
		c.GetCertificate = k.get
	}}})
	web.Register(path, &admission.Webhook{Handler: &handler{
		judge: o.Judge, decoder: serializer.NewCodecFactory(mgr.GetScheme()).UniversalDeserializer(), deadline: deadline,
	}})
	return mgr.Add(&server{web: web, keeper: k, log: mgr.GetLogger().WithName("admission")})
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
	web    webhook.Server
	keeper *keeper
	log    logr.Logger
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (*server) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable. That there is no certificate ends nothing: handshakes fail, and the API servers go
// on without an answer.
func (s *server) Start(ctx context.Context) error {
	keeping := make(chan struct{})
	go func() {
		defer close(keeping)
		s.keep(ctx)
	}()
	err := s.web.Start(ctx)
	if ctx.Err() != nil { // or else err ends the manager, and with it ctx
		<-keeping
	}
	return err
}

// keep looks after the certificate until ctx ends.
func (s *server) keep(ctx context.Context) {
	for {
		next, err := s.keeper.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error(err, "the webhook's certificate is not as it should be; without it people hear of refusals from status.conditions alone")
		}
		timer := s.keeper.clock.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}
