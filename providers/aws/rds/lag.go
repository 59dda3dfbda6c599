package rds

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	// lagWindow is how far back a value of the metric counts. RDS sends one a minute, and CloudWatch shows it some minutes later.
	lagWindow = 10 * time.Minute
	// lagQuery is what the call names its one query.
	lagQuery = "lag"
)

// A lagMetric reads how far replicas lag behind, which RDS says by a metric of CloudWatch alone. The permission is cloudwatch:GetMetricData, which is not for single resources. Who lacks it misses the lag.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.Monitoring.html
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
type lagMetric struct {
	*session.Session
	cloudwatch *cloudwatch.Client
	optional   *table.Optional
}

func newLagMetric(s *session.Session) *lagMetric {
	return &lagMetric{Session: s, cloudwatch: cloudwatch.NewFromConfig(s.Config), optional: &table.Optional{Now: s.Now}}
}

// of is table.Following.Lag.
func (m *lagMetric) of(ctx context.Context, have *instance) (lag *time.Duration) {
	m.optional.Try(ctx, func(ctx context.Context) error {
		now := m.Now()
		out, err := session.Call(ctx, m.Session, "GetMetricData", m.cloudwatch.GetMetricData, &cloudwatch.GetMetricDataInput{
			StartTime: aws.Time(now.Add(-lagWindow)), EndTime: &now, ScanBy: types.ScanByTimestampDescending,
			MetricDataQueries: []types.MetricDataQuery{{Id: aws.String(lagQuery), MetricStat: &types.MetricStat{
				Metric: &types.Metric{
					Namespace: aws.String("AWS/RDS"), MetricName: aws.String("ReplicaLag"),
					Dimensions: []types.Dimension{{Name: aws.String("DBInstanceIdentifier"), Value: have.DBInstanceIdentifier}},
				},
				Period: aws.Int32(int32(time.Minute / time.Second)), Stat: aws.String(string(types.StatisticMaximum)),
			}}},
		}, func(o *cloudwatch.Options) { o.RetryMaxAttempts, o.Retryer = 1, aws.NopRetryer{} })
		if err != nil {
			return err
		}
		for _, result := range out.MetricDataResults {
			if aws.ToString(result.Id) == lagQuery {
				lag = lagIn(have.engine(), result.Values)
			}
		}
		return nil
	})
	return lag
}

// lagIn returns the lag that values of the metric say, the newest first, in seconds; nil if they say none. The newest counts, and a negative one says that nothing is repeated. Where nothing is
// written to a source of PostgreSQL, the metric grows to five minutes, falls to nothing, and begins again, because RDS writes a little itself once in that time. So of PostgreSQL the least value counts.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.Monitoring.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.Replication.ReadReplicas.html (monitoring)
func lagIn(engine v1alpha1.Engine, values []float64) *time.Duration {
	if len(values) == 0 || values[0] < 0 {
		return nil
	}
	lag := values[0]
	for _, value := range values {
		if engine == v1alpha1.EnginePostgres && value >= 0 {
			lag = min(lag, value)
		}
	}
	return aws.Duration(time.Duration(lag * float64(time.Second)))
}
