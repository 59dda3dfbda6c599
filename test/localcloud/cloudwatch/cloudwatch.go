package cloudwatch

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// Service is Amazon CloudWatch, for those who read how far a read replica lags behind. It has one call, and no metrics but that. No recording shows any of it, and where no source is
// named, words are ours.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-metrics.html (ReplicaLag, DBInstanceIdentifier)
type Service struct {
	cloud *cloud.Shared
	rds   *rds.Service
}

// New returns CloudWatch, which measures replicas of RDS.
func New(c *cloud.Shared, instances *rds.Service) *Service {
	return &Service{cloud: c, rds: instances}
}

const (
	// metricsPath is that of all operations in the protocol that the SDK speaks, before the name of one. The last part but one is the name of the service's model.
	metricsPath      = "/service/GraniteServiceVersion20100801/operation/"
	metricsNamespace = "com.amazonaws.cloudwatch"
	// MetricsDelay is how long CloudWatch takes to show a value, unless Options say otherwise. It promises nothing: that it takes a minute is ours.
	MetricsDelay = time.Minute
)

// A call is one call to CloudWatch.
type call struct {
	*Service
	caller    amazon.Caller
	operation string
	in        cloudwatch.GetMetricDataInput
	malformed error
}

// Identify implements amazon.Dialect.
func (s *Service) Identify(caller amazon.Caller, r *http.Request, body []byte) (traffic.Call, cloud.Service) {
	c := &call{Service: s, caller: caller, operation: strings.TrimPrefix(r.URL.Path, metricsPath)}
	value, err := cbor.Decode(body)
	if err == nil {
		err = amazon.DecodeCBOR(value, reflect.ValueOf(&c.in).Elem(), "GetMetricData")
	}
	c.malformed = err
	call := traffic.Call{Service: "cloudwatch", Operation: c.operation, Write: c.operation != "GetMetricData"}
	for _, q := range c.in.MetricDataQueries {
		if q.MetricStat != nil && q.MetricStat.Metric != nil {
			for _, d := range q.MetricStat.Metric.Dimensions {
				call.Resource = aws.ToString(d.Value)
			}
		}
	}
	return call, c
}

// Write implements amazon.Dialect.
func (s *Service) Write(e *amazon.Error, _ *http.Request) cloud.Reply {
	return amazon.CborFailure(metricsNamespace, e)
}

// Fail implements cloud.Service.
func (s *Service) Fail(fault traffic.Fault, _ traffic.Call) cloud.Reply {
	return s.Write(amazon.QueryFault(fault, "ConflictException"), nil)
}

// Act implements cloud.Service.
func (c *call) Act(_ *traffic.Call, r *http.Request, _ []byte, _ traffic.Fault) cloud.Reply {
	var err error
	switch {
	case r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, metricsPath) || r.Header.Get("Smithy-Protocol") != "rpc-v2-cbor" || r.Header.Get("Content-Type") != "application/cbor":
		err = amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud speaks the protocol Smithy RPC v2 CBOR alone")
	case c.operation != "GetMetricData":
		err = amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+c.operation)
	case c.malformed != nil:
		err = c.malformed
	default:
		err = c.check()
	}
	if err != nil {
		return c.Write(amazon.AsError(err), r)
	}
	out := &cloudwatch.GetMetricDataOutput{MetricDataResults: []cwtypes.MetricDataResult{}, Messages: []cwtypes.MessageData{}}
	for i := range c.in.MetricDataQueries {
		out.MetricDataResults = append(out.MetricDataResults, c.result(&c.in.MetricDataQueries[i]))
	}
	return amazon.CborReply(out)
}

func metricsInvalid(message string) error {
	return amazon.Err(http.StatusBadRequest, "ValidationError", message)
}

var metricsID = regexp.MustCompile(`^[a-z][a-zA-Z0-9_]{0,254}$`)

