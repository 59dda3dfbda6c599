package storage

import (
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// api is Cloud Storage, with the answers of each operation that is called.
// https://cloud.google.com/storage/docs/json_api/v1
var api = &session.API{
	Name: "storage", Title: "Cloud Storage", Host: "https://storage.googleapis.com", Advice: filterAdvice,
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
}
