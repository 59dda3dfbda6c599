package driver

import "context"

// A Call is one request to a cloud's API and its response, for metrics and traces. It has no secrets. All fields but
// RequestID have few values.
type Call struct {
	// Service is the cloud's short name of the service: s3, rds, sts; storage, sqladmin.
	Service string
	// Operation is the service's name of the operation: CreateBucket, instances.patch.
	Operation string
	// Code is the code of the error, if Failed.
	Code Code
	// Failed: the request did not succeed. A response that an object does not exist counts as failed, with the Code
	// NotFound.
	Failed bool
	// Status is the HTTP status of the response; 0 without a response.
	Status int
	// RequestID is the id by which the cloud's support finds the request; empty if the cloud returned none.
	RequestID string
}

// Calls is a hook that is called before each request to a cloud. It returns the context for the request, and a function
// that is called with the result. The service and the operation are known before the request.
type Calls func(ctx context.Context, service, operation string) (context.Context, func(Call))

// Begin calls the hook. If the hook is nil, it returns ctx and a function that does nothing.
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
