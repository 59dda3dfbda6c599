package aws

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	smithymiddleware "github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/providers/driver"
)

// watch tells calls of every request. It stands behind the SDK's retries, so that each attempt counts, as it does for AWS.
func watch(calls driver.Calls) middlewareOption {
	return func(stack *smithymiddleware.Stack) error {
		if calls == nil {
			return nil
		}
		return stack.Finalize.Insert(smithymiddleware.FinalizeMiddlewareFunc("MooringCalls",
			func(ctx context.Context, in smithymiddleware.FinalizeInput, next smithymiddleware.FinalizeHandler) (smithymiddleware.FinalizeOutput, smithymiddleware.Metadata, error) {
				ctx, end := calls.Begin(ctx, strings.ToLower(middleware.GetServiceID(ctx)), middleware.GetOperationName(ctx))
				out, metadata, err := next.HandleFinalize(ctx, in)
				end(answerOf(metadata, err))
				return out, metadata, err
			}), "Retry", smithymiddleware.After)
	}
}

// answerOf says how a request ended.
func answerOf(metadata smithymiddleware.Metadata, err error) driver.Call {
	answer := driver.Call{Failed: err != nil}
	answer.RequestID, _ = middleware.GetRequestIDMetadata(metadata)
	if response, ok := middleware.GetRawResponse(metadata).(*smithyhttp.Response); ok && response != nil {
		answer.Status = response.StatusCode
	}
	if err == nil {
		return answer
	}
	answer.Code, answer.Status = codeOf(apiCode(err), httpStatus(err)), httpStatus(err)
	if answer.Status == 0 {
		answer.Code = driver.Unavailable
	}
	if step, ok := errors.AsType[*driver.Error](err); ok {
		answer.Code = step.Code
	}
	if refused, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		answer.RequestID = refused.ServiceRequestID()
	}
	return answer
}
