package driver

import "context"

// A Call is one request to a cloud's API and its answer, for whoever counts, times or traces them. Nothing in it
// is secret, and all but RequestID has few values.
type Call struct {
	// Service is the cloud's own short name of the service: s3, rds, sts; storage, sqladmin.
	Service string
	// Operation is the service's own name of what was asked: CreateBucket, instances.patch.
	Operation string
	// Code is what came of it if it failed; see Failed.
	Code Code
	// Failed says that it did not succeed. That something asked for is not there is a failure too, by its Code NotFound.
	Failed bool
	// Status is the HTTP status of the answer, 0 if none came.
	Status int
	// RequestID is by what the cloud's support finds the request; empty if the cloud named none.
	RequestID string
}

// Calls is told when a request to the cloud begins, and by the function that it returns how it ended. The request is made
// with the context that it returns. The service and the operation are known from the beginning.
type Calls func(ctx context.Context, service, operation string) (context.Context, func(Call))

// Begin is the function itself, or what does nothing if that is nil.
func (c Calls) Begin(ctx context.Context, service, operation string) (context.Context, func(Call)) {
	if c == nil {
		return ctx, func(Call) {}
	}
	ctx, end := c(ctx, service, operation)
	return ctx, func(answer Call) {
		answer.Service, answer.Operation = service, operation
		end(answer)
	}
}
