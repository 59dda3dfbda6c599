package fault

import (
	"fmt"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestEmptyingOutlivesRestarts deletes a bucket with ten thousand versions of objects, and in S3 a hundred delete markers, while the process is killed
// again and again: what was deleted is not deleted once more, and nothing is left.
func TestEmptyingOutlivesRestarts(t *testing.T) {
	t.Parallel()
	const keys, versions, kills = 5000, 2, 3
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	var all sync.WaitGroup
	defer all.Wait()
	for _, tt := range []struct {
		cloud     string
		operation string // deletes a part of the contents
		between   int    // how many of these calls there are from one kill to the next
		most      int    // how many are made in all
	}{
		{cloud: "aws", operation: "DeleteObjects", between: 2, most: keys*versions/1000 + 1 + kills},
		{cloud: "gcp", operation: "objects.delete", between: 2500, most: keys * versions},
	} {
		all.Go(func() {
			t.Run(tt.cloud, func(t *testing.T) {
				l := w.prepared(t, system.TargetOf("Bucket", tt.cloud))
				defer l.logIfFailed(t)
				l.kill = w.process(t, nil, l.name).kill
				l.enterPhase(creation)
				l.perform(t, creation)
				l.patch(t, func(o client.Object) {
					s := &o.(*v1alpha1.Bucket).Spec
					s.Versioning, s.ForceDestroy = new(v1alpha1.VersioningEnabled), new(true)
					if s.GCP != nil {
						s.GCP.DefaultEventBasedHold = new(false)
					}
				})
				l.awaitReady(t)
				l.fill(t, keys, versions)
				l.enterPhase(deletion)
				l.must(t, l.Client.Delete(t.Context(), l.get(t)))
				for n := range kills {
					l.inject(&injectedFault{phase: deletion, call: call{cloud, tt.operation, tt.between}, kind: killed})
					await(t, fmt.Sprintf("%s is killed for the %d. time", l.name, n+1), func() string {
						if l.hitCount() == 0 {
							return fmt.Sprint(l.committed())
						}
						return ""
					})
				}
				l.inject(nil)
				l.awaitDeleted(t)
				l.verify(t, deletion)
				if made := l.committed()[tt.operation]; made > tt.most {
					t.Errorf("%d times %s, want at most %d", made, tt.operation, tt.most)
				}
			})
		})
	}
}

// fill puts objects into a bucket, each some times, and deletes a hundred of them, as its users do.
func (l *lifecycle) fill(t *testing.T, keys, versions int) {
	t.Helper()
	bucket, console := system.StatusOf(l.get(t)).ExternalName, l.console().Buckets()
	var writers sync.WaitGroup
	const at = 8
	for first := range at {
		writers.Go(func() {
			for key := first; key < keys; key += at {
				name := fmt.Sprintf("photos/%05d", key)
				for range versions {
					console.PutObject(t, bucket, name)
				}
				if key < 100 {
					console.DeleteObject(t, bucket, name)
				}
			}
		})
	}
	writers.Wait()
}
