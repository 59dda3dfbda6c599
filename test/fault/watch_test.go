package fault

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// TestWatches leads lives under managers whose watches end all the time, or bring everything late. Of several
// namespaces a cache does not know whether it is behind; what it shows is then really old.
func TestWatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	const late = 700 * time.Millisecond
	var all sync.WaitGroup
	for _, bad := range []struct {
		name       string
		watches    wrapper
		namespaces []string
	}{
		{"cut", watching(func(r io.ReadCloser) io.ReadCloser { return &cut{ReadCloser: r, end: time.Now().Add(late)} }), nil},
		{"late", watching(func(r io.ReadCloser) io.ReadCloser { return delayed{r, late} }), nil},
		{"late, of several namespaces", watching(func(r io.ReadCloser) io.ReadCloser { return delayed{r, late} }), []string{"another"}},
	} {
		for _, s := range stories() {
			all.Go(func() {
				t.Run(s.String()+"/"+bad.name, func(t *testing.T) {
					m := matrix{manage: func(t *testing.T, l *life) { w.process(t, bad.watches, append(bad.namespaces, l.name)...) }}
					// What is allowed without a fault is what a calm manager does, and no write more.
					calm := w.plain(t, matrix{manage: func(t *testing.T, l *life) { w.process(t, nil, l.name) }}, s)
					w.faulty(t, m, s, trap{}, calm)
				})
			})
		}
	}
	all.Wait()
}

// watching changes what watches read.
func watching(change func(io.ReadCloser) io.ReadCloser) wrapper {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && apiCall(r).verb == "watch" {
				resp.Body = change(resp.Body)
			}
			return resp, err
		})
	}
}

// cut ends a watch with the first event after its time.
type cut struct {
	io.ReadCloser
	end time.Time
}

// Read implements io.Reader.
func (c *cut) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if time.Now().After(c.end) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// delayed brings everything late.
type delayed struct {
	io.ReadCloser
	by time.Duration
}

// Read implements io.Reader.
func (d delayed) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	time.Sleep(d.by) // the network's, not the test's
	return n, err
}
