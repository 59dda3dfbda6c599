package localcloud

import (
	"fmt"

	"google.golang.org/api/sqladmin/v1"
)

// settleInsights leaves out what is off, as the recordings do: a number of 0 stays.
func settleInsights(settings jsonObject) {
	insights, ok := settings["insightsConfig"].(jsonObject)
	if !ok {
		return
	}
	for k, v := range insights {
		if v == false {
			delete(insights, k)
		}
	}
}

// validInsights refuses numbers out of their ranges. No recording shows that.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#InsightsConfig
// https://cloud.google.com/sql/docs/postgres/using-query-insights
func validInsights(in *sqladmin.DatabaseInstance) error {
	c, most := in.Settings.InsightsConfig, int64(20)
	if in.Settings.Edition == "ENTERPRISE_PLUS" {
		most = 200
	}
	switch {
	case c == nil:
	case c.QueryStringLength != 0 && (c.QueryStringLength < 256 || c.QueryStringLength > 4500):
		return sqlInvalid(fmt.Sprintf("Invalid query string length: %d. It must be between 256 and 4500.", c.QueryStringLength))
	case c.QueryPlansPerMinute < 0 || c.QueryPlansPerMinute > most:
		return sqlInvalid(fmt.Sprintf("Invalid number of query plans per minute: %d. It must be between 0 and %d.", c.QueryPlansPerMinute, most))
	}
	return nil
}

// insightsRestart reports whether a change restarts the server, as the reference says of the query length.
func insightsRestart(old, now *sqladmin.DatabaseInstance) bool {
	length := func(in *sqladmin.DatabaseInstance) int64 {
		if in.Settings.InsightsConfig == nil {
			return 0
		}
		return in.Settings.InsightsConfig.QueryStringLength
	}
	return length(old) != length(now)
}
