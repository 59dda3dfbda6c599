package cluster

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// auditPolicy records each request of a resource once and no bodies, so that no Secret's value is ever
// written: a watch when it begins, all else when it is answered. The server's calls to itself,
// health checks and discovery are left out.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  nonResourceURLs: ["*"]
- level: None
  users: ["system:apiserver"]
- level: Metadata
  verbs: [watch]
  omitStages: [ResponseComplete]
- level: Metadata
  omitStages: [ResponseStarted]
`

// configureAudit makes the server write an audit log.
func (c *Cluster) configureAudit(s *envtest.APIServer) (*AuditLog, error) {
	policy, log := c.path("audit-policy.yaml"), c.path("audit.log")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, fmt.Errorf("configure audit: %w", err)
	}
	s.Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", log).
		// Written before the response ends: whoever has the answer finds the event.
		Set("audit-log-mode", "blocking").
		// Megabytes, and more than any run writes: rotation would move events out of sight.
		Set("audit-log-maxsize", "100000")
	return &AuditLog{path: log}, nil
}

// An AuditLog is the API server's record of requests: what was really asked of it, whoever asked. A
// request whose answer has arrived is in it.
type AuditLog struct {
	path string
	// begin is where a control plane that is used again was handed to who uses it.
	begin Mark
}

// A Mark is a place in the log.
type Mark int64

// Mark returns the present end of the log: that of its last whole line. One that is being written is of a request that is answered later.
func (l *AuditLog) Mark() (Mark, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return 0, fmt.Errorf("read audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("read audit log: %w", err)
	}
	chunk := make([]byte, 4096)
	for end > 0 {
		from := max(0, end-int64(len(chunk)))
		n, err := file.ReadAt(chunk[:end-from], from)
		if err != nil {
			return 0, fmt.Errorf("read audit log: %w", err)
		}
		if i := bytes.LastIndexByte(chunk[:n], '\n'); i >= 0 {
			return Mark(from + int64(i) + 1), nil
		}
		end = from
	}
	return 0, nil
}

// Since returns the requests recorded after mark, in the order in which they were answered. The zero
// Mark is where the test began that has the cluster.
func (l *AuditLog) Since(mark Mark) (Requests, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(int64(max(mark, l.begin)), io.SeekStart); err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return parseAudit(file)
}
