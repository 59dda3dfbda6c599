package cluster

import (
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

type AuditLog struct{}

func (c *Cluster) configureAudit(s *envtest.APIServer) (*AuditLog, error) { return nil, nil }
