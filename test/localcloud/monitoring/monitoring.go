package monitoring

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/monitoring/v3"

	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/sql"
)

// monitoringService is Cloud Monitoring, for those who read how far a read replica lags behind. It has one call, and no metrics but that. No recording shows any of it, and words are ours where no source is named.
// https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list
// https://cloud.google.com/sql/docs/postgres/admin-api/metrics (database/replication/replica_lag, cloudsql_database)
type monitoringService struct{ sql *sql.Service }

// The one metric.
const (
	LagMetric = "cloudsql.googleapis.com/database/replication/replica_lag"
	// LagMetricDelay is how long a value takes to show: "After sampling, data is not visible for up to 165 seconds."
	// https://cloud.google.com/sql/docs/postgres/admin-api/metrics
	LagMetricDelay = 165 * time.Second
)

// errMonitoringDenied has the words of https://github.com/dynatrace-oss/dynatrace-gcp-monitor/issues/25, which are about another permission.
var errMonitoringDenied = google.Err(http.StatusForbidden, "forbidden", "Permission monitoring.timeSeries.list denied (or the resource may not exist).")

func monitoringInvalid(message string) error {
	return google.Err(http.StatusBadRequest, "badRequest", message)
}

// Serve adds Cloud Monitoring to the endpoint.
func Serve(g *google.Endpoint, instances *sql.Service) {
	g.Faults["monitoring"] = google.NewerFaults(errMonitoringDenied)
	route := google.Route{Service: "monitoring", Operation: "timeSeries.list", Find: filteredInstance}
	route.Do = func(r *google.Request) (any, error) {
		if r.Caller.ID != r.PathValue("project") {
			return nil, errMonitoringDenied
		}
		return (&monitoringService{instances}).list(r)
	}
	g.Handle("GET /v3/projects/{project}/timeSeries", route)
}

// filteredInstance returns the instance that a filter names; empty if it names none.
func filteredInstance(r *http.Request) string {
	if filter := lagFilter.FindStringSubmatch(r.URL.Query().Get("filter")); filter != nil {
		return filter[3]
	}
	return ""
}

// lagFilter is the one filter that is served here: a metric and an instance.
// https://cloud.google.com/monitoring/api/v3/filters
var lagFilter = regexp.MustCompile(`^metric\.type = "([a-z./_]+)" AND resource\.labels\.database_id = "([a-z0-9.:-]+):([a-z0-9-]+)"$`)

// list returns the series of a replica, the newest point first. What does not exist has no series, and is no error.
func (s *monitoringService) list(r *google.Request) (any, error) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"filter", "interval.startTime", "interval.endTime", "view", "pageSize", "alt", "prettyPrint"}, name) {
			return nil, google.Err(http.StatusNotImplemented, "notImplemented", "the local cloud does not implement the parameter "+name)
		}
	}
	end, err := time.Parse(time.RFC3339, q.Get("interval.endTime"))
	if err != nil {
		return nil, monitoringInvalid("Field interval.endTime had an invalid value: a time is required.") // startTime is optional, and then the same
	}
	start := end
	if text := q.Get("interval.startTime"); text != "" {
		if start, err = time.Parse(time.RFC3339, text); err != nil || start.After(end) {
			return nil, monitoringInvalid("Field interval.startTime had an invalid value: a time that is not after endTime is required.")
		}
	}
	filter := lagFilter.FindStringSubmatch(q.Get("filter"))
	switch size, err := strconv.Atoi(q.Get("pageSize")); {
	case q.Get("filter") == "" || !strings.Contains(q.Get("filter"), "metric.type"):
		return nil, monitoringInvalid("Field filter had an invalid value: The filter must specify a single metric type.")
	case filter == nil:
		return nil, google.Err(http.StatusNotImplemented, "notImplemented", "the local cloud does not implement this filter")
	case !slices.Contains([]string{"FULL", ""}, q.Get("view")):
		return nil, google.Err(http.StatusNotImplemented, "notImplemented", "the local cloud implements the view FULL alone")
	case q.Has("pageSize") && (err != nil || size <= 0):
		return nil, monitoringInvalid("Field pageSize had an invalid value: it must be positive.")
	case q.Has("pageSize"):
		return nil, google.Err(http.StatusNotImplemented, "notImplemented", "the local cloud implements no pages here")
	}
	out := &monitoring.ListTimeSeriesResponse{Unit: "s"}
	if project, name := filter[2], filter[3]; filter[1] == LagMetric && project == r.Caller.ID {
		if series := s.lag(r, name, start, end); series != nil {
			out.TimeSeries = []*monitoring.TimeSeries{series}
		}
	}
	return out, nil
}

// lag returns the points of a replica between two times, both included; nil if there are none. One is measured each minute from the creation on.
func (s *monitoringService) lag(r *google.Request, name string, start, end time.Time) *monitoring.TimeSeries {
	replica, ok := s.sql.ReplicaMetric(r.Caller.ID, name, r.Now)
	if !ok {
		return nil
	}
	since := replica.Since
	newest := since.Add(r.Now.Add(-r.Cloud.MetricDelay(LagMetricDelay)).Sub(since).Truncate(time.Minute))
	series := &monitoring.TimeSeries{
		Metric:     &monitoring.Metric{Type: LagMetric},
		Resource:   &monitoring.MonitoredResource{Type: "cloudsql_database", Labels: map[string]string{"project_id": r.Caller.ID, "database_id": r.Caller.ID + ":" + name, "region": replica.Region}},
		MetricKind: "GAUGE", ValueType: "DOUBLE",
	}
	for minute := range int(newest.Sub(since)/time.Minute) + 1 {
		at := newest.Add(-time.Duration(minute) * time.Minute)
		if at.Before(start) || at.After(end) {
			continue
		}
		value, text := replica.Lag.At(minute), at.UTC().Format(time.RFC3339Nano)
		series.Points = append(series.Points, &monitoring.Point{Interval: &monitoring.TimeInterval{StartTime: text, EndTime: text}, Value: &monitoring.TypedValue{DoubleValue: &value}})
	}
	if series.Points == nil {
		return nil
	}
	return series
}
