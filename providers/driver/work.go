package driver

import (
	"fmt"
	"time"
)

// Work is the operation that a cloud is carrying out on an object, while it accepts no changes. The zero Work says
// nothing.
type Work struct {
	// What describes the operation in plain words: "restarting the server".
	What string
	// Since is when the operation began; zero if the cloud does not report it.
	Since time.Time
	// Usually says how long such an operation takes, if the cloud documents it: "up to some hours".
	Usually string
}

// String returns a description of the operation. It does not change while the operation is in progress.
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
