package s3

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
)

// A caller is whose calls a statement may deny.
type caller struct {
	arn   string // as GetCallerIdentity has it; empty if it is not known
	role  string // the ARN of the role, with its path, as the provider config names it; empty if it names none
	plain bool   // it calls without TLS
}

// identityARN takes the ARN of an identity apart: its partition, the account, and what it is.
var identityARN = regexp.MustCompile(`^arn:([a-z-]+):(?:iam|sts)::([0-9]{12}):(.*)$`)

// account returns the account of the caller.
func (c caller) account() string {
	if own := identityARN.FindStringSubmatch(c.arn); own != nil {
		return own[2]
	}
	return ""
}

// session takes the ARN of a session of a role apart; the name is empty if the caller is none.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
func (c caller) session() (name, beforePath string) {
	own := identityARN.FindStringSubmatch(c.arn)
	if own == nil {
		return "", ""
	}
	parts := strings.Split(own[3], "/")
	if parts[0] != "assumed-role" || len(parts) < 2 {
		return "", ""
	}
	return parts[1], "arn:" + own[1] + ":iam::" + own[2] + ":role/"
}

// principalARNs returns what aws:PrincipalArn may be for the caller: the ARN of a user, or of the role of a session. The ARN of a session lacks the path of its
// role. Unless the provider config names the role, it has no path, or one of which nothing is known: that is anyText, and a slash.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principalarn
func (c caller) principalARNs() []string {
	name, beforePath := c.session()
	switch {
	case name == "":
		return []string{c.arn}
	case strings.HasPrefix(c.role, beforePath) && path.Base(c.role) == name:
		return []string{c.role}
	}
	return []string{beforePath + name, beforePath + anyText + "/" + name}
}

// namesCaller says whether principals name the caller, or the caller's account. Names of roles are unique in an account, and AWS takes none that does not
// exist as a principal: so a role of that name is the one. Another session of the role may be Mooring's next one.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
func namesCaller(names []string, who caller) certainty {
	switch {
	case slices.Contains(names, "*"):
		return certainly
	case len(names) == 0:
		return never
	case who.arn == "":
		return byCaller
	}
	session, beforePath := who.session()
	holds := never
	for _, name := range names {
		root := accountRoot.FindStringSubmatch(name)
		switch {
		case name == who.arn, name == who.account(), root != nil && root[1] == who.account():
			return certainly
		case session != "" && strings.HasPrefix(name, beforePath) && path.Base(name) == session:
			return certainly
		case strings.ContainsAny(name, "*?$"): // AWS takes none of them
			holds = possibly
		case session != "" && strings.HasPrefix(name, who.arn[:len(who.arn)-len(path.Base(who.arn))]):
			holds = possibly
		}
	}
	return holds
}

// An operator compares a text with values. Wildcards of an exact one are plain characters.
type operator struct{ exact, fold, arn, negated bool }

// operators are those whose outcome can be told for keys of the caller. All others may hold. The keys are in each request of a caller with an
// identity, so that IfExists says nothing more; ForAnyValue and ForAllValues are for keys of several values.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
var operators = map[string]operator{
	"stringequals": {exact: true}, "stringnotequals": {exact: true, negated: true},
	"stringequalsignorecase": {exact: true, fold: true}, "stringnotequalsignorecase": {exact: true, fold: true, negated: true},
	"stringlike": {}, "stringnotlike": {negated: true},
	"arnlike": {arn: true}, "arnequals": {arn: true}, "arnnotlike": {arn: true, negated: true}, "arnnotequals": {arn: true, negated: true},
}

// conditionHolds says whether a condition holds for a request of the caller.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
func conditionHolds(c v1alpha1.PolicyCondition, who caller) certainty {
	name, key := strings.TrimSuffix(strings.ToLower(c.Operator), "ifexists"), strings.ToLower(c.Key)
	if key == "aws:securetransport" && name == "bool" {
		return tlsHolds(c.Values, who)
	}
	if key == "s3:tlsversion" && name == "numericlessthan" && !who.plain {
		return olderTLSHolds(c.Values)
	}
	by, known := operators[name]
	if !known || key != "aws:principalarn" && (key != "aws:principalaccount" || by.arn) {
		return possibly
	}
	if who.arn == "" {
		return byCaller
	}
	callers := []string{who.account()}
	if key == "aws:principalarn" {
		callers = who.principalARNs()
	}
	var outcomes []certainty
	for _, text := range callers {
		outcomes = append(outcomes, by.holds(c.Values, text))
	}
	if slices.Min(outcomes) != slices.Max(outcomes) {
		return possibly
	}
	return outcomes[0]
}

