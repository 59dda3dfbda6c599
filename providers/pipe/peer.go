package pipe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// longest is how many bytes a frame may have. What comes longer breaks the pipe: nobody knows how much more there is.
	longest = 8 << 20
	// queued is how many calls and answers may wait for a side that does not read.
	queued = 256
	// grace is how long a call that was cancelled may take to end: a call may outlive its deadline by that much.
	grace = time.Second
	// answer and cancel are the methods of frames that are no calls: one answers a call, one says that nobody waits for it any more.
	answer = "answer"
	cancel = "cancel"
)

// A frame is one line.
type frame struct {
	// ID is the number of the call, which its caller chose.
	ID     uint64
	Method string
	// For is the number of the call in the other direction on whose behalf this one is made; 0 for none.
	For uint64 `json:",omitempty"`
	// Left is how long the caller waits; 0 for no limit.
	Left  time.Duration   `json:",omitempty"`
	Body  json.RawMessage `json:",omitempty"`
	Error *driver.Error   `json:",omitempty"`
}

// A handler answers calls of the other side.
type handler func(ctx context.Context, method string, body json.RawMessage) (any, error)

// A peer is one side of a pipe.
type peer struct {
	handle handler
	// inline are the methods that are handled before the next frame is read, and are not answered.
	inline map[string]bool
	// broke, if not nil, runs once when the pipe has broken: after the calls of the other side were cancelled, and before ours return.
	broke func()
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

// pending is a call that waits for its answer.
type pending struct {
	ctx    context.Context //nolint:containedctx // calls that the other side makes on its behalf get its values
	answer chan frame
	// written and cancelled are guarded by the peer's mutex. A call that is cancelled before it is written is never written.
	written, cancelled bool
}

// outgoing is a frame that waits to be written.
type outgoing struct {
	line []byte
	call *pending // nil for a frame that is no call
}

// newPeer returns a side of a pipe. It reads and writes once it runs.
func newPeer(handle handler, inline ...string) *peer {
	p := &peer{
		handle: handle, inline: map[string]bool{}, out: make(chan outgoing, queued), wake: make(chan struct{}, 1), done: make(chan struct{}),
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

func (p *peer) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		f, err := readFrame(lines)
		if err != nil {
			p.fail(err)
			return
		}
		if !p.take(f) {
			return
		}
	}
}

// readFrame reads a frame. io.EOF says that the reader ended between two frames.
func readFrame(lines *bufio.Reader) (frame, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if line = append(line, part...); len(line) > longest {
			return frame{}, fmt.Errorf("a frame has more than %d bytes", longest)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return frame{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return frame{}, err
		}
		var f frame
		if err := json.Unmarshal(line, &f); err != nil {
			return frame{}, errors.New("a frame is no JSON") // the parser would quote it, and it may hold a secret
		}
		return f, nil
	}
}

func (p *peer) write(w io.Writer) {
	for {
		var next outgoing
		select {
		case <-p.wake:
		case next = <-p.out:
		case <-p.done:
			return
		}
		for _, line := range p.linesWith(next) {
			if _, err := w.Write(line); err != nil {
				p.fail(err)
				return
			}
		}
	}
}

// linesWith returns what is to be written now: all control frames, then the next call or answer, if there is one.
func (p *peer) linesWith(next outgoing) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.control
	p.control = nil
	if next.call != nil {
		if next.call.cancelled {
			return lines
		}
		next.call.written = true
	}
	if next.line == nil {
		return lines
	}
	return append(lines, next.line)
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
	if p.broke != nil {
		p.broke()
	}
	close(p.done)
}

// take handles a frame of the other side. It reports false, and does nothing, if the pipe broke: nobody could get an answer.
func (p *peer) take(f frame) bool {
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
		p.begin(f)
	}
	return true
}

// begin handles a call of the other side. The peer is locked.
func (p *peer) begin(f frame) {
	ctx := context.Background()
	if by := p.waiting[f.For]; by != nil {
		ctx = context.WithoutCancel(by.ctx) // the other side says when it ends
	}
	ctx = context.WithValue(ctx, callKey{}, f.ID)
	if p.inline[f.Method] {
		p.mu.Unlock()
		_, _ = p.handle(ctx, f.Method, f.Body) // is told, and asked nothing
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
		return p.late(ctx, call, out)
	case <-p.done:
		return p.lastWords(call, out)
	}
}

// cancelCall tells the other side that nobody waits for a call any more. It reports false if the call was not written: now it never is.
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

// late waits a little for a call that was cancelled to end, so that it is over when its caller goes on.
func (p *peer) late(ctx context.Context, call *pending, out any) error {
	longer, end := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer end()
	select {
	case reply := <-call.answer:
		return decode(reply, out)
	case <-longer.Done():
		return unavailable("the driver gave no answer in time", ctx.Err())
	case <-p.done:
		return p.lastWords(call, out)
	}
}

// lastWords returns the answer that came before the pipe broke, if there is one.
func (p *peer) lastWords(call *pending, out any) error {
	select {
	case reply := <-call.answer:
		return decode(reply, out)
	default:
		return p.gone()
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

// send queues a frame, that of a call if call is not nil. A frame that is too long is Invalid, and harms no other.
func (p *peer) send(ctx context.Context, f frame, call *pending) error {
	line, err := json.Marshal(f)
	if err != nil {
		return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the message can't be encoded: %v", err)}
	}
	if len(line) >= longest {
		return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the message has %d bytes, and the pipe to the driver takes %d at most", len(line), longest)}
	}
	select {
	case <-p.done:
		return p.gone()
	default:
	}
	select {
	case p.out <- outgoing{append(line, '\n'), call}:
		return nil
	case <-ctx.Done():
		return unavailable("the driver takes no message", ctx.Err())
	case <-p.done:
		return p.gone()
	}
}

// sendControl queues a frame that has to arrive. It never waits, and the frame overtakes the calls and answers that are queued.
func (p *peer) sendControl(f frame) {
	line, err := json.Marshal(f)
	if err != nil {
		return // numbers, which can be encoded
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return
	}
	p.control = append(p.control, append(line, '\n'))
	select {
	case p.wake <- struct{}{}:
	default: // the writer has not seen the last one yet
	}
}

// gone is the error of calls through a pipe that broke.
func (p *peer) gone() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return unavailable("the connection to the driver broke", p.broken)
}

func unavailable(message string, cause error) error {
	return &driver.Error{Code: driver.Unavailable, Message: message, Err: cause}
}
