package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// What can be restored while its name is free is not created again, unless the spec asks for that; and the message says how to restore it.
func TestRestorable(t *testing.T) {
	const how = "run restore NAME"
	for _, tt := range []struct {
		says v1alpha1.WhenVanished
		how  string
		want v1alpha1.WhenVanished
	}{
		{"", "", v1alpha1.WhenVanishedRecreate},
		{"", how, v1alpha1.WhenVanishedStop},
		{v1alpha1.WhenVanishedRecreate, how, v1alpha1.WhenVanishedRecreate},
		{v1alpha1.WhenVanishedStop, how, v1alpha1.WhenVanishedStop},
		{v1alpha1.WhenVanishedStop, "", v1alpha1.WhenVanishedStop},
	} {
		b := &v1alpha1.Bucket{}
		b.Spec.WhenVanished = tt.says
		p := PolicyOf(kind.Bucket(), b)
		p.Restorable(b, tt.how)
		a := planAbsent(View{Bound: true, AbsenceSure: true, WasReady: true}, p)
		if stops := tt.want == v1alpha1.WhenVanishedStop; p.WhenVanished != tt.want || (a.Verb == Stall) != stops || (a.Verb == Create) == stops {
			t.Errorf("%q, restored by %q: got %s, %v, want %s", tt.says, tt.how, p.WhenVanished, a.Verb, tt.want)
		}
		if a.Verb == Stall && strings.Contains(a.Message, "outside Mooring; "+how+", or set") != (tt.how != "") {
			t.Errorf("%q, restored by %q: the message is %q", tt.says, tt.how, a.Message)
		}
	}
}
