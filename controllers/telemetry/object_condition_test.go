package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Every condition of an object that is not as it should be has a series, with the time since when, and nothing else has one.
func TestObjectConditions(t *testing.T) {
	for _, c := range []struct {
		name   string
		object v1alpha1.Bucket
		// observed is how long ago the cloud object was last observed; 0 for an object that is not to be observed.
		observed time.Duration
		want     map[string]time.Duration
	}{
		{name: "fine", object: named(healthy()), observed: time.Minute},
		{name: "stopped as declared", object: named(healthy(), since(v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonStopped, time.Hour))},
		{
			name: "stalled, with a secret in the message",
			object: named(healthy(), since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDenied, time.Hour),
				since(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonDenied, time.Minute)),
			want: map[string]time.Duration{"Ready,False,Denied": time.Hour, "Stalled,True,Denied": time.Minute},
		},
		{
			name:   "drift waits for approval, and it is Ready",
			object: named(healthy(), since(v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonApprovalRequired, time.Hour)),
			want:   map[string]time.Duration{"Synced,False,ApprovalRequired": time.Hour},
		},
		{
			name:   "as declared, and the cloud is at work",
			object: named(healthy(), since(v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonCloudBusy, time.Hour)),
			want:   map[string]time.Duration{"Available,False,CloudBusy": time.Hour},
		},
		{
			name: "being created",
			object: named(healthy(), since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonCreating, time.Hour),
				since(v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonCreating, time.Hour),
				since(v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonCreating, time.Hour),
				since(v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonCreating, time.Hour)),
			want: map[string]time.Duration{
				"Ready,False,Creating": time.Hour, "Synced,False,Creating": time.Hour, "Available,False,Creating": time.Hour, "Reconciling,True,Creating": time.Hour,
			},
		},
		{name: "new, and without conditions", object: created(named(bucket("", "standard")), time.Minute), want: map[string]time.Duration{"Ready,Unknown,": time.Minute}},
		{
			name: "its deletion is refused",
			object: deleted(named(healthy(), since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeleting, time.Hour),
				since(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonDeletionProtected, time.Minute)), 2*time.Hour),
			want: map[string]time.Duration{"Ready,False,Deleting": time.Hour, "Stalled,True,DeletionProtected": time.Minute, "Deleting,True,DeletionProtected": 2 * time.Hour},
		},
		{name: "last observed three sync periods ago", object: named(healthy()), observed: 3 * time.Minute, want: map[string]time.Duration{"Observed,False,NotObserved": 3 * time.Minute}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Options{Now: func() time.Time { return noon }})
			s := sources(&shelf{c.object})
			s.Kinds[0].LastObserved = func() []LastObservation {
				if c.observed == 0 {
					return nil
				}
				return []LastObservation{{Name: types.NamespacedName{Namespace: "shop", Name: "photos"}, Provider: "aws", At: noon.Add(-c.observed)}}
			}
			s.Configs = nil
			m.Watch(s)
			got := map[string]time.Duration{}
			for series, value := range values(t, m) {
				if labels, ok := strings.CutPrefix(series, objectCondition.Name+"{"); ok {
					l := strings.Split(strings.TrimSuffix(labels, "}"), ",") // class, condition, kind, name, namespace, provider, reason, status
					got[l[1]+","+l[7]+","+l[6]] = noon.Sub(time.Unix(int64(value), 0))
					if want := []string{c.object.Status.ClassName, "Bucket", "photos", "shop", c.object.Status.Provider}; !slices.Equal(want, []string{l[0], l[2], l[3], l[4], l[5]}) {
						t.Errorf("the labels are %v, want %v", l, want)
					}
				}
				if strings.Contains(series, "hunter2") {
					t.Errorf("a message is shown: %s", series)
				}
			}
			if c.want == nil {
				c.want = map[string]time.Duration{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The limit bounds objects, of all kinds together: those that have been Stalled for longest are shown, and the others are counted.
func TestObjectLimit(t *testing.T) {
	var objects shelf
	for i := range 5 {
		objects = append(objects, renamed(named(healthy(), since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDenied, 9*time.Hour),
			since(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonDenied, time.Duration(i)*time.Minute)), fmt.Sprint("stalled-", i)))
	}
	objects = append(objects, renamed(named(healthy(), since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonCreating, 24*time.Hour)), "creating"),
		renamed(named(healthy()), "fine"))
	for limit, want := range map[int]struct {
		names   []string
		omitted float64
	}{
		0:    {},
		2:    {[]string{"stalled-3", "stalled-4"}, 5},
		6:    {[]string{"creating", "stalled-0", "stalled-1", "stalled-2", "stalled-3", "stalled-4"}, 1}, // the provider config is younger
		1000: {[]string{"", "creating", "stalled-0", "stalled-1", "stalled-2", "stalled-3", "stalled-4"}, 0},
	} {
		m := New(Options{Now: func() time.Time { return noon }})
		s := sources(&objects)
		s.ObjectLimit, s.Kinds[0].LastObserved = limit, nil
		s.Configs[0].NewList = func() client.ObjectList {
			return configs(since(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDenied, time.Second))
		}
		m.Watch(s)
		got := values(t, m)
		names := map[string]bool{}
		for series := range got {
			if labels, ok := strings.CutPrefix(series, objectCondition.Name+"{"); ok {
				names[strings.Split(labels, ",")[3]] = true
			}
		}
		if diff := cmp.Diff(want.names, slices.Sorted(maps.Keys(names))); diff != "" {
			t.Errorf("limit %d shows (-want +got):\n%s", limit, diff)
		}
		if omitted, shown := got[objectsOmitted.Name+"{}"]; omitted != want.omitted || shown != (limit > 0) {
			t.Errorf("limit %d omits %v (shown: %v), want %v", limit, omitted, shown, want.omitted)
		}
	}
}

func healthy() v1alpha1.Bucket {
	return bucket("aws", "standard", ready(metav1.ConditionTrue, v1alpha1.ReasonReady),
		since(v1alpha1.ConditionSynced, metav1.ConditionTrue, v1alpha1.ReasonReady, time.Hour), since(v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonReady, time.Hour))
}

// named returns shop/photos with some of its conditions replaced.
func named(b v1alpha1.Bucket, conditions ...metav1.Condition) v1alpha1.Bucket {
	b.Namespace, b.Name = "shop", "photos"
	for _, c := range conditions {
		i := slices.IndexFunc(b.Status.Conditions, func(was metav1.Condition) bool { return was.Type == c.Type })
		if i < 0 {
			b.Status.Conditions = append(b.Status.Conditions, c)
		} else {
			b.Status.Conditions[i] = c
		}
	}
	return b
}

func renamed(b v1alpha1.Bucket, name string) v1alpha1.Bucket {
	b.Name = name
	return b
}

func created(b v1alpha1.Bucket, ago time.Duration) v1alpha1.Bucket {
	b.CreationTimestamp = metav1.NewTime(noon.Add(-ago))
	return b
}

func since(condition string, status metav1.ConditionStatus, reason v1alpha1.Reason, ago time.Duration) metav1.Condition {
	return metav1.Condition{Type: condition, Status: status, Reason: string(reason), Message: "hunter2", LastTransitionTime: metav1.NewTime(noon.Add(-ago))}
}
