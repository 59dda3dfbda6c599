package gcp_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

var iamFlags = map[v1alpha1.Engine]string{
	v1alpha1.EnginePostgres: "cloudsql.iam_authentication", v1alpha1.EngineMySQL: "cloudsql_iam_authentication",
}

// Logins by IAM are a flag of the engine's own name. Parameters come and go beside it, and take it away in no mode.
func TestIAMAuthentication(t *testing.T) {
	on, off, exact := new(true), new(false), new(v1alpha1.ParametersExact)
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			flag, log := iamFlags[engine], map[string]v1alpha1.ParameterValue{"long_query_time": "2"}
			if engine == v1alpha1.EnginePostgres {
				log = map[string]v1alpha1.ParameterValue{"work_mem": "4096"}
			}
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("iam", engine)
			req.Spec.IAMAuthentication = on
			x := c.made(t, &req)
			for _, step := range []struct {
				name       string
				iam        *bool
				parameters map[string]v1alpha1.ParameterValue
				mode       *v1alpha1.ParametersMode
				flags      int
				on         bool
			}{
				{"created", on, nil, nil, 1, true},
				{"with parameters", on, log, nil, 2, true},
				{"with no others", on, map[string]v1alpha1.ParameterValue{}, exact, 1, true},
				{"off", off, log, exact, 1, false},
				{"on, at once with others", on, nil, nil, 2, true},
				{"released", nil, nil, nil, 2, true},
				{"taken by the parameters", nil, map[string]v1alpha1.ParameterValue{flag: "on"}, exact, 1, true},
				{"and back", on, map[string]v1alpha1.ParameterValue{}, nil, 1, true},
				{"off and released", off, nil, nil, 0, false},
			} {
				req.Spec.IAMAuthentication, req.Spec.Parameters, req.Spec.ParametersMode = step.iam, step.parameters, step.mode
				seen := c.look(t, x, &req)
				effect := driver.Online // the list of flags names no restart
				if !step.on {
					effect = driver.Interrupts // of those who log in with tokens
				}
				for _, change := range seen.Changes {
					if change.Field == "iamAuthentication" && change.Effect != effect {
						t.Errorf("%s: %+v, want %s", step.name, change, effect)
					}
				}
				if result, err := x.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); len(seen.Changes) > 0 && (err != nil || len(result.Failed) > 0) {
					t.Fatalf("%s: %v, failed %v", step.name, err, result.Failed)
				}
				c.settle(t)
				after := c.look(t, x, &req)
				req.Applied = after.Applied
				if flags := flagsOf(c.instance(t, req.Name)); len(flags) != step.flags || (flags[flag] == "on") != step.on || len(after.Changes) > 0 {
					t.Errorf("%s: flags %v, still differs %v", step.name, flags, after.Changes)
				}
			}
		})
	}
}

// A flag that two fields set is refused by the names of both, before any call.
func TestIAMAuthenticationSaidTwice(t *testing.T) {
	refused := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.iamAuthentication") && strings.Contains(err.Error(), "cloudsql.iam_authentication of spec.parameters")
	}
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("iam", v1alpha1.EnginePostgres)
	twice := req.Spec
	twice.IAMAuthentication, twice.Parameters = new(false), map[string]v1alpha1.ParameterValue{"cloudsql.iam_authentication": "on"}
	other := req
	other.Spec = twice
	if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), other); !refused(err) {
		t.Errorf("create: %v", err)
	}
	x := c.made(t, &req)
	writes := len(c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}))
	req.Spec = twice
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	for _, failed := range result.Failed {
		err = failed.Err
	}
	if after := len(c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes})); !refused(err) || after != writes {
		t.Errorf("update: %v, and %d writes", err, after-writes)
	}
}
