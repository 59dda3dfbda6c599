package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A nursery starts child processes. The kernel sends a child its parent-death signal when the
// *thread* that started it ends (golang/go#27505), and Go ends threads as it likes: so all
// children are started on one thread that lives until close. The thread ends with close, so
// what was left behind gets the signal then.
type nursery struct {
	mu     sync.Mutex
	starts chan func()
	closed bool
}

func (n *nursery) start(cmd *exec.Cmd) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return errEnginesClosed
	}
	if n.starts == nil {
		starts := make(chan func())
		n.starts = starts
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			for start := range starts {
				start()
			}
		}()
	}
	result := make(chan error, 1)
	n.starts <- func() { result <- cmd.Start() }
	return <-result
}

func (n *nursery) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.starts != nil && !n.closed {
		close(n.starts)
	}
	n.closed = true
}

// run runs a program to its end and returns what it said, if it failed, in the error.
func (n *nursery) run(ctx context.Context, cmd *exec.Cmd) error {
	_, err := n.output(ctx, cmd)
	return err
}

// output runs a program to its end and returns what it said.
func (n *nursery) output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	p, err := n.spawn(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.signalGroup(syscall.SIGKILL)
		if err := p.ended(); err != nil {
			return "", errors.Join(context.Cause(ctx), err)
		}
		return "", fmt.Errorf("%s had not ended: %w: %s", filepath.Base(cmd.Path), context.Cause(ctx), lastLines(said.Bytes()))
	}
	if p.err != nil {
		return "", fmt.Errorf("%w: %s", p.err, lastLines(said.Bytes()))
	}
	return said.String(), nil
}

// A process is a child that was started.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended; err may be read then
	err  error
}

func (n *nursery) spawn(cmd *exec.Cmd) (*process, error) {
	if err := n.start(cmd); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// endTimeout is how long a server may take to comply with a signal. One that ends in good order writes all that it has, which on a disk that others use takes its time.
const endTimeout = time.Minute

var errDoesNotEnd = errors.New("the process does not end")

// end asks with one signal after the other, each with time to comply, then kills.
func (p *process) end(asks ...syscall.Signal) error {
	for _, ask := range asks {
		_ = p.cmd.Process.Signal(ask)
		if p.ended() == nil {
			return nil
		}
	}
	p.signalGroup(syscall.SIGKILL)
	return p.ended()
}

// ended returns once the process has ended, or does not in time.
func (p *process) ended() error {
	select {
	case <-p.done:
		return nil
	case <-time.After(endTimeout):
		return fmt.Errorf("%w: %s, process %d, within %v of a signal", errDoesNotEnd, filepath.Base(p.cmd.Path), p.cmd.Process.Pid, endTimeout)
	}
}

func (p *process) signalGroup(s syscall.Signal) {
	select {
	case <-p.done: // its number may be someone else's by now
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// await polls until ready returns nil. It gives up when the process ends, with the last lines
// of its log, and when ctx does.
func (p *process) await(ctx context.Context, log string, ready func(context.Context) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%w (%v): %s", errServerEnded, p.cmd.ProcessState, tail(log))
		case <-ctx.Done():
			return fmt.Errorf("%w, last: %w: %s", context.Cause(ctx), err, tail(log))
		case <-time.After(pause):
		}
	}
}

var errServerEnded = errors.New("the server ended")

// tail returns the last lines of a log file, on one line.
func tail(file string) string {
	log, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return lastLines(log)
}

func lastLines(log []byte) string {
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], " | ")
}
