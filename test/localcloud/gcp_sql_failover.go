package localcloud

import (
	"strings"

	"google.golang.org/api/sqladmin/v1"
)

// failOverInstance moves a regional instance to its other zone, which gceZone shows afterwards. No recording shows the call: see
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/failover
func (s *sqlService) failOverInstance(r *sqlRequest) (any, error) {
	in, err := r.free()
	if err != nil {
		return nil, err
	}
	_, asked, err := parseResource[sqladmin.InstancesFailoverRequest](r.body)
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
		kind: "FAILOVER", takes: s.cloud.opts.Durations.Modify, state: "MAINTENANCE",
		succeed: func() {
			next := cloned(in.resource)
			next["gceZone"] = otherZone(next["gceZone"].(string))
			in.resource, in.state = next, "RUNNABLE"
		},
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}), nil
}

// otherZone returns another zone of the same region.
func otherZone(zone string) string {
	if region, first := strings.CutSuffix(zone, "-a"); first {
		return region + "-b"
	}
	return zone[:strings.LastIndex(zone, "-")] + "-a"
}
