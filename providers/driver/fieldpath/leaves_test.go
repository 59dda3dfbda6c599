package fieldpath_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
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
	if diff := cmp.Diff(want, fieldpath.Leaves(reflect.TypeFor[*shapes]())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := fieldpath.Leaves(reflect.TypeFor[int]()); got != nil {
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
	fieldpath.Leaves(reflect.TypeFor[endless]())
}
