package telemetry

import (
	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
)

// Log writes an Event as a line of the log, with the Event's type under the key "type". A Warning is logged at level
// warn, everything else at info. logr has no level warn, so a Warning is written to the zap logger behind the log. Any
// other logger gets it at info.
func Log(log logr.Logger, kind, message string, about ...any) {
	about = append(about, "type", kind)
	behind, is := log.GetSink().(zapr.Underlier)
	if kind != corev1.EventTypeWarning || !is {
		log.WithCallDepth(1).Info(message, about...)
		return
	}
	// The logger leaves out the two frames of logr and zapr; here only this one is between.
	behind.GetUnderlying().WithOptions(zap.AddCallerSkip(-1)).Sugar().Warnw(message, about...)
}
