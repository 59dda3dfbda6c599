package cluster

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	t0 := time.Now()
	c := ForTest(t, Options{ControllerManager: true, Log: t.Output()})
	t.Log(time.Since(t0), c.Config().Host)
	t0 = time.Now()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Log("stop", time.Since(t0))
}
