package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// seesFilter is the permission without which Cloud Storage answers as if a bucket had no filter.
// https://cloud.google.com/storage/docs/access-control/iam-permissions
const seesFilter = "storage.buckets.getIpFilter"

// grantSight is what to do about a filter that is not shown.
const grantSight = "grant Mooring's identity " + seesFilter

// hidden returns an error where a bucket may have a filter that Mooring may not see. Cloud Storage says of a bucket without a filter the same as of one whose filter
// it hides, so it is asked which of the two it is: once while none is shown, as a bucket that had a filter keeps one. Where the permission is missing it is
// asked again, so that a grant counts.
func (f filters) hidden(ctx context.Context, req *request, have *bucket) error {
	if have.filter != nil {
		f.of.bare.Delete(req.Name)
		return nil
	}
	if _, known := f.of.bare.Load(req.Name); known {
		return nil
	}
	may, err := paying(f.of, req.Name, func() (*raw.TestIamPermissionsResponse, error) {
		return session.Do(ctx, f.of.Caller, "buckets.testIamPermissions", func(ctx context.Context) (*raw.TestIamPermissionsResponse, error) {
			return f.of.folders.Buckets.TestIamPermissions(req.Name, []string{seesFilter}).Context(ctx).Do(f.of.payment(req.Name)...)
		})
	})
	if err != nil {
		return err
	}
	if !slices.Contains(may.Permissions, seesFilter) {
		return &driver.Error{Code: driver.Denied, Op: "buckets.testIamPermissions",
			Message: "Mooring may not see whether the bucket has a filter, so it leaves it as it is: " + grantSight + " for spec.gcp.ipFilter, or remove the field"}
	}
	f.of.bare.Store(req.Name, true)
	return nil
}

// An overheard filter is that of a bucket whose reading it was made for.
type overheard struct{ heard *raw.BucketIpFilter }

type overheardKey struct{}

// overhear returns a context in which the client that reads a bucket leaves its filter.
func overhear(ctx context.Context) (context.Context, *overheard) {
	o := &overheard{}
	return context.WithValue(ctx, overheardKey{}, o), o
}

// overhearing is a transport that reads the filter out of the answer with the rest of the bucket. The client that has all the rest of it knows no filters, and the
// one that knows them would read the bucket once more, at each re-check.
type overhearing struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper. Of an answer that it can't read it reports nothing: the client will say what is wrong with it.
func (o *overhearing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := o.base.RoundTrip(r)
	into, wanted := r.Context().Value(overheardKey{}).(*overheard)
	if err != nil || !wanted || response.StatusCode != http.StatusOK {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	var read struct{ IpFilter *raw.BucketIpFilter }
	if json.Unmarshal(body, &read) == nil {
		into.heard = read.IpFilter
	}
	return response, nil
}
