package pipe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
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

// outgoing is a frame that waits to be written.
type outgoing struct {
	line []byte
	call *pending // nil for a frame that is no call
}

func (p *peer) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		f, err := readFrame(lines)
		if err != nil {
			p.fail(err)
			return
		}
		if !p.handleFrame(f) {
			return
		}
	}
}

// readFrame reads a frame. io.EOF says that the reader ended between two frames.
func readFrame(lines *bufio.Reader) (frame, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxFrameBytes {
			return frame{}, fmt.Errorf("a frame has more than %d bytes", maxFrameBytes)
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

// send queues a frame, that of a call if call is not nil. A frame that is too long is Invalid, and harms no other.
func (p *peer) send(ctx context.Context, f frame, call *pending) error {
	line, err := json.Marshal(f)
	if err != nil {
		return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the message can't be encoded: %v", err)}
	}
	if len(line) >= maxFrameBytes {
		return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the message has %d bytes, and the pipe to the driver takes %d at most", len(line), maxFrameBytes)}
	}
	select {
	case <-p.done:
		return p.brokenError()
	default:
	}
	select {
	case p.out <- outgoing{append(line, '\n'), call}:
		return nil
	case <-ctx.Done():
		return unavailable("the driver takes no message", ctx.Err())
	case <-p.done:
		return p.brokenError()
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
