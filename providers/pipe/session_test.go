package pipe_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// slow is a driver that opens a session only when it is released, although its caller gave up.
type slow struct {
	scripted
	release chan struct{}
}

func (s *slow) Open(context.Context, driver.Opening) (driver.Session, error) {
	<-s.release
	return &s.scripted, nil
}

// A session that opens after its caller gave up is not kept: nobody would close it, and it holds credentials.
func TestASessionThatOpensTooLateIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{scripted{Driver: mem.New(mem.Options{}).Driver(), observe: func(context.Context, driver.Opening, driver.Request) (driver.Observation, error) {
			return driver.Observation{State: driver.Ready}, nil
		}}, make(chan struct{})}
		w := newWire(t, func(r io.Reader, w io.Writer) { _ = pipe.Serve(r, w, s) })
		w.send(1, "Open", `{"Session":1}`)
		w.send(1, "cancel", `{}`)
		w.send(0, "Close", `{"Session":1}`)
		synctest.Wait()
		close(s.release)
		if f := w.receiveMethod("answer"); f.Error == nil || f.Error.Code != driver.Unavailable {
			t.Errorf("Open answered %+v, want Unavailable", f.Error)
		}
		w.send(2, "Observe", `{"Session":1,"Kind":"Bucket"}`)
		if f := w.receiveMethod("answer"); f.Error == nil || f.Error.Code != driver.Unavailable {
			t.Errorf("the session was kept: Observe answered %s %+v", f.Body, f.Error)
		}
	})
}

// A caller that gives up on Open cancels it before it closes the session.
func TestOpenIsCancelledBeforeItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connected := make(chan driver.Driver, 1)
		w := newWire(t, func(r io.Reader, w io.Writer) {
			d, err := pipe.Connect(t.Context(), r, w)
			if err != nil {
				t.Errorf("Connect: %v", err)
			}
			connected <- d
		})
		w.send(w.receiveMethod("Describe").ID, "answer", fmt.Sprintf(`{"Contract":%d}`, driver.ContractVersion))
		d := <-connected
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = d.Open(ctx, driver.Opening{}) }()
		opening := w.receiveMethod("Open")
		cancel()
		if f := w.receiveMethod("cancel"); f.ID != opening.ID {
			t.Errorf("call %d was cancelled, want %d", f.ID, opening.ID)
		}
		w.receiveMethod("Close")
	})
}
