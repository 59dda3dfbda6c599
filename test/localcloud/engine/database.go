package engine

import "context"

// SetPassword sets a user's password, and creates the user, as an administrator, if it is
// missing. With an empty password nobody can log in as that user.
func (e *Engines) SetPassword(id, user, password string) error {
	return e.with(id, "set a password", func(ctx context.Context, in *instance) error { return in.backing.setPassword(ctx, user, password) })
}

// DropUser removes a user; one that owns objects can't be removed, as in the clouds. A user
// that is missing is no error.
func (e *Engines) DropUser(id, user string) error {
	return e.with(id, "drop a user", func(ctx context.Context, in *instance) error { return in.backing.dropUser(ctx, user) })
}

// CreateDatabase creates a database that every administrator owns. One that exists is no error.
func (e *Engines) CreateDatabase(id, name string) error {
	return e.with(id, "create a database", func(ctx context.Context, in *instance) error { return in.backing.createDatabase(ctx, name) })
}

// DropDatabase removes a database; PostgreSQL refuses while someone is connected to it. A
// database that is missing is no error.
func (e *Engines) DropDatabase(id, name string) error {
	return e.with(id, "drop a database", func(ctx context.Context, in *instance) error { return in.backing.dropDatabase(ctx, name) })
}
