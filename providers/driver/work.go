package driver

import (
	"fmt"
	"time"
)

// Work is what the cloud is at work on while it takes no changes of an object. The zero Work says nothing.
type Work struct {
	// What says it in plain words, as what the cloud is doing: "restarting the server".
	What string
	// Since is when the cloud says that it began; zero if it does not say.
	Since time.Time
	// Usually says how long that takes, where the cloud documents it: "up to some hours".
	Usually string
}

// String says all that is known of the work. It stays the same for as long as the work does.
func (w Work) String() string {
	text := w.What
	if text == "" {
		return ""
	}
	if !w.Since.IsZero() {
		text += w.Since.UTC().Format(", since 2006-01-02 15:04 UTC")
	}
	if w.Usually != "" {
		text += fmt.Sprintf(" (usually %s)", w.Usually)
	}
	return text
}
