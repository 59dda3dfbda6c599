package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// options are the flags.
type options struct {
	kubeconfig       string
	namespace        string
	namespaces       string
	clusterID        string
	recover          string
	recoverUntil     string
	syncPeriod       time.Duration
	workers          int
	logLevel         string
	logFormat        string
	metricsAddress   string
	metricsSecure    bool
	objectLimit      int
	watchSecrets     bool
	healthAddress    string
	pprofAddress     string
	webhookAddress   string
	webhookName      string
	certDir          string
	leaderElect      bool
	traceEndpoint    string
	traceSampleRatio float64
	check            bool
	version          bool
}

// envPrefix begins the environment variables that stand for flags.
const envPrefix = "MOORING_"

// parse reads flags, and for those not given the environment.
func parse(args []string, environment func(string) (string, bool)) (options, error) {
	var o options
	set := o.flags()
	set.SetOutput(io.Discard) // or a bad flag would be told twice, with all of the help between
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(os.Stderr)
		set.Usage()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; see --help", err)
	}
	if set.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; see --help", set.Arg(0))
	}
	if err := fromEnvironment(set, environment); err != nil {
		return o, err
	}
	return o, o.validate()
}

// flags returns the flags, which set o.
func (o *options) flags() *flag.FlagSet {
	set := flag.NewFlagSet("mooring", flag.ContinueOnError)
	set.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `file` for the API server; default: $KUBECONFIG, else ~/.kube/config, else the cluster that Mooring runs in")
	set.StringVar(&o.namespace, "namespace", "mooring-system", "Mooring's own `namespace`, which holds the credentials of ClusterProviderConfigs, private Secrets and the Lease")
	set.StringVar(&o.namespaces, "namespaces", "", "comma-separated `namespaces` to watch; default: all")
	set.BoolVar(&o.watchSecrets, "watch-secrets", false, "watch the metadata of the Secrets that Mooring made, instead of reading the connection Secret of a Database each time it is compared with the cloud. Mooring needs permission to list and watch Secrets for it")
	set.StringVar(&o.clusterID, "cluster-id", "", "`id` that distinguishes the cloud objects of this cluster from those of other clusters; default: the uid of namespace kube-system. Mooring stores the id, and it can't be changed later")
	set.StringVar(&o.recover, "recover-namespaces", "", "comma-separated `namespaces` whose objects take over what objects of the same namespace and name made before the cluster was lost, although these namespaces are new; it takes --recover-until")
	set.StringVar(&o.recoverUntil, "recover-until", "", "`time` at which --recover-namespaces ends by itself, such as 2026-12-01T18:00:00Z, at most 7 days ahead")
	set.DurationVar(&o.syncPeriod, "sync-period", 10*time.Minute, "how often an object that is up to date is compared with the cloud")
	set.IntVar(&o.workers, "workers", 20, "how many objects of each kind are reconciled at once")
	set.StringVar(&o.logLevel, "log-level", "info", "log `level`: debug, info, warn or error")
	set.StringVar(&o.logFormat, "log-format", "json", "log `format`: json or text")
	set.StringVar(&o.metricsAddress, "metrics-address", ":8080", "`address` of the server of /metrics; 0 disables it")
	set.BoolVar(&o.metricsSecure, "metrics-secure", false, "serve /metrics with TLS, and only to clients that the API server authenticates and whose roles allow get on /metrics. Mooring needs permission to create TokenReviews and SubjectAccessReviews for it")
	set.IntVar(&o.objectLimit, "metrics-object-limit", 1000, "maximum `number` of unhealthy objects that metrics name, each with its namespace, class, conditions and reasons. The objects that have been Stalled for longest come first. 0 disables these metrics")
	set.StringVar(&o.healthAddress, "health-address", ":8081", "`address` of the server of /healthz and /readyz; 0 disables it")
	set.StringVar(&o.pprofAddress, "pprof-address", "0", "`address` of the server of /debug/pprof, for profiling the controller; 0 disables it")
	set.StringVar(&o.webhookAddress, "webhook-address", ":9443", "`address` of the admission webhook, which validates objects before the API server stores them; 0 disables it")
	set.StringVar(&o.webhookName, "webhook-name", admission.DefaultName, "`name` of the ValidatingWebhookConfiguration and of the Service of the webhook")
	set.StringVar(&o.certDir, "cert-dir", "", "`directory` with tls.crt and tls.key for the webhook and for secure metrics. Another program, such as cert-manager, renews them; default: Mooring creates and renews its own certificate")
	set.BoolVar(&o.leaderElect, "leader-elect", true, "use leader election, so that only one of several replicas reconciles at a time")
	set.StringVar(&o.traceEndpoint, "trace-endpoint", "", "`URL` of an OpenTelemetry collector that accepts OTLP over HTTP, for example http://collector:4318; default: $OTEL_EXPORTER_OTLP_ENDPOINT, else traces are off")
	set.Float64Var(&o.traceSampleRatio, "trace-sample-ratio", 1, "`fraction` of reconciliations to trace, 0 to 1. A traced reconciliation that changed nothing is sent only if it failed")
	set.BoolVar(&o.check, "check", false, "check the installation, report problems and exit")
	set.BoolVar(&o.version, "version", false, "print the version and exit")
	return set
}

