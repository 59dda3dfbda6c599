package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// patience is for a machine that does everything else too.
const patience = 10 * time.Minute

func TestNothingIsLeftRunning(t *testing.T) {
	for _, c := range []struct {
		name     string
		byMake   bool
		starting bool           // not up yet
		first    func(*running) // what is done before the end; nil: nothing
		end      func(*running)
		tidy     bool   // folders are removed too
		status   int    // -1: whatever
		says     string // among what it said
	}{
		// The people come first, who need no quickstart of their own, and a real server behind an instance is left to be ended.
		{name: "killed", status: -1, first: func(r *running) {
			r.verifyPeople()
			r.addDatabase()
		}, end: func(r *running) { r.signal(syscall.SIGKILL) }},
		{name: "killed while starting", starting: true, status: -1, end: func(r *running) { r.signal(syscall.SIGKILL) }},
		{name: "nobody reads", starting: true, tidy: true, status: 1, end: func(r *running) {
			_ = r.output.Close() // while there is more to say
		}},
		{name: "controller dies again and again", tidy: true, status: 1, end: func(r *running) {
			for range controllerStarts {
				r.killed("/mooring")
			}
			r.kill("/mooring")
		}},
		{name: "make killed while starting", byMake: true, starting: true, tidy: true, status: -1, end: func(r *running) { r.signal(syscall.SIGKILL) }},
		// The status is make's own here: what the quickstart said tells that its own was 1.
		{name: "make terminated while starting", byMake: true, starting: true, tidy: true, status: -1,
			end: func(r *running) { r.signal(syscall.SIGTERM) }, says: "\nquickstart: " + errAsked.Error()},
		// And here that its own was 0: somebody asked for the end, and nothing failed.
		{name: "controller died, and Ctrl-C in make", byMake: true, tidy: true, status: -1, end: func(r *running) {
			r.killed("/mooring")
			r.signalGroup(syscall.SIGINT)
		}, says: "\nEnding (" + errAsked.Error() + " by signal: interrupt).\n\nEverything has stopped; nothing is left running.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, c.byMake)
			if c.starting {
				r.await("an API server", func() bool { return len(r.processes("/kube-apiserver")) > 0 })
			} else {
				r.await("kubeconfig", func() bool { return r.exists("kept/kubeconfig") })
			}
			if c.first != nil {
				c.first(r)
			}
			c.end(r)
			r.await("no process", func() bool { return len(r.processes("")) == 0 })
			if status := r.wait(); c.status >= 0 && status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			if left := r.folders(); c.tidy && len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if <-r.silent; !strings.Contains(r.said.String(), c.says) {
				t.Errorf("it did not say %q", c.says)
			}
		})
	}
}

// built builds the quickstart, once for all tests: to find that nothing has changed takes a second. It also builds the controller, which
// quickstarts that start at once would each build.
var built = sync.OnceValues(func() (string, error) {
	if _, err := cluster.BuildProgram(context.Background(), io.Discard, "cmd/mooring"); err != nil {
		return "", err
	}
	return cluster.BuildProgram(context.Background(), io.Discard, "cmd/quickstart")
})

// A running quickstart, known by the folder that all of its processes were told to use.
type running struct {
	t      *testing.T
	root   string
	dir    string
	cmd    *exec.Cmd
	output *os.File
	said   bytes.Buffer // to be read once silent is closed
	waited chan struct{}
	silent chan struct{}
}

