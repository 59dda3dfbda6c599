package rds_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestRDSBlueGreenData: a client that writes to one endpoint all the time finds there all that was acknowledged after a switchover, in another instance.
func TestRDSBlueGreenData(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"postgres", "mysql"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			check.Available(t, engine.Available(kind))
			cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
			defer func() {
				if err := cloud.Close(); err != nil {
					t.Error(err)
				}
			}()
			ctx, client, ca := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), check.Need(cloud.RDSAuthorities())(t)
			query := func(of types.DBInstance, sql string) (string, error) {
				at := check.Server{Host: *of.Endpoint.Address, Port: int(*of.Endpoint.Port), CA: ca}
				if kind == "postgres" {
					return check.QueryPostgres(t, at, "mooring", "correct-horse", "shop", sql)
				}
				return check.QueryMariaDB(t, at, "mooring", "correct-horse", "shop", sql)
			}
			const count = "SELECT count(DISTINCT n) FROM t"
			check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
				in.DBName, in.Engine, in.EngineVersion = aws.String("shop"), &kind, nil
			})))(t)
			blue := sdk.AwaitStatus(t, client, "orders", "available")
			check.Need(query(blue, "CREATE TABLE t (n int)"))(t)
			check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("copy", "orders")))(t)
			replica := sdk.AwaitStatus(t, client, "copy", "available")
			id := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("upgrade", *blue.DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
			awaitDeployment(t, client, id, "AVAILABLE")
			target := *describeDeployment(t, client, id).Target
			green := sdk.Describe(t, client, target[strings.LastIndex(target, ":")+1:])
			check.Need(query(blue, "INSERT INTO t VALUES (0)"))(t)
			check.AwaitValue(t, "rows of green", "1", func() (string, error) { return query(green, count) })
			readOnly := func(what string, of types.DBInstance) {
				t.Helper()
				if _, err := query(of, "INSERT INTO t VALUES (-1)"); err == nil || !strings.Contains(err.Error(), "read-only") {
					t.Errorf("a write on %s: %v", what, err)
				}
			}
			readOnly("green", green)

			w := check.WriteSteadily(func(n int) error {
				_, err := query(blue, "INSERT INTO t VALUES ("+strconv.Itoa(n)+")")
				return err
			})
			w.AwaitMore(t, 20)
			check.Need(client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id}))(t)
			awaitDeployment(t, client, id, "SWITCHOVER_COMPLETED")
			w.AwaitMore(t, 20)
			acknowledged := w.End()
			now, old := sdk.Describe(t, client, "orders"), sdk.Describe(t, client, "orders-old1")
			if *now.Endpoint.Address != *blue.Endpoint.Address || *now.DbiResourceId != *green.DbiResourceId || *old.DbiResourceId != *blue.DbiResourceId || *old.Endpoint.Address == *blue.Endpoint.Address {
				t.Errorf("after the switchover: %+v and %+v", now, old)
			}
			rows := check.Need(query(blue, count))(t)
			if n, err := strconv.ParseInt(rows, 10, 64); err != nil || n-1 < acknowledged {
				t.Errorf("%d rows were acknowledged, and %s are there, with the first", acknowledged, rows)
			}
			if got := check.Need(query(old, count))(t); got == rows {
				t.Errorf("the old instance has all %s rows", got)
			}
			readOnly("the old instance", old)
			check.AwaitValue(t, "rows of the replica", rows, func() (string, error) { return query(replica, count) })
			readOnly("the replica", replica)
			check.Need(client.RebootDBInstance(ctx, &rds.RebootDBInstanceInput{DBInstanceIdentifier: aws.String("orders-old1")}))(t)
			sdk.AwaitStatus(t, client, "orders-old1", "available")
			check.Need(query(old, "INSERT INTO t VALUES (-1)"))(t)
			if kind == "postgres" { // whose backups begin anew
				awaitRestorable(t, client, "orders")
			}
			check.Need(client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id}))(t)
			awaitDeployment(t, client, id, "")
			check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders-old1"), SkipFinalSnapshot: aws.Bool(true)}))(t)
			sdk.AwaitStatus(t, client, "orders-old1", "")
			check.Need(query(now, "INSERT INTO t VALUES (-1)"))(t)
		})
	}
}
