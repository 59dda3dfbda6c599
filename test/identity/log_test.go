package identity

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// failureLog is what all managers log of reconciliations that failed, whether or not a condition tells it.
var failureLog failures

type failures struct {
	mu    sync.Mutex
	lines []failure
}

// A failure is a line of the log.
type failure struct {
	Message   string `json:"msg"`
	Logger    string `json:"logger"`
	Kind      string `json:"controllerKind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Error     string `json:"error"`
}

// logger returns a logger that keeps failures: reconciliations that failed, and whatever is logged as an error.
func (f *failures) logger() logr.Logger {
	return funcr.NewJSON(func(line string) {
		var l failure
		if json.Unmarshal([]byte(line), &l) != nil || l.Error == "" {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.lines = append(f.lines, l)
	}, funcr.Options{Verbosity: 1})
}

// mark returns how many lines there are.
func (f *failures) mark() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.lines)
}

// of returns what failed in a fixture, from the since-th line on: whatever is in one of its namespaces, or bears its name.
func (f *failures) of(w *fixture, since int) []failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []failure
	for _, l := range f.lines[since:] {
		if strings.HasPrefix(l.Namespace+l.Name, w.name+"-") {
			found = append(found, l)
		}
	}
	return found
}

// String is a line for a failed test's message.
func (l failure) String() string {
	return strings.Join([]string{"\n ", l.Message, l.Kind, l.Namespace + "/" + l.Name, l.Error}, " ")
}
