package s3

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

const (
	roleOf    = "arn:aws:iam::111111111111:role/"
	sessionOf = "arn:aws:sts::111111111111:assumed-role/mooring/abc"
)

// A session calls with the ARN of its role, which lacks the path. A pattern counts as a match only if it is one whatever the path is, and as none only if no path makes it one.
func TestRolesOfSessions(t *testing.T) {
	unknown, known, plain := caller{arn: sessionOf}, caller{arn: sessionOf, role: roleOf + "team/mooring"}, caller{arn: sessionOf, role: roleOf + "mooring"}
	other := caller{arn: sessionOf, role: roleOf + "team/other"} // not the role that it is a session of
	for _, tt := range []struct {
		operator string
		values   []string
		who      caller
		want     certainty
	}{
		{"ArnLike", []string{roleOf + "mooring"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "mooring"}, known, never},
		{"ArnLike", []string{roleOf + "mooring"}, plain, certainly},
		{"ArnLike", []string{roleOf + "mooring"}, other, possibly},
		{"ArnLike", []string{roleOf + "team/mooring"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "team/mooring"}, known, certainly},
		{"ArnLike", []string{roleOf + "team/mooring"}, plain, never},
		{"ArnLike", []string{roleOf + "team/*"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "team/*"}, known, certainly},
		{"ArnLike", []string{roleOf + "moor*"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "*/mooring"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "mooring", roleOf + "*/mooring"}, unknown, certainly},
		{"ArnLike", []string{roleOf + "mooring", roleOf + "?/mooring"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "*mooring"}, unknown, certainly},
		{"ArnLike", []string{roleOf + "*"}, unknown, certainly},
		{"ArnLike", []string{"arn:*:iam::*:*"}, unknown, certainly},
		{"ArnLike", []string{"arn:*:role/mooring"}, plain, possibly}, // a wildcard stands for no colon
		{"StringLike", []string{"arn:*:role/mooring"}, plain, certainly},
		{"ArnLike", []string{"*"}, unknown, possibly},
		{"ArnLike", []string{roleOf + "other"}, unknown, never},
		{"ArnLike", []string{roleOf + "team/other"}, unknown, never},
		{"ArnLike", []string{"arn:aws:iam::222222222222:role/mooring"}, unknown, never},
		{"ArnLike", []string{"arn:aws:iam::111111111111:user/mooring"}, unknown, never},
		{"ArnLike", []string{sessionOf, "arn:aws:sts::111111111111:assumed-role/mooring/*"}, unknown, never},
		{"ArnNotLike", []string{roleOf + "mooring"}, unknown, possibly},
		{"ArnNotLike", []string{roleOf + "mooring"}, known, certainly},
		{"ArnNotLike", []string{roleOf + "mooring"}, plain, never},
		{"ArnNotLike", []string{roleOf + "team/*"}, unknown, possibly},
		{"ArnNotLike", []string{roleOf + "other"}, unknown, certainly},
		{"ArnNotLike", []string{roleOf + "mooring", roleOf + "*/mooring"}, unknown, never},
		{"ArnNotEqualsIfExists", []string{roleOf + "team/*"}, unknown, possibly},
		{"StringNotLike", []string{roleOf + "team/*"}, unknown, possibly},
		{"StringNotEquals", []string{roleOf + "mooring"}, unknown, possibly},
		{"StringNotEquals", []string{roleOf + "*mooring"}, unknown, certainly}, // no wildcard there
	} {
		c := v1alpha1.PolicyCondition{Operator: tt.operator, Key: "aws:PrincipalArn", Values: tt.values}
		if got := conditionHolds(c, tt.who); got != tt.want {
			t.Errorf("%s %q holds for %+v: %v, want %v", tt.operator, tt.values, tt.who, got, tt.want)
		}
	}
}

// A principal is the role, whatever its path, or a session of it. The next session of Mooring may have another name.
func TestPrincipalsThatAreTheCaller(t *testing.T) {
	who := caller{arn: sessionOf}
	for name, want := range map[string]certainty{
		sessionOf: certainly, roleOf + "mooring": certainly, roleOf + "team/mooring": certainly, "111111111111": certainly, "arn:aws:iam::111111111111:root": certainly,
		"arn:aws:sts::111111111111:assumed-role/mooring/other": possibly, "arn:aws:sts::111111111111:assumed-role/mooring2/abc": never,
		roleOf + "other": never, roleOf + "moor*": possibly, roleOf + "${aws:username}": possibly, "arn:aws:iam::222222222222:role/mooring": never, "222222222222": never,
	} {
		if got := namesCaller([]string{"222222222222", name}, who); got != want {
			t.Errorf("%s names %s: %v, want %v", name, who.arn, got, want)
		}
	}
}

