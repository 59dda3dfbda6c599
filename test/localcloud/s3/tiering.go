package s3

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type tieringConfiguration struct {
	XMLName   xml.Name     `xml:"IntelligentTieringConfiguration"`
	Namespace string       `xml:"xmlns,attr,omitempty"`
	Filter    *namedFilter `xml:"Filter"`
	ID        string       `xml:"Id"`
	Status    string       `xml:"Status"`
	Tierings  []struct {
		AccessTier string
		Days       *int
	} `xml:"Tiering"`
}

// leastDays are the days without access that the tiers ask for at least.
var leastDays = map[string]int{"ARCHIVE_ACCESS": 90, "DEEP_ARCHIVE_ACCESS": 180}

func (t *tieringConfiguration) id() string { return t.ID }

// valid holds tiers to the days that each takes. No recording shows the refusals. The words about few days are those that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tiering.html
// https://github.com/aws-cloudformation/cfn-lint/issues/3992
func (t *tieringConfiguration) valid(*call) error {
	if !slices.Contains([]string{"Enabled", "Disabled"}, t.Status) || len(t.Tierings) == 0 || t.Filter != nil && t.Filter.accessPoint() != nil {
		return malformedXML()
	}
	seen := map[string]bool{}
	for _, tier := range t.Tierings {
		least, known := leastDays[tier.AccessTier]
		switch {
		case !known || tier.Days == nil || seen[tier.AccessTier]:
			return malformedXML()
		case *tier.Days < least:
			return amazon.Err(http.StatusBadRequest, "InvalidArgument", fmt.Sprintf("Days specified in %s tier should not be less than %d", tier.AccessTier, least))
		case *tier.Days > 730:
			return amazon.Err(http.StatusBadRequest, "InvalidArgument", fmt.Sprintf("Days specified in %s tier should not be more than 730", tier.AccessTier))
		}
		seen[tier.AccessTier] = true
	}
	return t.Filter.valid()
}
