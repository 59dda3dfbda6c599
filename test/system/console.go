package system

import "testing"

// A Console is what people do in a cloud beside Mooring, by its own SDK. Tags that are nil stand for an object that does not exist.
type Console interface {
	MakeBucket(t *testing.T, name string, tags map[string]string)
	// MakeBucketIn makes a bucket in a location of the test's choice.
	MakeBucketIn(t *testing.T, name, location string)
	BucketLocation(t *testing.T, name string) string
	BucketTags(t *testing.T, name string) map[string]string
	TagBucket(t *testing.T, name string, tags map[string]string)
	SetVersioning(t *testing.T, name string, on bool)
	SetPublic(t *testing.T, name string, on bool)
	SetEncryption(t *testing.T, name, key string)
	DeleteBucket(t *testing.T, name string)
	PutObject(t *testing.T, bucket, key string)
	DeleteObject(t *testing.T, bucket, key string)

	MakeDatabase(t *testing.T, name string, tags map[string]string)
	// MakeMySQL makes a server of an engine that no test here asks for.
	MakeMySQL(t *testing.T, name string)
	DatabaseTags(t *testing.T, name string) map[string]string
	TagDatabase(t *testing.T, name string, tags map[string]string)
	SetRetention(t *testing.T, name string, days int)
	SetProtection(t *testing.T, name string, on bool)
	SetSize(t *testing.T, name, size string)
	SetStorage(t *testing.T, name string, gib int)
	SetVersion(t *testing.T, name, version string)
	DeleteDatabase(t *testing.T, name string)
	Snapshots(t *testing.T, database string) []string // those that are available
}
