package system

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	c := &Clock{}
	c.Stop()
	before := c.Now()
	if c.Now() != before {
		t.Error("a stopped clock goes")
	}
	c.Forward(time.Hour)
	if got := c.Now().Sub(before); got != time.Hour {
		t.Errorf("it was put forward by %v, want an hour", got)
	}
	c.Resume()
	if got := time.Until(c.Now()); got < 59*time.Minute {
		t.Errorf("after it was resumed it is %v ahead, want an hour", got)
	}
}
