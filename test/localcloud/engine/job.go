package engine

import "time"

// An Job is work on a database server, which takes the time it takes. Nil is work that there is none of.
type Job struct {
	done   chan struct{}
	Engine *Engine
	err    error
	Ended  time.Time // by the cloud's clock
}

// Begin starts work on a server. Bare listeners do theirs at once, before Begin returns.
func Begin(work func() (*Engine, error), now func() time.Time, atOnce bool) *Job {
	job := &Job{done: make(chan struct{})}
	run := func() {
		job.Engine, job.err = work()
		job.Ended = now()
		close(job.done)
	}
	if atOnce {
		run()
	} else {
		go run()
	}
	return job
}

// Finished reports whether the work is over.
func (j *Job) Finished() bool {
	if j == nil {
		return true
	}
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// Wait returns once the work is over.
func (j *Job) Wait() {
	if j != nil {
		<-j.done
	}
}

// Failed reports whether work that is over failed.
func (j *Job) Failed() bool { return j.Failure() != nil }

// Failure is why work that is over failed; nil if it did not, or there was none.
func (j *Job) Failure() error {
	if j == nil {
		return nil
	}
	return j.err
}
