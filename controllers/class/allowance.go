package class

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// mostNamed is how many other cloud objects Mooring looks at that one field of an object names. No cloud takes so many: 1,500 members are in a policy of
// Google Cloud, and fewer principals in the 20 KB of one of S3; the longest list of another sort has 1,000 entries.
// https://cloud.google.com/iam/quotas#limits
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html
const mostNamed = 5_000

// unlistedIn says which of the names in a field its class does not allow.
func (o Input) unlistedIn(field string, allows allowance, names []string) (problems []Problem) {
	if len(names) > mostNamed {
		return []Problem{o.keeping(field, tooManyNames(field))}
	}
	for _, name := range names {
		if p := allows.refuses(name); p != nil {
			problems = append(problems, o.keeping(field, *p))
		}
	}
	return problems
}

// tooManyNames says that a field names more than Mooring looks at.
func tooManyNames(field string) Problem {
	return violated("spec."+field, "it names more than %d other cloud objects, which no cloud takes; name fewer", mostNamed)
}

// An allowance is what a class allows objects to name in a field, read once for all the names that an object has there.
type allowance struct {
	class *Class
	field string
	at    path
	by    Referrer
	gives []string
	// patterns match whole names; broken is the first pattern that can't be read, and why.
	patterns []func(name string) bool
	broken   error
	brokenAt int
	// only says all that is allowed, for a message; empty if that is nothing.
	only string
}

// allowance reads what the class allows in a field.
func (c *Class) allowance(field string, at path, by Referrer) allowance {
	a := allowance{class: c, field: field, at: at, by: by, gives: c.gives(at, by)}
	says := make([]string, 0, prose.MostListed)
	for _, given := range a.gives {
		says = append(says, fmt.Sprintf("%q", given))
	}
	for i, allowed := range c.Spec.AllowedReferences {
		if allowed.Field != "spec."+field {
			continue
		}
		matches, err := whole(allowed.Pattern)
		if err != nil { // it matches nothing, and another entry may
			a.broken, a.brokenAt = err, i
			continue
		}
		a.patterns = append(a.patterns, matches)
		says = append(says, fmt.Sprintf("what matches %q", allowed.Pattern))
	}
	others := ""
	if n := len(says) - prose.MostListed; n > 0 {
		says, others = says[:prose.MostListed], fmt.Sprintf(" or %d others of the class", n)
	}
	a.only = prose.Shorten(strings.Join(says, " or "), 600) + others // each refusal of up to mostNamed has it
	return a
}

// given reports whether the class itself names it.
func (a allowance) given(name string) bool {
	_, found := slices.BinarySearch(a.gives, name)
	return found
}

// refuses says why objects of the class can't name another cloud object in the field; nil if they can.
func (a allowance) refuses(name string) *Problem {
	c := a.class
	var p Problem
	switch {
	case a.given(name):
		return nil
	case a.by.Reserved != nil:
		p = violated("spec."+a.at.String(), "class %q does not set %s, and nobody else may, because %s; remove the field, or ask your platform team to set it in spec.defaults or spec.enforced of the class",
			c.Name(), name, a.by.Reserved.Does)
	case slices.ContainsFunc(a.patterns, func(matches func(string) bool) bool { return matches(name) }):
		return nil
	case a.broken != nil:
		p = Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + a.field,
			Message: fmt.Sprintf("class %q does not allow %s %q, because its spec.allowedReferences[%d].pattern can't be read: %v; your platform team has to correct it, or remove the field",
				c.Name(), a.by.Sort, name, a.brokenAt, a.broken)}
	case a.only == "":
		p = violated("spec."+a.field, "class %q does not allow %s %q, nor any other; remove the field, or ask your platform team to list it in spec.allowedReferences of the class", c.Name(), a.by.Sort, name)
	default:
		p = violated("spec."+a.field, "class %q does not allow %s %q, only %s; set one of these, remove the field, or ask your platform team to list it in spec.allowedReferences of the class",
			c.Name(), a.by.Sort, name, a.only)
	}
	return &p
}

// whole returns what reports whether all of a text matches a pattern. A part that matches is not enough: who may name the subnet group
// team-a may not name not-team-a.
func whole(pattern string) (func(text string) bool, error) {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	expression.Longest()
	return func(text string) bool {
		at := expression.FindStringIndex(text)
		return at != nil && at[0] == 0 && at[1] == len(text)
	}, nil
}