// check refuses what CloudWatch would, and what is not served here.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricStat.html
func (c *call) check() error {
	in := &c.in
	switch {
	case in.StartTime == nil || in.EndTime == nil || in.MetricDataQueries == nil:
		return metricsInvalid("The parameters MetricDataQueries, StartTime and EndTime are required.")
	case !in.StartTime.Before(*in.EndTime):
		return metricsInvalid("The parameter StartTime must be less than the parameter EndTime.")
	case in.StartTime.Before(c.cloud.Options.Now().Add(-3 * time.Hour)): // before which periods have to be longer
		return amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud has the metrics of three hours")
	case len(in.MetricDataQueries) == 0 || len(in.MetricDataQueries) > 500:
		return metricsInvalid("The parameter MetricDataQueries must have between 1 and 500 members.")
	case in.ScanBy != "" && !slices.Contains(in.ScanBy.Values(), in.ScanBy):
		return metricsInvalid("The parameter ScanBy is invalid.")
	case in.NextToken != nil || in.MaxDatapoints != nil || in.LabelOptions != nil:
		return amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement NextToken, MaxDatapoints and LabelOptions")
	}
	var ids []string
	for i := range in.MetricDataQueries {
		q := &in.MetricDataQueries[i]
		id, stat := aws.ToString(q.Id), q.MetricStat
		switch {
		case !metricsID.MatchString(id) || slices.Contains(ids, id):
			return metricsInvalid("The Id of each query must be unique, and match " + metricsID.String() + ": " + id)
		case q.Expression != nil || q.AccountId != nil || q.Label != nil || q.Period != nil || q.ReturnData != nil || stat == nil:
			return amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud implements queries of MetricStat alone")
		case stat.Metric == nil || aws.ToString(stat.Metric.MetricName) == "" || aws.ToString(stat.Metric.Namespace) == "":
			return metricsInvalid("The Metric of a MetricStat needs Namespace and MetricName.")
		case aws.ToInt32(stat.Period) <= 0 || *stat.Period%60 != 0:
			return metricsInvalid("The parameter Period must be a multiple of 60.")
		case !slices.Contains(cwtypes.Statistic("").Values(), cwtypes.Statistic(aws.ToString(stat.Stat))):
			return metricsInvalid("The parameter Stat is invalid.")
		case *stat.Period != 60 || *stat.Stat == string(cwtypes.StatisticSum) || *stat.Stat == string(cwtypes.StatisticSampleCount) || stat.Unit != "":
			return amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud has each value of a metric alone, which is a minute's")
		}
		ids = append(ids, id)
	}
	return nil
}

// result answers a query. A metric or an instance that does not exist has no values, and is no error.
func (c *call) result(q *cwtypes.MetricDataQuery) cwtypes.MetricDataResult {
	m, result := q.MetricStat.Metric, cwtypes.MetricDataResult{Id: q.Id, Label: q.MetricStat.Metric.MetricName, StatusCode: cwtypes.StatusCodeComplete, Timestamps: []time.Time{}, Values: []float64{}}
	if *m.Namespace != "AWS/RDS" || *m.MetricName != "ReplicaLag" || len(m.Dimensions) != 1 || aws.ToString(m.Dimensions[0].Name) != "DBInstanceIdentifier" {
		return result
	}
	values := c.lags(aws.ToString(m.Dimensions[0].Value))
	for at := c.in.EndTime.Add(-time.Nanosecond).Truncate(time.Minute); !at.Before(c.in.StartTime.Truncate(time.Minute)); at = at.Add(-time.Minute) {
		if value, known := values(at); known {
			result.Timestamps, result.Values = append(result.Timestamps, at), append(result.Values, value)
		}
	}
	if c.in.ScanBy == cwtypes.ScanByTimestampAscending {
		slices.Reverse(result.Timestamps)
		slices.Reverse(result.Values)
	}
	return result
}

// lags returns the metric of an instance: its value at a minute, if there is one.
func (c *call) lags(name string) func(at time.Time) (value float64, known bool) {
	now := c.cloud.Options.Now()
	replica, ok := c.rds.Replica(c.caller, name, now)
	if !ok {
		return func(time.Time) (float64, bool) { return 0, false }
	}
	oldest, newest := replica.Since.Truncate(time.Minute), now.Add(-c.cloud.MetricDelay(MetricsDelay)).Truncate(time.Minute)
	return func(at time.Time) (float64, bool) {
		switch {
		case at.After(newest) || at.Before(oldest):
			return 0, false
		case replica.Ended: // "If the ReplicaLag metric returns -1, then replication is currently not active."
			return -1, true
		default:
			return replica.Lag.At(int(newest.Sub(at) / time.Minute)), true
		}
	}
}
