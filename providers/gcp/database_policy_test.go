package gcp_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// strictest is every rule at once that Mooring's own passwords have to keep to.
func strictest() *v1alpha1.PasswordValidationPolicy {
	return &v1alpha1.PasswordValidationPolicy{
		Enabled: new(true), MinLength: new(int32(driver.PasswordLength)), Complexity: new("COMPLEXITY_DEFAULT"), ReuseInterval: new(int32(5)), DisallowUsernameSubstring: new(true),
	}
}

// The passwords that Mooring makes keep to the strictest policy: of a new server, of an administrator of another name, and of a rotation.
func TestPasswordsKeepToThePolicy(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for _, username := range []string{"", "boss", "a", "b1"} {
		req := newDatabase("strict-"+username+"x", v1alpha1.EnginePostgres)
		req.Spec.GCP.PasswordValidationPolicy = strictest()
		req.Login = driver.Login{Username: username, Password: driver.NewPassword(username)}
		x := c.made(t, &req)
		for _, password := range []string{req.Login.Password, driver.NewPassword(username)} {
			edit := driver.Edit{Password: driver.SetPassword}
			if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
				edit = driver.Edit{Changes: changes[:1]} // the administrator is still to be made
			} else if password == req.Login.Password {
				continue
			}
			req.Login.Password = password
			if result, err := x.Update(t.Context(), req, edit); err != nil || len(result.Failed) > 0 || result.PasswordFailed != nil {
				t.Errorf("%q: %+v: %v, failed %v, the password: %v", username, edit, err, result.Failed, result.PasswordFailed)
			}
			c.settle(t)
		}
	}
}

// A password that breaks the policy is refused with the name of the field, of a new server and of one that exists, which keeps its own.
func TestPolicyRefusesPasswordsByName(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("weak", v1alpha1.EnginePostgres)
	req.Spec.GCP.PasswordValidationPolicy = strictest()
	x := drivertest.Databases(c.open(t))
	names := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.gcp.passwordValidationPolicy") && !strings.Contains(err.Error(), req.Login.Password)
	}
	if _, err := x.Create(t.Context(), req); !names(err) {
		t.Errorf("a new server: %v", err)
	}
	weak := req.Login.Password
	req.Login.Password = driver.NewPassword("")
	x = c.made(t, &req)
	req.Login.Password = weak
	result, err := x.Update(t.Context(), req, driver.Edit{Password: driver.SetPassword})
	if err == nil && result.PasswordFailed != nil {
		err = result.PasswordFailed
	}
	if !names(err) {
		t.Errorf("a server that exists: %v", err)
	}
}

// Rules that no word puts into force are refused by name, and so is what the engine lacks.
func TestPolicyNeedsItsSwitch(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, test := range map[string]struct {
		engine v1alpha1.Engine
		policy v1alpha1.PasswordValidationPolicy
		field  string
	}{
		"no-switch": {v1alpha1.EnginePostgres, v1alpha1.PasswordValidationPolicy{MinLength: new(int32(0))}, "gcp.passwordValidationPolicy.minLength"},
		"off":       {v1alpha1.EnginePostgres, v1alpha1.PasswordValidationPolicy{Enabled: new(false), MinLength: new(int32(9))}, ""},
		"interval":  {v1alpha1.EngineMySQL, v1alpha1.PasswordValidationPolicy{Enabled: new(true), PasswordChangeIntervalSeconds: new(int32(60))}, "gcp.passwordValidationPolicy.passwordChangeIntervalSeconds"},
	} {
		req := newDatabase(name, test.engine)
		req.Spec.GCP.PasswordValidationPolicy = &test.policy
		_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
		if test.field == "" && err != nil || test.field != "" && (driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), test.field)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
