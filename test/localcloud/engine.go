package localcloud

import "errors"

// An engineSpec describes the server behind one database instance.
type engineSpec struct {
	ID           string // unique in the cloud; names the data folder
	Engine       string // postgres or mysql
	Username     string // the administrator: RDS's master user, Cloud SQL's postgres or root
	Password     string
	Database     string // created at start, if not empty
	StandardPort bool   // listen on the engine's standard port, on a loopback address of its own
}

// An engine is one running database server, or a bare listener.
type engine struct {
	Host string
	Port int
	CA   string // PEM of the authority that signed the server's certificate; empty for a bare listener
	Real bool
}

// engines starts, knows and ends all database servers of a cloud.
type engines struct{}

func newEngines(dir string, listenersOnly bool) *engines { return &engines{} }

func (*engines) start(spec engineSpec) (*engine, error)      { return nil, errors.New("no engine yet") }
func (*engines) stop(id string) error                        { return nil } // ends the server, removes its data
func (*engines) suspend(id string) error                     { return nil } // ends the server, keeps its data and address
func (*engines) resume(id string) error                      { return nil }
func (*engines) setPassword(id, user, password string) error { return nil } // creates the user if it is missing
func (*engines) dropUser(id, user string) error              { return nil }
func (*engines) createDatabase(id, name string) error        { return nil }
func (*engines) dropDatabase(id, name string) error          { return nil }
func (*engines) close() error                                { return nil }

// EngineAvailable reports whether this machine has the server program for an engine
// (postgres or mysql), and if not, what to install.
func EngineAvailable(name string) error { return errors.New("no engine yet") }
