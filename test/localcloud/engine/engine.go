package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// An Spec describes the server behind one database instance.
type Spec struct {
	ID       string // unique in the cloud; names the data folder
	Engine   string // postgres, mysql or mariadb
	Username string // the administrator: RDS's master user, Cloud SQL's postgres or root; made at start, if not empty
	Password string // empty: nobody can log in as the administrator until SetPassword
	Database string // created at start, if not empty
	// From names the copy that a snapshot kept: the server begins with those data in place of none, and with the users, passwords and databases in them. Username,
	// Password and Database are empty then.
	From string
	// CopyOf names a server whose data, as they are by now, the new one begins with in place of those of From.
	CopyOf string
	// Follows names the server of which the new one is a replica: it begins with the data of that server, repeats its writes and refuses others until it is promoted.
	Follows string
	// Flush names the server whose log From is: all that it wrote by now is to be in there. It may be gone.
	Flush string
	// Until is up to which of the machine's times the server has the writes of the log, if From is one; zero for all.
	Until time.Time
	// Log names what keeps the log of all writes from the first one on; empty for no log.
	Log string
	// Held is called once From is used, or not any more; nil for nothing.
	Held func()
	// StandardPort makes the server listen on the engine's standard port, on a loopback address
	// of its own: the Cloud SQL API can say an address but no port.
	StandardPort bool
	// Port is the port on that address in place of the standard one; 0 is that.
	Port int
	// TLSOnly makes the server refuse whoever comes without TLS.
	TLSOnly bool
	// Parameters are what the server does otherwise than by itself.
	Parameters map[string]string
	// Signed is the server's certificate; nil: one for its address, by the authority that all servers of the cloud share.
	Signed *Signed

	// After is work that the start waits for, and fails with; nil for none.
	After *Job

	upstream *upstream // of a server that follows another
}

// An Engine is one running database server, or a bare listener.
type Engine struct {
	Host string
	Port int
	CA   string // PEM of the authority that signed the server's certificate; empty for a bare listener
	Real bool
}

// workTimeout ends work on a server that neither answers nor exits. Starts take well
// under a second; a machine on which dozens of them begin at once is given time, since an instance whose server did not start has failed for good.
const workTimeout = 10 * time.Minute

var (
	errNoEngine       = errors.New("no such instance")
	errEnginesClosed  = errors.New("the local cloud is closed")
	errSuspended      = errors.New("the instance is stopped")
	errEngineExists   = errors.New("an instance of that id exists")
	errWorkTimeout    = errors.New("the work on the server took too long")
	errEngineReserved = errors.New("the name is reserved")
)

// Engines starts, knows and ends all database servers of a cloud. It is safe for concurrent
// use: calls for one instance take turns (a SetPassword during a start waits for it), calls for
// different instances do not wait for each other, except that only a few servers boot at a time.
type Engines struct {
	dir           string
	listenersOnly bool
	ctx           context.Context
	cancel        context.CancelFunc
	nursery       *nursery
	booting       chan struct{} // its capacity is how many servers may boot at a time
	limit         time.Duration // of all work on a server; workTimeout but in tests
	Authority     func() (*Authority, error)
	home          func() (*home, error)

	mu      sync.Mutex
	known   map[string]*instance
	copies  map[string]*dataCopy
	working sync.WaitGroup // starts, stops and snapshots under way
	made    *home          // what close removes
	closed  bool
}

// A kind is a database system found on this machine, with the empty data that its servers begin with.
type kind struct {
	dbms     dbms
	template *template
}

// An instance is what engines knows about one engine.
type instance struct {
	ctx    context.Context // ends when the instance is stopped
	cancel context.CancelFunc

	mu      sync.Mutex // held by the call that works on it
	gone    bool
	kind    string // of engine: postgres, mysql or mariadb
	engine  Engine
	backing backing
}

// A backing is what answers at an instance's address. Calls on one never overlap.
type backing interface {
	resume(ctx context.Context) error // returns once connections are accepted; nil if they already are
	// ListenAt moves the server to another address, with a restart if it runs. The former address is given up.
	listenAt(ctx context.Context, at *address) error
	suspend() error // ends the server, keeps data and address; nil if it already has
	remove() error  // ends the server, gives up data and address
	// copyData copies the data, as they are at a moment, to a folder that does not exist.
	copyData(ctx context.Context, to string) error
	keepLog(ctx context.Context, in *dataCopy) error // and the data that it begins with; nil ends it
	flushLog(ctx context.Context) error              // returns once all is in the log that is written by now
	requireTLS(ctx context.Context, only bool) error
	// SetParameters has the server do as next says, of what it was asked for before; one that is stopped does so once it runs.
	setParameters(ctx context.Context, next func(map[string]string) map[string]string) error
	replaceCertificate(ctx context.Context, to *Signed) error // a server that is stopped shows it once it runs
	setPassword(ctx context.Context, user, password string) error
	dropUser(ctx context.Context, user string) error
	createDatabase(ctx context.Context, name string) error
	dropDatabase(ctx context.Context, name string) error
	lead(ctx context.Context) (at string, err error)  // prepares for followers, and returns how they reach the server
	redirect(ctx context.Context, to *upstream) error // of a server that follows the one of that id; others do nothing
	promote(ctx context.Context) error                // ends the following, with all that was repeated; nil if it follows none
}

