package pipe_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/pipe"
)

var update = flag.Bool("update", false, "record what crosses a pipe in this version of the contract")

// What crosses a pipe is as it was recorded for this version of the contract.
func TestWireIsFrozen(t *testing.T) {
	lines := drivertest.Shape(t, pipe.Messages...)
	for _, method := range pipe.Methods {
		lines = append(lines, "method "+method)
	}
	drivertest.Frozen(t, "testdata/contract.txt", driver.ContractVersion, lines, *update)
}

// A driver that was built for another version is refused before anything else of what it says is read, and the pipe is of no more use.
func TestAnotherContractIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		code   driver.Code
		says   []string
	}{
		"a later one": {fmt.Sprintf(`{"Name":"third","Contract":%d,"Resources":"of another shape"}`, driver.ContractVersion+1), driver.Invalid,
			[]string{`"third"`, fmt.Sprint("version ", driver.ContractVersion+1), fmt.Sprint("version ", driver.ContractVersion), "upgrade Mooring"}},
		"one from before versions": {`{"Name":"third"}`, driver.Invalid, []string{"version 0", "install a release of the driver"}},
		"no description":           {`"third"`, driver.Internal, []string{"description"}},
		"ours, and not readable":   {fmt.Sprintf(`{"Name":"third","Contract":%d,"Resources":"none"}`, driver.ContractVersion), driver.Internal, []string{"description"}},
	} {
		t.Run(name, func(t *testing.T) {
			refused := make(chan error, 1)
			w := newWire(t, func(r io.Reader, w io.Writer) {
				_, err := pipe.Connect(context.WithoutCancel(t.Context()), r, w)
				refused <- err
			})
			w.send(w.receiveMethod("Describe").ID, "answer", tt.answer)
			err := <-refused
			if err == nil || driver.CodeOf(err) != tt.code {
				t.Fatalf("got error %v (%v), want code %v", err, driver.CodeOf(err), tt.code)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q does not say %q", err, part)
				}
			}
		})
	}
}
