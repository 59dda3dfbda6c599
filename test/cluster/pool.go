package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Run runs the tests of a package, and returns its exit status. A start of the servers takes seconds of processor time, and a reset
// hundredths: so a cluster that ForTest handed out is reset when its test has passed, and handed out again.
func Run(m *testing.M) int {
	idle.enabled = true
	code := m.Run()
	if err := idle.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// A pool holds the clusters that no test has at present, each as it was after its start.
type pool struct {
	// enabled is set before the first test. Without it nothing is used again.
	enabled bool

	mu       sync.Mutex
	clusters map[Options][]*Cluster
}

// idle is the pool of this process.
var idle pool

// take returns a cluster of the pool, or starts one.
func (p *pool) take(ctx context.Context, o Options) (*Cluster, error) {
	if c := p.pop(o); c != nil {
		return c, nil
	}
	c, err := Start(ctx, o)
	if err != nil || !p.reuses(o) {
		return c, err
	}
	if c.initial, err = c.snapshot(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// reuses reports whether clusters with such options are used again. kube-controller-manager is not: it remembers what it saw.
func (p *pool) reuses(o Options) bool {
	return p.enabled && !o.ControllerManager && o.Dir == "" && o.Log == nil
}

func (p *pool) pop(o Options) *Cluster {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.clusters[o]
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1
	p.clusters[o] = all[:last]
	return all[last]
}

// giveBack ends the use of a cluster. Whoever looks at a test that failed finds none that others have changed since.
func (p *pool) giveBack(c *Cluster, o Options, passed bool) error {
	if !passed || !p.reuses(o) {
		return c.Stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.reset(ctx, c.initial); err != nil {
		return errors.Join(fmt.Errorf("reset the control plane: %w", err), c.Stop())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clusters == nil {
		p.clusters = map[Options][]*Cluster{}
	}
	p.clusters[o] = append(p.clusters[o], c)
	return nil
}

// stop ends all clusters, and the pool: what is given back later is not used again.
func (p *pool) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enabled = false
	var errs []error
	for _, clusters := range p.clusters {
		for _, c := range clusters {
			errs = append(errs, c.Stop())
		}
	}
	p.clusters = nil
	return errors.Join(errs...)
}
