package storage

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/gcp/session/sessiontest"
)

func TestNoOtherAnswersOfCloudStorage(t *testing.T) {
	sessiontest.Answers(t, map[string]*session.API{"": api})
}
