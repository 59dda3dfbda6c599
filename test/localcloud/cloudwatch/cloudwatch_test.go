package cloudwatch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localcloudwatch "github.com/mooring-dev/mooring/test/localcloud/cloudwatch"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// lagOf is a valid request for the lag of a replica in the ten minutes before a time, changed by edits.
func lagOf(name string, now time.Time, edits ...func(*cloudwatch.GetMetricDataInput)) *cloudwatch.GetMetricDataInput {
	in := &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(now.Add(-10 * time.Minute)), EndTime: &now, ScanBy: cwtypes.ScanByTimestampDescending,
		MetricDataQueries: []cwtypes.MetricDataQuery{{Id: aws.String("lag"), MetricStat: &cwtypes.MetricStat{
			Metric: &cwtypes.Metric{
				Namespace: aws.String("AWS/RDS"), MetricName: aws.String("ReplicaLag"),
				Dimensions: []cwtypes.Dimension{{Name: aws.String("DBInstanceIdentifier"), Value: &name}},
			},
			Period: aws.Int32(60), Stat: aws.String("Maximum"),
		}}},
	}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// A replica has a value a minute, which CloudWatch shows a minute later, since it was made. Others, and those of other accounts, have none.
func TestCloudWatchReplicaLag(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	client, metrics := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), cloudwatch.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1"))
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	sdk.AwaitStatus(t, client, "orders", "available")
	clock.Advance(time.Hour)
	check.Need(client.CreateDBInstanceReadReplica(t.Context(), sdk.SomeReplica("reads", "orders")))(t)
	sdk.AwaitStatus(t, client, "reads", "available")
	values := func(of *cloudwatch.Client, in *cloudwatch.GetMetricDataInput) []float64 {
		t.Helper()
		out := check.Need(of.GetMetricData(t.Context(), in))(t)
		if len(out.MetricDataResults) != 1 || *out.MetricDataResults[0].Id != "lag" || out.MetricDataResults[0].StatusCode != cwtypes.StatusCodeComplete {
			t.Fatalf("got %+v", out.MetricDataResults)
		}
		for _, at := range out.MetricDataResults[0].Timestamps {
			if !at.Equal(at.Truncate(time.Minute)) || at.After(clock.Now().Add(-localcloudwatch.MetricsDelay)) {
				t.Errorf("a value of %s", at)
			}
		}
		return out.MetricDataResults[0].Values
	}
	if got := values(metrics, lagOf("reads", clock.Now())); len(got) > 1 {
		t.Errorf("a new replica has the values %v", got)
	}
	clock.Advance(3*time.Minute + time.Second)
	want := func(what string, got []float64, want ...float64) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s has the values %v, want %v", what, got, want)
		}
	}
	want("a replica that is up to date", values(metrics, lagOf("reads", clock.Now())), 0, 0, 0)
	if cloud.SetRDSReplicaLag(sdk.OwnAccount, "eu-west-1", "orders", 1) || !cloud.SetRDSReplicaLag(sdk.OwnAccount, "eu-west-1", "reads", 30, 20) {
		t.Error("the lag is set of replicas, and of nothing else")
	}
	want("a replica that lags", values(metrics, lagOf("reads", clock.Now())), 30, 20, 30)
	want("in the order of time it", values(metrics, lagOf("reads", clock.Now(), func(in *cloudwatch.GetMetricDataInput) { in.ScanBy = cwtypes.ScanByTimestampAscending })), 30, 20, 30)
	want("the primary", values(metrics, lagOf("orders", clock.Now())))
	want("what does not exist", values(metrics, lagOf("none", clock.Now())))
	want("another metric", values(metrics, lagOf("reads", clock.Now(), func(in *cloudwatch.GetMetricDataInput) {
		in.MetricDataQueries[0].MetricStat.Metric.MetricName = aws.String("CPUUtilization")
	})))
	want("another region", values(cloudwatch.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "us-east-1")), lagOf("reads", clock.Now())))
	want("another account", values(cloudwatch.NewFromConfig(sdk.AWSConfig(cloud, "222222222222", "eu-west-1")), lagOf("reads", clock.Now())))
	calls := cloud.Ledger.Calls(localcloud.Filter{Service: "cloudwatch", Operation: "GetMetricData", Resource: "reads"})
	if len(calls) == 0 || calls[0].Write || calls[0].RequestID == "" {
		t.Errorf("the ledger has %+v", calls)
	}
}

func TestCloudWatchRefusals(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	metrics := cloudwatch.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1"))
	stat := func(edit func(*cwtypes.MetricStat)) func(*cloudwatch.GetMetricDataInput) {
		return func(in *cloudwatch.GetMetricDataInput) { edit(in.MetricDataQueries[0].MetricStat) }
	}
	for name, tt := range map[string]struct {
		edit func(*cloudwatch.GetMetricDataInput)
		want string
	}{
		"valid":    {func(*cloudwatch.GetMetricDataInput) {}, ""},
		"no time":  {func(in *cloudwatch.GetMetricDataInput) { in.EndTime = in.StartTime }, "ValidationError"},
		"too old":  {func(in *cloudwatch.GetMetricDataInput) { in.StartTime = aws.Time(clock.Now().Add(-4 * time.Hour)) }, "NotImplemented"},
		"no query": {func(in *cloudwatch.GetMetricDataInput) { in.MetricDataQueries = []cwtypes.MetricDataQuery{} }, "ValidationError"},
		"an id":    {func(in *cloudwatch.GetMetricDataInput) { in.MetricDataQueries[0].Id = aws.String("Lag") }, "ValidationError"},
		"an id twice": {func(in *cloudwatch.GetMetricDataInput) {
			in.MetricDataQueries = append(in.MetricDataQueries, in.MetricDataQueries[0])
		}, "ValidationError"},
		"an order":          {func(in *cloudwatch.GetMetricDataInput) { in.ScanBy = "Descending" }, "ValidationError"},
		"an expression":     {func(in *cloudwatch.GetMetricDataInput) { in.MetricDataQueries[0].Expression = aws.String("lag * 2") }, "NotImplemented"},
		"pages":             {func(in *cloudwatch.GetMetricDataInput) { in.MaxDatapoints = aws.Int32(1) }, "NotImplemented"},
		"half a minute":     {stat(func(s *cwtypes.MetricStat) { s.Period = aws.Int32(90) }), "ValidationError"},
		"a longer period":   {stat(func(s *cwtypes.MetricStat) { s.Period = aws.Int32(300) }), "NotImplemented"},
		"another statistic": {stat(func(s *cwtypes.MetricStat) { s.Stat = aws.String("Largest") }), "ValidationError"},
		"a sum":             {stat(func(s *cwtypes.MetricStat) { s.Stat = aws.String("Sum") }), "NotImplemented"},
		"no namespace":      {stat(func(s *cwtypes.MetricStat) { s.Metric.Namespace = aws.String("") }), "ValidationError"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := metrics.GetMetricData(t.Context(), lagOf("reads", clock.Now(), tt.edit))
			sdk.WantCode(t, err, tt.want)
		})
	}
	_, err := metrics.ListMetrics(t.Context(), &cloudwatch.ListMetricsInput{})
	sdk.WantCode(t, err, "NotImplemented")
	cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "cloudwatch"}, Kind: localcloud.Denied})
	_, err = metrics.GetMetricData(t.Context(), lagOf("reads", clock.Now()))
	sdk.WantCode(t, err, "AccessDenied")
}
