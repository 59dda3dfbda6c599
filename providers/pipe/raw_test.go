package pipe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// frame is a frame on the wire.
type frame struct {
	ID     uint64
	Method string
	Body   json.RawMessage
	Error  *driver.Error
}

// wire is the other end of a pipe, which a test reads and writes frame by frame.
type wire struct {
	t       *testing.T
	frames  *json.Decoder
	w       io.Writer
	release func()
}

// newWire starts one side of a pipe, and returns the other. The side has to end when its reader ends.
func newWire(t *testing.T, start func(r io.Reader, w io.Writer)) *wire {
	t.Helper()
	fromTest, toSide := io.Pipe()
	fromSide, toTest := io.Pipe()
	release := func() { _, _, _ = toSide.Close(), toTest.Close(), fromSide.Close() }
	t.Cleanup(release)
	go start(fromTest, toTest)
	return &wire{t: t, frames: json.NewDecoder(fromSide), w: toSide, release: release}
}

// send writes a frame whose body is JSON.
func (w *wire) send(id uint64, method, body string) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.w, `{"ID":%d,"Method":%q,"Body":%s}`+"\n", id, method, body); err != nil {
		w.t.Fatalf("send %s: %v", method, err)
	}
}

// receive reads the next frame.
func (w *wire) receive() (f frame) {
	w.t.Helper()
	if err := w.frames.Decode(&f); err != nil {
		w.t.Fatalf("no frame came: %v", err)
	}
	return f
}

// receiveMethod reads the next frame, and fails the test if it has another method.
func (w *wire) receiveMethod(method string) frame {
	w.t.Helper()
	f := w.receive()
	if f.Method != method {
		w.t.Fatalf("got frame %s %s, want %s", f.Method, f.Body, method)
	}
	return f
}
