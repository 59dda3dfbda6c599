package sql

import (
	"fmt"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const fieldPolicy = "gcp.passwordValidationPolicy"

// policyRows are the rules for new passwords. No password that is set already is checked again, so no change disturbs anybody. What the recordings show is
// a policy that is off, and one that is on with all of its rules.
// https://cloud.google.com/sql/docs/postgres/built-in-authentication#instance_password_policies
var policyRows = table.Table[databaseParameters, instance, instanceParams]{
	plain(fieldPolicy+".enabled", "EnablePasswordPolicy", func(i *instance) *bool {
		return new(i.passwordPolicy() != nil && i.passwordPolicy().EnablePasswordPolicy)
	}),
	plain(fieldPolicy+".minLength", "MinLength", ofPolicy(func(c *sqladmin.PasswordValidationPolicy) int32 { return int32(c.MinLength) })),
	plain(fieldPolicy+".complexity", "Complexity", ofPolicy(func(c *sqladmin.PasswordValidationPolicy) string {
		if c.Complexity == "" {
			return "COMPLEXITY_UNSPECIFIED"
		}
		return c.Complexity
	})),
	plain(fieldPolicy+".reuseInterval", "ReuseInterval", ofPolicy(func(c *sqladmin.PasswordValidationPolicy) int32 { return int32(c.ReuseInterval) })),
	plain(fieldPolicy+".disallowUsernameSubstring", "DisallowUsernameSubstring", ofPolicy(func(c *sqladmin.PasswordValidationPolicy) bool { return c.DisallowUsernameSubstring })),
	table.Field(fieldPolicy+".passwordChangeIntervalSeconds",
		func(p *databaseParameters) *int32 { return policyIn(p).PasswordChangeIntervalSeconds },
		ofPolicy(func(c *sqladmin.PasswordValidationPolicy) int32 { return changeInterval(c.PasswordChangeInterval) }),
		func(p *instanceParams, v int32) { p.PasswordChangeInterval = new(fmt.Sprintf("%ds", v)) }),
}

// policyLacks: rules without a word on whether the server keeps to them have no effect on a new server, which nobody would notice.
var policyLacks = func() (lacks []driver.Lack) {
	for _, rule := range []string{"minLength", "complexity", "reuseInterval", "disallowUsernameSubstring", "passwordChangeIntervalSeconds"} {
		lacks = append(lacks, driver.Lack{
			Field: fieldPolicy + "." + rule, Match: ".", Values: "a value", Unless: map[string]string{fieldPolicy + ".enabled": "."}, Invalid: true,
			Why: "the policy has no effect as long as it is not enabled", Instead: "set spec." + fieldPolicy + ".enabled",
		})
	}
	// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#PasswordValidationPolicy
	return append(lacks, driver.Lack{
		Field: fieldPolicy + ".passwordChangeIntervalSeconds", Match: "^[1-9]", Values: "a number above 0", With: map[string]string{"engine": "^mysql$"}, Invalid: true,
		Why: "only PostgreSQL has such an interval", Instead: "remove spec." + fieldPolicy + ".passwordChangeIntervalSeconds",
	})
}()

func policyIn(p *databaseParameters) *v1alpha1.PasswordValidationPolicy {
	if policy := gcpOf(p).PasswordValidationPolicy; policy != nil {
		return policy
	}
	return &v1alpha1.PasswordValidationPolicy{}
}

// passwordPolicy returns the policy of an instance, nil if it reports none.
func (i *instance) passwordPolicy() *sqladmin.PasswordValidationPolicy {
	return i.settings().PasswordValidationPolicy
}

// ofPolicy returns a rule as an instance reports it; nil if it reports no policy.
func ofPolicy[V any](rule func(*sqladmin.PasswordValidationPolicy) V) func(*instance) *V {
	return func(i *instance) *V {
		c := i.passwordPolicy()
		if c == nil {
			return nil
		}
		return new(rule(c))
	}
}

// changeInterval returns the seconds of a duration in the words of the API, for example 7200s.
func changeInterval(text string) int32 {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return int32(d / time.Second)
}

// policyByHand says why the calls take these parameters in one value.
const policyByHand = "it is a part of passwordValidationPolicy"

// policyConfig returns what is to become of the password policy of an instance; nil if the parameters say nothing. What they leave open is sent as it
// is: right whether a patch merges the settings or replaces them.
func (p *instanceParams) policyConfig(have *instance) *sqladmin.PasswordValidationPolicy {
	if p.EnablePasswordPolicy == nil && p.MinLength == nil && p.Complexity == nil && p.ReuseInterval == nil && p.DisallowUsernameSubstring == nil && p.PasswordChangeInterval == nil {
		return nil
	}
	c := sqladmin.PasswordValidationPolicy{}
	if there := have.passwordPolicy(); there != nil {
		c = *there
	}
	c.ForceSendFields = []string{"EnablePasswordPolicy"} // a policy that is off says so
	setPart(&c.EnablePasswordPolicy, p.EnablePasswordPolicy, &c.ForceSendFields, "EnablePasswordPolicy")
	setPart(&c.MinLength, p.MinLength, &c.ForceSendFields, "MinLength")
	setPart(&c.Complexity, p.Complexity, &c.ForceSendFields, "Complexity")
	setPart(&c.ReuseInterval, p.ReuseInterval, &c.ForceSendFields, "ReuseInterval")
	setPart(&c.DisallowUsernameSubstring, p.DisallowUsernameSubstring, &c.ForceSendFields, "DisallowUsernameSubstring")
	setPart(&c.PasswordChangeInterval, p.PasswordChangeInterval, &c.ForceSendFields, "PasswordChangeInterval")
	return &c
}
