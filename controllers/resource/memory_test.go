package resource

import (
	"testing"
	"time"
)

// That an update was sent in vain counts until a person does something about the object.
func TestNewsEndsThatAnUpdateWasInVain(t *testing.T) {
	d := newDesk(t)
	d.mem.shared.Cloud.InVain = true
	if start := d.mem.begin(d.Object, time.Now()); start.News.Any || !start.Memory.Cloud.InVain {
		t.Errorf("nothing is new, and it begins with %+v, in vain: %t", start.News, start.Memory.Cloud.InVain)
	}
	d.bucket().Generation++
	if start := d.mem.begin(d.Object, time.Now()); !start.News.Any || start.Memory.Cloud.InVain || d.mem.shared.Cloud.InVain {
		t.Errorf("the spec was edited, and it begins with %+v, in vain: %t, remembered: %t", start.News, start.Memory.Cloud.InVain, d.mem.shared.Cloud.InVain)
	}
}
