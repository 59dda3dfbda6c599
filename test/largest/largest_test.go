package largest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// most is how many allocations an object may take, whatever its size: to be found too large, or to be evaluated by a class that allows none of it and to
// be told so. It is what the largest spec that Mooring works on takes, with some room. A member of a list takes some tens.
const most = 2_500_000

// Whatever the schema lets an object be, it gets a condition that the API server stores, by work that is bounded: each field alone at its largest, and all
// together as far as they are stored.
func TestEveryObjectGetsAConditionByBoundedWork(t *testing.T) {
	drivers := map[string]driver.Driver{"aws": aws.New(aws.Options{}), "gcp": gcp.New(gcp.Options{})}
	for plural, k := range map[string]*kind.Kind{"buckets": kind.Bucket(), "databases": kind.Database(), "databasesnapshots": kind.DatabaseSnapshot()} {
		spec, err := Spec(plural)
		if err != nil {
			t.Fatal(err)
		}
		specs := Alone(spec)
		specs["all, in AWS"], specs["all, in Google Cloud"] = Together(spec, "gcp"), Together(spec, "aws")
		for name, largest := range specs {
			for cloud := range drivers {
				if says := judge(t, k, cloud, drivers, largest); says != "" {
					t.Errorf("%s, %s, in %s: %s", k.Name, name, cloud, says)
				}
			}
		}
	}
}

// judge says what an object with a spec lacks of what it is owed.
func judge(t *testing.T, k *kind.Kind, cloud string, drivers map[string]driver.Driver, spec map[string]any) string {
	t.Helper()
	object := k.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": spec}, object); err != nil {
		return err.Error()
	}
	object.SetGeneration(1)
	var conditions []metav1.Condition
	work := func() {
		conditions = nil
		says := plan.TooLarge(object)
		if says == "" {
			tree, err := class.TreeOf(object.GetSpec())
			if err != nil {
				t.Fatal(err)
			}
			o := class.Input{Spec: tree, Cloud: cloud, Leads: cloud, References: class.ReferencesOf(k.Name, drivers)(cloud), Lacks: lacks(drivers[cloud], k.Name)}
			says = "nothing is wrong"
			if p := class.Join(class.Evaluate(strict(k), o, nil).Problems); p != nil {
				says = p.String()
			}
		}
		condition.Set(&conditions, condition.Update{State: condition.Stalled, Reason: v1alpha1.ReasonInvalid, Message: says, Generation: 1, Now: metav1.NewTime(time.Unix(1, 0))})
	}
	switch n := testing.AllocsPerRun(1, work); {
	case n > most:
		return fmt.Sprintf("it takes %.0f allocations", n)
	case !slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.ConditionStalled && c.Message != "" }):
		return fmt.Sprintf("it has no condition: %v", conditions)
	case plan.Weight(conditions) > 5*condition.LongestMessage:
		return fmt.Sprintf("its conditions have %d bytes", plan.Weight(conditions))
	}
	return ""
}

func lacks(drv driver.Driver, kind string) []driver.Lack {
	description := drv.Describe()
	resource, _ := description.Resource(kind)
	return resource.Lacks
}

// strict is a class that every namespace may use, and that allows no other cloud object.
func strict(k *kind.Kind) *class.Class {
	c := &class.Class{Defaults: class.Tree{}, Enforced: class.Tree{}, Spec: &v1alpha1.ClassSpec{AllowedNamespaces: &metav1.LabelSelector{}}, Object: &v1alpha1.BucketClass{}}
	if k.Class != nil {
		c.Object = k.Class.New()
	}
	c.Object.SetName("strict")
	return c
}

// What Mooring works on has a size, and no field of an object that is bound to nothing gets past it. What an earlier release applied is still looked after.
func TestALargerSpecIsWorkedOnOnlyIfItWasApplied(t *testing.T) {
	spec, err := Spec("buckets")
	if err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.Bucket{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": Together(spec, "gcp")}, b); err != nil {
		t.Fatal(err)
	}
	b.Generation = 2
	for applied, refused := range map[int64]bool{0: true, 1: true, 2: false} {
		b.Status.AppliedGeneration = applied
		if says := plan.TooLarge(b); (says != "") != refused {
			t.Errorf("applied in generation %d: %q", applied, says)
		}
	}
	if n := testing.AllocsPerRun(1, func() { plan.TooLarge(b) }); n > 50_000 {
		t.Errorf("to find out takes %.0f allocations", n)
	}
}
