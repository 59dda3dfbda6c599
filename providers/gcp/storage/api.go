package storage

import (
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// api is Cloud Storage, with the answers of each operation that is called.
// https://cloud.google.com/storage/docs/json_api/v1
var api = &session.API{
	Name: "storage", Title: "Cloud Storage", Host: "https://storage.googleapis.com",
	Answers: map[string]session.Answer{
		"buckets.delete":              {Nothing: true},
		"buckets.get":                 {Kind: "storage#bucket"},
		"buckets.getIamPolicy":        {Kind: "storage#policy"},
		"buckets.insert":              {Kind: "storage#bucket"},
		"buckets.list":                {Kind: "storage#buckets"},
		"buckets.lockRetentionPolicy": {Kind: "storage#bucket"},
		"buckets.patch":               {Kind: "storage#bucket"},
		"buckets.setIamPolicy":        {Kind: "storage#policy"},
		"buckets.testIamPermissions":  {Kind: "storage#testIamPermissionsResponse"},
		"folders.delete":              {Nothing: true},
		"folders.list":                {Kind: "storage#folders"},
		"managedFolders.delete":       {Nothing: true},
		"managedFolders.list":         {Kind: "storage#managedFolders"},
		"notifications.delete":        {Nothing: true},
		"notifications.insert":        {Kind: "storage#notification"},
		"notifications.list":          {Kind: "storage#notifications"},
		"objects.delete":              {Nothing: true},
		"objects.list":                {Kind: "storage#objects", Members: []string{"items", "nextPageToken", "prefixes"}},
		"objects.patch":               {Kind: "storage#object"},
	},
	Refusals: []session.Refusal{
		{Operations: exemptCalls, Code: driver.Denied, Words: filterWords, Advice: "the IP filter of the bucket keeps Mooring out: grant Mooring's identity storage.buckets.exemptFromIpFilter by " +
			"a custom role on the project, or add " + addAddresses + " and, from an address that the filter lets in, to the filter of the bucket (" + bypassPage + ")"},
		{Code: driver.Denied, Words: filterWords, Advice: "the IP filter of the bucket keeps Mooring out of this call, which storage.buckets.exemptFromIpFilter does not cover: add " +
			addAddresses + " (" + bypassPage + ")"},
		{Operations: []string{"buckets.insert"}, Code: driver.Conflict, Advice: "all of Google Cloud shares bucket names; if this bucket is not yours, choose another spec.externalName"},
		{Operations: []string{"managedFolders.list"}, Code: driver.Denied, Advice: "the bucket lists no objects and is not deleted; it may contain managed folders, and Mooring needs " +
			"storage.managedFolders.list and storage.managedFolders.delete to delete them"},
		{Operations: []string{"folders.list"}, Code: driver.Denied, Advice: "the bucket lists no objects and is not deleted; it may contain folders, and Mooring needs " +
			"storage.folders.list and storage.folders.delete to delete them"},
	},
}
