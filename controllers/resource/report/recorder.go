package report

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Controller is the name by which Mooring records Events.
const Controller = "mooring"

// instance names the process among those of its Deployment: by its host, as client-go's recorders do.
func instance() string {
	host, _ := os.Hostname()
	return Controller + "-" + host
}

// Plain returns a recorder whose Events have notes as people may be shown them: kubectl describe prints them as they are.
func Plain(recorder events.EventRecorder) events.EventRecorder { return plainRecorder{recorder} }

type plainRecorder struct{ events.EventRecorder }

// Eventf implements events.EventRecorder.
func (p plainRecorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	p.EventRecorder.Eventf(regarding, related, kind, reason, action, "%s", prose.Plain(fmt.Sprintf(note, args...)))
}
