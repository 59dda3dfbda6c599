package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// options are the flags.
type options struct {
	once    bool
	samples bool
	dir     string
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
	set.BoolVar(&o.once, "once", false, "end after the show; the exit status is 0 only if all of it worked")
	set.BoolVar(&o.samples, "samples", true, "apply config/samples and show what becomes of them")
	set.StringVar(&o.dir, "dir", "", "`folder` to keep kubeconfig, cloud.json, env and the controller's log in; default: a temporary one.\n"+
		"kubeconfig appears in it once everything is up")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", set.Arg(0))
		_, _ = fmt.Fprintf(out, "quickstart: %v; see --help\n", err)
		return o, err
	}
	return o, nil
}

// run starts everything, shows it, and stays until ctx ends; end is for what can't go on.
func run(ctx context.Context, end context.CancelCauseFunc, o options, t *transcript) (err error) {
	t.say("Mooring, on this machine only: a Kubernetes API server, a local AWS and Google Cloud, and the controller.\n" +
		"Nothing here reaches a real cloud. Ctrl-C ends it and leaves nothing running.\n")
	s, err := raise(ctx, end, o, t)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() { //nolint:contextcheck // it ends what runs because ctx has ended
		if failed := s.strike(); failed != nil {
			err = errors.Join(err, failed)
			return
		}
		t.say("\nAll of it has ended; nothing is left running.")
	}()
	shown := error(nil)
	if o.samples {
		shown = s.show(ctx)
	}
	if o.once || ctx.Err() != nil {
		return interrupted(ctx, shown)
	}
	if shown != nil {
		t.say("\nNot all of it worked: %v\nEverything stays up, so that you can look.", shown)
	}
	t.say("%s", s.next(o.samples))
	<-ctx.Done()
	t.say("\nEnding (%v).", context.Cause(ctx))
	if cause := context.Cause(ctx); !errors.Is(cause, errAsked) {
		return cause
	}
	return shown
}

// interrupted puts the reason for which ctx ended in the place of what failed because it did.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
