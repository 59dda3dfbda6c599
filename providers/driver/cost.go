package driver

import "strings"

// A Cost says how long a change keeps users from an object, or which of them it keeps away. Texts are clauses that begin in lower case and have no
// full stop. Where the cloud gives no time, Text says so.
type Cost struct {
	Text string
	// MultiZone is the cost for an object with a standby in a second zone; empty if the standby makes no difference.
	MultiZone string `json:",omitempty"`
	// Source is the page of the cloud's documentation that speaks of the change.
	Source string
}

// Of returns the cost for an object that is in two zones, or in one.
func (c Cost) Of(twoZones bool) string {
	if twoZones && c.MultiZone != "" {
		return c.MultiZone
	}
	return c.Text
}

// After returns what a change brings about and what that costs.
func (c Cost) After(why string, twoZones bool) string {
	cost := c.Of(twoZones)
	if why == "" || cost == "" {
		return why + cost
	}
	return strings.Join([]string{why, cost}, "; ")
}
