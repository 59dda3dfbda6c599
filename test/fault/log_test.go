package fault

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/test/cluster"
)

// logs is everything that managers log in this process, at the most verbose level.
var logs logFile

// A logFile holds some hundred MB of lines: too much for memory, of which the race detector takes a multiple.
type logFile struct{ *os.File }

// TestMain lets more tests run at once than there are processors: half of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	var err error
	if logs.File, err = os.CreateTemp("", "mooring-fault-*.log"); err != nil {
		panic(err)
	}
	_ = os.Remove(logs.Name()) // it lives as long as it is open
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	core := zapcore.NewCore(encoder, zapcore.Lock(logs), zapcore.Level(-127))
	log := zapr.NewLogger(zap.New(core, zap.AddStacktrace(zapcore.PanicLevel)))
	logf.SetLogger(log)
	klog.SetLogger(log)
	flag.Parse()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	code := cluster.Run(m)
	for _, leak := range shown(all && code == 0) {
		fmt.Println("FAIL:", leak)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Sync implements zapcore.WriteSyncer. Nothing outlives the process.
func (logFile) Sync() error { return nil }

// lines goes through what has been logged so far.
func (l logFile) lines(failed func(error)) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewScanner(io.NewSectionReader(l.File, 0, math.MaxInt64))
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			if !yield(in.Bytes()) {
				return
			}
		}
		if err := in.Err(); err != nil {
			failed(err)
		}
	}
}

// about returns the last lines that mention a name, and of each its beginning: whole ones have the bodies of requests, and hide why a test failed.
func (l logFile) about(t testing.TB, name string) string {
	const most, longest = 60, 300
	var last []string
	for line := range l.lines(func(err error) { t.Errorf("read the log: %v", err) }) {
		if bytes.Contains(line, []byte(name)) && !bytes.Contains(line, []byte(`Body"`)) {
			last = append(last, string(line[:min(len(line), longest)]))
			last = last[max(0, len(last)-most):]
		}
	}
	return strings.Join(last, "\n")
}
