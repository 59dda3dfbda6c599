package image

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"golang.org/x/sys/unix"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// confinement is the environment variable that makes this test's own binary confine itself and become what it says.
const confinement = "MOORING_TEST_CONFINEMENT"

// A cell says what to run, and what it may see.
type cell struct {
	Root    string   // the only file system there is, read-only
	Account string   // a folder that is mounted, read-only, where Kubernetes mounts a ServiceAccount
	User    int      // also the group
	Args    []string // the program in Root, and its arguments
	Env     []string
}

// accountPath is where Kubernetes mounts the ServiceAccount of a pod.
const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// TestMain also is the way into a cell.
func TestMain(m *testing.M) {
	if given := os.Getenv(confinement); given != "" {
		fmt.Fprintf(os.Stderr, "confine: %v\n", enter(given))
		os.Exit(exitConfinement)
	}
	logf.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// exitConfinement tells a failure of ours from one of the program's.
const exitConfinement = 97

// command makes cmd, which starts this test's own binary, start c instead, in namespaces of its own. Root needs one for
// mounts; others get one for users too, in which they are c.User, with what is needed to mount until the program begins.
func (c cell) command(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	content, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{confinement + "=" + string(content)}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: c.User, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: c.User, HostID: os.Getgid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT}
	}
}

// probe fails the test where this machine forbids cells; without CI it is skipped.
func probe(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cell{Root: t.TempDir(), User: 65532, Args: []string{"/none"}}.command(t, cmd)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), `start "/none"`) {
		return // all that comes before went well
	}
	if os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: namespaces and mounts are forbidden to uid %d on this machine: %v\n%s", os.Getuid(), err, out)
	}
	t.Fatalf("namespaces and mounts are forbidden to uid %d on this machine: %v\n%s", os.Getuid(), err, out)
}

// enter confines this process and becomes the program. It returns only if that fails.
func enter(given string) error {
	var c cell
	if err := json.Unmarshal([]byte(given), &c); err != nil {
		return err
	}
	const fixed = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_BIND | unix.MS_REMOUNT
	mounts := []struct {
		from, to string
		flags    uintptr
	}{
		{"", "/", unix.MS_REC | unix.MS_PRIVATE}, // nothing from here on is seen outside
		{c.Root, c.Root, unix.MS_BIND},
		{c.Account, c.Root + accountPath, unix.MS_BIND},
		{"", c.Root + accountPath, fixed},
		{"", c.Root, fixed},
	}
	for _, m := range mounts {
		if c.Account == "" && m.to == c.Root+accountPath {
			continue
		}
		if err := unix.Mount(m.from, m.to, "", m.flags, ""); err != nil {
			return fmt.Errorf("mount %q: %w", m.to, err)
		}
	}
	if err := unix.Chroot(c.Root); err != nil {
		return fmt.Errorf("make %q the root: %w", c.Root, err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := drop(c.User); err != nil {
		return fmt.Errorf("drop privileges: %w", err)
	}
	return fmt.Errorf("start %q: %w", c.Args[0], unix.Exec(c.Args[0], c.Args, c.Env))
}

// drop makes this process one of user, who can never be more.
func drop(user int) error {
	if os.Getuid() != user {
		if err := syscall.Setgroups(nil); err != nil {
			return err
		}
		if err := syscall.Setgid(user); err != nil {
			return err
		}
		if err := syscall.Setuid(user); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// confined checks from outside that a process is what it should be: a test in a cell that leaks proves nothing.
func confined(t *testing.T, pid int, c cell) {
	t.Helper()
	status := procFile(t, pid, "status")
	want := map[string]string{"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapAmb": "0000000000000000", "NoNewPrivs": "1"}
	if os.Getuid() == 0 { // else the user is seen as who we are
		user := strconv.Itoa(c.User)
		want["Uid"] = strings.Join([]string{user, user, user, user}, "\t")
		want["Gid"] = want["Uid"]
		want["Groups"] = ""
	}
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		if w, asked := want[key]; asked && strings.TrimSpace(value) != w {
			t.Errorf("%s of the program is %q, want %q", key, strings.TrimSpace(value), w)
		}
	}
	// "36 35 98:0 /source /target ro,nosuid …", of what is mounted below its root.
	table := procFile(t, pid, "mountinfo")
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); !strings.HasPrefix(fields[5], "ro,") {
			t.Errorf("the program can write to %s", fields[4])
		}
	}
	if strings.Count(table, "\n") != 2 {
		t.Errorf("the program sees more than its root and its ServiceAccount:\n%s", table)
	}
}

func procFile(t *testing.T, pid int, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
