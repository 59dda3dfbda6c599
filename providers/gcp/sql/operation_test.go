package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What is under way is said in words, since it was asked for: that does not move while it goes on.
func TestWorkOfAnOperation(t *testing.T) {
	const asked = "2026-01-02T03:12:44.123Z"
	for _, tt := range []struct {
		name string
		op   *operation
		want string
	}{
		{"none", nil, ""},
		{"done", &operation{&sqladmin.Operation{Name: "o", OperationType: "UPDATE", Status: "DONE", InsertTime: asked}}, ""},
		{"asked for", &operation{&sqladmin.Operation{Name: "o", OperationType: "UPDATE", Status: "PENDING", InsertTime: asked}},
			"applying a change, since 2026-01-02 03:12 UTC"},
		{"begun", &operation{&sqladmin.Operation{Name: "o", OperationType: "UPDATE", Status: "RUNNING", InsertTime: asked, StartTime: "2026-01-02T03:19:00Z"}},
			"applying a change, since 2026-01-02 03:12 UTC"},
		{"of tomorrow", &operation{&sqladmin.Operation{Name: "o", OperationType: "SWITCH_OVER", Status: "RUNNING"}}, "switch over"},
	} {
		if got := tt.op.work().String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What is done with the answer may have failed with it, and then nothing is to be waited for.
func TestAnswerThatIsDoneAndFailed(t *testing.T) {
	for _, test := range []struct {
		name   string
		op     sqladmin.Operation
		waits  string
		failed driver.Code
	}{
		{name: "done", op: sqladmin.Operation{Name: "op-1", Status: "DONE"}},
		{name: "under way", op: sqladmin.Operation{Name: "op-1", Status: "PENDING"}, waits: "op-1"},
		{
			name: "done and failed", failed: driver.Invalid,
			op: sqladmin.Operation{Name: "op-1", Status: "DONE", OperationType: "UPDATE_USER", Error: &sqladmin.OperationErrors{
				Errors: []*sqladmin.OperationError{{Code: "INVALID_PASSWORD", Message: "the password is too short"}},
			}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			waits, err := begun(&test.op)
			if waits != test.waits || (err != nil) != (test.failed != 0) || err != nil && driver.CodeOf(err) != test.failed {
				t.Errorf("waits for %q, error %v", waits, err)
			}
		})
	}
}

// What a person can do about an operation that failed depends on what it was: an instance that was not made stays, and can only be deleted.
func TestWayOutOfAFailedOperation(t *testing.T) {
	failed := func(kind, code string) *driver.Error {
		return (&operation{&sqladmin.Operation{Name: "o", OperationType: kind, Status: "DONE", Error: &sqladmin.OperationErrors{
			Errors: []*sqladmin.OperationError{{Code: code, Message: "There is not enough."}},
		}}}).failure()
	}
	const remains = "There is not enough; the instance that failed stays in Cloud SQL: delete this object, and create it again once the cause is put right"
	for _, tt := range []struct {
		kind, failure string
		code          driver.Code
		want          string
	}{
		{"CREATE", "STOCKOUT", driver.Capacity, remains + ", or with another tier or location"},
		{"CREATE", "QUOTA_EXCEEDED", driver.Quota, remains},
		{"UPDATE", "STOCKOUT", driver.Capacity, "There is not enough; choose another tier, or wait: Mooring retries"},
		{"UPDATE", "INTERNAL_ERROR", driver.Internal, "There is not enough."},
	} {
		if got := failed(tt.kind, tt.failure); got.Code != tt.code || got.Message != tt.want {
			t.Errorf("%s %s: %v %q, want %v %q", tt.kind, tt.failure, got.Code, got.Message, tt.code, tt.want)
		}
	}
}
