package driver

import "strings"

// A Cost says how long a change makes an object unavailable, or for which users. Texts are clauses in lower case
// without a full stop. Where the cloud documents no duration, Text says so.
type Cost struct {
	Text string
	// MultiZone is the cost for an object with a standby in a second zone. It is empty if the standby makes no
	// difference.
	MultiZone string `json:",omitempty"`
	// Source is the URL of the cloud's documentation of the change.
	Source string
}

// Of returns the cost for an object with a standby in a second zone, or without one.
func (c Cost) Of(twoZones bool) string {
	if twoZones && c.MultiZone != "" {
		return c.MultiZone
	}
	return c.Text
}

// After returns the reason of an effect followed by its cost.
func (c Cost) After(why string, twoZones bool) string {
	cost := c.Of(twoZones)
	if why == "" || cost == "" {
		return why + cost
	}
	return strings.Join([]string{why, cost}, "; ")
}
