package s3

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

// Why a spec can't say a statement.
const (
	allBut      = "it lets in everybody but some"
	byCanonical = "it names an account by its canonical user id"
	byDeleted   = "it names an IAM identity that was deleted"
	notHere     = "it names what is no part of this bucket"
	notAlone    = "another statement has this sid, too"
	oddSid      = "its sid is too long, or has characters that no spec has"
)

var unsayableReasons = []string{allBut, byCanonical, byDeleted, notHere, notAlone, oddSid}

// sayableSid matches the sids that a spec can have.
var sayableSid = regexp.MustCompile(`^[!-'*-~]([ -~]{0,126}[!-~])?$`)

// sidOf returns the sid that a statement has in the bucket, of one that a mirror shows in words; all others have it as it is.
func sidOf(shown string) string {
	inner, is := strings.CutPrefix(strings.TrimSuffix(shown, ")"), "(")
	at := strings.LastIndex(inner, ": ")
	switch {
	case shown == noSid:
		return ""
	case !is || at < 0 || !slices.Contains(unsayableReasons, inner[at+2:]):
		return shown
	case inner[:at] == "no sid":
		return ""
	}
	return inner[:at]
}

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
		if why == "" && s.Sid != "" && !sayableSid.MatchString(s.Sid) {
			why = oddSid
		}
		switch {
		case s.Sid == "" && why == "":
			s.Sid = noSid
		case s.Sid == "":
			s.Sid = fmt.Sprintf("(no sid: %s)", why)
		case why != "":
			s.Sid = fmt.Sprintf("(%s: %s)", s.Sid, why)
		case times[s.Sid] > 1:
			s.Sid = fmt.Sprintf("(%s: %s)", s.Sid, notAlone)
		}
	}
	return out
}

// unsayable returns why a spec can't say a statement, but for its sid; empty if it can.
func unsayable(s v1alpha1.PolicyStatement) string {
	if s.Effect == "Allow" && s.NotPrincipals != nil {
		return allBut
	}
	for _, who := range []*v1alpha1.PolicyPrincipals{s.Principals, s.NotPrincipals} {
		if who == nil {
			continue
		}
		for _, name := range who.AWS {
			switch {
			case canonicalUser.MatchString(name):
				return byCanonical
			case deletedIdentity.MatchString(name):
				return byDeleted
			}
		}
	}
	if r := slices.IndexFunc(slices.Concat(s.Resources, s.NotResources), func(r string) bool { return !strings.HasPrefix(r, "/") }); r >= 0 {
		return notHere
	}
	return ""
}
