package sql

import (
	"fmt"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleInsights leaves out what is off, as the recordings do: a number of 0 stays.
func settleInsights(c *change) {
	settings := c.settings
	insights, ok := settings["insightsConfig"].(google.Object)
	if !ok {
		return
	}
	for k, v := range insights {
		if v == false {
			delete(insights, k)
		}
	}
}

// validInsights refuses numbers out of their ranges, and the enhanced insights of Enterprise Plus elsewhere. No recording shows that. Longer queries need the
// enhanced insights; how long they may be there is said for PostgreSQL. The words for the length are those that people report.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#InsightsConfig
// https://cloud.google.com/sql/docs/postgres/using-query-insights
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/808
func validInsights(in, _ *sqladmin.DatabaseInstance) error {
	c, most, longest := in.Settings.InsightsConfig, int64(20), int64(4500)
	if c == nil {
		return nil
	}
	if in.Settings.Edition == "ENTERPRISE_PLUS" {
		most = 200
	}
	if c.EnhancedQueryInsightsEnabled {
		longest = 100_000
	}
	switch {
	case c.EnhancedQueryInsightsEnabled && in.Settings.Edition != "ENTERPRISE_PLUS":
		return sqlInvalid("Enhanced query insights are only supported for ENTERPRISE_PLUS edition instances.")
	case c.QueryStringLength != 0 && (c.QueryStringLength < 256 || c.QueryStringLength > longest):
		return sqlInvalid(fmt.Sprintf("Invalid query string length: %d. Query String length should be 256-%d.", c.QueryStringLength, longest))
	case c.QueryPlansPerMinute < 0 || c.QueryPlansPerMinute > most:
		return sqlInvalid(fmt.Sprintf("Invalid number of query plans per minute: %d. It must be between 0 and %d.", c.QueryPlansPerMinute, most))
	}
	return nil
}
