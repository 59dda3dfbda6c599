package portable

import "testing"

func TestSameParameter(t *testing.T) {
	for _, test := range []struct {
		want, have string
		same       bool
	}{
		{"on", "on", true}, {"on", "ON", true}, {"on", "1", true}, {"true", "1", true}, {"off", "0", true}, {"no", "False", true},
		{"on", "off", false}, {"1", "0", false}, {"on", "2", false},
		{"100", "0100", true}, {"0.10", "0.1", true}, {"100", "100.0", true}, {"-1", "-1.0", true}, {"100", "101", false},
		{"9007199254740993", "9007199254740992", false}, // as floats they would be equal
		{"1e3", "1000", false}, {"0x10", "16", false}, {"", "0", false}, {"", "", true},
		{"minimal", "MINIMAL", false}, // Cloud SQL refuses one of them for binlog_row_image
		{"%m [%p]", "%m [%p] ", false},
	} {
		if got := SameParameter(test.want, test.have); got != test.same {
			t.Errorf("%q and %q are the same: %t, want %t", test.want, test.have, got, test.same)
		}
		if got := SameParameter(test.have, test.want); got != test.same {
			t.Errorf("%q and %q are the same: %t, want %t", test.have, test.want, got, test.same)
		}
	}
}

func FuzzSameParameter(f *testing.F) {
	f.Add("on", "1")
	f.Add("0.10", ".1")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !SameParameter(a, a) {
			t.Errorf("%q differs from itself", a)
		}
		if SameParameter(a, b) != SameParameter(b, a) {
			t.Errorf("%q and %q are the same in one order only", a, b)
		}
	})
}
