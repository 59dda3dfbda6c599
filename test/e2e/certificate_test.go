package e2e

import (
	"maps"
	"net"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// By its Secret alone a client knows its server of Cloud SQL, and takes no other: by the authority of the server's own, or where the servers of a region share
// one, by the name that the Secret has for it.
func TestCertificatesOfCloudSQL(t *testing.T) {
	t.Parallel()
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL} {
		for _, mode := range []string{"GOOGLE_MANAGED_INTERNAL_CA", "GOOGLE_MANAGED_CAS_CA"} {
			t.Run(string(engine)+"-"+mode, func(t *testing.T) {
				w := newFixture(t)
				c := w.realCloud("gcp", engine)
				for _, name := range []string{"orders", "other"} {
					p := system.MinimalDatabase(c)
					p.Engine, p.DatabaseName = &engine, new("app")
					p.GCP.ServerCAMode = &mode
					d := w.database(c, name, p)
					system.Connect(d, name+"-db")
					w.create(d)
					w.ready(d)
				}
				ours, other := w.Secret("orders-db"), w.Secret("other-db")
				if _, _, err := w.query(ours); err != nil {
					t.Errorf("the server itself: %v", err)
				}
				// Whoever answers at our host with the certificate of another server of the same region is not our server.
				posing := maps.Clone(other)
				for _, key := range []string{"certificates", "tls-server-name"} {
					if delete(posing, key); len(ours[key]) > 0 {
						posing[key] = ours[key]
					}
				}
				if _, _, err := w.query(posing); err == nil || !strings.Contains(err.Error(), "certificate") {
					t.Errorf("another server passed for ours: %v", err)
				}
				shared := mode == "GOOGLE_MANAGED_CAS_CA"
				if name := string(ours["tls-server-name"]); (name != "") != shared || shared && !strings.HasSuffix(name, ".sql.goog") {
					t.Errorf("the Secret has the name %q", name)
				}
				if net.ParseIP(string(ours["host"])) == nil {
					t.Errorf("the host is %q, want an address: nobody resolves the name", ours["host"])
				}
			})
		}
	}
}
