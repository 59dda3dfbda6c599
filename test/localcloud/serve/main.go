// Command serve is the local cloud as a program. Once it is up it prints, as one JSON document, how to reach
// it; it runs until SIGINT or SIGTERM, and its database servers end with it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// options are the flags.
type options struct {
	cloud                 localcloud.Options
	faults                []localcloud.Fault
	latency               time.Duration
	awsAccount, awsRegion string
	gcpProject, gcpRegion string
}

// kinds are the faults that need nothing but an operation.
var kinds = []localcloud.FaultKind{
	localcloud.Throttled, localcloud.ServerError, localcloud.Denied, localcloud.Hang, localcloud.RequestLost,
	localcloud.ResponseLost, localcloud.Conflict, localcloud.Stale, localcloud.FailLate,
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2) // the flag package has said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends us at once
	if err := run(ctx, o, os.Stdout); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "serve: %v\n", err)
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&o.cloud.Listen, "listen", "127.0.0.1:0", "loopback `address` of AWS; Google Cloud has the next port, or any where this is 0")
	set.BoolVar(&o.cloud.ListenersOnly, "listeners-only", false, "give database instances a bare listener each in place of a real server")
	set.BoolVar(&o.cloud.RateLimits, "rate-limits", false, "enforce the request rates of Google Cloud")
	set.IntVar(&o.cloud.InstanceQuota, "instance-quota", 0, "how many database instances an account may have; 0 for the service's default, -1 for any number")
	d := &o.cloud.Durations
	set.DurationVar(&d.Create, "create", 0, "how long an instance is being created")
	set.DurationVar(&d.Modify, "modify", 0, "how long an instance is being modified")
	set.DurationVar(&d.Delete, "delete", 0, "how long an instance is being deleted")
	set.DurationVar(&d.Snapshot, "snapshot", 0, "how long a final snapshot or backup is being made")
	set.DurationVar(&d.StorageOptimization, "storage-optimization", 0, "how long storage that grew can't grow again")
	set.DurationVar(&d.NameReserved, "name-reserved", 0, "how long the name of a deleted Cloud SQL instance can't be used")
	set.StringVar(&o.awsAccount, "aws-account", "123456789012", "AWS account `id` that the keys are for")
	set.StringVar(&o.awsRegion, "aws-region", "eu-central-1", "AWS `region` to print")
	set.StringVar(&o.gcpProject, "gcp-project", "mooring-local", "Google Cloud `project` that the key is for")
	set.StringVar(&o.gcpRegion, "gcp-region", "europe-west3", "Google Cloud `region` to print")
	set.DurationVar(&o.latency, "latency", 0, "how long every call takes that no fault hits")
	set.Func("fault", "`kind=operation` that goes wrong, as throttled=CreateBucket, or a kind alone for every operation; may be given again", func(s string) error {
		kind, operation, _ := strings.Cut(s, "=")
		if !slices.Contains(kinds, localcloud.FaultKind(kind)) {
			return fmt.Errorf("no such kind; there are %v", kinds)
		}
		o.faults = append(o.faults, localcloud.Fault{
			Kind: localcloud.FaultKind(kind), Filter: localcloud.Filter{Operation: operation},
		})
		return nil
	})
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", set.Arg(0))
		_, _ = fmt.Fprintf(out, "serve: %v; see --help\n", err)
		return o, err
	}
	return o, nil
}

// run serves until ctx ends.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	cloud, err := localcloud.Start(o.cloud)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cloud.Close()) }()
	for _, fault := range o.faults {
		cloud.Faults.Add(fault)
	}
	if o.latency > 0 {
		cloud.Faults.Add(localcloud.Fault{Kind: localcloud.Latency, Delay: o.latency})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(localcloud.Access{
		AWS: cloud.AWSAccess(o.awsAccount, o.awsRegion), GCP: cloud.GCPAccess(o.gcpProject, o.gcpRegion),
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