// New returns the servers of a cloud, which keep their data below a folder; bare listeners if listenersOnly says so.
func New(dir string, listenersOnly bool) *Engines {
	ctx, cancel := context.WithCancel(context.Background())
	e := &Engines{
		dir: dir, listenersOnly: listenersOnly, ctx: ctx, cancel: cancel,
		nursery:   &nursery{},
		booting:   make(chan struct{}, max(2, runtime.NumCPU())),
		limit:     workTimeout,
		Authority: sync.OnceValues(func() (*Authority, error) { return NewAuthority("Mooring local cloud", nil) }),
		known:     map[string]*instance{}, copies: map[string]*dataCopy{},
	}
	e.home = sync.OnceValues(e.newHome)
	return e
}

// Start starts a server and returns once it can be used. When the machine lacks the program,
// or the cloud wants listeners only, it is a bare listener. A stop of the same id makes a start
// that is under way fail.
func (e *Engines) Start(spec Spec) (_ *Engine, err error) {
	if spec.Held != nil {
		defer spec.Held()
	}
	if err := checkEngine(spec.Engine); err != nil {
		return nil, err
	}
	spec.After.Wait()
	if err := spec.After.Failure(); err != nil {
		return nil, err
	}
	if spec.Follows != "" {
		if spec, err = e.follow(spec); err != nil {
			return nil, err
		}
	}
	if spec.CopyOf != "" {
		spec.From = "clone-" + spec.ID
		if err := e.Snapshot(spec.CopyOf, spec.From); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, e.Drop(spec.From)) }()
	}
	if spec.Flush != "" {
		if err := e.FlushLog(spec.Flush); err != nil && !errors.Is(err, errNoEngine) && !errors.Is(err, errNoCopy) {
			return nil, err
		}
	}
	from, release, err := e.origin(spec)
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", spec.ID, err)
	}
	defer release()
	in, err := e.admit(spec.ID)
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", spec.ID, err)
	}
	defer e.working.Done()
	defer in.mu.Unlock()
	if err := e.limited(in.ctx, "start", func(ctx context.Context) error { return e.bootLogged(ctx, in, spec, from) }); err != nil {
		return nil, errors.Join(fmt.Errorf("start engine %q: %w", spec.ID, err), e.forget(spec.ID, in))
	}
	out := in.engine
	return &out, nil
}

// admit makes an instance known, locked.
func (e *Engines) admit(id string) (*instance, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errEnginesClosed
	}
	if e.known[id] != nil {
		return nil, errEngineExists
	}
	in := &instance{}
	in.ctx, in.cancel = context.WithCancel(e.ctx)
	in.mu.Lock()
	e.known[id] = in
	e.working.Add(1)
	return in, nil
}

// bare reports whether instances of an engine are bare listeners.
func (e *Engines) bare(engine string) bool { return e.listenersOnly || Available(engine) != nil }

func (e *Engines) boot(ctx context.Context, in *instance, spec Spec, from, log *dataCopy) error {
	bare := e.bare(spec.Engine)
	where, err := reserve(spec.StandardPort, cmp.Or(spec.Port, dbmses[spec.Engine].port))
	if err != nil {
		return err
	}
	in.kind, in.engine = spec.Engine, Engine{Host: where.host, Port: where.port, Real: !bare}
	if bare {
		in.backing = &bareListener{address: where, logins: newLogins(spec, from), postgres: spec.Engine == "postgres"}
		return errors.Join(in.backing.keepLog(ctx, log), in.backing.resume(ctx))
	}
	select {
	case e.booting <- struct{}{}:
		defer func() { <-e.booting }()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for other servers that boot: %w", context.Cause(ctx)), where.release())
	}
	s, err := e.newServer(ctx, spec, from, log, where)
	if err != nil {
		return errors.Join(err, where.release())
	}
	in.backing, in.engine.CA = s, s.signed.authorities
	if err := s.setParameters(ctx, func(map[string]string) map[string]string { return spec.Parameters }); err != nil {
		return err
	}
	if err := s.resume(ctx); err != nil {
		return err
	}
	if spec.From != "" {
		return nil
	}
	return s.equip(ctx, spec)
}

