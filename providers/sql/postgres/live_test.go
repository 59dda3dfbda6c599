package postgres

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/sql"
)

// From a declaration to a login that reads and can't write.
func TestReadOnlyUser(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{
		Databases: []sql.Database{made("orders")},
		Users:     []sql.User{inPlace("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly})},
	}
	f.reconcile(wanted)
	f.converged(wanted)
	f.must(f.as("app", "pw-app", "orders", "CREATE TABLE public.t (n int)", "INSERT INTO public.t VALUES (1)"))
	f.must(f.as("report", "pw-report", "orders", "SELECT * FROM public.t"))
	f.refused(f.as("report", "pw-report", "orders", "INSERT INTO public.t VALUES (2)"))
	f.refused(f.as("report", "pw-report", "orders", "CREATE TABLE public.mine (n int)"))
	f.refused(f.as("report", "wrong", "orders"))
	f.converged(wanted)
}
