package cluster

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// loopbackOnly reads from /proc what the servers really listen on, not what they were told to.
func loopbackOnly(t *testing.T, c *Cluster) {
	inodes := map[string]string{} // socket -> process
	for _, pid := range servers(t, c) {
		fds, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, "socket:[") {
				inodes[strings.Trim(target, "socket:[]")] = strconv.Itoa(pid)
			}
		}
	}
	found := 0
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		for _, l := range listeners(t, table) {
			if _, ours := inodes[l.inode]; !ours {
				continue
			}
			found++
			if !loopbackAddress.MatchString(l.address) {
				t.Errorf("process %s listens on %s", inodes[l.inode], l.address)
			}
		}
	}
	// etcd for clients and for peers, the API server, the controller manager.
	if found < 4 {
		t.Errorf("found %d listeners, want at least 4", found)
	}
}

// loopbackAddress matches 127.0.0.1 and ::1 as /proc writes them.
var loopbackAddress = regexp.MustCompile(`^(0100007F|0{24}01000000):`)

type listener struct{ address, inode string }

// listeners parses a table of /proc/net: "sl local_address rem_address st … inode".
func listeners(t *testing.T, table string) []listener {
	t.Helper()
	file, err := os.Open(table)
	if os.IsNotExist(err) {
		return nil // a kernel without IPv6
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []listener
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 9 && f[3] == "0A" {
			all = append(all, listener{f[1], f[9]})
		}
	}
	return all
}

// servers returns the processes whose command line names the cluster's folder: supervisors and servers.
func servers(t *testing.T, c *Cluster) []int { return processes(t, c.path()) }

// processes returns the living processes whose command line contains text, but for our own.
func processes(t *testing.T, text string) []int {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that just ended, or a zombie, has no command line.
		if line, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil && strings.Contains(string(line), text) {
			pids = append(pids, pid)
		}
	}
	return pids
}
