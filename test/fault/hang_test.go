package fault

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// TestHangingAccount: an account whose cloud no longer answers keeps its own objects waiting and nobody else's.
func TestHangingAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, 5*time.Second)
	sick, healthy := w.born(t, subjects[0]), w.born(t, subjects[0])
	for _, l := range []*life{sick, healthy} {
		l.enter(creation)
		l.do(t, creation)
	}
	lift := w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Account: sick.account}, Kind: localcloud.Hang})
	defer lift()
	for i := range 40 {
		o := sick.object(sick.name).(*v1alpha1.Bucket)
		o.Name = fmt.Sprintf("%s-%d", sick.name, i)
		o.Spec.Connection = nil
		sick.must(t, w.Client.Create(t.Context(), o))
	}
	var took []time.Duration
	healthy.enter(edit)
	for i := range 5 {
		o := healthy.get(t).(*v1alpha1.Bucket)
		before := o.DeepCopy()
		o.Spec.Tags["edit"] = v1alpha1.TagValue(fmt.Sprint(i))
		asked := time.Now()
		healthy.must(t, w.Client.Patch(t.Context(), o, client.MergeFrom(before)))
		await(t, "the edit reaches the cloud", func() string {
			if n := healthy.committed()["PutBucketTagging"]; n <= i {
				return fmt.Sprint(n)
			}
			return ""
		})
		took = append(took, time.Since(asked))
		healthy.awaitReady(t)
	}
	slices.Sort(took)
	t.Logf("edits beside 40 objects that hang took %s", took)
	if median := took[len(took)/2]; median > time.Second {
		t.Errorf("an edit took %s beside an account that hangs", median)
	}
}
