package report

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/tools/events"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Nothing that was known as secret gets into an Event or the log, and no note is longer than the API server takes.
func TestEventsHideSecrets(t *testing.T) {
	var logged []string
	log := funcr.NewJSON(func(line string) { logged = append(logged, line) }, funcr.Options{Verbosity: 1})
	recorder := events.NewFakeRecorder(10)
	e := &entry{Reporter: &Reporter{Recorder: recorder, Log: log, Kind: kind.Bucket()}}
	e.Object = &v1alpha1.Bucket{}
	e.Redact = func(message string) string { return driver.Redact(message, "Canary-Horse") }
	e.event("Normal", v1alpha1.EventUpdated, "password Canary-Horse "+strings.Repeat("ä", longestNote))
	e.Err = &driver.Error{Message: "Canary-Horse"}
	e.trace(t.Context())
	event := <-recorder.Events
	if all := event + strings.Join(logged, ""); strings.Contains(all, "Canary-Horse") || len(logged) != 2 {
		t.Errorf("event %s, logged %q", event, logged)
	}
	if note := strings.TrimPrefix(event, "Normal Updated "); len(note) > longestNote || strings.ContainsRune(note, '\uFFFD') {
		t.Errorf("a note of %d bytes: %q", len(note), note)
	}
}
