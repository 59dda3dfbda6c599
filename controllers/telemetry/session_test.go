package telemetry

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/mooring-dev/mooring/providers/driver"
)

type failing struct{ driver.Session }

func (failing) Observe(context.Context, string, driver.Request, driver.Secrets) (driver.Observation, error) {
	return driver.Observation{State: driver.Ready}, nil
}

func (failing) List(_ context.Context, _ string, req driver.ListRequest) (driver.Page, error) {
	return driver.Page{}, &driver.Error{Code: driver.PageExpired, Message: req.Page}
}

func (failing) Update(context.Context, string, driver.Request, driver.Edit, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, &driver.Error{Code: driver.Throttled, Op: "Patch", Message: "slow down", Err: errors.New("x")}
}

func TestSessionCountsByOutcome(t *testing.T) {
	m := New(Options{Now: time.Now})
	s := TimeCalls(m, failing{}, "aws")
	if seen, err := s.Observe(t.Context(), "Bucket", driver.Request{}, driver.Secrets{}); err != nil || seen.State != driver.Ready {
		t.Errorf("Observe = %v, %v: the answer must pass unchanged", seen.State, err)
	}
	if _, err := s.Update(t.Context(), "Bucket", driver.Request{}, driver.Edit{}, driver.Secrets{}); driver.CodeOf(err) != driver.Throttled {
		t.Errorf("Update error = %v: it must pass unchanged", err)
	}
	if _, err := s.List(t.Context(), "Bucket", driver.ListRequest{Page: "old"}); driver.CodeOf(err) != driver.PageExpired || err.Error() != "old" {
		t.Errorf("List error = %v: request and error must pass unchanged", err)
	}
	if got := testutil.CollectAndCount(m.driverCallDuration); got != 3 {
		t.Errorf("%d series, want one for the observation, one for the throttled update and one for the list", got)
	}
	for _, labels := range [][]string{{"aws", "Bucket", "observe", "OK"}, {"aws", "Bucket", "update", "Throttled"}, {"aws", "Bucket", "list", "PageExpired"}} {
		if !m.driverCallDuration.DeleteLabelValues(labels...) {
			t.Errorf("no series %v", labels)
		}
	}
}
