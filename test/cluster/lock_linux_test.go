package cluster

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestKilled kills the program that started a cluster, as the out-of-memory killer would, and sees every server end.
func TestKilled(t *testing.T) {
	if os.Getenv("MOORING_TEST_HOLD") != "" {
		hold(t)
		return
	}
	if _, err := Binaries(); err != nil && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	dir := t.TempDir()
	parent := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	parent.Env = append(os.Environ(), "MOORING_TEST_HOLD="+dir)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatal("the parent ended before its cluster was up", parent.Wait())
		}
		if strings.Contains(lines.Text(), "READY") {
			break
		}
	}
	// Three supervisors and the three servers under them.
	if pids := processes(t, dir); len(pids) < 6 {
		t.Errorf("processes %v, want at least 6", pids)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	eventually(t, "all servers ended", func() bool { return len(processes(t, dir)) == 0 })

	// What was left on disk is in nobody's way.
	c, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
}

// hold is the program to be killed.
func hold(t *testing.T) {
	if _, err := Start(t.Context(), Options{Dir: os.Getenv("MOORING_TEST_HOLD"), ControllerManager: true}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("READY")
	select {}
}
