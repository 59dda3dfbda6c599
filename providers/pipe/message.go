package pipe

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// The methods of the driver's side.
const (
	describe = "Describe"
	preview  = "Preview"
	open     = "Open"
	closing  = "Close" // nobody has the session any more
	identity = "Identity"
	observe  = "Observe"
	create   = "Create"
	update   = "Update"
	remove   = "Delete"
	stop     = "Stop" // a request that began must not go on
)

// The methods of the host's side.
const (
	token = "Token"
	begin = "Begin"
	ended = "Ended"
)

// previewing asks what an edit does.
type previewing struct {
	Kind     string
	From, To json.RawMessage
	Applied  field.Applied
}

// opening opens a session under a number that the caller chose. The credentials are in clear: the pipe is where they have to go.
type opening struct {
	Session     uint64
	Config      driver.Config
	Credentials map[string][]byte
	HasHost     bool
}

// about is a call of a session. The password is in clear, as credentials are.
type about struct {
	Session  uint64
	Kind     string         `json:",omitempty"`
	Request  driver.Request `json:",omitzero"`
	Changes  []field.Change `json:",omitempty"`
	Password string         `json:",omitempty"`
}

// asking is a call of a session's host.
type asking struct {
	Session uint64
	// Audience is of a Token.
	Audience string `json:",omitempty"`
	// Begun is the number of the request that Begins or Ended, which the driver chose.
	Begun uint64 `json:",omitempty"`
	// Service and Operation are of a Begin, Call of what Ended.
	Service, Operation string      `json:",omitempty"`
	Call               driver.Call `json:",omitzero"`
}

// begun is the answer to a Begin: whether the request must not be sent.
type begun struct{ Over bool }

// stopped says that a request that began must not go on.
type stopped struct{ Number uint64 }
