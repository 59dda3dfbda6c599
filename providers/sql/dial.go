package sql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
)

// Refused is the error of an address that must not be dialed.
type Refused struct {
	Address netip.Addr
	Why     string
}

// Error implements error.
func (r *Refused) Error() string {
	return fmt.Sprintf("its name leads to %s, which is %s", r.Address, r.Why)
}

// Direct dials a server over the network of the process. It resolves a name once, checks every address of the answer,
// and dials the addresses that it has checked. One bad address among good ones refuses the name: who answers so may
// answer otherwise the next time.
type Direct struct {
	// Cluster are the ranges of Pods, Services and nodes, and the address of the API server. None of them is dialed.
	Cluster []netip.Prefix
	// Allowed are ranges that may be dialed although a rule is against it. A range of fewer than 8 bits allows nothing: "all addresses" is no
	// decision to reach a metadata server.
	Allowed []netip.Prefix
	// Resolve returns the addresses of a name; nil for the resolver of the process.
	Resolve func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Dial connects to an address and port; nil for a plain net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// metadata are the addresses by which clouds hand credentials to machines, where no rule of their kind covers them.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),      // Amazon's instance metadata, DNS and time
	netip.MustParsePrefix("fd20:ce::254/128"),   // Google's metadata server
	netip.MustParsePrefix("100.100.100.200/32"), // others' metadata
	netip.MustParsePrefix("168.63.129.16/32"),
}

// notHosts are ranges that no server has an address in.
var notHosts = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"), // and broadcast
	netip.MustParsePrefix("::/96"),       // unspecified, loopback, and IPv4-compatible addresses
	netip.MustParsePrefix("fec0::/10"),   // site-local
}

// translated are ranges of IPv6 whose addresses have one of IPv4 in them, with the byte where it begins.
var translated = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// DialContext implements Dialer.
func (d *Direct) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	resolve, dial := d.Resolve, d.Dial
	if resolve == nil {
		resolve = net.DefaultResolver.LookupNetIP
	}
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	addresses, err := []netip.Addr(nil), error(nil)
	if literal, parseErr := netip.ParseAddr(host); parseErr == nil {
		addresses = []netip.Addr{literal}
	} else if addresses, err = resolve(ctx, "ip", host); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if err := d.Check(a); err != nil {
			return nil, err
		}
	}
	errs := []error{}
	for _, a := range addresses {
		conn, err := dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return nil, errors.Join(errs...)
}

// Check returns a Refused error for an address that must not be dialed.
func (d *Direct) Check(address netip.Addr) error {
	if address.Zone() != "" {
		return &Refused{address, "an address with a zone"}
	}
	for _, a := range meanings(address) {
		if within(a, slices.DeleteFunc(slices.Clone(d.Allowed), func(p netip.Prefix) bool { return p.Bits() < 8 })) {
			continue
		}
		if why := d.refuses(a); why != "" {
			return &Refused{address, why}
		}
	}
	return nil
}

// meanings returns an address, and the one of IPv4 that is in it.
func meanings(address netip.Addr) []netip.Addr {
	address = address.Unmap()
	all := []netip.Addr{address}
	for _, t := range translated {
		if t.prefix.Contains(address) {
			bytes := address.As16()
			all = append(all, netip.AddrFrom4([4]byte(bytes[t.at:t.at+4])))
		}
	}
	return all
}

func (d *Direct) refuses(a netip.Addr) string {
	switch {
	case !a.IsValid(), a.IsUnspecified():
		return "no address of a server"
	case a.IsLoopback():
		return "the controller's own host (loopback)"
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast():
		return "link-local, where clouds have their metadata servers"
	case a.IsMulticast():
		return "a multicast address"
	case within(a, metadata):
		return "the address of a metadata server"
	case within(a, notHosts):
		return "no address of a server"
	case within(a, d.Cluster):
		return "in a range of the cluster"
	}
	return ""
}

func within(a netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool {
		return p.Contains(a) || p.Addr().Is4In6() && p.Bits() >= 96 && netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Contains(a)
	})
}

// A Budget is how many bytes a session reads for one call. It is safe for concurrent use.
type Budget struct {
	bytes int64
	left  atomic.Int64
}

// NewBudget returns a budget of a number of bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{bytes: bytes}
	b.Renew()
	return b
}

// Renew begins another call.
func (b *Budget) Renew() { b.left.Store(b.bytes) }

// Bounded returns a connection from which no more is read than the budget has.
func Bounded(conn net.Conn, budget *Budget) net.Conn { return &bounded{Conn: conn, budget: budget} }

type bounded struct {
	net.Conn
	budget *Budget
}

var errTooMuch = errors.New("the server sent more than Mooring reads")

// Read implements net.Conn.
func (b *bounded) Read(to []byte) (int, error) {
	left := b.budget.left.Load()
	if left <= 0 {
		return 0, errTooMuch
	}
	if int64(len(to)) > left {
		to = to[:left]
	}
	n, err := b.Conn.Read(to)
	b.budget.left.Add(-int64(n))
	return n, err
}
