package aws

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// noSid is the sid that a mirror shows of a statement without one.
const noSid = "(no sid)"

// canonicalUser is the id of an account as access lists have it, which S3 may report in the place of a principal.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/finding-canonical-user-id.html
var canonicalUser = regexp.MustCompile(`^[0-9a-f]{64}$`)

// sayableStatements returns statements as a mirror shows them. One that a spec can't say has a sid in parentheses, which says why; no spec has such a sid.
func sayableStatements(statements []v1alpha1.PolicyStatement) []v1alpha1.PolicyStatement {
	times := map[string]int{}
	for _, s := range statements {
		times[s.Sid]++
	}
	out := slices.Clone(statements)
	for i := range out {
		s := &out[i]
		why := unsayable(*s)
		switch {
		case s.Sid == "" && why == "":
			s.Sid = noSid
		case s.Sid == "":
			s.Sid = fmt.Sprintf("(no sid: %s)", why)
		case why != "":
			s.Sid = fmt.Sprintf("(%s: %s)", s.Sid, why)
		case times[s.Sid] > 1:
			s.Sid = fmt.Sprintf("(%s: another statement has this sid, too)", s.Sid)
		}
	}
	return out
}

// unsayable returns why a spec can't say a statement, but for its sid; empty if it can.
func unsayable(s v1alpha1.PolicyStatement) string {
	if s.Effect == "Allow" && s.NotPrincipals != nil {
		return "it lets in everybody but some"
	}
	for _, who := range []*v1alpha1.PolicyPrincipals{s.Principals, s.NotPrincipals} {
		if who == nil {
			continue
		}
		for _, name := range who.AWS {
			switch {
			case canonicalUser.MatchString(name):
				return "it names an account by its canonical user id"
			case deletedIdentity.MatchString(name):
				return "it names an IAM identity that was deleted"
			}
		}
	}
	if r := slices.IndexFunc(slices.Concat(s.Resources, s.NotResources), func(r string) bool { return !strings.HasPrefix(r, "/") }); r >= 0 {
		return "it names what is no part of this bucket"
	}
	return ""
}
