package sql

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/api/monitoring/v3"

	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	// lagType is the metric: a number of seconds, or a negative one if the replica repeats nothing. Of PostgreSQL it is 0 where nothing is left to repeat, also if nothing is written to the primary.
	// https://cloud.google.com/sql/docs/postgres/admin-api/metrics
	// https://cloud.google.com/sql/docs/postgres/replication/replication-lag
	lagType = "cloudsql.googleapis.com/database/replication/replica_lag"
	// lagWindow is how far back a value of the metric counts. Cloud SQL measures one a minute, and Cloud Monitoring shows it up to 165 seconds later.
	lagWindow = 10 * time.Minute
)

// A lagMetric reads how far replicas lag behind, which Cloud SQL says by a metric of Cloud Monitoring alone. The permission is monitoring.timeSeries.list for the project, whose API monitoring.googleapis.com
// has to be enabled. Who lacks it misses the lag.
// https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list
// https://cloud.google.com/monitoring/access-control
type lagMetric struct {
	*session.Caller
	monitoring *monitoring.Service
	optional   *table.Optional
}

func newLagMetric(s *session.Session) *lagMetric {
	c := s.To(monitoringAPI)
	client, err := monitoring.NewService(context.Background(), c.Options("/")...)
	c.Made(err)
	return &lagMetric{Caller: c, monitoring: client, optional: &table.Optional{Now: s.Now}}
}

// of is table.Following.Lag. The newest value counts: the points of a series come in reverse order of time.
func (m *lagMetric) of(ctx context.Context, have *instance) (lag *time.Duration) {
	m.optional.Try(ctx, func(ctx context.Context) error {
		now := m.Now().UTC()
		out, err := session.Do(ctx, m.Caller, "timeSeries.list", func(ctx context.Context) (*monitoring.ListTimeSeriesResponse, error) {
			return m.monitoring.Projects.TimeSeries.List("projects/" + m.Project).
				Filter(fmt.Sprintf(`metric.type = %q AND resource.labels.database_id = %q`, lagType, m.Project+":"+have.Name)).
				IntervalStartTime(now.Add(-lagWindow).Format(time.RFC3339)).IntervalEndTime(now.Format(time.RFC3339)).
				View("FULL").Context(ctx).Do()
		})
		if err != nil {
			return err
		}
		lag = lagIn(out.TimeSeries)
		return nil
	})
	return lag
}

// lagIn returns the lag that the newest point of series says; nil if there is none, or if it is negative.
func lagIn(all []*monitoring.TimeSeries) (lag *time.Duration) {
	newest := time.Time{}
	for _, series := range all {
		for _, point := range series.Points {
			if point.Interval == nil || point.Value == nil || point.Value.DoubleValue == nil {
				continue
			}
			at, err := time.Parse(time.RFC3339, point.Interval.EndTime)
			if err != nil || !at.After(newest) {
				continue
			}
			if newest, lag = at, nil; *point.Value.DoubleValue >= 0 {
				lag = new(time.Duration(*point.Value.DoubleValue * float64(time.Second)))
			}
		}
	}
	return lag
}
