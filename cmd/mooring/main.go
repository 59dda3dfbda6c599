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
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/leadership"
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
	logf.SetLogger(log)
	klog.SetLogger(log)
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
	var lease *leadership.Lease
	if o.leaderElect {
		if lease, err = leadership.New(cfg, o.namespace, controllers.LeaderLease, time.Now); err != nil {
			return err
		}
	}
	mgr, err := controllers.NewManager(cfg, controllers.ManagerOptions{
		Namespaces: o.watched(), MetricsAddress: o.metricsAddress, HealthAddress: o.healthAddress, PprofAddress: o.pprofAddress, Lease: lease,
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
	err = controllers.Setup(ctx, mgr, controllers.Options{
		Drivers: drivers(), ClusterID: id, Namespace: o.namespace, SyncPeriod: o.syncPeriod, Workers: o.workers,
		Lease: lease, WebhookAddress: o.webhookAddress, WebhookName: o.webhookName,
	})
	if err != nil {
		return fmt.Errorf("set up: %w", err)
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
			return errors.New("not all that is watched has been read yet")
		}
		return nil
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

// logger returns the log that everything writes to: a line of JSON each, or text for people.
func logger(o options) (logr.Logger, error) {
	level, err := zapcore.ParseLevel(o.logLevel)
	if err != nil {
		return logr.Logger{}, fmt.Errorf("--log-level: %w", err)
	}
	cfg := zap.NewProductionConfig()
	if o.logFormat == "text" {
		cfg.Encoding = "console"
		cfg.EncoderConfig.EncodeLevel = zapcore.CapitalLevelEncoder
	}
	cfg.EncoderConfig.TimeKey, cfg.EncoderConfig.EncodeTime = "time", zapcore.RFC3339TimeEncoder
	cfg.Level = zap.NewAtomicLevelAt(level)
	cfg.DisableStacktrace = level > zapcore.DebugLevel
	built, err := cfg.Build()
	if err != nil {
		return logr.Logger{}, fmt.Errorf("log: %w", err)
	}
	// Web servers have no other place to tell of a handshake that failed.
	if _, err := zap.RedirectStdLogAt(built, zapcore.InfoLevel); err != nil {
		return logr.Logger{}, fmt.Errorf("log: %w", err)
	}
	return zapr.NewLogger(built), nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
