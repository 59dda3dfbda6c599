package identity

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A cloud is what differs between the two, beside the ways in.
type cloud struct {
	name string
	// service is the ledger's name of the one that has buckets, observation the read that every observation of one begins with, and
	// deletion what it calls the end of one.
	service               string
	observation, deletion string

	account  func(*fixture) v1alpha1.Account
	endpoint func(*fixture) string
	audience func(*v1alpha1.WebIdentity) string
	// keys are those that everything in the account can be done with.
	keys func(*fixture) driver.Credentials
	// keyID is the id of the current key, and addKey makes another the current one. The old one is good until deleteOld is called.
	keyID  func(*fixture) string
	addKey func(*fixture) (deleteOld func())
}

var amazon = cloud{
	name: "aws", service: "s3", observation: "GetBucketTagging", deletion: "DeleteBucket",
	account: func(*fixture) v1alpha1.Account {
		return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}
	},
	endpoint: func(w *fixture) string { return w.Cloud.AWSEndpoint() },
	audience: func(*v1alpha1.WebIdentity) string { return "sts.amazonaws.com" },
	keys: func(w *fixture) driver.Credentials {
		id, secret := w.Cloud.AWSKeys(w.account)
		return driver.Credentials{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)}
	},
	keyID: func(w *fixture) string {
		id, _ := w.Cloud.AWSKeys(w.account)
		return id
	},
	addKey: func(w *fixture) func() { return w.Cloud.AddAWSKey(w.account) },
}

var google = cloud{
	name: "gcp", service: "storage", observation: "buckets.get", deletion: "buckets.delete",
	account: func(w *fixture) v1alpha1.Account {
		return v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: w.project, Region: system.GCPRegion}}
	},
	endpoint: func(w *fixture) string { return w.Cloud.GCPEndpoint() },
	audience: func(web *v1alpha1.WebIdentity) string { return "//iam.googleapis.com/" + web.Provider },
	keys: func(w *fixture) driver.Credentials {
		return driver.Credentials{v1alpha1.SecretKeyGCPCredentials: w.Cloud.GCPKey(w.project)}
	},
	keyID: func(w *fixture) string {
		var key struct {
			ID string `json:"private_key_id"`
		}
		w.Must(json.Unmarshal(w.Cloud.GCPKey(w.project), &key))
		return key.ID
	},
	addKey: func(w *fixture) func() { return w.Cloud.AddGCPKey(w.project) },
}

// callers returns who made the calls about a cloud object, each once.
func (c cloud) callers(w *fixture, name string) []string {
	var all []string
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Service: c.service, Resource: name}) {
		all = append(all, call.Caller)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refusedCaller reports whether the cloud refused a call for who made it.
func refusedCaller(call localcloud.Call) bool {
	return call.Status == http.StatusUnauthorized || call.Status == http.StatusForbidden || call.Code == "ExpiredToken"
}
