package rds

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// withoutChosenZone takes the zone out of the mirror of an instance with a standby: RDS chooses both zones, and a failover exchanges them, so that no spec may name one.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
func withoutChosenZone(_, mirror *databaseSpec) {
	if mirror.AWS != nil && isMultiZone(mirror) {
		mirror.AWS.AvailabilityZone = nil
	}
}

func isMultiZone(s *databaseSpec) bool {
	return s.Availability != nil && *s.Availability == v1alpha1.AvailabilityMultiZone
}

// withZoneOf returns a mirror with the zone that a spec names where the mirror leaves it out: a preview says nothing of a zone that it does not know.
func withZoneOf(spec *databaseSpec, mirror databaseSpec) databaseSpec {
	zone := awsOf(spec).AvailabilityZone
	stays := isMultiZone(&mirror) && (spec.Availability == nil || isMultiZone(spec))
	if !stays || zone == nil || awsOf(&mirror).AvailabilityZone != nil {
		return mirror
	}
	block := awsOf(&mirror).DeepCopy()
	block.AvailabilityZone = zone
	mirror.AWS = block
	return mirror
}