// forget ends a locked instance and makes its id free.
func (e *Engines) forget(id string, in *instance) error {
	e.mu.Lock()
	if e.known[id] == in {
		delete(e.known, id)
	}
	e.mu.Unlock()
	in.cancel()
	in.gone = true
	if in.backing == nil {
		return nil
	}
	return in.backing.remove()
}

// Stop ends the server and removes its data. Its id is free at once. Stopping what is not
// there is no error.
func (e *Engines) Stop(id string) error {
	e.mu.Lock()
	in := e.known[id]
	if in == nil {
		e.mu.Unlock()
		return nil
	}
	delete(e.known, id)
	e.working.Add(1)
	e.mu.Unlock()
	defer e.working.Done()
	in.cancel() // before the lock: a start that is under way holds it
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.gone {
		return nil
	}
	if err := e.forget(id, in); err != nil {
		return fmt.Errorf("stop engine %q: %w", id, err)
	}
	return nil
}

// Suspend ends the server in good order and keeps its data and its address.
func (e *Engines) Suspend(id string) error {
	return e.with(id, "suspend", func(_ context.Context, in *instance) error { return in.backing.suspend() })
}

// Resume starts a suspended server again, at the same address.
func (e *Engines) Resume(id string) error {
	return e.with(id, "resume", func(ctx context.Context, in *instance) error {
		in.thaw()
		return in.backing.resume(ctx)
	})
}

// Restart ends the server in good order and starts it again, at the same address.
func (e *Engines) Restart(id string) error {
	return e.with(id, "restart", func(ctx context.Context, in *instance) error {
		if err := in.backing.suspend(); err != nil {
			return err
		}
		in.thaw()
		return in.backing.resume(ctx)
	})
}

// ReplaceCertificate gives a server another certificate, which it shows to whoever connects from then on.
func (e *Engines) ReplaceCertificate(id string, to *Signed) error {
	return e.with(id, "replace the certificate", func(ctx context.Context, in *instance) error { return in.backing.replaceCertificate(ctx, to) })
}

// RequireTLS makes the server refuse whoever comes without TLS, or take them again. A stopped server does so once it is resumed.
func (e *Engines) RequireTLS(id string, only bool) error {
	return e.with(id, "require TLS", func(ctx context.Context, in *instance) error { return in.backing.requireTLS(ctx, only) })
}

// SetPassword sets a user's password, and creates the user, as an administrator, if it is
// missing. With an empty password nobody can log in as that user.
func (e *Engines) SetPassword(id, user, password string) error {
	return e.with(id, "set a password", func(ctx context.Context, in *instance) error { return in.backing.setPassword(ctx, user, password) })
}

// DropUser removes a user; one that owns objects can't be removed, as in the clouds. A user
// that is missing is no error.
func (e *Engines) DropUser(id, user string) error {
	return e.with(id, "drop a user", func(ctx context.Context, in *instance) error { return in.backing.dropUser(ctx, user) })
}

// CreateDatabase creates a database that every administrator owns. One that exists is no error.
func (e *Engines) CreateDatabase(id, name string) error {
	return e.with(id, "create a database", func(ctx context.Context, in *instance) error { return in.backing.createDatabase(ctx, name) })
}

// DropDatabase removes a database; PostgreSQL refuses while someone is connected to it. A
// database that is missing is no error.
func (e *Engines) DropDatabase(id, name string) error {
	return e.with(id, "drop a database", func(ctx context.Context, in *instance) error { return in.backing.dropDatabase(ctx, name) })
}

// with calls f with an instance that is locked. The context ends when the instance is stopped, and when the work takes too long.
func (e *Engines) with(id, op string, f func(context.Context, *instance) error) error {
	e.mu.Lock()
	in := e.known[id]
	e.mu.Unlock()
	if in == nil {
		return fmt.Errorf("engine %q: %s: %w", id, op, errNoEngine)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	err := errNoEngine
	if !in.gone {
		err = e.limited(in.ctx, op, func(ctx context.Context) error { return f(ctx, in) })
	}
	if err != nil {
		return fmt.Errorf("engine %q: %s: %w", id, op, err)
	}
	return nil
}

// limited does work on a server with a limit. An error after it says what took too long, beside what was waited for.
func (e *Engines) limited(ctx context.Context, op string, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("%w: %s was not done within %v", errWorkTimeout, op, e.limit))
	defer cancel()
	err := work(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// Close ends all servers and removes their data.
func (e *Engines) Close() error {
	e.mu.Lock()
	e.closed = true
	ids := make([]string, 0, len(e.known))
	for id := range e.known {
		ids = append(ids, id)
	}
	e.mu.Unlock()
	e.cancel()
	errs := make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() { errs[i] = e.Stop(id) })
	}
	all.Wait()
	e.working.Wait()
	e.nursery.close()
	if e.made != nil {
		errs = append(errs, os.RemoveAll(e.made.path))
	}
	return errors.Join(errs...)
}
