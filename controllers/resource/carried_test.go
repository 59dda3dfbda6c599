package resource

import (
	"context"
	"errors"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The operation that an update began is known until the status says it: how it ends, for example that of a password, would never be known else.
func TestOperationOutlastsALostStatus(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline = time.Second
	d.cloud.done = driver.Result{Operation: "op-1"}
	out, err := d.act(t.Context(), plan.Action{Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied", Changes: drift.Changes})
	if err != nil {
		t.Fatal(err)
	}
	working := d.Client
	d.Client = interceptor.NewClient(working.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
			return errors.New("no answer")
		},
	})
	if _, err := d.record(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	if d.status().Operation != "" {
		t.Fatalf("the status was stored: %+v", d.status())
	}
	if carried := d.mem.shared.Cloud.Carried; carried == nil || carried.Operation != "op-1" {
		t.Fatalf("carried is %+v", carried)
	}
	d.Client = working
	d.status().Operation = d.mem.shared.Cloud.Carried.Operation // as the next reconciliation begins
	if _, err := d.record(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	if d.status().Operation != "op-1" || d.mem.shared.Cloud.Carried != nil {
		t.Errorf("the status has %q, and %+v is carried on", d.status().Operation, d.mem.shared.Cloud.Carried)
	}
}
