package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Start starts a server and returns once it can be used. When the machine lacks the program,
// or the cloud wants listeners only, it is a bare listener. A stop of the same id makes a start
// that is under way fail.
func (e *Engines) Start(spec Spec) (_ *Engine, err error) {
	if spec.Held != nil {
		defer spec.Held()
	}
	if err := checkEngine(spec.Engine); err != nil {
		return nil, err
	}
	spec.After.Wait()
	if err := spec.After.Failure(); err != nil {
		return nil, err
	}
	if spec.Follows != "" {
		if spec, err = e.follow(spec); err != nil {
			return nil, err
		}
	}
	if spec.CopyOf != "" {
		spec.From = "clone-" + spec.ID
		if err := e.Snapshot(spec.CopyOf, spec.From); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, e.Drop(spec.From)) }()
	}
	if spec.Flush != "" {
		if err := e.FlushLog(spec.Flush); err != nil && !errors.Is(err, errNoEngine) && !errors.Is(err, errNoCopy) {
			return nil, err
		}
	}
	from, release, err := e.origin(spec)
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", spec.ID, err)
	}
	defer release()
	in, err := e.admit(spec.ID)
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", spec.ID, err)
	}
	defer e.working.Done()
	defer in.mu.Unlock()
	if err := e.limited(in.ctx, "start", func(ctx context.Context) error { return e.bootLogged(ctx, in, spec, from) }); err != nil {
		return nil, errors.Join(fmt.Errorf("start engine %q: %w", spec.ID, err), e.forget(spec.ID, in))
	}
	out := in.engine
	return &out, nil
}

// bare reports whether instances of an engine are bare listeners.
func (e *Engines) bare(engine string) bool { return e.listenersOnly || Available(engine) != nil }

func (e *Engines) boot(ctx context.Context, in *instance, spec Spec, from, log *dataCopy) error {
	bare := e.bare(spec.Engine)
	where, err := reserve(spec.StandardPort, cmp.Or(spec.Port, dbmses[spec.Engine].port))
	if err != nil {
		return err
	}
	in.kind, in.engine = spec.Engine, Engine{Host: where.host, Port: where.port, Real: !bare}
	if bare {
		in.backing = &bareListener{address: where, logins: newLogins(spec, from), postgres: spec.Engine == "postgres"}
		return errors.Join(in.backing.keepLog(ctx, log), in.backing.resume(ctx))
	}
	select {
	case e.booting <- struct{}{}:
		defer func() { <-e.booting }()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for other servers that boot: %w", context.Cause(ctx)), where.release())
	}
	s, err := e.newServer(ctx, spec, from, log, where)
	if err != nil {
		return errors.Join(err, where.release())
	}
	in.backing, in.engine.CA = s, s.signed.authorities
	if err := s.setParameters(ctx, func(map[string]string) map[string]string { return spec.Parameters }); err != nil {
		return err
	}
	if err := s.resume(ctx); err != nil {
		return err
	}
	if spec.From != "" {
		return nil
	}
	return s.equip(ctx, spec)
}

// Stop ends the server and removes its data. Its id is free at once. Stopping what is not
// there is no error.
func (e *Engines) Stop(id string) error {
	e.mu.Lock()
	in := e.known[id]
	if in == nil {
		e.mu.Unlock()
		return nil
	}
	delete(e.known, id)
	e.working.Add(1)
	e.mu.Unlock()
	defer e.working.Done()
	in.cancel() // before the lock: a start that is under way holds it
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.gone {
		return nil
	}
	if err := e.forget(id, in); err != nil {
		return fmt.Errorf("stop engine %q: %w", id, err)
	}
	return nil
}

// Suspend ends the server in good order and keeps its data and its address.
func (e *Engines) Suspend(id string) error {
	return e.with(id, "suspend", func(_ context.Context, in *instance) error { return in.backing.suspend() })
}

// Resume starts a suspended server again, at the same address.
func (e *Engines) Resume(id string) error {
	return e.with(id, "resume", func(ctx context.Context, in *instance) error {
		in.thaw()
		return in.backing.resume(ctx)
	})
}

// Restart ends the server in good order and starts it again, at the same address.
func (e *Engines) Restart(id string) error {
	return e.with(id, "restart", func(ctx context.Context, in *instance) error {
		if err := in.backing.suspend(); err != nil {
			return err
		}
		in.thaw()
		return in.backing.resume(ctx)
	})
}
