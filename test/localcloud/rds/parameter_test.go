package rds_test

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// other returns a value of a parameter that is not its standard.
func other(t *testing.T, p localrds.Parameter) any {
	t.Helper()
	if p.Other != nil {
		return p.Other
	}
	switch v := p.Standard.(type) {
	case bool:
		return !v
	case int32:
		return v + 1
	case string:
		return v + "2"
	default:
		t.Fatalf("the test knows no other value of the type %T: add it", p.Standard)
		return nil
	}
}

// give sets a parameter of a call.
func give(call any, name string, value any) {
	p := reflect.New(reflect.TypeOf(value))
	p.Elem().Set(reflect.ValueOf(value))
	reflect.ValueOf(call).Elem().FieldByName(name).Set(p)
}

// A parameter has its standard unless the creation says otherwise, is reported, and changes at once.
func TestRDSParameters(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	has := func(t *testing.T, name, parameter string, want any) {
		t.Helper()
		db := sdk.Describe(t, client, name)
		got := reflect.ValueOf(db).FieldByName(parameter)
		if got.IsNil() || got.Elem().Interface() != want {
			t.Errorf("%s of %s is not %v", parameter, name, want)
		}
	}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("plain", func(*rds.CreateDBInstanceInput) {})))(t)
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("told", func(in *rds.CreateDBInstanceInput) {
		for _, p := range localrds.Parameters {
			give(in, p.Name, other(t, p))
		}
	})))(t)
	for _, p := range localrds.Parameters {
		t.Run(p.Name, func(t *testing.T) {
			has(t, "plain", p.Name, p.Standard)
			has(t, "told", p.Name, other(t, p))
			name := "plain"
			in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name}
			give(in, p.Name, other(t, p))
			check.Need(client.ModifyDBInstance(t.Context(), in))(t)
			has(t, "plain", p.Name, other(t, p))
		})
	}
}

// A value that a parameter does not have is refused.
func TestRDSParameterValues(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	name, wrong := "orders", "open-source"
	_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, func(in *rds.CreateDBInstanceInput) { in.EngineLifecycleSupport = &wrong }))
	sdk.WantCode(t, err, "InvalidParameterValue")
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, func(*rds.CreateDBInstanceInput) {})))(t)
	_, err = client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, EngineLifecycleSupport: &wrong})
	sdk.WantCode(t, err, "InvalidParameterValue")
}

// MariaDB has no Extended Support: it takes no setting of it, and reports none.
func TestMariaDBHasNoLifecycle(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	name, standard := "orders", "open-source-rds-extended-support"
	mariadb := func(in *rds.CreateDBInstanceInput) { in.Engine, in.EngineVersion = new("mariadb"), nil }
	_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, func(in *rds.CreateDBInstanceInput) {
		mariadb(in)
		in.EngineLifecycleSupport = &standard
	}))
	sdk.WantCode(t, err, "InvalidParameterCombination")
	made := check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, mariadb)))(t)
	if has := made.DBInstance.EngineLifecycleSupport; has != nil {
		t.Errorf("it reports %s", *has)
	}
	_, err = client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, EngineLifecycleSupport: &standard})
	sdk.WantCode(t, err, "InvalidParameterCombination")
}
