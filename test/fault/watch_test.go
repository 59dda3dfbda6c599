package fault

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// late is how long a watch lasts that is cut, and how much later a late one brings things.
const late = 700 * time.Millisecond

// TestWatches leads lifecycles under managers whose watches end all the time, or bring everything late. Of several
// namespaces a cache does not know whether it is behind; what it shows is then really old. The cloud makes no difference to that.
func TestWatches(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	cutting := func(r io.ReadCloser, hit func()) io.ReadCloser { return &cut{r, time.Now().Add(late), hit} }
	delaying := func(r io.ReadCloser, hit func()) io.ReadCloser { return delayed{r, hit} }
	// What is allowed without a fault is what a calm manager does, and no write more.
	targets := slices.DeleteFunc(slices.Clone(system.Targets), func(s system.Target) bool { return !standsForClouds(s) })
	calm := make([]map[phase]outcome, len(targets))
	var first, all sync.WaitGroup
	for i, s := range targets {
		first.Go(func() {
			t.Run(s.String()+"/calm", func(t *testing.T) {
				calm[i] = w.withoutFault(t, matrix{manage: func(t *testing.T, l *lifecycle) { w.process(t, nil, l.name) }}, s, phasesOf(s))
			})
		})
	}
	first.Wait()
	if t.Failed() {
		return
	}
	for _, bad := range []struct {
		name       string
		change     func(watch io.ReadCloser, hit func()) io.ReadCloser
		namespaces []string
	}{
		{"cut", cutting, nil},
		{"late", delaying, nil},
		{"late, of several namespaces", delaying, []string{"another"}},
	} {
		for i, s := range targets {
			all.Go(func() {
				t.Run(s.String()+"/"+bad.name, func(t *testing.T) {
					m := matrix{manage: func(t *testing.T, l *lifecycle) {
						w.process(t, l.watching(bad.change), append(bad.namespaces, l.name)...)
					}}
					hits := w.withFaults(t, m, s, phasesOf(s), nil, calm[i])
					if hits[creation]+hits[edit]+hits[rotation]+hits[deletion] == 0 {
						t.Error("no watch of the object was cut or late: nothing was tested")
					}
				})
			})
		}
	}
	all.Wait()
}

// watching changes what watches read. A change calls hit each time it does harm to the watch of the lifecycle's own kind.
func (l *lifecycle) watching(change func(watch io.ReadCloser, hit func()) io.ReadCloser) wrapper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if c := apiCall(r); err == nil && c.verb == "watch" {
				hit := func() {}
				if c.resource == strings.ToLower(l.target.Kind)+"s" {
					hit = l.hit
				}
				resp.Body = change(resp.Body, hit)
			}
			return resp, err
		})
	}
}

// cut ends a watch with the first event after its time, and loses that.
type cut struct {
	io.ReadCloser
	end time.Time
	hit func()
}

// Read implements io.Reader.
func (c *cut) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if time.Now().Before(c.end) {
		return n, err
	}
	if n > 0 {
		c.hit()
	}
	return 0, io.ErrUnexpectedEOF
}

// delayed brings everything late.
type delayed struct {
	io.ReadCloser
	hit func()
}

// Read implements io.Reader.
func (d delayed) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	time.Sleep(late) // the network's, not the test's
	if n > 0 {
		d.hit()
	}
	return n, err
}