// fromEnvironment sets the flags that were not given from their environment variables. An empty variable sets nothing,
// as manifests made from templates leave it; and images often say their own version in MOORING_VERSION.
func fromEnvironment(set *flag.FlagSet, environment func(string) (string, bool)) error {
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	set.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		value, _ := environment(name)
		if value == "" || given[f.Name] || err != nil || asked(f.Name) {
			return
		}
		if bad := set.Set(f.Name, value); bad != nil {
			err = fmt.Errorf("environment variable %s: invalid value %q: %w", name, value, bad)
		}
	})
	return err
}

// asked says that a flag is asked of a program, not of its environment.
func asked(flagName string) bool { return flagName == "version" || flagName == "check" }

// variable returns the environment variable that stands for a flag.
func variable(flagName string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

func (o options) validate() error {
	if _, err := zapcore.ParseLevel(o.logLevel); err != nil {
		return fmt.Errorf("--log-level: %w", err)
	}
	if o.webhookAddress != "0" {
		if _, _, err := admission.ParseAddress(o.webhookAddress); err != nil {
			return fmt.Errorf("--webhook-address: %w", err)
		}
	}
	if o.traceEndpoint != "" {
		if _, err := telemetry.ParseTraceEndpoint(o.traceEndpoint); err != nil {
			return fmt.Errorf("--trace-endpoint: %w", err)
		}
	}
	if recovery, err := o.recovery(); err != nil {
		return err
	} else if err := recovery.Check(time.Now()); err != nil {
		return err
	}
	switch {
	case !(o.traceSampleRatio >= 0 && o.traceSampleRatio <= 1):
		return fmt.Errorf("--trace-sample-ratio %v: it must be 0 to 1", o.traceSampleRatio)
	case o.syncPeriod < time.Second:
		return fmt.Errorf("--sync-period %s: it must be at least one second", o.syncPeriod)
	case o.objectLimit < 0:
		return fmt.Errorf("--metrics-object-limit %d: it must be at least 0", o.objectLimit)
	case o.workers < 1:
		return fmt.Errorf("--workers %d: it must be at least 1", o.workers)
	case o.logFormat != "json" && o.logFormat != "text":
		return fmt.Errorf("--log-format %q: it must be json or text", o.logFormat)
	}
	return nil
}

// watched returns the namespaces to watch; nil for all.
func (o options) watched() []string { return listed(o.namespaces) }

// listed returns what a flag lists.
func listed(flag string) []string {
	return strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == ' ' })
}

// recovery returns which namespaces recover, and for how long.
func (o options) recovery() (controllers.Recovery, error) {
	r := controllers.Recovery{Namespaces: listed(o.recover)}
	if o.recoverUntil == "" {
		return r, nil
	}
	var err error
	if r.Until, err = time.Parse(time.RFC3339, o.recoverUntil); err != nil {
		return r, fmt.Errorf("--recover-until %q: it must be a time such as 2026-12-01T18:00:00Z", o.recoverUntil)
	}
	return r, nil
}

var lookupEnv = os.LookupEnv
