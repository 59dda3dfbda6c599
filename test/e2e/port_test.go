package e2e

import (
	"net"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A server answers at the port that its spec names. After an edit, status and connection Secret name the new port, and a client that reads the
// Secret again gets in.
func TestPort(t *testing.T) {
	t.Parallel()
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL, v1alpha1.EngineMariaDB} {
		t.Run(string(engine), func(t *testing.T) {
			w := newFixture(t)
			c := w.realCloud("aws", engine)
			p := system.MinimalDatabase(c)
			p.Engine, p.DatabaseName, p.AWS.Port = &engine, new("app"), new(int32(15433))
			d := w.database(c, "orders", p)
			system.Connect(d, "orders-db")
			w.create(d)
			follows := func(port string) {
				w.Helper()
				w.ready(d)
				w.AwaitSecret("orders-db", "with the port", func(data map[string][]byte) bool { return string(data["port"]) == port })
				secret := w.Secret("orders-db")
				w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(d), d))
				if !strings.Contains(string(secret["uri"]), ":"+port+"/") || !strings.HasSuffix(d.Status.Endpoint, ":"+port) {
					w.Errorf("at port %s the endpoint is %s", port, d.Status.Endpoint)
				}
				_, _, err := w.query(secret)
				w.Must(err)
			}
			follows("15433")
			before := w.Secret("orders-db")
			name := w.externalName(w.States("Database", d.Name, 0)[0])
			mark := len(c.Writes(name))
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.Port = new(int32(16543)) })
			follows("16543")
			w.expectWrites(c, name, mark, "ModifyDBInstance")
			if conn, err := net.Dial("tcp", net.JoinHostPort(string(before["host"]), "15433")); err == nil {
				_ = conn.Close()
				w.Error("the server still answers at the former port")
			}
		})
	}
}
