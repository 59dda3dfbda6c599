package pipe_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// counting counts how often it was opened.
type counting struct {
	driver.Driver
	opened atomic.Int32
}

func (c *counting) Open(context.Context, driver.Opening) (driver.Session, error) {
	c.opened.Add(1)
	return nil, errors.New("no session")
}

var errWrite = errors.New("the write failed")

// failingWriter fails each write.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }

// Serve returns when a write fails, with that error, although its reader is still open. A call that comes later is not executed:
// nobody could get its answer.
func TestAFailedWriteEndsBothDirections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counting{Driver: mem.New(mem.Options{}).Driver()}
		served := make(chan error, 1)
		w := newWire(t, func(r io.Reader, _ io.Writer) { served <- pipe.Serve(r, failingWriter{}, d) })
		w.send(1, "Open", `{"Session":1}`)
		synctest.Wait()
		w.send(2, "Open", `{"Session":2}`)
		synctest.Wait()
		if n := d.opened.Load(); n != 1 {
			t.Errorf("%d calls were executed, want only the one before the write failed", n)
		}
		w.release()
		if err := <-served; !errors.Is(err, errWrite) {
			t.Errorf("Serve returned %v, want the error of the write", err)
		}
	})
}

// An end of the pipe within a frame is no proper end.
func TestAnEndWithinAFrameIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		sent string
		want error
	}{
		"nothing":        {"", nil},
		"after a frame":  {`{"ID":1,"Method":"Describe"}` + "\n", nil},
		"within a frame": {`{"ID":1,"Method":"Descr`, io.ErrUnexpectedEOF},
		"no line's end":  {`{"ID":1,"Method":"Describe"}`, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			err := pipe.Serve(strings.NewReader(tc.sent), io.Discard, mem.New(mem.Options{}).Driver())
			if !errors.Is(err, tc.want) {
				t.Errorf("got error %v, want %v", err, tc.want)
			}
		})
	}
}
