package localcloud

import (
	"fmt"
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// awaitWork waits until the database server has done its part of an operation of Cloud SQL.
func awaitWork(t *testing.T, cloud *Cloud, operation string) {
	t.Helper()
	s := cloud.sql
	cloud.gcp.mu.Lock()
	op := s.project("acme").operation(operation)
	cloud.gcp.mu.Unlock()
	check.Receive(t, fmt.Sprintf("the server's part of %s of instance %s", op.kind, op.instance.name), op.worked)
}
