package sql

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/gcp/session/sessiontest"
)

func TestNoOtherAnswersOfCloudSQL(t *testing.T) {
	sessiontest.Answers(t, map[string]*session.API{"": api, "timeSeries": monitoringAPI})
}
