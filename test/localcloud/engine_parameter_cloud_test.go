package localcloud_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// What a parameter group sets reaches the servers of its members: all of it when they start, dynamic parameters at once, and static ones with a restart.
func TestRDSParametersReachTheServer(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, client := t.Context(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	ca := check.Need(cloud.RDSAuthorities())(t)
	has := func(when, instance, name, want string) {
		t.Helper()
		of := sdk.AwaitStatus(t, client, instance, "available")
		check.Await(t, fmt.Sprintf("%s: %s to have %s %s", when, instance, name, want), func() (bool, string) {
			got, err := check.QueryPostgres(t, check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}, "mooring", "correct-horse", "", check.ShowParameter["postgres"](name))
			return err == nil && got == want, fmt.Sprint(got, err)
		})
	}
	set := func(parameters ...rdstypes.Parameter) {
		t.Helper()
		check.Need(client.ModifyDBParameterGroup(ctx, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("shop"), Parameters: parameters}))(t)
	}
	reboot := func() {
		t.Helper()
		check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: new("shop")}))(t)
	}
	check.Need(client.CreateDBParameterGroup(ctx, &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop"), DBParameterGroupFamily: new("postgres16"), Description: new("x")}))(t)
	set(sdk.Setting("max_connections", "57", sdk.AtRestart), sdk.Setting("work_mem", "8192", sdk.Immediate), sdk.Setting("rds.force_ssl", "1", sdk.Immediate))
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("shop")))(t)
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("born", func(in *rds.CreateDBInstanceInput) { in.DBParameterGroupName = new("shop") })))(t)
	has("made with the group", "born", "max_connections", "57")
	has("made with the group", "born", "work_mem", "8MB")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), DBParameterGroupName: new("shop"), ApplyImmediately: new(true)}))(t)
	has("attached, and not restarted", "shop", "work_mem", "4MB")
	reboot()
	has("restarted", "shop", "max_connections", "57")
	has("restarted", "shop", "work_mem", "8MB")
	set(sdk.Setting("max_connections", "61", sdk.AtRestart), sdk.Setting("work_mem", "1024", sdk.Immediate), sdk.Setting("statement_timeout", "5000", sdk.AtRestart))
	has("changed at once", "shop", "work_mem", "1MB")
	has("waiting for a restart", "shop", "max_connections", "57")
	has("waiting for a restart, though it is dynamic", "shop", "statement_timeout", "0")
	check.Need(client.StopDBInstance(ctx, &rds.StopDBInstanceInput{DBInstanceIdentifier: new("shop")}))(t)
	sdk.AwaitStatus(t, client, "shop", "stopped")
	check.Need(client.StartDBInstance(ctx, &rds.StartDBInstanceInput{DBInstanceIdentifier: new("shop")}))(t)
	has("started again", "shop", "max_connections", "61")
	has("started again", "shop", "statement_timeout", "5s")
	check.Need(client.ResetDBParameterGroup(ctx, &rds.ResetDBParameterGroupInput{DBParameterGroupName: new("shop"), ResetAllParameters: new(true)}))(t)
	has("reset", "shop", "work_mem", "4MB")
	has("reset, and not restarted", "shop", "max_connections", "61")
	set(sdk.Setting("max_connections", "33", sdk.AtRestart))
	check.Need(client.CreateDBParameterGroup(ctx, &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("next"), DBParameterGroupFamily: new("postgres17"), Description: new("x")}))(t)
	check.Need(client.ModifyDBParameterGroup(ctx, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("next"), Parameters: []rdstypes.Parameter{sdk.Setting("max_connections", "44", sdk.AtRestart)}}))(t)
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: new("shop"), EngineVersion: new("17"), AllowMajorVersionUpgrade: new(true), DBParameterGroupName: new("next"), ApplyImmediately: new(true),
	}))(t)
	has("upgraded", "shop", "max_connections", "44")
}

// Flags reach the server: with the creation, at once, and with the restart that some need.
func TestSQLFlagsReachTheServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		engine, version, admin string
		port                   int
		first, then            map[string]string
		firstIs, thenIs        map[string]string
	}{
		{
			"postgres", "POSTGRES_16", "postgres", 5432,
			map[string]string{"max_connections": "57", "cloudsql.iam_authentication": "on"}, map[string]string{"max_connections": "61", "work_mem": "1024"},
			map[string]string{"max_connections": "57", "work_mem": "4MB"}, map[string]string{"max_connections": "61", "work_mem": "1MB"},
		},
		{
			"mysql", "MYSQL_8_4", "root", 3306,
			map[string]string{"max_connections": "57", "cloudsql_iam_authentication": "on"}, map[string]string{"max_connections": "61", "long_query_time": "2"},
			map[string]string{"max_connections": "57"}, map[string]string{"max_connections": "61", "long_query_time": "2"},
		},
	} {
		t.Run(test.engine, func(t *testing.T) {
			t.Parallel()
			check.Available(t, engine.Available(test.engine))
			cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
			defer func() {
				if err := cloud.Close(); err != nil {
					t.Error(err)
				}
			}()
			_, sql, _ := (&sdk.GCP{Cloud: cloud}).Clients(t, "acme")
			done := sdk.DoneIn(t, cloud, sql)
			query := check.DialPostgres
			if test.engine == "mysql" {
				query = check.DialMySQL
			}
			has := func(when string, want map[string]string) {
				t.Helper()
				in := check.Need(sql.Instances.Get("acme", "orders").Do())(t)
				for name, value := range want {
					got, err := query(t, check.Server{Host: in.IpAddresses[0].IpAddress, Port: test.port, CA: in.ServerCaCert.Cert}, "", test.admin, sdk.Orders().RootPassword, "", check.ShowParameter[test.engine](name))
					if err != nil || got != value {
						t.Errorf("%s: %s is %q, %v, want %s", when, name, got, err, value)
					}
				}
			}
			flags := func(values map[string]string) (all []*sqladmin.DatabaseFlags) {
				for name, value := range values {
					all = append(all, &sqladmin.DatabaseFlags{Name: name, Value: value})
				}
				return all
			}
			in := sdk.Orders()
			in.DatabaseVersion, in.Settings.DatabaseFlags = test.version, flags(test.first)
			done(sql.Instances.Insert("acme", in).Do())
			has("created", test.firstIs)
			done(sql.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{DatabaseFlags: flags(test.then)}}).Do())
			has("patched", test.thenIs)
		})
	}
}
