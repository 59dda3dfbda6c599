package e2e

import (
	"context"
	"database/sql"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A rowWriter is an application that has nothing but the connection Secret, which it reads anew each time. It writes a row after each thing that
// happens to the server, and finds all rows that it wrote before.
type rowWriter struct {
	*fixture
	secret string
	rows   []string
}

// do connects, with the authorities of the Secret or with others in their place.
func (k *rowWriter) do(certificates []byte, f func(context.Context, *sql.DB) error) error {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), 5*time.Minute)
	defer cancel()
	secret := maps.Clone(k.Secret(k.secret))
	if certificates != nil {
		secret["certificates"] = certificates
	}
	client := k.open(secret, true)
	defer func() { _ = client.Close() }()
	return f(ctx, client)
}

// begin makes the table. A client that trusts another authority than that of the Secret does not get that far.
func (k *rowWriter) begin() {
	k.Helper()
	if len(k.Secret(k.secret)["certificates"]) == 0 {
		k.Fatal("the Secret has no certificates, so nobody can know the server")
	}
	if err := k.do(otherAuthority(k.fixture), func(ctx context.Context, client *sql.DB) error { return client.PingContext(ctx) }); err == nil {
		k.Error("a client that trusts another authority connects: it verifies nothing")
	}
	k.Must(k.do(nil, func(ctx context.Context, client *sql.DB) error {
		_, err := client.ExecContext(ctx, "CREATE TABLE happened (n INTEGER PRIMARY KEY, what VARCHAR(100))")
		return err
	}))
}

// otherAuthority returns the certificate of an authority that signs nothing here.
func otherAuthority(w *fixture) []byte {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	w.Cleanup(server.Close)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// keep writes a row about what happened, after it has found all that were written before.
func (k *rowWriter) keep(what string) {
	k.Helper()
	k.Must(k.do(nil, func(ctx context.Context, client *sql.DB) error {
		found, err := client.QueryContext(ctx, "SELECT what FROM happened ORDER BY n")
		if err != nil {
			return err
		}
		defer func() { _ = found.Close() }()
		var rows []string
		for found.Next() {
			var row string
			if err := found.Scan(&row); err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if err := found.Err(); err != nil {
			return err
		}
		k.equal("after "+what+", the rows", rows, k.rows)
		insert, err := client.PrepareContext(ctx, map[bool]string{
			false: "INSERT INTO happened (n, what) VALUES ($1, $2)", true: "INSERT INTO happened (n, what) VALUES (?, ?)",
		}[string(k.Secret(k.secret)["type"]) == "mysql"])
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }()
		_, err = insert.ExecContext(ctx, len(k.rows), what)
		k.rows = append(k.rows, what)
		return err
	}))
}

// An ordeal is something that happens to a server, which its rows outlive.
type ordeal struct {
	name string
	edit func(*system.Cloud, *v1alpha1.DatabaseSpec)
	// field has the value after the edit, as the mirror shows it.
	field, value string
	// then is what people do after the edit.
	then func(*rowWriter, *system.Cloud, *v1alpha1.Database, string)
}

// ordeals are in an order in which each is possible after the one before. A parameter is dynamic or static as the catalogues of both clouds say.
func ordeals(engine v1alpha1.Engine) []ordeal {
	dynamic, static := [3]string{"work_mem", "4096", "8192"}, [3]string{"max_connections", "40", "50"}
	if engine != v1alpha1.EnginePostgres {
		dynamic, static = [3]string{"long_query_time", "2", "3"}, [3]string{"performance_schema", "off", "on"}
	}
	set := func(p ...[2]string) func(*system.Cloud, *v1alpha1.DatabaseSpec) {
		return func(_ *system.Cloud, s *v1alpha1.DatabaseSpec) {
			s.Parameters = parameters{}
			for _, entry := range p {
				s.Parameters[entry[0]] = v1alpha1.ParameterValue(entry[1])
			}
		}
	}
	value := func(p [3]string, n int) [2]string { return [2]string{p[0], p[n]} }
	return []ordeal{
		{name: "another size", edit: func(c *system.Cloud, s *v1alpha1.DatabaseSpec) {
			system.SetSize(c, &s.DatabaseParameters, system.Sizes[c.Name][2])
		}},
		{name: "a larger disk", edit: func(_ *system.Cloud, s *v1alpha1.DatabaseSpec) {
			s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))}
		}, field: "storage.sizeGiB", value: "60"},
		{name: "first parameters", edit: set(value(dynamic, 1), value(static, 1))},
		{name: "another dynamic parameter", edit: set(value(dynamic, 2), value(static, 1))},
		{name: "another static parameter", edit: set(value(dynamic, 2), value(static, 2))},
		{name: "a stop and a start", edit: func(_ *system.Cloud, s *v1alpha1.DatabaseSpec) {
			s.PowerState = new(v1alpha1.PowerStateStopped)
		}, then: stopAndStart},
		{name: "a standby", edit: func(_ *system.Cloud, s *v1alpha1.DatabaseSpec) {
			s.Availability = new(v1alpha1.AvailabilityMultiZone)
		}, field: "availability", value: `"MultiZone"`, then: failOver},
	}
}

func stopAndStart(k *rowWriter, _ *system.Cloud, d *v1alpha1.Database, _ string) {
	k.down(d)
	if err := k.do(nil, func(ctx context.Context, client *sql.DB) error { return client.PingContext(ctx) }); err == nil {
		k.Error("a stopped server answers")
	}
	k.power(d, v1alpha1.PowerStateRunning)
	k.state(d, "available", func(s system.Snapshot) bool { return s.IsReady(d) && s.Is(v1alpha1.ConditionAvailable, yes) })
}

func failOver(k *rowWriter, c *system.Cloud, d *v1alpha1.Database, name string) {
	k.keep("the standby is there")
	k.Disturb()
	c.Databases().FailOver(k.T, name)
	k.observedAgain(c, name, 2)
	k.ready(d)
}

// From the Secret alone: an application connects to a server that it verifies, writes rows, and finds them after all that people do to a server
// in its life.
func TestRowsOutliveChanges(t *testing.T) {
	t.Parallel()
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL, v1alpha1.EngineMariaDB} {
		t.Run(string(engine), func(t *testing.T) {
			onReal(t, engine, func(w *fixture, c *system.Cloud) {
				p := system.MinimalDatabase(c)
				p.Engine, p.DatabaseName, p.Storage = new(engine), new("app"), &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}
				p.Version = new(map[v1alpha1.Engine]string{v1alpha1.EnginePostgres: "16", v1alpha1.EngineMySQL: "8.0", v1alpha1.EngineMariaDB: "10.11"}[engine])
				d := w.database(c, "orders", p)
				system.Connect(d, "orders-db")
				w.create(d)
				name := w.ready(d).Status.ExternalName
				k := &rowWriter{fixture: w, secret: "orders-db"}
				k.begin()
				k.keep("the creation")
				for _, o := range ordeals(engine) {
					w.run(o.name, func(w *fixture) {
						k.fixture = w
						edit(w, d, func(d *v1alpha1.Database) { o.edit(c, &d.Spec) })
						if o.then == nil || o.field != "" {
							w.ready(d)
						}
						if o.field != "" {
							w.mirrors(d, o.field, o.value)
						}
						if o.then != nil {
							o.then(k, c, d, name)
						}
						k.keep(o.name)
					})
				}
			})
		})
	}
}
