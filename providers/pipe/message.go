package pipe

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/providers/driver"
)

// The methods of the driver's side.
const (
	describe = "Describe"
	preview  = "Preview"
	check    = "Check"
	open     = "Open"
	closing  = "Close" // nobody has the session any more
	identity = "Identity"
	observe  = "Observe"
	list     = "List"
	create   = "Create"
	update   = "Update"
	do       = "Do"
	remove   = "Delete"
	stop     = "Stop" // a request that began must not go on
)

// The methods of the host's side.
const (
	token = "Token"
	begin = "Begin"
	ended = "Ended"
)

// previewCall asks what an edit does.
type previewCall struct {
	Kind     string
	From, To json.RawMessage
	Applied  driver.Applied
}

// checkCall asks what of a draft the cloud refuses.
type checkCall struct {
	Kind  string
	Draft driver.Draft
}

// openCall opens a session under a number that the caller chose. The credentials are in clear: the pipe is where they have to go.
type openCall struct {
	Session     uint64
	Config      driver.Config
	Credentials map[string][]byte
	HasHost     bool
}

// sessionCall is a call of a session. The password is in clear, as credentials are.
type sessionCall struct {
	Session uint64
	Kind    string         `json:",omitempty"`
	Request driver.Request `json:",omitzero"`
	// List is of a List.
	List     driver.ListRequest `json:",omitzero"`
	Changes  []driver.Change    `json:",omitempty"`
	Command  driver.Command     `json:",omitzero"`
	Password string             `json:",omitempty"`
	// ParentUsername and ParentPassword are the login in Secrets.Parent.
	ParentUsername, ParentPassword string `json:",omitempty"`
}

// with returns the call with secrets beside it.
func (c sessionCall) with(s driver.Secrets) sessionCall {
	c.Password, c.ParentUsername, c.ParentPassword = s.Own.InClear(), s.Parent.Username, s.Parent.Password
	return c
}

// secrets returns what is beside the call.
func (c sessionCall) secrets() driver.Secrets {
	return driver.Secrets{Own: driver.Password(c.Password), Parent: driver.Login{Username: c.ParentUsername, Password: c.ParentPassword}}
}

// hostCall is a call of a session's host.
type hostCall struct {
	Session uint64
	// Audience is of a Token.
	Audience string `json:",omitempty"`
	// Number is that of the request of a Begin or an Ended, which the driver chose.
	Number uint64 `json:",omitempty"`
	// Service and Operation are of a Begin, Call of an Ended.
	Service, Operation string      `json:",omitempty"`
	Call               driver.Call `json:",omitzero"`
}

// beginAnswer is the answer to a Begin: whether the request must not be sent.
type beginAnswer struct{ Forbidden bool }

// stopRequest says that a request that began must not go on.
type stopRequest struct{ Number uint64 }
