package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A dbms is a database system: how its server is made, started, asked and ended. All SQL goes
// through the server's Unix socket, in a folder that only the servers' user can enter, as a
// superuser that can log in nowhere else.
type dbms interface {
	logs() bool // the log of all writes can be kept
	// initialise fills data, which does not exist, with an empty database.
	initialise(ctx context.Context, n *nursery, h *home, data string) error
	// configure writes what the server reads when it starts.
	configure(s *server) error
	// command is the server's command line; it logs to standard error.
	command(s *server) *exec.Cmd
	// check refuses values of parameters with which the server would not start.
	check(ctx context.Context, s *server, values map[string]string) error
	// adopt makes a running server take those of s.parameters that need no restart, where they are others than before.
	adopt(ctx context.Context, s *server, before map[string]string) error
	// RequireTLS makes a running server do as s.tlsOnly says.
	requireTLS(ctx context.Context, s *server) error
	// reloadCertificate makes a running server read its certificate again.
	reloadCertificate(ctx context.Context, s *server) error
	// ready returns nil once the server accepts connections.
	ready(ctx context.Context, s *server) error
	// copyData copies the data of a running server to a folder that does not exist.
	copyData(ctx context.Context, s *server, to string) error
	// reconfigure makes a running server do as configure wrote.
	reconfigure(ctx context.Context, s *server) error
	// mark writes a mark into the log of a running server's writes; switchLog returns once all up to now is in s.log.
	mark(ctx context.Context, s *server) error
	switchLog(ctx context.Context, s *server) error
	// furnish makes what a new server of the clouds has.
	furnish(ctx context.Context, s *server) error
	setPassword(ctx context.Context, s *server, user, password string) error
	dropUser(ctx context.Context, s *server, user string) error
	createDatabase(ctx context.Context, s *server, name string) error
	dropDatabase(ctx context.Context, s *server, name string) error
	// lead prepares a running server for followers, which begin with a copy of its data. They reach it by connection.
	lead(ctx context.Context, s *server) error
	connection(s *server) string
	// follow makes a running server that follows another go to it.
	follow(ctx context.Context, s *server) error
	// promote makes a running server that follows another take writes.
	promote(ctx context.Context, s *server) error
	// position is how far a running server is that others follow; reach returns once one that follows it is as far.
	position(ctx context.Context, s *server) (string, error)
	reach(ctx context.Context, s *server, at string) error
}

// dbmses are the engines a spec can name.
var dbmses = map[string]struct {
	port    int // the standard one
	find    func() (dbms, error)
	orderly syscall.Signal // ends the server, all written
	quick   syscall.Signal // ends it at once; also what the kernel sends when we die
}{
	// Of an immediate shutdown nothing is left. SIGKILL would leave busy backends and, for good,
	// a System V shared memory segment.
	"postgres": {port: 5432, find: findPostgres, orderly: syscall.SIGINT, quick: syscall.SIGQUIT},
	"mysql":    {port: 3306, find: findMariaDB, orderly: syscall.SIGTERM, quick: syscall.SIGKILL},
	"mariadb":  {port: 3306, find: findMariaDB, orderly: syscall.SIGTERM, quick: syscall.SIGKILL},
}

func checkEngine(name string) error {
	if _, ok := dbmses[name]; !ok {
		return fmt.Errorf("engine %q: unknown, must be postgres, mysql or mariadb", name)
	}
	return nil
}

// Available reports whether this machine has the server program for an engine
// (postgres, mysql or mariadb), and if not, what to install.
func Available(name string) error {
	if err := checkEngine(name); err != nil {
		return err
	}
	if enginesSupported != nil {
		return fmt.Errorf("engine %s: %w", name, enginesSupported)
	}
	if _, err := unprivileged(); err != nil {
		return fmt.Errorf("engine %s: %w", name, err)
	}
	if _, err := dbmses[name].find(); err != nil {
		return fmt.Errorf("engine %s: %w", name, err)
	}
	return nil
}