// What an operator makes of values is told as AWS does it, or not at all.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
func TestConditionsOnTheCaller(t *testing.T) {
	const arn, otherCase = "arn:aws:iam::111111111111:user/team/mooring", "ARN:aws:iam::111111111111:user/Team/MOORING"
	for _, tt := range []struct {
		operator, key, value string
		want                 certainty
	}{
		{"StringEquals", "aws:PrincipalArn", arn, certainly},
		{"StringEquals", "aws:PrincipalArn", otherCase, never},
		{"StringEqualsIgnoreCase", "aws:PrincipalArn", otherCase, certainly},
		{"StringNotEqualsIgnoreCase", "aws:PrincipalArn", otherCase, never},
		{"StringNotEqualsIgnoreCase", "aws:PrincipalArn", "arn:aws:iam::111111111111:user/*", certainly},
		{"StringNotEquals", "aws:PrincipalArn", otherCase, certainly},
		{"StringEqualsIfExists", "aws:PrincipalArn", arn, certainly},
		{"StringNotEqualsIfExists", "aws:PrincipalArn", arn, never},
		{"ArnEqualsIfExists", "aws:PrincipalArn", "arn:aws:iam::111111111111:user/team/?ooring", certainly},
		{"ForAnyValue:StringEquals", "aws:PrincipalArn", arn, possibly},
		{"ForAnyValue:ArnNotLike", "aws:PrincipalArn", arn, possibly},
		{"ForAllValues:StringNotLike", "aws:PrincipalArn", arn, possibly},
		{"ForAnyValue:Bool", "aws:SecureTransport", "false", possibly},
		{"ArnNotLike", "aws:PrincipalArn", "${aws:PrincipalArn}", possibly},
		{"ArnLike", "aws:PrincipalArn", "arn:aws:iam::111111111111:user/${aws:PrincipalTag/team}/mooring", possibly},
		{"StringNotEquals", "aws:PrincipalAccount", "${aws:ResourceAccount}", possibly},
		{"StringNotEquals", "aws:PrincipalAccount", "111111111111", never},
		{"StringLike", "aws:PrincipalAccount", "1111*", certainly},
		{"ArnLike", "aws:PrincipalAccount", "222222222222", possibly},
		{"NumericEquals", "aws:PrincipalAccount", "222222222222", possibly},
		{"Null", "aws:PrincipalArn", "true", possibly},
		{"Bool", "aws:SecureTransport", "true", certainly},
		{"BoolIfExists", "AWS:securetransport", "FALSE", never},
		{"Bool", "aws:SecureTransport", "${aws:MultiFactorAuthPresent}", possibly},
		{"StringNotLike", "aws:userid", "AROA1:*", possibly},
		{"NumericLessThan", "s3:TlsVersion", "1.2", never},
		{"NumericLessThanIfExists", "S3:tlsversion", "1.1", never},
		{"NumericLessThan", "s3:TlsVersion", "1.3", possibly},
		{"NumericLessThan", "s3:TlsVersion", "NaN", possibly},
		{"NumericLessThanEquals", "s3:TlsVersion", "1.2", possibly},
	} {
		c := v1alpha1.PolicyCondition{Operator: tt.operator, Key: tt.key, Values: []string{tt.value}}
		if got := conditionHolds(c, caller{arn: arn}); got != tt.want {
			t.Errorf("%s %s %q holds for %s: %v, want %v", tt.operator, tt.key, tt.value, arn, got, tt.want)
		}
	}
}

// A pattern covers a text if it fits whatever the unknown part of it is, and meets it if some part makes it fit.
func TestPatternsOfUnknownTexts(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          certainty
	}{
		{"", "", certainly}, {"*", "", certainly}, {"?", "", never}, {"a*c", "abbc", certainly}, {"a?c", "abbc", never}, {"**", "a", certainly}, {"a*b*c", "aXbYc", certainly}, {"a*b*c", "acb", never},
		{"*", anyText, certainly}, {"?", anyText, possibly}, {"a*", anyText, possibly}, {"a*c", "a" + anyText + "c", certainly}, {"a?*c", "a" + anyText + "c", possibly}, {"b*", "a" + anyText, never}, {"*b", anyText + "a", never},
	} {
		if got := fits(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q fits %q: %v, want %v", tt.text, tt.pattern, got, tt.want)
		}
	}
}
