package gcp

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/gcp/session/sessiontest"
)

func TestAnAnswerThatIsNoneIsAnError(t *testing.T) {
	sessiontest.Answers(t, map[string]*session.API{"": sqlAPI, "timeSeries": monitoringAPI, "buckets": storageAPI, "objects": storageAPI, "managedFolders": storageAPI, "folders": storageAPI, "notifications": storageAPI})
}
