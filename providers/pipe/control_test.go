package pipe_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// connectWire connects to a driver that is the test, and opens a session.
func connectWire(t *testing.T) (*wire, driver.Session) {
	t.Helper()
	connected := make(chan driver.Driver, 1)
	w := newWire(t, func(r io.Reader, w io.Writer) {
		d, err := pipe.Connect(t.Context(), r, w)
		if err != nil {
			t.Errorf("Connect: %v", err)
		}
		connected <- d
	})
	w.send(w.receiveMethod("Describe").ID, "answer", fmt.Sprintf(`{"Contract":%d}`, driver.ContractVersion))
	d, opened := <-connected, make(chan driver.Session, 1)
	go func() {
		session, err := d.Open(t.Context(), driver.Opening{})
		if err != nil {
			t.Errorf("Open: %v", err)
		}
		opened <- session
	}()
	w.send(w.receiveMethod("Open").ID, "answer", `{}`)
	return w, <-opened
}

// A cancellation arrives although the other side does not read and the queue is full, and before what is queued. A call that is
// cancelled while it is queued is never sent.
func TestCancellationOvertakesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := connectWire(t)
		observe := func(name string) context.CancelFunc {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = session.Observe(ctx, "Bucket", driver.Request{Name: name}) }()
			synctest.Wait()
			return cancel
		}
		cancelFirst := observe("first")
		first := w.receiveMethod("Observe")
		observe("being written")
		cancelQueued := observe("queued-then-cancelled")
		for range 300 { // more than there is room for
			observe("queued")
		}
		cancelFirst()
		cancelQueued()
		synctest.Wait()
		w.receiveMethod("Observe") // it was being written
		if f := w.receiveMethod("cancel"); f.ID != first.ID {
			t.Errorf("call %d was cancelled, want %d", f.ID, first.ID)
		}
		for range 300 {
			if f := w.receiveMethod("Observe"); strings.Contains(string(f.Body), "queued-then-cancelled") {
				t.Error("a call that was cancelled before it was sent was sent")
			}
		}
	})
}
