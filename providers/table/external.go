package table

import (
	"context"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Request is a driver.Request with the spec of one kind. Nothing in it may be kept or changed.
type Request[S any] struct {
	driver.Request
	// Spec is the merged spec. It hides the untyped one of the driver.Request.
	Spec S
	// Login is the administrator's login: the username of the driver.Request, and the password that came beside it.
	Login driver.Login
	// ParentLogin is the administrator's login of the object within which this one is; zero for a kind without a parent.
	ParentLogin driver.Login
	// Password is the change of the administrator's password that a Part.Write makes.
	Password driver.PasswordChange
	// Resting is the Operation of the driver.Request during an Update, whose Operation is empty: it is not waited for, and matters to a change that goes on with it alone.
	Resting string
}

// External manages the cloud side of one kind. S is the merged spec. What each method owes its caller is said at driver.Session.
type External[S any] interface {
	Observe(ctx context.Context, req Request[S]) (driver.Observation, error)
	List(ctx context.Context, req driver.ListRequest) (driver.Page, error)
	Create(ctx context.Context, req Request[S]) (driver.Result, error)
	Update(ctx context.Context, req Request[S], edit driver.Edit) (driver.Result, error)
	Do(ctx context.Context, req Request[S], command driver.Command) (driver.Result, error)
	Delete(ctx context.Context, req Request[S]) (driver.Result, error)
}
