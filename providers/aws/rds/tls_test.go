package rds_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// previewed returns the preview of what a spec would change of what was observed.
func previewed(t *testing.T, seen driver.Observation, req request) []driver.Change {
	t.Helper()
	to, err := json.Marshal(req.Spec)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := aws.New(aws.Options{}).Preview("Database", seen.Mirror, to, seen.Applied)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func about(field string, changes []driver.Change) driver.Change {
	if i := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == field }); i >= 0 {
		return changes[i]
	}
	return driver.Change{}
}

// A preview of tls says that a restart may follow and that clients are refused, which are the effects of the changes that are planned then.
func TestPreviewOfTLS(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-preview", func(s *v1alpha1.DatabaseParameters) { s.TLS = new(v1alpha1.TLSRequired) })
	seen := w.createDatabase(&req)
	for _, step := range []struct {
		to      v1alpha1.TLS
		says    string
		planned []driver.Effect
	}{
		{v1alpha1.TLSOptional, "the server restarts for it where RDS attaches a DB parameter group for it", []driver.Effect{driver.Online, driver.Restarts}},
		{v1alpha1.TLSRequired, "clients without TLS are refused", []driver.Effect{driver.Interrupts}},
	} {
		req.Spec.TLS = &step.to
		if c := about("tls", previewed(t, seen, req)); c.Effect != driver.Restarts || !strings.Contains(c.Why, step.says) {
			t.Errorf("%s: previewed %+v", step.to, c)
		}
		if got := w.settle(&req); !slices.Equal(got, step.planned) {
			t.Errorf("%s: made %v, want %v", step.to, got, step.planned)
		}
		seen = w.database(req)
	}
}

// What a group that the spec names fixes is previewed as it is planned: it can't change. Of another group nobody knows that before.
func TestPreviewOfTLSInANamedGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.setIn("spare", "rds.force_ssl", "0")
	req := awstest.DatabaseOf("shop-fixed", func(s *v1alpha1.DatabaseParameters) {
		s.AWS.DBParameterGroupName, s.TLS = new("spare"), new(v1alpha1.TLSOptional)
	})
	seen := w.createDatabase(&req)
	req.Spec.TLS = new(v1alpha1.TLSRequired)
	planned, preview := about("tls", w.database(req).Changes), about("tls", previewed(t, seen, req))
	if planned.Effect != driver.Impossible || preview.Effect != planned.Effect || preview.Why != planned.Why || !strings.Contains(preview.Why, "rds.force_ssl to 1 in DB parameter group spare") {
		t.Errorf("previewed %+v, planned %+v", preview, planned)
	}
	req.Spec.AWS.DBParameterGroupName = new("pay")
	if c := about("tls", previewed(t, seen, req)); c.Effect != driver.Restarts {
		t.Errorf("in another group: %+v", c)
	}
}

// RDS's list says whether tls takes a restart.
func TestTLSIsStaticWithoutAList(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-blind", func(s *v1alpha1.DatabaseParameters) { s.TLS = new(v1alpha1.TLSOptional) })
	w.createDatabase(&req)
	w.settle(&req)
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DescribeEngineDefaultParameters"}, Kind: localcloud.ServerError})
	req.Spec.TLS = new(v1alpha1.TLSRequired)
	w.Session = w.Open(awstest.Account, awstest.Region) // which has read no list
	if c := about("tls", w.database(req).Changes); c.Effect != driver.Restarts {
		t.Errorf("%+v", c)
	}
	lift()
	if c := about("tls", w.database(req).Changes); c.Effect != driver.Interrupts {
		t.Errorf("%+v", c)
	}
}
