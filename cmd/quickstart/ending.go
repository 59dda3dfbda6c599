package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errAsked is the cause of an end that somebody asked for.
var errAsked = errors.New("stop requested")

// untilEnded returns a context that ends, with the reason as its cause, on a signal, when the returned function
// is called, or when whoever started us is gone: a make that is killed can't tell its children.
func untilEnded() (context.Context, context.CancelCauseFunc) {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s := <-signals
		signal.Reset() // a second one ends us at once; the process supervisor ends the servers
		end(fmt.Errorf("%w by signal: %v", errAsked, s))
	}()
	// Caught, so that writing where nobody reads is an error and not our death: there are folders to remove.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go watchParent(os.Getppid(), end)
	return ctx, end
}

// watchParent calls end when parent is no longer our parent.
func watchParent(parent int, end context.CancelCauseFunc) {
	if parent == 1 {
		return // a container's first process, or already gone: nobody to wait for
	}
	for range time.Tick(200 * time.Millisecond) {
		if os.Getppid() != parent {
			end(errors.New("the process that started the quickstart has ended"))
			return
		}
	}
}
