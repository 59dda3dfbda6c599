package system

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/patience"
)

// gcpClient leads to the project as people use it beside Mooring.
func gcpClient(c *Cloud) (context.Context, option.ClientOption) {
	config, err := google.JWTConfigFromJSON(c.GCPKey(c.Account), storage.CloudPlatformScope)
	if err != nil {
		panic(err)
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{})
	return ctx, option.WithHTTPClient(config.Client(ctx))
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for the cloud.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for wait := patience.New(); !done(); time.Sleep(20 * time.Millisecond) {
		if wait.Over() {
			t.Fatalf("not so after %s: %s", wait, what)
		}
	}
}

func missing(err error) bool {
	e, is := errors.AsType[*googleapi.Error](err)
	return is && e.Code == http.StatusNotFound
}
