package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"unicode"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// logger returns the log that everything writes to: a line of JSON each, or text for people.
func logger(o options) (logr.Logger, error) {
	level, err := zapcore.ParseLevel(o.logLevel)
	if err != nil {
		return logr.Logger{}, fmt.Errorf("--log-level: %w", err)
	}
	built := zapLogger(o.logFormat, level, zapcore.Lock(os.Stderr))
	// Web servers have no other place to tell of a handshake that failed.
	if _, err := zap.RedirectStdLogAt(built, zapcore.InfoLevel); err != nil {
		return logr.Logger{}, fmt.Errorf("log: %w", err)
	}
	return zapr.NewLogger(built), nil
}

// zapLogger returns a logger that writes to a sink. It takes no samples: many objects may say the same in one second, and each is told.
func zapLogger(format string, level zapcore.Level, sink zapcore.WriteSyncer) *zap.Logger {
	cfg := zap.NewProductionEncoderConfig()
	cfg.TimeKey, cfg.EncodeTime = "time", zapcore.RFC3339TimeEncoder
	encoder := zapcore.NewJSONEncoder(cfg)
	if format == "text" {
		cfg.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(cfg)
	}
	options := []zap.Option{zap.ErrorOutput(sink), zap.AddCaller()}
	if level <= zapcore.DebugLevel {
		options = append(options, zap.AddStacktrace(zapcore.ErrorLevel))
	}
	return zap.New(zapcore.NewCore(plainEncoder{encoder}, sink, level), options...)
}

// plainEncoder writes each entry as prose.Plain wants it. The console encoder writes messages as they are, and both leave characters that steer a terminal in
// names and values.
type plainEncoder struct{ zapcore.Encoder }

// Clone implements zapcore.Encoder.
func (p plainEncoder) Clone() zapcore.Encoder { return plainEncoder{p.Encoder.Clone()} }

// EncodeEntry implements zapcore.Encoder. Line breaks are left between entries and in a stack alone: those in values are escaped.
func (p plainEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	entry.Message, entry.LoggerName = prose.Plain(entry.Message), prose.Plain(entry.LoggerName)
	line, err := p.Encoder.EncodeEntry(entry, fields)
	if err != nil || bytes.IndexFunc(line.Bytes(), steers) < 0 {
		return line, err
	}
	seen := bytes.Map(func(r rune) rune {
		switch {
		case !steers(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, line.Bytes())
	line.Reset()
	_, err = line.Write(seen)
	return line, err
}

// steers reports whether a character is not seen in a line, but changes what is.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && r != ' ' && prose.Plain(string(r)) == ""
}

// libraries returns the log that controller-runtime and client-go write to: what they say of themselves, as which worker
// started, is a level lower than what Mooring says; and so are errors that are none.
func libraries(log logr.Logger) logr.Logger {
	return logr.New(demotedSink{log.WithCallDepth(1).GetSink()})
}

// demotedSink is a sink that logs each message one level lower, and errors that are none as messages.
type demotedSink struct{ logr.LogSink }

// Init implements logr.LogSink. The sink was initialised before.
func (q demotedSink) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink.
func (q demotedSink) Enabled(level int) bool { return q.LogSink.Enabled(level + 1) }

// Info implements logr.LogSink.
func (q demotedSink) Info(level int, message string, about ...any) {
	q.LogSink.Info(level+1, message, about...)
}

// Error implements logr.LogSink.
func (q demotedSink) Error(err error, message string, about ...any) {
	if !usual(err, message) {
		q.LogSink.Error(err, message, about...)
	} else if q.LogSink.Enabled(1) {
		q.LogSink.Info(1, message, append(about, "error", err.Error())...)
	}
}

// usual reports whether an error is one of any day, after which what failed is simply done again.
func usual(err error, message string) bool {
	if errors.Is(err, context.Canceled) {
		return true // at the end, when the last Events may be cut off on their way; the log has said the same
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return true // nothing new is stored in a namespace that is being deleted, Events neither; the log has said the same
	}
	switch message {
	case "error received after stop sequence was engaged":
		return true // that the lease was given back, for one
	case "Reconciler error":
		_, unreached := errors.AsType[net.Error](err)
		return unreached || errors.Is(err, context.DeadlineExceeded) ||
			apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) ||
			apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err)
	default:
		return false
	}
}

// WithValues implements logr.LogSink.
func (q demotedSink) WithValues(about ...any) logr.LogSink {
	return demotedSink{q.LogSink.WithValues(about...)}
}

// WithName implements logr.LogSink.
func (q demotedSink) WithName(name string) logr.LogSink { return demotedSink{q.LogSink.WithName(name)} }

// WithCallDepth implements logr.CallDepthLogSink.
func (q demotedSink) WithCallDepth(depth int) logr.LogSink {
	if deeper, ok := q.LogSink.(logr.CallDepthLogSink); ok {
		return demotedSink{deeper.WithCallDepth(depth)}
	}
	return q
}
