package session

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/api/googleapi"

	"github.com/mooring-dev/mooring/providers/driver"
)

// errUnreadable hides an answer in which a token may be.
var errUnreadable = errors.New("the answer has no token that can be read")

// refusedExchange says that a ServiceAccount's token could not be exchanged, and what to do about it.
func (c *chain) refusedExchange(token string, err error) error {
	web := c.cfg.Chain.WebIdentity
	e := c.stepError("token exchange", err)
	e.Message = fmt.Sprintf("the token of ServiceAccount %s could not be exchanged at %s: %s", web.ServiceAccountName, web.Provider, e.Message)
	if e.Code == driver.Denied {
		e.Message += fmt.Sprintf("; check that the provider exists, has this cluster as its issuer, allows its own full name as audience, and that its attribute "+
			"condition admits the subject %s", c.subject())
	}
	e.Message = strings.ReplaceAll(e.Message, token, "(secret)")
	return e
}

// refusedImpersonation says that a service account could not be acted as, and which role is missing.
func (c *chain) refusedImpersonation(email string, err error) error {
	e := c.stepError("generateAccessToken", err)
	e.Message = fmt.Sprintf("Mooring could not get a token for the service account %s: %s", email, e.Message)
	if e.Code != driver.Denied {
		return e
	}
	who, role := "this identity", "roles/iam.serviceAccountTokenCreator"
	if web := c.cfg.Chain.WebIdentity; web != nil {
		pool, _, _ := strings.Cut(web.Provider, "/providers/")
		who, role = "principal:"+PoolPrefix+pool+"/subject/"+c.subject(), "roles/iam.workloadIdentityUser"
	}
	e.Message += fmt.Sprintf("; check that it exists, and that %s has %s on it", who, role)
	return e
}

// subject is that of the ServiceAccount's tokens.
func (c *chain) subject() string {
	return "system:serviceaccount:" + c.cfg.Tenant.Namespace + ":" + c.cfg.Chain.WebIdentity.ServiceAccountName
}

// stepError is the error of a step to the identity. It is not about an object: so its code must be none that a caller takes
// for news of one, and the cause must not be found in the error of the call that the identity was for.
func (c *chain) stepError(op string, err error) *driver.Error {
	var e *driver.Error
	if !errors.As(c.session.wrap(op, err), &e) {
		e = &driver.Error{Op: op, Message: "the answer could not be understood"}
	}
	e.Err = errors.New(err.Error())
	answer, answered := errors.AsType[*googleapi.Error](err)
	switch {
	case e.Code == driver.Throttled, e.Code == driver.Denied:
	case answered && answer.Code < 500 && answer.Message != "": // a proxy's answer has no message
		e.Code, e.Message = driver.Denied, MessageOf(answer)
	default:
		e.Code = driver.Unavailable
	}
	return e
}