// start starts a quickstart without samples.
func start(t *testing.T, byMake bool, more ...string) *running {
	t.Helper()
	if _, err := cluster.Binaries(); errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "left-") //nolint:usetesting // t.TempDir's long path leaves no room for PostgreSQL's socket
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // database servers are another user's
		t.Fatal(err)
	}
	r := &running{t: t, root: root, dir: dir, waited: make(chan struct{}), silent: make(chan struct{})}
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"--samples=false", "--dir=" + r.path("kept")}, more...)
	if byMake {
		r.cmd = exec.Command("make", "-C", root, "quickstart", "QUICKSTART_FLAGS="+strings.Join(flags, " "))
	} else {
		r.cmd = exec.Command(program, flags...)
		r.cmd.Dir = root
	}
	r.cmd.Env = append(os.Environ(), "TMPDIR="+dir, "MAKEFLAGS=", "MAKELEVEL=")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.output = output
	r.cmd.Stdout, r.cmd.Stderr = input, input
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = input.Close()
	go func() {
		defer close(r.waited)
		_ = r.cmd.Wait()
	}()
	go func() {
		defer close(r.silent)
		_, _ = io.Copy(&r.said, output)
	}()
	t.Cleanup(func() {
		for _, pid := range r.processes("") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-r.waited
		_ = output.Close()
		<-r.silent
		if t.Failed() {
			t.Logf("it said:\n%s", r.said.Bytes())
		}
		_ = os.RemoveAll(dir)
	})
	return r
}

func (r *running) path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

func (r *running) exists(name string) bool {
	_, err := os.Stat(r.path(name))
	return err == nil
}

func (r *running) signal(s syscall.Signal) { _ = syscall.Kill(r.cmd.Process.Pid, s) }

// signalGroup is what a terminal does.
func (r *running) signalGroup(s syscall.Signal) { _ = syscall.Kill(-r.cmd.Process.Pid, s) }

// kill kills the processes of a program, and returns which they were. It waits for the first: what ties a program to the quickstart's
// life starts before the program does.
func (r *running) kill(program string) (pids []int) {
	r.t.Helper()
	r.await("a process of "+program, func() bool {
		pids = r.processes(program)
		return len(pids) > 0
	})
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return pids
}

// killed kills the process of a program, and returns when there is another.
func (r *running) killed(program string) {
	r.t.Helper()
	before := r.kill(program)
	r.await("another process of "+program, func() bool {
		now := r.processes(program)
		return len(now) > 0 && !slices.ContainsFunc(now, func(pid int) bool { return slices.Contains(before, pid) })
	})
}

// wait returns the exit status.
func (r *running) wait() int {
	<-r.waited
	return r.cmd.ProcessState.ExitCode()
}

func (r *running) await(what string, met func() bool) {
	r.t.Helper()
	for began := time.Now(); !met(); time.Sleep(100 * time.Millisecond) { // to look at all processes takes milliseconds
		if time.Since(began) > patience {
			r.t.Fatalf("waited %v for %s; running: %v", patience, what, r.processes(""))
		}
	}
}

// processes returns those that were told to use the folder and whose program's path ends like that. The
// database servers get an environment of their own, but work in the folder.
func (r *running) processes(program string) (pids []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		runs, _ := os.Readlink(filepath.Join(folder, "exe"))
		runs = strings.TrimSuffix(runs, " (deleted)") // another quickstart has built the program anew meanwhile
		if !strings.HasSuffix(runs, program) {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
		arguments, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		works, _ := os.Readlink(filepath.Join(folder, "cwd"))
		if !strings.Contains(string(environment)+string(arguments)+works, r.dir) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(folder)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// folders returns what is left in the folder for temporary files.
func (r *running) folders() (left []string) {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Error(err)
	}
	for _, e := range entries {
		if e.Name() != "kept" {
			left = append(left, e.Name())
		}
	}
	return left
}

// addDatabase has a database server started, if the machine has one.
func (r *running) addDatabase() {
	r.t.Helper()
	if err := localcloud.EngineAvailable("postgres"); err != nil {
		if os.Getenv("CI") != "" {
			r.t.Fatal(err)
		}
		r.t.Logf("NOT TESTED with a database: %v", err)
		return
	}
	r.kubectl("apply", "-f", "config/samples/00-namespace.yaml", "-f", "config/samples/aws-postgres.yaml")
	r.kubectl("wait", "database/payments", "-n", "shop", "--for=condition=Ready", "--timeout=2m")
	if len(r.processes("/postgres")) == 0 {
		r.t.Error("no PostgreSQL server runs")
	}
}

func (r *running) kubectl(args ...string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(r.root, "bin", "kubectl"), append([]string{"--kubeconfig=" + r.path("kept", "kubeconfig")}, args...)...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("kubectl %q: %v\n%s", args, err, out)
	}
}
