package monitoring_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/monitoring/v3"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localmonitoring "github.com/mooring-dev/mooring/test/localcloud/monitoring"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// lagQuery is a valid query of the lag of a replica in the ten minutes before a time, changed by edits.
func lagQuery(project, name string, now time.Time, edits ...func(url.Values)) url.Values {
	q := url.Values{
		"filter":             {fmt.Sprintf(`metric.type = %q AND resource.labels.database_id = "%s:%s"`, localmonitoring.LagMetric, project, name)},
		"interval.startTime": {now.Add(-10 * time.Minute).Format(time.RFC3339)}, "interval.endTime": {now.Format(time.RFC3339)}, "view": {"FULL"}, "alt": {"json"},
	}
	for _, edit := range edits {
		edit(q)
	}
	return q
}

func listSeries(t *testing.T, g *sdk.GCP, client *http.Client, project string, q url.Values) (monitoring.ListTimeSeriesResponse, error) {
	t.Helper()
	var out monitoring.ListTimeSeriesResponse
	response, err := client.Get(g.GCPEndpoint() + "/v3/projects/" + project + "/timeSeries?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := googleapi.CheckResponse(response); err != nil {
		return out, err
	}
	return out, json.NewDecoder(response.Body).Decode(&out)
}

// A replica has a point a minute, which Cloud Monitoring shows some minutes later, since it was made. Others have none.
func TestMonitoringReplicaLag(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	for _, in := range []*sqladmin.DatabaseInstance{sdk.Recoverable(), sdk.ReplicaOf("orders", "reads")} {
		check.Need(g.SQL.Instances.Insert("acme", in).Do())(t)
		g.Clock.Advance(time.Minute)
	}
	made := check.Need(time.Parse(time.RFC3339, check.Need(g.SQL.Instances.Get("acme", "reads").Do())(t).CreateTime))(t)
	want := func(what, name string, want ...float64) {
		t.Helper()
		out := check.Need(listSeries(t, g, g.Raw, "acme", lagQuery("acme", name, g.Clock.Now())))(t)
		var got []float64
		for _, series := range out.TimeSeries {
			if series.Metric.Type != localmonitoring.LagMetric || series.Resource.Labels["database_id"] != "acme:"+name {
				t.Errorf("the series is %+v of %+v", series.Metric, series.Resource)
			}
			for _, p := range series.Points {
				if at := check.Need(time.Parse(time.RFC3339, p.Interval.EndTime))(t); at.Before(made) || at.After(g.Clock.Now().Add(-localmonitoring.LagMetricDelay)) {
					t.Errorf("a point of %s", p.Interval.EndTime)
				}
				got = append(got, *p.Value.DoubleValue)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the points %v, want %v", what, got, want)
		}
	}
	want("a new replica", "reads")
	g.Clock.Advance(localmonitoring.LagMetricDelay + time.Minute)
	want("a replica that is up to date", "reads", 0, 0, 0)
	if g.SetSQLReplicaLag("acme", "orders", 1) || !g.SetSQLReplicaLag("acme", "reads", 30, 20) {
		t.Error("the lag is set of replicas, and of nothing else")
	}
	want("a replica that lags", "reads", 30, 20, 30)
	want("the primary", "orders")
	want("what does not exist", "none")
	if calls := g.Ledger.Calls(localcloud.Filter{Service: "monitoring", Operation: "timeSeries.list", Resource: "reads"}); len(calls) == 0 || calls[0].Write || calls[0].Account != "acme" {
		t.Errorf("the ledger has %+v", calls)
	}
}

func TestMonitoringRefusals(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	for name, tt := range map[string]struct {
		edit   func(url.Values)
		status int
	}{
		"valid":              {func(url.Values) {}, 0},
		"no end":             {func(q url.Values) { q.Del("interval.endTime") }, http.StatusBadRequest},
		"no time":            {set("interval.startTime", "noon"), http.StatusBadRequest},
		"the end before":     {set("interval.startTime", g.Clock.Now().Add(time.Hour).Format(time.RFC3339)), http.StatusBadRequest},
		"no filter":          {func(q url.Values) { q.Del("filter") }, http.StatusBadRequest},
		"no metric":          {set("filter", `resource.labels.database_id = "acme:reads"`), http.StatusBadRequest},
		"another filter":     {set("filter", `metric.type = "a" OR metric.type = "b"`), http.StatusNotImplemented},
		"no page":            {set("pageSize", "0"), http.StatusBadRequest},
		"pages":              {set("pageSize", "10"), http.StatusNotImplemented},
		"headers":            {set("view", "HEADERS"), http.StatusNotImplemented},
		"another parameter":  {set("aggregation.alignmentPeriod", "60s"), http.StatusNotImplemented},
		"without start":      {func(q url.Values) { q.Del("interval.startTime") }, 0},
		"of another project": {set("filter", `metric.type = "`+localmonitoring.LagMetric+`" AND resource.labels.database_id = "other:reads"`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := listSeries(t, g, g.Raw, "acme", lagQuery("acme", "reads", g.Clock.Now(), tt.edit))
			sdk.WantGCP(t, err, tt.status, "")
		})
	}
	q := lagQuery("acme", "reads", g.Clock.Now())
	_, err := listSeries(t, g, g.Raw, "other", q)
	sdk.WantGCP(t, err, http.StatusForbidden, "")
	_, err = listSeries(t, g, http.DefaultClient, "acme", q)
	sdk.WantGCP(t, err, http.StatusUnauthorized, "")
	_, err = listSeries(t, g, g.Scoped(t, "acme", sqladmin.SqlserviceAdminScope), "acme", q)
	sdk.WantGCP(t, err, http.StatusForbidden, "")
	_, err = listSeries(t, g, g.Scoped(t, "acme", monitoring.MonitoringReadScope), "acme", q)
	sdk.WantGCP(t, err, 0, "")
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "monitoring"}, Kind: localcloud.Denied})
	_, err = listSeries(t, g, g.Raw, "acme", q)
	sdk.WantGCP(t, err, http.StatusForbidden, "")
}
