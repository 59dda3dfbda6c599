package system

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// What one test is given no other test is, in whatever process, and the kernel gives it to nobody.
func TestFreeAddress(t *testing.T) {
	var given []int
	t.Run("a test", func(t *testing.T) {
		for range 20 {
			_, text, err := net.SplitHostPort(FreeAddress(t))
			if err != nil {
				t.Fatal(err)
			}
			port, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			given = append(given, port)
			if other, err := lockPort(port); other != nil || err != nil {
				t.Errorf("another test is given the port %d too (%v)", port, err)
			}
			if first := kernelsFirstPort(t); port >= first {
				t.Errorf("the kernel gives away port %d by itself, as all from %d on", port, first)
			}
		}
	})
	for _, port := range given {
		lock, err := lockPort(port)
		if lock == nil || err != nil {
			t.Errorf("port %d is not free after the test (%v)", port, err)
			continue
		}
		_ = lock.Close()
	}
}

// kernelsFirstPort is the first that the kernel gives away, as far as it says so.
func kernelsFirstPort(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return firstPort + ports
	}
	first, err := strconv.Atoi(strings.Fields(string(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	return first
}
