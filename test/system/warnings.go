package system

import (
	"context"
	"sync"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Warnings are those that the API server sent with its answers to a client.
type Warnings struct {
	mu  sync.Mutex
	all []string
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *Warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

// Take returns the warnings since they were last taken.
func (w *Warnings) Take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// WithWarnings returns a client of cfg's user, and the warnings that it gets.
func WithWarnings(cfg *rest.Config, o client.Options) (client.Client, *Warnings, error) {
	w := &Warnings{}
	cfg = rest.CopyConfig(cfg)
	cfg.WarningHandlerWithContext = w
	c, err := client.New(cfg, o)
	return c, w, err
}
