package system

import "testing"

// A DatabaseConsole is what people do to database servers.
type DatabaseConsole interface {
	Console
	// MakeMySQL makes a server of an engine that no test here asks for.
	MakeMySQL(t testing.TB, name string)
	SetRetention(t testing.TB, name string, days int)
	// SetPublicAccess gives the server a public address, or takes it away.
	SetPublicAccess(t testing.TB, name string, on bool)
	SetBackupStart(t testing.TB, name, start string)            // HH:MM
	SetMaintenance(t testing.TB, name string, hour, length int) // on the same day; the length in hours, where the cloud takes one
	SetProtection(t testing.TB, name string, on bool)
	SetSize(t testing.TB, name, size string)
	SetStorage(t testing.TB, name string, gib int)
	SetVersion(t testing.TB, name, version string)
	// SetPower starts or stops a server.
	SetPower(t testing.TB, name string, on bool)
	// FailOver moves a server to the zone of its standby.
	FailOver(t testing.TB, name string)
	Snapshots(t testing.TB, database string) []string // those that are available
	// Promote ends that a server follows another one.
	Promote(t testing.TB, name string)
	// Lose deletes a server, whose newest state the cloud keeps.
	Lose(t testing.TB, name string)
}

// Databases is what people do to the database servers of the account.
func (c *Cloud) Databases() DatabaseConsole { return consoleOf[DatabaseConsole](c, "Database") }
