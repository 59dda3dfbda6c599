package localcloud

import "time"

// An engineJob is work on a database server, which takes the time it takes. Nil is work that there is none of.
type engineJob struct {
	done   chan struct{}
	engine *engine
	err    error
	ended  time.Time // by the cloud's clock
}

// beginJob starts work on a server. Bare listeners do theirs at once, before beginJob returns.
func beginJob(work func() (*engine, error), now func() time.Time, atOnce bool) *engineJob {
	job := &engineJob{done: make(chan struct{})}
	run := func() {
		job.engine, job.err = work()
		job.ended = now()
		close(job.done)
	}
	if atOnce {
		run()
	} else {
		go run()
	}
	return job
}

// finished reports whether the work is over.
func (j *engineJob) finished() bool {
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

func (j *engineJob) wait() {
	if j != nil {
		<-j.done
	}
}

// failed reports whether work that is over failed.
func (j *engineJob) failed() bool { return j.failure() != nil }

// failure is why work that is over failed; nil if it did not, or there was none.
func (j *engineJob) failure() error {
	if j == nil {
		return nil
	}
	return j.err
}
