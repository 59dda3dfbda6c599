package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A transcript is what the person in front of the screen reads: whole lines, one after the other.
type transcript struct {
	mu    sync.Mutex
	out   io.Writer
	began time.Time
	end   context.CancelCauseFunc
}

// newTranscript begins one now. end is called when it can't be written any more.
func newTranscript(out io.Writer, end context.CancelCauseFunc) *transcript {
	return &transcript{out: out, began: time.Now(), end: end}
}

// say writes lines as they are.
func (t *transcript) say(format string, args ...any) {
	_, _ = t.Write([]byte(fmt.Sprintf(format, args...) + "\n"))
}

// step writes a line with the time that has passed; further lines of it are indented alike.
func (t *transcript) step(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n"+strings.Repeat(" ", 10))
	t.say("%6.1f s  %s", time.Since(t.began).Seconds(), text)
}

// Write takes a program's output in.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.out.Write(p)
	if err != nil {
		t.end(fmt.Errorf("its output is not read: %w", err))
	}
	return n, err
}
