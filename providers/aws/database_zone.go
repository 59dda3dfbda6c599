package aws

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// withoutChosenZone takes the zone out of the mirror of an instance with a standby: RDS chooses both zones, and a failover exchanges them, so that no spec may name one.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
func withoutChosenZone(_, mirror *databaseSpec) {
	if mirror.AWS != nil && mirror.Availability != nil && *mirror.Availability == v1alpha1.AvailabilityMultiZone {
		mirror.AWS.AvailabilityZone = nil
	}
}

// withZoneOf returns a mirror with the zone that a spec names where the mirror leaves it out: a preview says nothing of a zone that it does not know.
func withZoneOf(spec *databaseSpec, mirror databaseSpec) databaseSpec {
	zone := awsOf(spec).AvailabilityZone
	if single := spec.Availability != nil && *spec.Availability != v1alpha1.AvailabilityMultiZone; single || zone == nil || awsOf(&mirror).AvailabilityZone != nil || mirror.Availability == nil || *mirror.Availability != v1alpha1.AvailabilityMultiZone {
		return mirror
	}
	block := awsOf(&mirror).DeepCopy()
	block.AvailabilityZone = zone
	mirror.AWS = block
	return mirror
}
