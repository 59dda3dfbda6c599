package drivertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// ThroughPipe returns a driver through a pipe to itself: all that crosses the contract is encoded and decoded.
func ThroughPipe(t testing.TB, d driver.Driver) driver.Driver {
	t.Helper()
	fromCaller, toDriver := io.Pipe()
	fromDriver, toCaller := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- pipe.Serve(fromCaller, toCaller, d) }()
	t.Cleanup(func() {
		_ = toDriver.Close()
		if err := <-served; err != nil {
			t.Errorf("the pipe broke: %v", err)
		}
		_ = toCaller.Close()
	})
	return connect(t, fromDriver, toDriver)
}

// serving is the variable that tells a test binary that it is the child of InChild.
const serving = "MOORING_TEST_SERVES_DRIVER"

// childTimeout is how long a child may take to end once its input ended.
const childTimeout = time.Minute

// InChild returns a driver that runs in a process of its own: this test binary, begun again. Its TestMain calls ServeChild. The test fails if
// that process fails, or does not end when the test does.
func InChild(t testing.TB) driver.Driver {
	t.Helper()
	// The context of the test is over before its cleanups run. It would kill the child before the child can end by itself.
	ctx, kill := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(kill)
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), serving+"=true"), os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // ends it
		timeout, end := context.WithTimeout(ctx, childTimeout)
		defer end()
		context.AfterFunc(timeout, kill)
		if err := child.Wait(); err != nil {
			t.Errorf("the driver's process failed: %v", err)
		}
	})
	return connect(t, out, in)
}

// ServeChild serves a driver if this process is a child of InChild, and does not return then.
func ServeChild(d func() driver.Driver) {
	if os.Getenv(serving) == "" {
		return
	}
	if err := pipe.Serve(os.Stdin, os.Stdout, d()); err != nil && !errors.Is(err, os.ErrClosed) {
		fmt.Fprintln(os.Stderr, "the pipe broke:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func connect(t testing.TB, r io.Reader, w io.Writer) driver.Driver {
	t.Helper()
	d, err := pipe.Connect(t.Context(), r, w)
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	return d
}
