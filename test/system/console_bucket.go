package system

import "testing"

// A BucketConsole is what people do to buckets.
type BucketConsole interface {
	Console
	// MakeIn makes a bucket in a location of the test's choice.
	MakeIn(t testing.TB, name, location string)
	Location(t testing.TB, name string) string
	SetVersioning(t testing.TB, name string, on bool)
	SetPublic(t testing.TB, name string, on bool)
	SetEncryption(t testing.TB, name, key string)
	// Set changes a setting that the spec has under a dotted path, as the spec writes it.
	Set(t testing.TB, name, field string, value any)
	PutObject(t testing.TB, bucket, key string)
	DeleteObject(t testing.TB, bucket, key string)
}

// Buckets is what people do to the buckets of the account.
func (c *Cloud) Buckets() BucketConsole { return consoleOf[BucketConsole](c, "Bucket") }
