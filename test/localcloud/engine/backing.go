package engine

import (
	"context"
	"sync"
)

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
	// SetParameters has the server do as next says, of what it was asked for before; one that is stopped does so once
	// it runs.
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
