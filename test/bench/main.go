// Command bench measures Mooring: a real API server and the local cloud in this process, the controller in
// a process of its own, so that its processor time and memory are nobody else's. It prints one table.
//
// The controller runs as the chart installs it with its own values: with the chart's rights, webhook, admission policies, metrics that are read, and log level. All
// objects are in one account.
//
//	go run ./test/bench [--buckets 1000] [--databases 500] [--cloud aws] [--workers N] [--sync-period 2s] [--profile DIR]
//
// What does not depend on the machine (writes, calls, memory) is held to its target by the exit status. Times
// do depend on it: they are printed as met or missed, and the processor's load by others is part of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	buckets   int
	databases int
	// cloudOption says where the objects are.
	cloudOption string
	workers     int
	syncPeriod  time.Duration
	edits       int
	profile     string
	hostile     int
}

// both is for one account in each cloud, and half of the objects in each.
const both = "both"

// errMissed says that a target was missed that no machine excuses.
var errMissed = errors.New("a target was missed")

func main() {
	var o options
	flag.IntVar(&o.buckets, "buckets", 1000, "how many Buckets")
	flag.IntVar(&o.databases, "databases", 500, "how many Databases")
	flag.StringVar(&o.cloudOption, "cloud", "aws", "the `cloud` of the account that has the objects: aws or gcp; or both, for half of them in an account of each")
	flag.IntVar(&o.workers, "workers", 0, "the controller's --workers; 0 for its default")
	flag.DurationVar(&o.syncPeriod, "sync-period", 2*time.Second, "how often everything is re-checked while edits are timed")
	flag.IntVar(&o.edits, "edits", 20, "how many edits are timed")
	flag.StringVar(&o.profile, "profile", "", "`folder` for profiles of the controller, for go tool pprof")
	flag.IntVar(&o.hostile, "hostile", 0, "measure this many Buckets that are as large as Mooring works on and that their class refuses, and nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if o.cloudOption != "aws" && o.cloudOption != "gcp" && o.cloudOption != both {
		_, _ = fmt.Fprintf(os.Stderr, "bench: --cloud %q: it must be aws, gcp or both\n", o.cloudOption)
		os.Exit(2)
	}
	measure := run
	if o.hostile > 0 {
		measure = hostile
	}
	err := measure(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// run takes all measurements and prints them.
func run(ctx context.Context, o options) (err error) {
	s, err := start(ctx, o)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, s.close()) }()
	r := &results{options: o, groups: s.groups}
	for _, phase := range []struct {
		name string
		do   func(context.Context, *environment, *results) error
	}{
		{"the writes of all objects, without a controller", floor},
		{"one database alone", one},
		{"from apply to Ready", apply},
		{"after a restart, each object looked at once", restart},
		{"re-checks without a pause, and edits meanwhile", recheck},
	} {
		progress("%s …", phase.name)
		if err := phase.do(ctx, s, r); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	if !r.print(os.Stdout) {
		return errMissed
	}
	return nil
}

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}
