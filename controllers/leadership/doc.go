// Package leadership reports whether this process is still the leader, and keeps a process that is not from calling a
// cloud.
//
// Leader election alone is not enough. A process that was suspended for longer than its lease resumes, and makes calls
// before it notices that another replica leads. So each request to a cloud is made only while no other replica can have
// acquired the lease.
package leadership
