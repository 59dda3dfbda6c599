package gcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// The preview of a private network says that clients get another host by the connection Secret, whether the server had a private address or not.
func TestPreviewOfAPrivateNetworkNamesTheHost(t *testing.T) {
	of := func(network *string) json.RawMessage {
		req := newDatabase("orders", v1alpha1.EnginePostgres)
		req.Spec.GCP.PrivateNetwork = network
		raw, err := json.Marshal(req.Spec)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	mine, other := new("projects/p/global/networks/mine"), new("projects/p/global/networks/other")
	for name, from := range map[string]*string{"a public server": nil, "a server in another network": other} {
		changes, err := gcp.New(gcp.Options{}).Preview("Database", of(from), of(mine), nil)
		if err != nil || len(changes) != 1 || changes[0].Effect != driver.Restarts || !strings.Contains(changes[0].Why, "becomes the host in the connection Secret") {
			t.Errorf("%s: %v, %+v", name, err, changes)
		}
	}
}
