package engine

import (
	"context"
	"errors"
	"time"
)

// ErrNoLog is for a point in time of a server that keeps no log.
var ErrNoLog = errors.New("the local cloud keeps no log of the writes of MariaDB and MySQL, from which data could be restored to a point in time")

// bootLogged boots a server that keeps a log, if the spec has one.
func (e *Engines) bootLogged(ctx context.Context, in *instance, spec Spec, from *dataCopy) error {
	if spec.Log == "" {
		return e.boot(ctx, in, spec, from, nil)
	}
	return e.keep(spec.Log, func(log *dataCopy) error {
		if err := e.newLog(log, spec.Engine, spec.Log); err != nil {
			return err
		}
		if err := e.boot(ctx, in, spec, from, log); err != nil || !in.engine.Real || from == nil {
			return err
		}
		log.empty = nil // it does not begin with the empty data
		return in.backing.copyData(ctx, log.data())
	})
}

// newLog prepares what keeps a log: that of a bare listener has no folder.
func (e *Engines) newLog(log *dataCopy, engine, as string) error {
	log.engine, log.logged = engine, true
	if e.bare(engine) {
		return nil
	}
	k, err := e.newKind(engine)
	if err != nil {
		return err
	}
	h, err := e.home()
	if err != nil {
		return err
	}
	log.empty = k.template
	if log.folder, err = h.folder("copy-" + as); err != nil {
		return err
	}
	return h.mkdir(log.log())
}

// KeepLog begins to keep the log of a server's writes under a name, from now on.
func (e *Engines) KeepLog(id, as string) error {
	return e.keep(as, func(log *dataCopy) error {
		return e.with(id, "keep a log", func(ctx context.Context, in *instance) error {
			if err := e.newLog(log, in.kind, as); err != nil {
				return err
			}
			log.empty = nil
			return in.backing.keepLog(ctx, log)
		})
	})
}

// EndLog ends the log of a server's writes. What is kept stays until it is dropped.
func (e *Engines) EndLog(id string) error {
	return e.with(id, "end a log", func(ctx context.Context, in *instance) error { return in.backing.keepLog(ctx, nil) })
}

// FlushLog returns once all is in the log that a server wrote by now.
func (e *Engines) FlushLog(id string) error {
	return e.with(id, "flush a log", func(ctx context.Context, in *instance) error {
		return in.backing.flushLog(ctx)
	})
}

// A recovery is how a server comes to its data: by a log, up to one of the machine's times, or to its end if that is zero.
type recovery struct {
	log   string
	until time.Time
}

// recoveryOf returns the recovery that a spec asks for; nil for none.
func recoveryOf(spec Spec, from *dataCopy) *recovery {
	if from == nil || !from.logged {
		return nil
	}
	r := &recovery{log: from.log(), until: spec.Until}
	if !r.until.Before(time.Unix(0, from.marked.Load())) {
		r.until = time.Time{} // nothing was written after it
	}
	return r
}
