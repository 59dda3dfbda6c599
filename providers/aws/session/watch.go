package session

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	smithymiddleware "github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/providers/driver"
)

// watch tells calls of every request. It stands behind the SDK's retries, so that each attempt counts, as it does for AWS,
// and behind the signature: what fails for want of an identity was never sent, and the steps to one are told apart.
func watch(calls driver.Host, errors Errors) middlewareOption {
	return func(stack *smithymiddleware.Stack) error {
		if calls == nil {
			return nil
		}
		return stack.Finalize.Add(smithymiddleware.FinalizeMiddlewareFunc("MooringCalls",
			func(ctx context.Context, in smithymiddleware.FinalizeInput, next smithymiddleware.FinalizeHandler) (smithymiddleware.FinalizeOutput, smithymiddleware.Metadata, error) {
				service := strings.ToLower(middleware.GetServiceID(ctx))
				if stack.ID() == agentOperation {
					service = "metadata"
				}
				ctx, end := calls.Begin(ctx, service, stack.ID())
				out, metadata, err := next.HandleFinalize(ctx, in)
				end(errors.answerOf(metadata, err))
				return out, metadata, err
			}), smithymiddleware.After)
	}
}

// agentOperation asks the agent of a machine or a pod for the identity of the process. That client of the SDK names no
// service, and keeps no status.
const agentOperation = "GetCredentials"

// answerOf says how a request ended.
func (t Errors) answerOf(metadata smithymiddleware.Metadata, err error) driver.Call {
	answer := driver.Call{Failed: err != nil}
	answer.RequestID, _ = middleware.GetRequestIDMetadata(metadata)
	if response, ok := middleware.GetRawResponse(metadata).(*smithyhttp.Response); ok && response != nil {
		answer.Status = response.StatusCode
	}
	if err == nil {
		if answer.Status == 0 {
			answer.Status = http.StatusOK // or the answer would not have been taken for one
		}
		return answer
	}
	answer.Code, answer.Status = t.codeOf(ErrorCode(err), httpStatus(err)), httpStatus(err)
	if answer.Status == 0 || answer.Status/100 == 2 { // no answer, or none that could be taken for one
		answer.Code = driver.Unavailable
	}
	if refused, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		answer.RequestID = refused.ServiceRequestID()
	}
	return answer
}
