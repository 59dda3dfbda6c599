package s3

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// Rules of web sites redirect requests. Members are nil where the document lacks them: one that is there and empty is wrong.

type websiteCondition struct {
	HttpErrorCodeReturnedEquals *string
	KeyPrefixEquals             *string
}

type websiteTarget struct {
	HostName             *string
	HttpRedirectCode     *string
	Protocol             *string
	ReplaceKeyPrefixWith *string
	ReplaceKeyWith       *string
}

type websiteRouting struct {
	Condition *websiteCondition
	Redirect  *websiteTarget
}

type websiteRoutings struct {
	RoutingRule []websiteRouting `xml:"RoutingRule"`
}

func refusedWebsite(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "InvalidRequest", fmt.Sprintf(format, args...))
}

var errWebsiteProtocol = refusedWebsite("Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.")

func validProtocol(name string) bool { return name == "" || name == "http" || name == "https" }

// valid holds rules to those of S3. No recording shows the refusals: their words are those that others who were refused show, such as Ceph in its gateway.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_RoutingRule.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Redirect.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-page-redirect.html#advanced-conditional-redirects (limit of 50)
func (r *websiteRoutings) valid() error {
	switch {
	case r == nil:
		return nil
	case len(r.RoutingRule) == 0:
		return malformedXML()
	case len(r.RoutingRule) > 50:
		return refusedWebsite("%d routing rules provided, the number of routing rules in a website configuration is limited to 50.", len(r.RoutingRule))
	}
	for _, rule := range r.RoutingRule {
		if err := rule.valid(); err != nil {
			return err
		}
	}
	return nil
}

func (r *websiteRouting) valid() error {
	to := r.Redirect
	if to == nil || *to == (websiteTarget{}) {
		return malformedXML()
	}
	for _, member := range []*string{to.HostName, to.HttpRedirectCode, to.Protocol, to.ReplaceKeyWith} {
		if member != nil && *member == "" {
			return malformedXML()
		}
	}
	switch {
	case to.ReplaceKeyPrefixWith != nil && to.ReplaceKeyWith != nil:
		return refusedWebsite("You can only define ReplaceKeyPrefix or ReplaceKey but not both.")
	case to.Protocol != nil && !validProtocol(*to.Protocol):
		return errWebsiteProtocol
	}
	err := validWebsiteCode("redirect", to.HttpRedirectCode, "Valid codes are 3XX except 300.", func(code int) bool { return code > 300 && code < 400 })
	if err != nil || r.Condition == nil {
		return err
	}
	if *r.Condition == (websiteCondition{}) {
		return refusedWebsite("Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be present.")
	}
	return validWebsiteCode("error", r.Condition.HttpErrorCodeReturnedEquals, "Valid codes are 4XX or 5XX.", func(code int) bool { return code >= 400 && code < 600 })
}

func validWebsiteCode(kind string, code *string, valid string, is func(int) bool) error {
	if code == nil {
		return nil
	}
	number, err := strconv.Atoi(*code)
	switch {
	case err != nil:
		return malformedXML()
	case !is(number):
		return refusedWebsite("The provided HTTP %s code (%s) is not valid. %s", kind, *code, valid)
	}
	return nil
}
