package main

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// defaults are the options when nothing is given.
func defaults() options {
	return options{
		namespace: "mooring-system", syncPeriod: 10 * time.Minute, workers: 20, logLevel: "info", logFormat: "json",
		metricsAddress: ":8080", healthAddress: ":8081", pprofAddress: "0", webhookAddress: ":9443", webhookName: "mooring", leaderElect: true,
		objectLimit: 1000, traceSampleRatio: 1,
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name        string
		args        []string
		environment map[string]string
		want        func(*options)
	}{
		{name: "nothing", want: func(*options) {}},
		{
			name: "every flag",
			args: []string{
				"--kubeconfig=k", "--namespace=n", "--namespaces=a,b", "--cluster-id=id", "--sync-period=1m", "--workers=3",
				"--log-level=debug", "--log-format=text", "--metrics-address=:1", "--metrics-object-limit=5", "--metrics-secure", "--cert-dir=d", "--health-address=:2", "--pprof-address=:3",
				"--webhook-address=:4", "--webhook-name=w", "--leader-elect=false", "--trace-endpoint=http://c:4318", "--trace-sample-ratio=0.5", "--check", "--version",
			},
			want: everyOption,
		},
		{
			name: "every variable",
			environment: map[string]string{
				"MOORING_KUBECONFIG": "k", "MOORING_NAMESPACE": "n", "MOORING_NAMESPACES": "a,b", "MOORING_CLUSTER_ID": "id",
				"MOORING_SYNC_PERIOD": "1m", "MOORING_WORKERS": "3", "MOORING_LOG_LEVEL": "debug", "MOORING_LOG_FORMAT": "text",
				"MOORING_METRICS_ADDRESS": ":1", "MOORING_METRICS_OBJECT_LIMIT": "5", "MOORING_METRICS_SECURE": "true", "MOORING_CERT_DIR": "d", "MOORING_HEALTH_ADDRESS": ":2", "MOORING_PPROF_ADDRESS": ":3",
				"MOORING_WEBHOOK_ADDRESS": ":4", "MOORING_WEBHOOK_NAME": "w", "MOORING_LEADER_ELECT": "false",
				"MOORING_TRACE_ENDPOINT": "http://c:4318", "MOORING_TRACE_SAMPLE_RATIO": "0.5",
			},
			want: func(o *options) { everyOption(o); o.check, o.version = false, false },
		},
		{
			name: "a flag goes before its variable", args: []string{"--workers", "3"},
			environment: map[string]string{"MOORING_WORKERS": "4", "MOORING_LOG_LEVEL": "warn"},
			want:        func(o *options) { o.workers, o.logLevel = 3, "warn" },
		},
		{
			name: "a flag that says the default goes before its variable", args: []string{"--workers=20"},
			environment: map[string]string{"MOORING_WORKERS": "4"}, want: func(*options) {},
		},
		{
			name: "a flag makes a bad variable no matter", args: []string{"--workers=3"},
			environment: map[string]string{"MOORING_WORKERS": "many"}, want: func(o *options) { o.workers = 3 },
		},
		{name: "empty variables", environment: map[string]string{"MOORING_METRICS_ADDRESS": "", "MOORING_SYNC_PERIOD": ""}, want: func(*options) {}},
		{name: "an image's own version", environment: map[string]string{"MOORING_VERSION": "v1.2.3"}, want: func(*options) {}},
		{name: "a variable without the prefix", environment: map[string]string{"WORKERS": "4"}, want: func(*options) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse(c.args, lookup(c.environment))
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			c.want(&want)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// everyOption sets each option to what is not its default.
func everyOption(o *options) {
	*o = options{
		kubeconfig: "k", namespace: "n", namespaces: "a,b", clusterID: "id", syncPeriod: time.Minute, workers: 3,
		logLevel: "debug", logFormat: "text", metricsAddress: ":1", objectLimit: 5, metricsSecure: true, certDir: "d", healthAddress: ":2", pprofAddress: ":3", webhookAddress: ":4",
		webhookName: "w", traceEndpoint: "http://c:4318", traceSampleRatio: 0.5, check: true, version: true,
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name        string
		args        []string
		environment map[string]string
		says        []string // the flag or variable, and the value
	}{
		{name: "no number", args: []string{"--workers=many"}, says: []string{"-workers", `"many"`}},
		{name: "no worker", args: []string{"--workers=0"}, says: []string{"--workers", "0"}},
		{name: "less than none", args: []string{"--metrics-object-limit=-1"}, says: []string{"--metrics-object-limit", "-1"}},
		{name: "no duration", args: []string{"--sync-period=often"}, says: []string{"-sync-period", `"often"`}},
		{name: "no unit", args: []string{"--sync-period=10"}, says: []string{"-sync-period", `"10"`}},
		{name: "too often", args: []string{"--sync-period=10ms"}, says: []string{"--sync-period", "10ms"}},
		{name: "unknown level", args: []string{"--log-level=loud"}, says: []string{"--log-level", `"loud"`}},
		{name: "unknown format", args: []string{"--log-format=xml"}, says: []string{"--log-format", `"xml"`}},
		{name: "neither true nor false", args: []string{"--leader-elect=maybe"}, says: []string{"-leader-elect", `"maybe"`}},
		{name: "no port", args: []string{"--webhook-address=localhost"}, says: []string{"--webhook-address", `"localhost"`}},
		{name: "any port", args: []string{"--webhook-address=:0"}, says: []string{"--webhook-address", `":0"`}},
		{name: "no URL", args: []string{"--trace-endpoint=collector:4318"}, says: []string{"--trace-endpoint", `"collector:4318"`}},
		{name: "more than all", args: []string{"--trace-sample-ratio=2"}, says: []string{"--trace-sample-ratio", "2"}},
		{name: "no ratio", args: []string{"--trace-sample-ratio=NaN"}, says: []string{"--trace-sample-ratio", "NaN"}},
		{name: "unknown flag", args: []string{"--worker=3"}, says: []string{"-worker", "see --help"}},
		{name: "an argument", args: []string{"start"}, says: []string{`"start"`}},
		{name: "variable: no number", environment: map[string]string{"MOORING_WORKERS": "many"}, says: []string{"MOORING_WORKERS", `"many"`}},
		{name: "variable: no duration", environment: map[string]string{"MOORING_SYNC_PERIOD": "often"}, says: []string{"MOORING_SYNC_PERIOD", `"often"`}},
		{name: "variable: too often", environment: map[string]string{"MOORING_SYNC_PERIOD": "10ms"}, says: []string{"sync-period", "10ms"}},
		{name: "variable: unknown level", environment: map[string]string{"MOORING_LOG_LEVEL": "loud"}, says: []string{"log-level", `"loud"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(c.args, lookup(c.environment))
			if err == nil {
				t.Fatal("accepted")
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not name %s", err, word)
				}
			}
		})
	}
	if _, err := parse([]string{"--help"}, lookup(nil)); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v, want flag.ErrHelp", err)
	}
}

// TestFlags: each flag has a help text, and a variable that no other flag has.
func TestFlags(t *testing.T) {
	of := map[string]string{} // a variable's flag
	(&options{}).flags().VisitAll(func(f *flag.Flag) {
		if f.Usage == "" {
			t.Errorf("--%s has no help text", f.Name)
		}
		if asked(f.Name) {
			return
		}
		name := variable(f.Name)
		if other, taken := of[name]; taken {
			t.Errorf("--%s and --%s share %s", f.Name, other, name)
		}
		of[name] = f.Name
		refused := errors.New("") // by the flag: what was set is what the variable says
		set := (&options{}).flags()
		set.Lookup(f.Name).Value = value(func(s string) error {
			if s == "given" {
				return refused
			}
			return nil
		})
		if err := fromEnvironment(set, lookup(map[string]string{name: "given"})); !errors.Is(err, refused) {
			t.Errorf("%s does not set --%s", name, f.Name)
		}
	})
}

// A value is a flag's that takes what the function does.
type value func(string) error

func (v value) String() string     { return "" }
func (v value) Set(s string) error { return v(s) }

func TestWatched(t *testing.T) {
	for given, want := range map[string][]string{"": nil, "a": {"a"}, "a,b": {"a", "b"}, " a, b,": {"a", "b"}, ",": nil} {
		if got := (options{namespaces: given}).watched(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func lookup(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

// TestFlagsPage demands that the page in the reference, which is made from --help, has every flag with its variable and its
// default.
func TestFlagsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/flags.md")
	if err != nil {
		t.Fatal(err)
	}
	var o options
	o.flags().VisitAll(func(f *flag.Flag) {
		row := regexp.MustCompile("(?m)^\\| `--" + f.Name + "[ `].*$").FindString(string(page))
		if row == "" {
			t.Errorf("there is no --%s; run make generate", f.Name)
			return
		}
		if variable := "`" + variable(f.Name) + "`"; strings.Contains(row, variable) == asked(f.Name) {
			t.Errorf("its variable is %s: %s", variable, row)
		}
		if isSet := f.DefValue != "" && f.DefValue != "false"; isSet && !strings.Contains(row, "`"+f.DefValue+"`") {
			t.Errorf("its default is %s: %s", f.DefValue, row)
		}
	})
}
