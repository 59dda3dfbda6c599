package system

import "testing"

// A Console is what people do in a cloud beside Mooring, by its own SDK. Tags that are nil stand for an object that does not exist.
type Console interface {
	// Names are those of all buckets and servers in the account.
	Names(t testing.TB) []string

	MakeBucket(t testing.TB, name string, tags map[string]string)
	// MakeBucketIn makes a bucket in a location of the test's choice.
	MakeBucketIn(t testing.TB, name, location string)
	BucketLocation(t testing.TB, name string) string
	BucketTags(t testing.TB, name string) map[string]string
	TagBucket(t testing.TB, name string, tags map[string]string)
	SetVersioning(t testing.TB, name string, on bool)
	SetPublic(t testing.TB, name string, on bool)
	SetEncryption(t testing.TB, name, key string)
	DeleteBucket(t testing.TB, name string)
	PutObject(t testing.TB, bucket, key string)
	DeleteObject(t testing.TB, bucket, key string)

	MakeDatabase(t testing.TB, name string, tags map[string]string)
	// MakeMySQL makes a server of an engine that no test here asks for.
	MakeMySQL(t testing.TB, name string)
	DatabaseTags(t testing.TB, name string) map[string]string
	TagDatabase(t testing.TB, name string, tags map[string]string)
	SetRetention(t testing.TB, name string, days int)
	SetProtection(t testing.TB, name string, on bool)
	SetSize(t testing.TB, name, size string)
	SetStorage(t testing.TB, name string, gib int)
	SetVersion(t testing.TB, name, version string)
	DeleteDatabase(t testing.TB, name string)
	Snapshots(t testing.TB, database string) []string // those that are available
}
