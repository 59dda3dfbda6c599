package portable_test

import (
	"encoding/json"
	"testing"

	"github.com/mooring-dev/mooring/providers/portable"
)

func TestGrowthServes(t *testing.T) {
	for name, test := range map[string]struct {
		want, have portable.Growth
		serves     bool
	}{
		"the same limit": {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 100, Size: 50}, true},
		"the same limit, of a disk that has grown": {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 100, Size: 95}, true},
		"the same limit, and it is reached":        {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 100, Size: 100}, true},
		"another limit":                            {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 200, Size: 50}, false},
		"no growth":                                {portable.Growth{Max: 50, Size: 50}, portable.Growth{Max: 50, Size: 50}, true},
		"no growth, of a larger disk":              {portable.Growth{Max: 50, Size: 50}, portable.Growth{Max: 80, Size: 80}, true},
		"no growth, and it grows":                  {portable.Growth{Max: 50, Size: 50}, portable.Growth{Max: 100, Size: 50}, false},
		"no growth, and the disk is to be larger":  {portable.Growth{Max: 80, Size: 80}, portable.Growth{Max: 50, Size: 50}, true},
		"growth, and it does not grow":             {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 50, Size: 50}, false},
		"growth, and the disk is larger than that": {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 120, Size: 120}, true},
		"growth, and a larger disk grows":          {portable.Growth{Max: 100, Size: 50}, portable.Growth{Max: 200, Size: 120}, false},
		"the size is not said":                     {portable.Growth{Max: 100}, portable.Growth{Max: 100, Size: 50}, true},
	} {
		if got := test.want.Serves(test.have); got != test.serves {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A disk that does not grow has no limit to ask for.
func TestGrowthLimit(t *testing.T) {
	for g, want := range map[portable.Growth]int32{{Max: 100, Size: 50}: 100, {Max: 100}: 100, {Max: 50, Size: 50}: 0, {Max: 40, Size: 50}: 0} {
		if got := g.Limit(); got != want {
			t.Errorf("%+v: %d, want %d", g, got, want)
		}
	}
}

// A limit reads as a number, in messages and in the mirror.
func TestGrowthReadsAsANumber(t *testing.T) {
	g := portable.GrowthOf(new(int32(100)), new(int32(50)))
	if raw, err := json.Marshal(g); err != nil || string(raw) != "100" || g.String() != "100" || g.Size != 50 {
		t.Errorf("%s, %s, %v", raw, g, err)
	}
	if portable.GrowthOf(nil, new(int32(50))) != nil || portable.GrowthOf(new(int32(1)), nil).Size != 0 {
		t.Error("what is not said is said")
	}
}
