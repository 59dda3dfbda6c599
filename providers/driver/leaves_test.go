package driver_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

type embedded struct {
	Inlined string `json:"inlined"`
}

type shapes struct {
	embedded
	Named    embedded            `json:"named"`
	Pointer  *embedded           `json:"pointer,omitempty"`
	Twice    **embedded          `json:"twice"`
	Scalar   *int                `json:"scalar,omitempty"`
	List     []embedded          `json:"list"`
	Map      map[string]embedded `json:"map"`
	Empty    *struct{}           `json:"empty"`
	Time     time.Time           `json:"time"`
	Untagged string
	Left     string `json:"-"`
	Dash     string `json:"-,"` //nolint:staticcheck // named "-" on purpose
	hidden   string
}

func TestLeaves(t *testing.T) {
	_ = shapes{hidden: ""}
	want := []string{"inlined", "named.inlined", "pointer.inlined", "twice.inlined", "scalar", "list", "map", "empty", "time", "Untagged", "-"}
	if diff := cmp.Diff(want, driver.Leaves(reflect.TypeFor[*shapes]())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := driver.Leaves(reflect.TypeFor[int]()); got != nil {
		t.Errorf("of a scalar: %v", got)
	}
}

type endless struct {
	Inner *endless `json:"inner"`
}

func TestLeavesOfWhatHoldsItself(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it ended without a panic")
		}
	}()
	driver.Leaves(reflect.TypeFor[endless]())
}

func TestEffects(t *testing.T) {
	for effect, disruptive := range map[driver.Effect]bool{
		driver.Online: false, driver.Interrupts: true, driver.Restarts: true, driver.LosesBackups: true, driver.Irreversible: true, driver.Impossible: false,
	} {
		if effect.Disruptive() != disruptive {
			t.Errorf("%s: disruptive is %t", effect, !disruptive)
		}
	}
}

func TestAppliedClone(t *testing.T) {
	a := driver.Applied{"tags": {"a"}, "none": {}}
	b := a.Clone()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b["tags"][0] = "b"
	b["new"] = nil
	if diff := cmp.Diff(driver.Applied{"tags": {"a"}, "none": {}}, a); diff != "" {
		t.Errorf("the original changed with its copy:\n%s", diff)
	}
}