// A server is a backing that is real.
type server struct {
	system  dbms
	id      string
	engine  string
	address *address
	signed  *Signed
	nursery *nursery
	home    *home
	tlsOnly bool   // refuses whoever comes over TCP without TLS
	folder  string // holds the data folder, the socket, the certificate, the log
	process *process
	keeps   *dataCopy // the log of the writes; nil for none
	comes   *recovery // how the server comes to its data when it starts; nil for as they are
	follows *upstream // whose writes it repeats; nil for none
	leads   bool      // others follow, or did
	// asks are the parameters that somebody set, and parameters what the server takes of them.
	asks, parameters map[string]string
	// readOnly is for one whose place another took.
	readOnly bool
}

func (s *server) data() string { return filepath.Join(s.folder, "data") }
func (s *server) log() string  { return filepath.Join(s.folder, "log") }
func (s *server) cert() string { return filepath.Join(s.folder, "server.crt") }
func (s *server) key() string  { return filepath.Join(s.folder, "server.key") }

// newServer lays out a server's folder. On an error nothing is left and the address is still
// the caller's.
func (e *Engines) newServer(ctx context.Context, spec Spec, from, log *dataCopy, where *address) (_ *server, err error) {
	k, err := e.newKind(spec.Engine)
	if err != nil {
		return nil, err
	}
	h, err := e.home()
	if err != nil {
		return nil, err
	}
	if from != nil && from.folder == "" {
		return nil, fmt.Errorf("copy %q: %w", spec.From, errCopyOf)
	}
	if log != nil && !k.dbms.logs() {
		return nil, ErrNoLog
	}
	s := &server{keeps: log, comes: recoveryOf(spec, from), follows: spec.upstream, system: k.dbms, id: spec.ID, engine: spec.Engine, tlsOnly: spec.TLSOnly, address: where, nursery: e.nursery, home: h}
	if s.folder, err = h.folder(spec.ID); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(s.folder))
		}
	}()
	if s.signed = spec.Signed; s.signed == nil {
		ca, err := e.Authority()
		if err != nil {
			return nil, err
		}
		if s.signed, err = ca.Sign(Identity{Common: where.host, Hosts: []string{"localhost"}, ips: []net.IP{net.ParseIP(where.host)}}); err != nil {
			return nil, err
		}
	}
	return s, errors.Join(s.writeCertificate(), s.fill(ctx, k.template, from))
}

// fill gives a new server its data: those of a copy, or the empty ones.
func (s *server) fill(ctx context.Context, empty *template, from *dataCopy) error {
	if from == nil || from.empty != nil {
		return empty.unpack(ctx, s.home, s.data())
	}
	return s.home.copy(ctx, from.data(), s.data())
}

