package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// An address is a loopback address and port that this process holds on to, whether or not a
// server listens there at the moment: a stopped instance comes back where it was.
type address struct {
	host string
	port int
	hold hold
}

// String returns the address as host:port.
func (a *address) String() string { return net.JoinHostPort(a.host, strconv.Itoa(a.port)) }

func (a *address) release() error { return a.hold.release() }

// withPort holds on to the same host with another port.
func (a *address) withPort(port int) (*address, error) {
	other := &address{host: a.host, port: port}
	var err error
	if other.hold, err = holdAddress(net.ParseIP(other.host), port); err != nil {
		return nil, fmt.Errorf("reserve %s: %w", other, err)
	}
	return other, nil
}

// reserve picks an address that nobody uses: 127.0.0.1 and a port, or the given port on a
// loopback address of its own. Ports are taken from below the range that systems give to
// outgoing connections, so that none of those is in the way when a server comes back.
func reserve(ownHost bool, port int) (*address, error) {
	var last error
	for range 500 {
		a := &address{host: "127.0.0.1", port: 20000 + rand.IntN(12000)}
		if ownHost {
			a.host = fmt.Sprintf("127.%d.%d.%d", 64+rand.IntN(128), rand.IntN(256), 1+rand.IntN(254))
			a.port = port
		}
		if a.hold, last = holdAddress(net.ParseIP(a.host), a.port); last == nil {
			return a, nil
		}
		if !errors.Is(last, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("reserve %s: %w", a, last)
		}
	}
	if ownHost {
		return nil, fmt.Errorf("reserve port %d on a loopback address of its own: %w (does a server listen on every address, 0.0.0.0?)", port, last)
	}
	return nil, fmt.Errorf("reserve a port on 127.0.0.1: %w", last)
}

// ListenAt restarts the server at another port of its address. A stopped server listens there once it is resumed.
func (e *Engines) ListenAt(id string, port int) error {
	err := e.with(id, "listen at another port", func(ctx context.Context, in *instance) error {
		if in.engine.Port == port {
			return nil
		}
		at, err := (&address{host: in.engine.Host}).withPort(port)
		if err != nil {
			return err
		}
		in.engine.Port = port
		return in.backing.listenAt(ctx, at)
	})
	return errors.Join(err, e.redirect(id))
}

// A bareListener stands in for a server without data: it knows who can log in. With PostgreSQL it lets them; with the others it accepts connections and closes them.
type bareListener struct {
	address     *address
	listener    net.Listener
	connections *connections // of the listener
	logins      *logins
	postgres    bool
}

func (b *bareListener) resume(context.Context) error {
	if b.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp4", b.address.String())
	if err != nil {
		return err
	}
	all, greet := &connections{}, func(net.Conn) {}
	if b.postgres {
		greet = b.logins.greet
	}
	b.listener, b.connections = listener, all
	go func() {
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go all.serve(conn, greet)
			}
		}
	}()
	return nil
}

func (b *bareListener) suspend() error {
	if b.listener == nil {
		return nil
	}
	err := b.listener.Close()
	b.connections.end()
	b.listener = nil
	return err
}

func (b *bareListener) listenAt(ctx context.Context, at *address) error {
	listens := b.listener != nil
	err := errors.Join(b.suspend(), b.address.release())
	b.address = at
	if err == nil && listens {
		err = b.resume(ctx)
	}
	return err
}

func (b *bareListener) remove() error { return errors.Join(b.suspend(), b.address.release()) }

func (*bareListener) copyData(context.Context, string) error            { return nil }
func (*bareListener) flushLog(context.Context) error                    { return nil }
func (*bareListener) requireTLS(context.Context, bool) error            { return nil }
func (*bareListener) replaceCertificate(context.Context, *Signed) error { return nil }
func (*bareListener) createDatabase(context.Context, string) error      { return nil }
func (*bareListener) dropDatabase(context.Context, string) error        { return nil }
func (*bareListener) lead(context.Context) (string, error)              { return "", nil }
func (*bareListener) redirect(context.Context, *upstream) error         { return nil }

func (*bareListener) setParameters(context.Context, func(map[string]string) map[string]string) error {
	return nil
}

func (b *bareListener) keepLog(_ context.Context, in *dataCopy) error {
	if in != nil {
		in.source = b.logins
	}
	return nil
}

func (b *bareListener) setPassword(_ context.Context, user, password string) error {
	return b.logins.change(user, &password)
}

func (b *bareListener) dropUser(_ context.Context, user string) error {
	return b.logins.change(user, nil)
}

func (b *bareListener) promote(context.Context) error {
	b.logins.promote()
	return nil
}
