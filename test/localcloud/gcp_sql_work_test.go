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
	cloud.gcp.Mu.Lock()
	op := s.Project("acme").Operation(operation)
	cloud.gcp.Mu.Unlock()
	check.Receive(t, fmt.Sprintf("the server's part of %s of instance %s", op.Kind, op.Instance.Name), op.Worked)
}
