package engine

import "time"

// A Spec describes the server behind one database instance.
type Spec struct {
	ID       string // unique in the cloud; names the data folder
	Engine   string // postgres, mysql or mariadb
	Username string // the administrator: RDS's master user, Cloud SQL's postgres or root; made at start, if not empty
	Password string // empty: nobody can log in as the administrator until SetPassword
	Database string // created at start, if not empty
	// From names the copy that a snapshot kept: the server begins with those data in place of none, and with the users,
	// passwords and databases in them. Username, Password and Database are empty then.
	From string
	// CopyOf names a server whose data, as they are by now, the new one begins with in place of those of From.
	CopyOf string
	// Follows names the server of which the new one is a replica: it begins with the data of that server, repeats its
	// writes and refuses others until it is promoted.
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
	// Signed is the server's certificate; nil: one for its address, by the authority that all servers of the cloud
	// share.
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