// resume starts the server process and waits until it accepts connections.
func (s *server) resume(ctx context.Context) error {
	if s.process != nil {
		select {
		case <-s.process.done: // it ended by itself, and may have left children
			if err := s.end(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	log, err := os.OpenFile(s.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	if err := s.system.configure(s); err != nil {
		return err
	}
	cmd := s.system.command(s)
	cmd.Stdout, cmd.Stderr = log, log
	if s.process, err = s.nursery.spawn(cmd); err != nil {
		return err
	}
	if err := s.process.await(ctx, s.log(), func(ctx context.Context) error { return s.system.ready(ctx, s) }); err != nil {
		return errors.Join(err, s.end())
	}
	s.comes = nil
	if s.follows == nil {
		return nil
	}
	if err := s.system.follow(ctx, s); err != nil {
		return errors.Join(err, s.end())
	}
	return nil
}

// equip makes, on a new server, what the clouds have there, and what spec asks for.
func (s *server) equip(ctx context.Context, spec Spec) error {
	if err := s.system.furnish(ctx, s); err != nil {
		return err
	}
	if spec.Username != "" {
		if err := s.setPassword(ctx, spec.Username, spec.Password); err != nil {
			return err
		}
	}
	if spec.Database != "" {
		return s.createDatabase(ctx, spec.Database)
	}
	return nil
}

// suspend marks the end of the log, which then holds all: a server that ends in good order leaves nothing behind.
func (s *server) suspend() error {
	if s.keeps != nil && s.process != nil {
		_ = s.mark(context.Background()) // one that does not answer ends all the same
	}
	return s.end(dbmses[s.engine].orderly, dbmses[s.engine].quick)
}

func (s *server) mark(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	at := time.Now()
	err := s.system.mark(ctx, s)
	if err == nil {
		s.keeps.marked.Store(at.UnixNano())
	}
	return err
}

func (s *server) keepLog(ctx context.Context, in *dataCopy) error {
	if in != nil && !s.system.logs() {
		return ErrNoLog
	}
	s.keeps = in
	err := s.reconfigure(ctx)
	if err == nil && in != nil {
		err = s.copyData(ctx, in.data())
	}
	if err != nil && in != nil {
		s.keeps = nil
		err = errors.Join(err, s.reconfigure(ctx))
	}
	return err
}

// reconfigure has a server do as s says, at once if it runs.
func (s *server) reconfigure(ctx context.Context) error {
	if s.process == nil {
		return nil
	}
	return errors.Join(s.system.configure(s), s.system.reconfigure(ctx, s))
}

func (s *server) flushLog(ctx context.Context) error {
	if s.keeps == nil {
		return errNoCopy
	}
	if s.process == nil { // it ended in good order
		return nil
	}
	if err := s.mark(ctx); err != nil {
		return err
	}
	return s.system.switchLog(ctx, s)
}

func (s *server) listenAt(ctx context.Context, at *address) error {
	runs := s.process != nil
	err := errors.Join(s.suspend(), s.address.release())
	s.address = at
	if err == nil && runs {
		err = s.resume(ctx)
	}
	return err
}

func (s *server) remove() error {
	return errors.Join(s.end(dbmses[s.engine].quick), os.RemoveAll(s.folder), s.address.release())
}

func (s *server) copyData(ctx context.Context, to string) error {
	if s.process == nil {
		return s.home.copy(ctx, s.data(), to)
	}
	return s.system.copyData(ctx, s, to)
}

func (s *server) end(asks ...syscall.Signal) error {
	if s.process == nil {
		return nil
	}
	err := s.process.end(asks...)
	s.process = nil
	return errors.Join(err, endStrays(s.data()))
}

// asked guards what needs a server that runs.
func (s *server) asked(op func() error) error {
	if s.process == nil {
		return errSuspended
	}
	return op()
}

func (s *server) requireTLS(ctx context.Context, only bool) error {
	s.tlsOnly = only
	if s.process == nil {
		return nil
	}
	return s.system.requireTLS(ctx, s)
}

func (s *server) writeCertificate() error {
	return errors.Join(s.home.write(s.cert(), s.signed.certificate), s.home.write(s.key(), s.signed.key))
}

func (s *server) replaceCertificate(ctx context.Context, to *Signed) error {
	s.signed = to
	if err := s.writeCertificate(); err != nil || s.process == nil {
		return err
	}
	return s.system.reloadCertificate(ctx, s)
}

func (s *server) setPassword(ctx context.Context, user, password string) error {
	return s.asked(func() error { return s.system.setPassword(ctx, s, user, password) })
}

func (s *server) dropUser(ctx context.Context, user string) error {
	return s.system.dropUser(ctx, s, user)
}

func (s *server) createDatabase(ctx context.Context, name string) error {
	return s.asked(func() error { return s.system.createDatabase(ctx, s, name) })
}

func (s *server) dropDatabase(ctx context.Context, name string) error {
	return s.asked(func() error { return s.system.dropDatabase(ctx, s, name) })
}
