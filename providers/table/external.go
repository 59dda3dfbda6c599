package table

import (
	"context"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Request is a driver.Request with the spec of one kind. Nothing in it may be kept or changed.
type Request[S any] struct {
	driver.Request
	// Spec is the merged spec. It shadows the untyped Spec of driver.Request.
	Spec S
	// Login is the administrator's login: the username of the driver.Request, and Secrets.Own as the password.
	Login driver.Login
	// ParentLogin is the administrator's login of the parent; zero for a kind without a parent.
	ParentLogin driver.Login
	// Password is the change of the administrator's password that a Part.Write makes.
	Password driver.PasswordChange
	// Resting is, during an Update, the Operation of the driver.Request; Operation itself is empty then. The update
	// does not wait for it. Only the change that continues the operation uses it.
	Resting string
}

// External implements the calls for one kind. S is the merged spec. The methods have the contract of driver.Session.
type External[S any] interface {
	Observe(ctx context.Context, req Request[S]) (driver.Observation, error)
	List(ctx context.Context, req driver.ListRequest) (driver.Page, error)
	Create(ctx context.Context, req Request[S]) (driver.Result, error)
	Update(ctx context.Context, req Request[S], edit driver.Edit) (driver.Result, error)
	Do(ctx context.Context, req Request[S], command driver.Command) (driver.Result, error)
	Delete(ctx context.Context, req Request[S]) (driver.Result, error)
}
