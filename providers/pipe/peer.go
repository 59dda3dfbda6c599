package pipe

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// maxFrameBytes is how many bytes a frame may have. What comes longer breaks the pipe: nobody knows how much more there is.
	maxFrameBytes = 8 << 20
	// maxQueued is how many calls and answers may wait for a side that does not read.
	maxQueued = 256
	// cancelGrace is how long a call that was cancelled may take to end: a call may outlive its deadline by that much.
	cancelGrace = time.Second
	// answer and cancel are the methods of frames that are no calls: one answers a call, one says that nobody waits for it any more.
	answer = "answer"
	cancel = "cancel"
)

// A handler answers calls of the other side.
type handler func(ctx context.Context, method string, body json.RawMessage) (any, error)

// A peer is one side of a pipe.
type peer struct {
	handle handler
	// inline are the methods that are handled before the next frame is read, and are not answered.
	inline map[string]bool
	// onBreak, if not nil, runs once when the pipe has broken: after the calls of the other side were cancelled, and before ours return.
	onBreak func()
	// out are the calls and answers to write. A sender waits for room.
	out chan outgoing
	// wake says that there is something in control.
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	broken error
	// control are frames that have to arrive although nobody waits for them. They are written before those of out.
	control [][]byte
	last    uint64
	waiting map[uint64]*pending           // our calls
	running map[uint64]context.CancelFunc // theirs
}

// newPeer returns a side of a pipe. It reads and writes once it runs.
func newPeer(handle handler, inline ...string) *peer {
	p := &peer{
		handle: handle, inline: map[string]bool{}, out: make(chan outgoing, maxQueued), wake: make(chan struct{}, 1), done: make(chan struct{}),
		waiting: map[uint64]*pending{}, running: map[uint64]context.CancelFunc{},
	}
	for _, method := range inline {
		p.inline[method] = true
	}
	return p
}

// run carries frames until the pipe breaks in either direction, and returns the first error; io.EOF says that the other side closed it.
// A read that is under way then ends with r. What it reads is not executed.
func (p *peer) run(r io.Reader, w io.Writer) error {
	go p.write(w)
	go p.read(r)
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

// fail breaks the pipe for all calls, of either side.
func (p *peer) fail(err error) {
	p.mu.Lock()
	if p.broken != nil {
		p.mu.Unlock()
		return
	}
	p.broken = err
	for _, end := range p.running {
		end()
	}
	p.mu.Unlock()
	if p.onBreak != nil {
		p.onBreak()
	}
	close(p.done)
}

// handleFrame handles a frame of the other side. It reports false, and does nothing, if the pipe broke: nobody could get an answer.
func (p *peer) handleFrame(f frame) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return false
	}
	switch f.Method {
	case answer:
		if call := p.waiting[f.ID]; call != nil {
			delete(p.waiting, f.ID)
			call.answer <- f // has room for one
		}
	case cancel:
		if end := p.running[f.ID]; end != nil {
			end()
		}
	default:
		p.startCall(f)
	}
	return true
}

// startCall starts to handle a call of the other side. The peer is locked.
func (p *peer) startCall(f frame) {
	ctx := context.Background()
	if by := p.waiting[f.For]; by != nil {
		ctx = context.WithoutCancel(by.ctx) // the other side says when it ends
	}
	ctx = context.WithValue(ctx, callKey{}, f.ID)
	if p.inline[f.Method] {
		p.mu.Unlock()
		_, _ = p.handle(ctx, f.Method, f.Body) // nobody waits for an answer
		p.mu.Lock()
		return
	}
	var end context.CancelFunc
	if f.Left > 0 {
		ctx, end = context.WithTimeout(ctx, f.Left)
	} else {
		ctx, end = context.WithCancel(ctx)
	}
	p.running[f.ID] = end
	go p.serve(ctx, f)
}

// serve handles a call and answers it.
func (p *peer) serve(ctx context.Context, f frame) {
	result, err := p.handle(ctx, f.Method, f.Body)
	reply := frame{ID: f.ID, Method: answer, Error: driver.ErrorOf(err)}
	if err == nil {
		reply.Body, err = json.Marshal(result)
		reply.Error = driver.ErrorOf(err)
	}
	if err := p.send(context.WithoutCancel(ctx), reply, nil); driver.CodeOf(err) == driver.Invalid {
		reply.Body, reply.Error = nil, &driver.Error{Code: driver.Internal, Message: err.Error()}
		_ = p.send(context.WithoutCancel(ctx), reply, nil) // or the pipe broke, which the other side knows
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[f.ID]()
	delete(p.running, f.ID)
}

// brokenError is the error of calls through a pipe that broke.
func (p *peer) brokenError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return unavailable("the connection to the driver broke", p.broken)
}

func unavailable(message string, cause error) error {
	return &driver.Error{Code: driver.Unavailable, Message: message, Err: cause}
}
