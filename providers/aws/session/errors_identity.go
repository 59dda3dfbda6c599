package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/providers/driver"
)

// refusedRole says that a role could not be taken on, and what to do about it. Whatever AWS's code was, it is not about an
// object: so it must be none that a caller takes for news of one.
func (s *Session) refusedRole(op, role, how, advice string, err error) error {
	e := s.wrap(op, err)
	defer hideCause(e)
	text := e.Message
	var api smithy.APIError
	switch answered := errors.As(err, &api); {
	case e.Code == driver.Throttled, e.Code == driver.Unavailable, !answered:
		advice = ""
	case unknownCaller[ErrorCode(err)] && optIn(s):
		e.Code = driver.Denied
	case ErrorCode(err) == "ExpiredToken":
		e.Code, text = driver.Denied, "AWS says that the token of the call has expired"
	default:
		e.Code, text = driver.Denied, "AWS says: "+strings.TrimSuffix(Plain(api.ErrorMessage()), ".")
	}
	e.Message = fmt.Sprintf("the role %s could not be assumed %s: %s", role, how, text)
	if advice != "" {
		e.Message += "; " + advice
	}
	return e
}

// withoutAmbient says that Mooring's own identity could not be had.
func (s *Session) withoutAmbient(err error) error {
	e := s.wrap("", err)
	defer hideCause(e)
	answered := ErrorCode(err) != "" || httpStatus(err) != 0
	switch {
	case !answered && strings.Contains(err.Error(), "EC2 IMDS"): // where the SDK ends up with nothing in the environment
		e.Code = driver.Denied
		e.Message = "Mooring runs without an AWS identity: give its pod one (IRSA, EKS Pod Identity), or use credentials.secretRef"
	case !answered && !isNetwork(err):
		e.Code = driver.Denied
		e.Message = "Mooring could not get its own identity, because its token can't be read or is refused: check the pod's ServiceAccount, and its association with a role"
	default:
		e.Message = "Mooring could not get its own identity: " + e.Message
	}
	return e
}

func isNetwork(err error) bool {
	var failed net.Error
	return errors.As(err, &failed) || errors.Is(err, context.Canceled)
}

// hideCause keeps the code of a step to the identity from being found in the error of the call that the identity was for:
// there it would mean another thing.
func hideCause(e *driver.Error) {
	if e.Err != nil {
		e.Err = errors.New(e.Err.Error())
	}
}
