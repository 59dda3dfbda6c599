package sql

import (
	"cmp"
	"encoding/json"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// checkSpec returns why Cloud SQL refuses a spec, as far as that is known without a call. observed is the mirror of the instance, nil for a new one; location
// is where it is or is to be, empty if that is not known. The API refuses some of it in a spec alone; here a class may have set one of the fields.
func checkSpec(spec, observed *databaseParameters, location string) []error {
	availability := spec.Availability
	if observed != nil {
		availability = cmp.Or(availability, observed.Availability)
	}
	problems := []error{
		checkBlocks(spec), checkStandby(spec, availability), checkTLS(spec), checkIAM(spec), checkBackups(spec, availability), checkSpeed(spec),
		checkZones(spec), checkZone("gcp.zone", gcpOf(spec).Zone, location), checkZone("gcp.secondaryZone", gcpOf(spec).SecondaryZone, location),
		resource.CheckKey(portable.WantedDiskKey(spec), location),
	}
	return append(problems, unsendable(spec, observed)...)
}

// checkDraft is what driver.Driver says of a check.
func checkDraft(draft driver.Draft) ([]driver.Refusal, error) {
	return table.CheckOf(draft, func(spec, observed *databaseParameters, location string) []driver.Refusal {
		return table.Refused(checkSpec(spec, observed, location)...)
	})
}

func checkBlocks(spec *databaseParameters) error {
	if spec.AWS == nil {
		return nil
	}
	return table.Fields{"aws"}.Refuse("spec.aws is for Amazon RDS, and this account is in Google Cloud: remove it, and set spec.gcp.tier")
}

// unsendable returns why the call of a creation, or of a change that sets all, can't be made: what Cloud SQL takes in another form than the spec has it.
func unsendable(spec, observed *databaseParameters) []error {
	var params instanceParams
	if fields.Fill(spec, &params) != nil { // which is told as such
		return nil
	}
	have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{}}}
	if observed != nil {
		have = mirrored(observed)
	}
	params.completeDeny(spec, have)
	var version error
	if spec.Engine != nil && *spec.Engine != v1alpha1.EngineMariaDB { // which Cloud SQL lacks
		_, version = params.versionOfNew()
	}
	_, window := params.maintenanceWindow(have)
	return []error{version, window, params.deny(&sqladmin.Settings{}, have)}
}

// mirrored returns the instance of a mirror, with the periods that Cloud SQL takes as a whole.
func mirrored(observed *databaseParameters) *instance {
	var params instanceParams
	have, none := &sqladmin.Settings{}, &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{}}}
	if fields.Fill(&databaseParameters{Maintenance: observed.Maintenance, GCP: observed.GCP}, &params) == nil {
		have.MaintenanceWindow, _ = params.maintenanceWindow(none)
		_ = params.deny(have, none) // what is half a period is none
	}
	return &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: have}}
}

// A Hyperdisk has at most so many MiB/s for each of its IOPS, and IOPS for each MiB/s.
// https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
const (
	iopsOfMiB     = 4
	mostIOPSOfMiB = 256
)

// checkSpeed refuses IOPS and throughput that do not go together.
func checkSpeed(spec *databaseParameters) error {
	iops, throughput := gcpOf(spec).IOPS, gcpOf(spec).ThroughputMiBps
	if iops == nil || throughput == nil || int64(*throughput)*iopsOfMiB <= int64(*iops) && int64(*throughput)*mostIOPSOfMiB >= int64(*iops) {
		return nil
	}
	return table.Fields{"gcp.throughputMiBps", "gcp.iops"}.Refuse("spec.gcp.throughputMiBps is %d and spec.gcp.iops is %d: the throughput has to be at most a quarter of the IOPS, and the IOPS "+
		"at most 256 times the throughput: change one of the two", *throughput, *iops)
}

// checkZones refuses a standby in the zone of the server. https://cloud.google.com/sql/docs/postgres/high-availability
func checkZones(spec *databaseParameters) error {
	zone, secondary := gcpOf(spec).Zone, gcpOf(spec).SecondaryZone
	if orNone(zone) == "" || orNone(zone) != orNone(secondary) {
		return nil
	}
	return table.Fields{"gcp.secondaryZone", "gcp.zone"}.Refuse("spec.gcp.secondaryZone and spec.gcp.zone are both %s, and the standby is there for the case that the zone of the server fails: "+
		"name another zone of the region", *zone)
}

// checkZone refuses a zone of another region than the server's. https://cloud.google.com/sql/docs/postgres/locations
func checkZone(field string, zone *string, location string) error {
	if orNone(zone) == "" || location == "" || strings.HasPrefix(*zone, location+"-") {
		return nil
	}
	return table.Fields{field, "location"}.Refuse("spec.%s %s is no zone of %s, where the server is: name one of its zones, for example %[3]s-b", field, *zone, location)
}

// checkLacks refuses what a spec asks for that the cloud lacks. Whoever calls the driver refuses that too, of new objects and of existing ones, as far
// as the spec says it: see checkEdition for what a spec leaves unsaid.
func checkLacks(lacks []driver.Lack, spec *databaseParameters) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return session.Invalid("the spec can't be read: %v", err)
	}
	var says map[string]any
	if err := json.Unmarshal(raw, &says); err != nil {
		return session.Invalid("the spec can't be read: %v", err)
	}
	for _, l := range driver.Lacking(lacks, says) {
		return session.Invalid("spec.%s: %s", l.Field, l)
	}
	return nil
}
