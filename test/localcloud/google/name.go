package google

import (
	"fmt"
	"regexp"
	"strings"
)

// Regions are the regions of Google Cloud.
var Regions = strings.Fields(`africa-south1 asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3
	asia-south1 asia-south2 asia-southeast1 asia-southeast2 asia-southeast3 australia-southeast1 australia-southeast2
	europe-central2 europe-north1 europe-north2 europe-southwest1 europe-west1 europe-west2 europe-west3 europe-west4
	europe-west6 europe-west8 europe-west9 europe-west10 europe-west12 me-central1 me-central2 me-west1
	northamerica-northeast1 northamerica-northeast2 northamerica-south1 southamerica-east1 southamerica-west1
	us-central1 us-east1 us-east4 us-east5 us-south1 us-west1 us-west2 us-west3 us-west4`)

var (
	labelKeys   = regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$`)
	labelValues = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$`)
	// KMSKeyNames is what the name of a key of Cloud KMS is like.
	KMSKeyNames = regexp.MustCompile(`^projects/[^/]+/locations/([a-z0-9-]+)/keyRings/[A-Za-z0-9_-]{1,63}/cryptoKeys/[A-Za-z0-9_-]{1,63}$`)
)

// ValidLabels holds labels to the rules that all of Google Cloud has in common.
func ValidLabels(labels map[string]string) error {
	if len(labels) > 64 {
		return Invalid("Too many labels: at most 64 are allowed.")
	}
	for k, v := range labels {
		if !labelKeys.MatchString(k) {
			return Invalid(fmt.Sprintf("Invalid label key: '%s'", k))
		}
		if !labelValues.MatchString(v) {
			return Invalid(fmt.Sprintf("Invalid label value: '%s' of label '%s'", v, k))
		}
	}
	return nil
}
