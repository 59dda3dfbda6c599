package sql_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/mooring-dev/mooring/providers/sql"
)

// Addresses of the controller's host, of metadata servers and of the cluster are never dialed, in whatever form they
// come.
func TestAddresses(t *testing.T) {
	t.Parallel()
	d := &sql.Direct{
		Cluster: []netip.Prefix{netip.MustParsePrefix("10.96.0.0/12"), netip.MustParsePrefix("fd12:3456::/48")},
		Allowed: []netip.Prefix{netip.MustParsePrefix("10.97.1.0/24")},
	}
	for _, tc := range []struct {
		address string
		allowed bool
	}{
		{"10.0.0.5", true},
		{"203.0.113.7", true},
		{"172.31.4.4", true},
		{"2001:db8::5", true},
		{"fd00:1234::5", true},
		{"::ffff:10.0.0.5", true},
		{"127.0.0.1", false},
		{"127.255.0.9", false},
		{"0.0.0.0", false},
		{"0.1.2.3", false},
		{"::", false},
		{"::1", false},
		{"::ffff:127.0.0.1", false},
		{"::127.0.0.1", false},
		{"169.254.169.254", false},
		{"169.254.170.2", false},
		{"::ffff:169.254.169.254", false},
		{"64:ff9b::a9fe:a9fe", false},
		{"2002:a9fe:a9fe::1", false},
		{"2002:7f00:1::", false},
		{"fe80::1", false},
		{"fe80::1%eth0", false},
		{"fec0::1", false},
		{"fd00:ec2::254", false},
		{"fd20:ce::254", false},
		{"100.100.100.200", false},
		{"168.63.129.16", false},
		{"192.0.0.192", false},
		{"224.0.0.1", false},
		{"ff02::1", false},
		{"255.255.255.255", false},
		{"240.0.0.1", false},
		{"10.96.0.1", false},
		{"::ffff:10.96.0.1", false},
		{"64:ff9b::a60:1", false},
		{"fd12:3456::9", false},
		{"10.97.1.9", true},
		{"10.97.2.9", false},
	} {
		err := d.Check(netip.MustParseAddr(tc.address))
		var refused *sql.Refused
		if (err == nil) != tc.allowed || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s: %v, want allowed: %v", tc.address, err, tc.allowed)
		}
	}
	mapped := &sql.Direct{Cluster: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}}
	if mapped.Check(netip.MustParseAddr("10.1.2.3")) == nil {
		t.Error("a range that is written as IPv6 does not cover its addresses")
	}
	all := &sql.Direct{Allowed: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}
	if all.Check(netip.MustParseAddr("169.254.169.254")) == nil || all.Check(netip.MustParseAddr("::1")) == nil {
		t.Error("a range of all addresses allows a metadata server")
	}
	if d.Check(netip.Addr{}) == nil {
		t.Error("no address at all is allowed")
	}
}

// A name is resolved once, all of the answer is checked, and what was checked is dialed.
func TestDial(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, address string
		answer        []string
		fails         map[string]bool
		want          string // what was dialed last; empty for nothing
	}{
		{"a good answer", "db.example.com:5432", []string{"10.0.0.5"}, nil, "10.0.0.5:5432"},
		{"a bad answer", "db.example.com:5432", []string{"127.0.0.1"}, nil, ""},
		{"good and bad ones", "db.example.com:5432", []string{"10.0.0.5", "169.254.169.254"}, nil, ""},
		{"a mapped one among good ones", "db.example.com:5432", []string{"10.0.0.5", "::ffff:127.0.0.1"}, nil, ""},
		{"no answer", "db.example.com:5432", nil, nil, ""},
		{"the second after the first", "db.example.com:5432", []string{"2001:db8::1", "10.0.0.5"}, map[string]bool{"[2001:db8::1]:5432": true}, "10.0.0.5:5432"},
		{"an address in place of a name", "[2001:db8::1]:5432", nil, nil, "[2001:db8::1]:5432"},
		{"a bad address in place of a name", "[::1]:5432", nil, nil, ""},
		{"a mapped address", "db.example.com:5432", []string{"::ffff:10.0.0.5"}, nil, "10.0.0.5:5432"},
		{"no port", "db.example.com", []string{"10.0.0.5"}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			asked, dialed := 0, ""
			d := &sql.Direct{
				Resolve: func(context.Context, string, string) (all []netip.Addr, err error) {
					asked++
					for _, a := range tc.answer {
						all = append(all, netip.MustParseAddr(a))
					}
					return all, nil
				},
				Dial: func(_ context.Context, _, address string) (net.Conn, error) {
					if tc.fails[address] {
						return nil, errors.New("no route")
					}
					dialed = address
					conn, _ := net.Pipe()
					return conn, nil
				},
			}
			_, err := d.DialContext(t.Context(), "tcp", tc.address)
			if dialed != tc.want || (err == nil) != (tc.want != "") || asked > 1 {
				t.Errorf("dialed %q after %d lookups, %v; want %q", dialed, asked, err, tc.want)
			}
		})
	}
}

// A server that sends without end is cut off.
func TestBounded(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	go func() {
		for {
			if _, err := there.Write(make([]byte, 100)); err != nil {
				return
			}
		}
	}()
	budget := sql.NewBudget(250)
	bounded := sql.Bounded(here, budget)
	for range 2 {
		read := 0
		for {
			n, err := bounded.Read(make([]byte, 1000))
			read += n
			if err != nil {
				break
			}
		}
		if read != 250 {
			t.Errorf("read %d bytes in one call, want 250", read)
		}
		budget.Renew()
	}
	_ = here.Close()
}
