package driver_test

import (
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

var update = flag.Bool("update", false, "record the messages of this version of the contract")

// Messages, numbers and methods are as they were recorded for this version of the contract: a driver that was built for it has them
// so.
func TestContractIsFrozen(t *testing.T) {
	lines := drivertest.Shape(t, driver.Description{}, driver.Config{}, driver.Request{}, driver.Observation{}, driver.Result{},
		driver.ListRequest{}, driver.Page{}, driver.Call{}, driver.Error{}, driver.Change{}, driver.Edit{}, driver.Command{}, driver.Draft{}, driver.Refusal{},
		v1alpha1.Account{}, v1alpha1.IdentityChain{}) // of a Config: without a field of them a driver would sign in as another
	for code := driver.Code(0); code == 0 || code.String() != driver.Internal.String(); code++ {
		lines = append(lines, fmt.Sprintf("Code %d %v", int(code), code))
	}
	for state := driver.State(0); state == 0 || state.String() != driver.Unknown.String(); state++ {
		lines = append(lines, fmt.Sprintf("State %d %v", int(state), state))
	}
	for _, effect := range driver.Effects {
		lines = append(lines, "Effect "+string(effect))
	}
	for _, ownership := range driver.Ownerships {
		lines = append(lines, "Ownership "+string(ownership))
	}
	for _, verb := range driver.Verbs {
		lines = append(lines, "Verb "+string(verb))
	}
	for _, action := range driver.Actions {
		lines = append(lines, "Action "+string(action))
	}
	for _, change := range driver.PasswordChanges {
		lines = append(lines, "PasswordChange "+string(change))
	}
	for _, name := range []string{driver.FieldMark, driver.FieldUsername} {
		lines = append(lines, "Field "+name)
	}
	for _, side := range []reflect.Type{reflect.TypeFor[driver.Driver](), reflect.TypeFor[driver.Session](), reflect.TypeFor[driver.Host]()} {
		for method := range side.Methods() {
			lines = append(lines, fmt.Sprintf("Method %s.%s%s", side.Name(), method.Name, strings.TrimPrefix(method.Type.String(), "func")))
		}
	}
	drivertest.Frozen(t, "testdata/contract.txt", driver.ContractVersion, lines, *update)
}

// All that TestMessagesSurviveJSON knows is recorded.
func TestEveryMessageIsFrozen(t *testing.T) {
	recorded := strings.Join(drivertest.Shape(t, driver.Description{}, driver.Config{}, driver.Request{}, driver.Observation{}, driver.Result{},
		driver.ListRequest{}, driver.Page{}, driver.Call{}, driver.Error{}, driver.Change{}, driver.Edit{}, driver.Command{}, driver.Draft{}, driver.Refusal{}), "\n")
	for _, message := range messages {
		name := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", message), "[]"), "driver.")
		if name != "Applied" && !strings.Contains("\n"+recorded, "\n"+name+".") { // which is in a Request
			t.Errorf("%T is a message, and nothing is recorded of it", message)
		}
	}
}

func TestCheckContract(t *testing.T) {
	for version, want := range map[int]string{
		driver.ContractVersion:     "",
		0:                          "Contract: driver.ContractVersion",
		driver.ContractVersion + 1: "upgrade Mooring to a release with version",
	} {
		d := driver.Description{Name: "third", Contract: version}
		err := d.CheckContract()
		if want == "" && err == nil {
			continue
		}
		if err == nil || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("version %d: got error %v, want code Invalid", version, err)
			continue
		}
		for _, part := range []string{want, `"third"`, fmt.Sprint("version ", version), fmt.Sprint("version ", driver.ContractVersion)} {
			if part == "" || !strings.Contains(err.Error(), part) {
				t.Errorf("version %d: the error %q does not say %q", version, err, part)
			}
		}
	}
}
