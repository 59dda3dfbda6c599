package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

func main() {
	o, err := parse(os.Args[1:], lookupEnv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fail(err)
	case o.version:
		_, _ = fmt.Fprintln(os.Stdout, version())
		return
	}
	log, err := logger(o)
	if err != nil {
		fail(err)
	}
	logf.SetLogger(libraries(log))
	klog.SetLogger(libraries(log))
	if o.check {
		if !check(signals.SetupSignalHandler(), o, comingUp, os.Stdout) {
			os.Exit(1)
		}
		return
	}
	if err := run(signals.SetupSignalHandler(), o, log); err != nil {
		fail(err)
	}
}

func fail(err error) {
	_, _ = fmt.Fprintf(os.Stderr, "mooring: %v\n", err)
	os.Exit(1)
}

// podUID is the variable in which the chart's Deployment says which Pod this is.
const podUID = envPrefix + "POD_UID"

// run runs the controller until ctx ends; then writes in flight finish and are recorded.
func run(ctx context.Context, o options, log logr.Logger) error {
	cfg, err := apiServer(o.kubeconfig)
	if err != nil {
		return err
	}
	id, err := clusterID(ctx, cfg, o)
	if err != nil {
		return err
	}
	recovery, err := o.recovery()
	if err != nil {
		return err
	}
	var lease *leadership.Lease
	if o.leaderElect {
		pod, _ := lookupEnv(podUID)
		if lease, err = leadership.New(cfg, o.namespace, controllers.LeaderLease, pod, time.Now); err != nil {
			return err
		}
	}
	mgr, err := controllers.NewManager(cfg, controllers.ManagerOptions{
		Namespaces: o.watched(), MetricsAddress: o.metricsAddress, MetricsSecure: o.metricsSecure, CertDir: o.certDir,
		HealthAddress: o.healthAddress, PprofAddress: o.pprofAddress, Lease: lease,
	})
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("caches", cachesFilled(mgr.GetCache())); err != nil {
		return err
	}
	tracer, flush, err := tracing(ctx, o, id, log)
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	defer flush()
	err = controllers.Setup(ctx, mgr, controllers.Options{
		Drivers: drivers(), ClusterID: id, Recovery: recovery, Namespace: o.namespace, SyncPeriod: o.syncPeriod, Workers: o.workers,
		Lease: lease, WebhookAddress: o.webhookAddress, WebhookName: o.webhookName,
		CertDir: o.certDir, MetricsObjectLimit: o.objectLimit, WatchSecrets: o.watchSecrets, Tracer: tracer, Log: log, Version: version(),
	})
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	err = mgr.Add(manager.RunnableFunc(func(context.Context) error {
		log.Info("leading")
		return nil
	}))
	if err != nil {
		return err
	}
	if len(recovery.Namespaces) > 0 {
		log.Info("these namespaces take over what earlier namespaces of their names made, until the recovery ends", "namespaces", recovery.Namespaces, "until", recovery.Until)
	}
	log.Info("starting", "version", version(), "clusterID", id, "syncPeriod", o.syncPeriod.String())
	return mgr.Start(ctx)
}

// cachesFilled is who has read all that it watches, whether it leads or waits: it can take over, and answer API servers.
func cachesFilled(c cache.Cache) healthz.Checker {
	return func(r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if !c.WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
}

// flushPatience is how long traces that were not sent yet may hold up the end.
const flushPatience = 5 * time.Second

// tracing returns what makes spans, and what sends the last of them. Where nobody asked for traces the first is nil.
func tracing(ctx context.Context, o options, clusterID string, log logr.Logger) (trace.TracerProvider, func(), error) {
	if !telemetry.TracingEnabled(o.traceEndpoint, lookupEnv) {
		return nil, func() {}, nil
	}
	provider, err := telemetry.NewTracing(ctx, telemetry.TraceOptions{
		Endpoint: o.traceEndpoint, Ratio: o.traceSampleRatio, Version: version(), ClusterID: clusterID, Log: log, Now: time.Now,
	})
	if err != nil {
		return nil, nil, err
	}
	return provider, func() { flush(ctx, provider, log) }, nil
}

// flush sends what was not sent yet, and gives up after flushPatience.
func flush(ctx context.Context, provider *sdktrace.TracerProvider, log logr.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushPatience)
	defer cancel()
	if err := provider.Shutdown(ctx); err != nil {
		log.Info("the last traces are lost", "error", err.Error())
	}
}

// apiServer returns how to reach the API server. The client's own rate limit is off: the server has its own,
// fairer one.
func apiServer(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w; give --kubeconfig, or set KUBECONFIG", err)
	}
	cfg.QPS = -1
	cfg.UserAgent = "mooring/" + version()
	return cfg, nil
}

func clusterID(ctx context.Context, cfg *rest.Config, o options) (string, error) {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return "", err
	}
	direct, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return "", err
	}
	return controllers.ClusterID(ctx, direct, o.namespace, o.clusterID)
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
