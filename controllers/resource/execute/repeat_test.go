package execute

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A deleting session answers deletions.
type deletingSession struct {
	driver.Session
	done driver.Result
}

func (s *deletingSession) Delete(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	return s.done, nil
}

// A step that was made before is said to be repeated, whatever it is, and whatever was done in between. What gets on with something that takes many is not, nor what is made
// once the object was at rest.
func TestWhatIsRepeated(t *testing.T) {
	update := func(to string) plan.Action {
		return plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "versioning", From: "Enabled", To: to}}}
	}
	release, converge := plan.Action{Verb: plan.Release}, plan.Action{Verb: plan.Converge}
	soon, rests, polls := outcome.Outcome{Next: outcome.Soon}, outcome.Outcome{Next: outcome.AtSync}, outcome.Outcome{Next: outcome.Polling}
	type made struct {
		plan.Action
		outcome.Outcome
	}
	for name, test := range map[string]struct {
		before []made
		last   made
		want   bool
	}{
		"the first":                     {nil, made{release, soon}, false},
		"another":                       {[]made{{update("Enabled"), soon}}, made{update("Suspended"), soon}, false},
		"the same":                      {[]made{{release, soon}}, made{release, soon}, true},
		"in turn with another":          {[]made{{update("Enabled"), soon}, {update("Suspended"), soon}}, made{update("Enabled"), soon}, true},
		"the same, after the cloud was": {[]made{{release, soon}, {plan.Action{Verb: plan.Wait}, polls}}, made{release, soon}, true},
		"the same, once it was at rest": {[]made{{update("Enabled"), soon}, {converge, rests}}, made{update("Enabled"), soon}, false},
		"the same, after a part":        {[]made{{release, soon}, {plan.Action{Verb: plan.Delete}, outcome.Outcome{Next: outcome.Soon, GotOn: true}}}, made{release, soon}, false},
	} {
		w := newWork(t)
		for _, m := range test.before {
			repetition{w}.again(m.Action, m.Outcome)
		}
		if got := (repetition{w}).again(test.last.Action, test.last.Outcome); got.Repeated != test.want {
			t.Errorf("%s: it is repeated: %t", name, got.Repeated)
		}
	}
}

// stored returns the work about a bucket that the API server has.
func stored(t *testing.T) *work {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := newWork(t).Object.(*v1alpha1.Bucket)
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).Build()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	return workOn(kind.Bucket(), b, c)
}

// A deletion that the cloud accepts again and again is told to people from the third time on, with what does not come true. One that takes a large object away part by part never is.
func TestDeletionInVain(t *testing.T) {
	for name, test := range map[string]struct {
		done     driver.Result
		says     string
		repeated bool
	}{
		"accepted":               {driver.Result{}, "aws accepted it before, and did not carry it out; Mooring tries again from time to time", true},
		"what has to come first": {driver.Result{Unfinished: true, Did: "it asked for X"}, "it asked for X, and the cloud does not show it; Mooring tries again from time to time", true},
		"a part":                 {driver.Result{Unfinished: true, Removed: 500}, "", false},
		"a small part":           {driver.Result{Unfinished: true, Removed: 3}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := stored(t)
			memory := plan.Memory{}
			for try := range 5 {
				task := w.State
				task.Session, task.Memory.Cloud, task.Deleting, task.Provider = &deletingSession{done: test.done}, memory, true, "aws"
				task.Request.Deletion = &driver.Deletion{}
				task.Now = task.Now.Add(time.Hour) // long after the deletion before
				done, err := w.executor.Execute(t.Context(), task, plan.Action{Verb: plan.Delete, Message: "Mooring is requesting the deletion in the cloud"}, noTeller)
				if err != nil {
					t.Fatal(err)
				}
				memory = done.Memory.Cloud
				if want := test.repeated && try > 0; done.Outcome.Repeated != want {
					t.Errorf("try %d is repeated: %t", try, done.Outcome.Repeated)
				}
				if tells := strings.HasSuffix(done.Outcome.Message, "; "+test.says) && test.says != ""; tells != (try >= 2 && test.says != "") {
					t.Errorf("try %d says %q", try, done.Outcome.Message)
				}
			}
		})
	}
}
