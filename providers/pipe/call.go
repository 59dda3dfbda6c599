package pipe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// pending is a call that waits for its answer.
type pending struct {
	ctx    context.Context //nolint:containedctx // calls that the other side makes on its behalf get its values
	answer chan frame
	// written and cancelled are guarded by the peer's mutex. A call that is cancelled before it is written is never written.
	written, cancelled bool
}

// callKey is the key of the number of the call that a context is of.
type callKey struct{}

// call asks the other side. Without an answer the error is Unavailable.
func (p *peer) call(ctx context.Context, method string, in, out any) error {
	if err := ctx.Err(); err != nil {
		return unavailable("the call was not made: its time is over", err)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the message can't be encoded: %v", err)}
	}
	f := frame{Method: method, Body: body}
	f.For, _ = ctx.Value(callKey{}).(uint64)
	if deadline, limited := ctx.Deadline(); limited {
		f.Left = max(time.Until(deadline), 1) //nolint:forbidigo // contexts end by this clock
	}
	call := &pending{ctx: ctx, answer: make(chan frame, 1)}
	p.mu.Lock()
	p.last++
	f.ID = p.last
	p.waiting[f.ID] = call
	p.mu.Unlock()
	defer p.forget(f.ID)
	if err := p.send(ctx, f, call); err != nil {
		return err
	}
	select {
	case reply := <-call.answer:
		return decode(reply, out)
	case <-ctx.Done():
		if !p.cancelCall(f.ID, call) {
			return unavailable("the call was not made: its time is over", ctx.Err())
		}
		return p.awaitLateAnswer(ctx, call, out)
	case <-p.done:
		return p.lastAnswer(call, out)
	}
}

// cancelCall reports to the other side that nobody waits for a call any more. It reports false if the call was not written: now it never is.
func (p *peer) cancelCall(id uint64, call *pending) bool {
	p.mu.Lock()
	call.cancelled = true
	written := call.written
	p.mu.Unlock()
	if written {
		p.sendControl(frame{ID: id, Method: cancel})
	}
	return written
}

// awaitLateAnswer waits a little for a call that was cancelled to end, so that it is over when its caller goes on.
func (p *peer) awaitLateAnswer(ctx context.Context, call *pending, out any) error {
	longer, end := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer end()
	select {
	case reply := <-call.answer:
		return decode(reply, out)
	case <-longer.Done():
		return unavailable("the driver gave no answer in time", ctx.Err())
	case <-p.done:
		return p.lastAnswer(call, out)
	}
}

// lastAnswer returns the answer that came before the pipe broke, if there is one.
func (p *peer) lastAnswer(call *pending, out any) error {
	select {
	case reply := <-call.answer:
		return decode(reply, out)
	default:
		return p.brokenError()
	}
}

func decode(reply frame, out any) error {
	if reply.Error != nil {
		return reply.Error
	}
	if err := json.Unmarshal(reply.Body, out); err != nil {
		return &driver.Error{Code: driver.Internal, Message: "the driver's answer can't be decoded"}
	}
	return nil
}

func (p *peer) forget(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}