// holds says whether an operator holds for a text and a condition's values. If one of them fits, it does; and if it is negated, only if none of them does.
func (o operator) holds(values []string, text string) certainty {
	one := never
	for _, value := range values {
		switch {
		case strings.Contains(value, variable): // what it stands for only a request shows
			one = max(one, possibly)
		case o.exact && strings.ContainsAny(value, "*?"): // plain characters there, which no ARN of an identity has
		case o.arn:
			one = max(one, fitsARN(value, text))
		case o.fold:
			one = max(one, fits(strings.ToLower(value), strings.ToLower(text)))
		default:
			one = max(one, fits(value, text))
		}
	}
	if o.negated && one != possibly {
		return certain(one == never)
	}
	return one
}

// tlsHolds says whether the caller uses TLS, or does not, as one of the values has it.
func tlsHolds(values []string, who caller) certainty {
	holds := never
	for _, value := range values {
		switch {
		case !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false"):
			holds = max(holds, possibly)
		case strings.EqualFold(value, "false") == who.plain:
			holds = certainly
		}
	}
	return holds
}

// olderTLSHolds says whether the caller may use a version of TLS before one of the values. It uses none before LeastTLS.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/amazon-s3-policy-keys.html#example-object-tls-version
func olderTLSHolds(values []string) certainty {
	for _, value := range values {
		if version, err := strconv.ParseFloat(value, 64); err == nil && version <= session.LeastTLS {
			continue
		}
		return possibly
	}
	return never
}

func certain(holds bool) certainty {
	if holds {
		return certainly
	}
	return never
}

// fitsARN says whether an ARN fits a pattern, part by part between its colons: no wildcard stands for what is in two of them.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html#Conditions_ARN
func fitsARN(pattern, arn string) certainty {
	const parts = 6
	want, have := strings.SplitN(pattern, ":", parts), strings.SplitN(arn, ":", parts)
	if len(want) != parts || len(have) != parts {
		return possibly
	}
	var holds []certainty
	for i := range want {
		holds = append(holds, fits(want[i], have[i]))
	}
	return all(holds...)
}

// anyText stands for an unknown text in one of which the rest is known.
const anyText = "\x00"

// fits says whether a text fits a pattern, in which * stands for any text and ? for a character. A text with anyText fits if it does whatever that is.
func fits(pattern, text string) certainty {
	switch {
	case covers(pattern, text):
		return certainly
	case strings.Contains(text, anyText) && meet(pattern, strings.ReplaceAll(text, anyText, "*")):
		return possibly
	}
	return never
}

// covers reports whether all of a text fits a pattern. Only * stands for anyText.
func covers(pattern, text string) bool {
	return meeting(pattern, text, func(p, t byte) bool { return p == t || p == '?' && t != anyText[0] }, func(t byte) bool { return false })
}

// meet reports whether some text fits both of two patterns.
func meet(a, b string) bool {
	return meeting(a, b, func(a, b byte) bool { return a == b || a == '?' || b == '?' }, func(b byte) bool { return b == '*' })
}

// meeting reports whether one pattern meets another text, character by character: same says whether two characters do, and free whether one of the text
// stands for any text, as * of the pattern does.
func meeting(pattern, text string, same func(p, t byte) bool, free func(t byte) bool) bool {
	before := make([]bool, len(text)+1) // whether the rest of the pattern meets the rest of the text
	for p := len(pattern); p >= 0; p-- {
		now := make([]bool, len(text)+1)
		for t := len(text); t >= 0; t-- {
			switch {
			case p == len(pattern) && t == len(text):
				now[t] = true
			case p < len(pattern) && pattern[p] == '*' && (before[t] || t < len(text) && now[t+1]):
				now[t] = true
			case t < len(text) && free(text[t]):
				now[t] = now[t+1] || p < len(pattern) && before[t]
			case p < len(pattern) && t < len(text) && pattern[p] != '*':
				now[t] = same(pattern[p], text[t]) && before[t+1]
			}
		}
		before = now
	}
	return before[0]
}
