package sql

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// failOverInstance makes the server and the standby of a regional instance change places, which gceZone and secondaryGceZone show afterwards.
// No recording shows the call: see https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/failover and
// https://cloud.google.com/sql/docs/postgres/high-availability: the new server stays the server. Whether the preferred zones change places
// too, the reference leaves open. Here they do, which is the harder case for a client that compares them.
func (s *Service) failOverInstance(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	_, asked, err := google.ParseResource[sqladmin.InstancesFailoverRequest](r.Body)
	if err != nil {
		return nil, err
	}
	switch c := asked.FailoverContext; {
	case in.settings()["availabilityType"] != "REGIONAL":
		return nil, sqlInvalid("Failover is for instances that are configured for high availability.")
	case c == nil || c.SettingsVersion == 0:
		return nil, sqlInvalid("failoverContext.settingsVersion is required.")
	case c.SettingsVersion != in.version:
		return nil, errSQLStale
	}
	return s.begin(r, in, sqlWork{
		kind: "FAILOVER", takes: s.cloud.Options.Durations.Modify, state: "MAINTENANCE",
		succeed: func() {
			next := google.Cloned(in.resource)
			next["gceZone"], next["secondaryGceZone"] = next["secondaryGceZone"], next["gceZone"]
			preference := google.Member(next, "settings", "locationPreference")
			preference["zone"], preference["secondaryZone"] = next["gceZone"], next["secondaryGceZone"]
			in.resource, in.state = next, "RUNNABLE"
		},
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}), nil
}
