package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// options are the flags.
type options struct {
	once    bool
	samples bool
	dir     string
	// kubeconfig is the absolute path of the file of a cluster that runs already, and context the one in it; empty: the current one.
	// remote says that the cluster need not be on this machine, remove that what an earlier quickstart left in it is to be removed.
	kubeconfig, context string
	remote, remove      bool
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2) // the flag package has said why
	}
	ctx, end := untilEnded()
	t := newTranscript(os.Stdout, end)
	if err := run(ctx, end, o, t); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "\nquickstart: %v\n", err)
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.once, "once", false, "stop after the demonstration; the exit status is 0 only if every step worked")
	set.BoolVar(&o.samples, "samples", true, "apply config/samples and show the results")
	set.StringVar(&o.dir, "dir", "", "`folder` for kubeconfig, cloud.json, env and the controller's log; default: a temporary one.\n"+
		"kubeconfig appears in it once everything is running")
	set.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` of a cluster to use in place of the quickstart's own: its current context. The quickstart prints what it installs there,\n"+
		"and removes it when it ends. KUBECONFIG and ~/.kube/config are never read")
	set.StringVar(&o.context, "context", "", "with --kubeconfig: the `name` of the context to use in place of the current one")
	set.BoolVar(&o.remote, "remote", false, "with --kubeconfig: the cluster need not be on this machine")
	set.BoolVar(&o.remove, "remove", false, "with --kubeconfig: remove what a killed quickstart left in the cluster, and exit")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	var err error
	switch {
	case set.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	case o.kubeconfig == "" && (o.remote || o.remove || o.context != ""):
		err = errors.New("--context, --remote and --remove need --kubeconfig")
	case o.kubeconfig != "":
		o.kubeconfig, err = filepath.Abs(o.kubeconfig)
	}
	if err != nil {
		_, _ = fmt.Fprintf(out, "quickstart: %v; see --help\n", err)
		return o, err
	}
	return o, nil
}

// run starts everything, shows it, and stays until ctx ends; end is for what can't go on.
func run(ctx context.Context, end context.CancelCauseFunc, o options, t *transcript) (err error) {
	logf.SetLogger(logr.Discard()) // of envtest and clients: what they have to say comes back as errors
	if o.remove {
		return removeLeftovers(ctx, o, t)
	}
	t.say("%s", opening(o))
	q, err := startQuickstart(ctx, end, o, t)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() { //nolint:contextcheck // it ends what runs because ctx has ended
		if failed := q.stop(); failed != nil {
			err = errors.Join(err, failed)
			return
		}
		t.say("\nEverything has stopped; nothing is left running.")
	}()
	shown := error(nil)
	if o.samples {
		shown = q.demonstration().show(ctx)
	}
	if o.once || ctx.Err() != nil {
		return interrupted(ctx, shown)
	}
	if shown != nil {
		t.say("\nSome steps failed: %v\nEverything keeps running, so that you can investigate.", shown)
	}
	t.say("%s", q.next(o.samples))
	<-ctx.Done()
	t.say("\nEnding (%v).", context.Cause(ctx))
	if cause := context.Cause(ctx); !errors.Is(cause, errAsked) {
		return cause
	}
	return shown
}

// opening says what is started, and what it reaches.
func opening(o options) string {
	if o.kubeconfig == "" {
		return "Mooring, on this machine only: a Kubernetes API server, a local AWS and Google Cloud, and the controller.\n" +
			"Nothing here reaches a real cloud. Ctrl-C stops everything and leaves nothing running.\n"
	}
	return "Mooring, in your own cluster, and on this machine: a local AWS and Google Cloud, and the controller.\n" +
		"The quickstart's two accounts are in these local clouds. If you add a provider config of your own, its objects are in the\n" +
		"cloud that it names: delete them before you stop the quickstart. Ctrl-C stops everything and leaves nothing running.\n"
}

// interrupted puts the reason for which ctx ended in the place of what failed because it did.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
