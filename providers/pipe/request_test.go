package pipe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// A host may forbid a request while its permission is on the way to the driver: the Stop arrives before the answer to Begin. The
// request is not sent.
func TestAStopBeforeTheAnswerIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := make(chan bool, 1)
		s := &scripted{Driver: mem.New(mem.Options{}).Driver()}
		s.observe = func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
			requested, end := with.Begin(ctx, "s3", "HeadBucket")
			forbidden <- requested.Err() != nil
			end(driver.Call{Failed: true})
			return driver.Observation{}, nil
		}
		w := newWire(t, func(r io.Reader, w io.Writer) { _ = pipe.Serve(r, w, s) })
		w.send(1, "Open", `{"Session":1,"HasHost":true}`)
		w.receiveMethod("answer")
		w.send(2, "Observe", `{"Session":1,"Kind":"Bucket"}`)
		begin := w.receiveMethod("Begin")
		var asked struct{ Begun uint64 }
		if err := json.Unmarshal(begin.Body, &asked); err != nil {
			t.Fatal(err)
		}
		w.send(0, "Stop", fmt.Sprintf(`{"Number":%d}`, asked.Begun))
		w.send(begin.ID, "answer", fmt.Sprintf(`{"Number":%d}`, asked.Begun))
		if !<-forbidden {
			t.Error("a request that the host had forbidden may be sent")
		}
		w.receiveMethod("Ended")
		w.receiveMethod("answer")
	})
}
