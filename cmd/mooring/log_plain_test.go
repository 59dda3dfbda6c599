package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
	"go.uber.org/zap/zapcore"
)

// Whatever a spec or a cloud says, an entry of the log is one line, and nothing in it steers a terminal.
func TestNobodyForgesALineOfTheLog(t *testing.T) {
	const forged = "team=a\n2026-01-01T00:00:00Z\tINFO\tgranted\r\x1b[2K\u009b1A\u2028b\u202ec\u0085d"
	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			log := zapr.NewLogger(zapLogger(format, zapcore.InfoLevel, zapcore.AddSync(&out))).WithValues("bound", forged)
			log.Info("changed "+forged, "value", forged, "list", []string{forged}, "key\n"+forged, "a")
			log.Error(errors.New(forged), forged)
			libraries(log).WithName("lib\n"+forged).Error(errors.New(forged), forged)
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if len(lines) != 3 {
				t.Errorf("three entries are %d lines:\n%q", len(lines), lines)
			}
			for _, line := range lines {
				if i := strings.IndexFunc(line, func(r rune) bool {
					return r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) || strings.ContainsRune("\u2028\u2029\u202e", r)
				}); i >= 0 {
					t.Errorf("%q has the character %q", line, line[i:i+1])
				}
			}
			if strings.Contains(out.String(), "\tINFO\tgranted") {
				t.Errorf("it has columns that were forged:\n%s", out.String())
			}
		})
	}
}
