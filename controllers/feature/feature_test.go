package feature

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Features gather one after the other, until one ends the reconciliation or fails.
func TestGather(t *testing.T) {
	failed := errors.New("no answer")
	for _, test := range []struct {
		name   string
		second Gather
		stops  bool
		err    error
		calls  []string
	}{
		{"all", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) { return nil, nil }, false, nil, []string{"first", "second", "third"}},
		{"a stop", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) {
			return &reconciliation.Stop{}, nil
		}, true, nil, []string{"first", "second"}},
		{"an error", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) { return nil, failed }, false, failed, []string{"first", "second"}},
	} {
		var calls []string
		noted := func(name string, then Gather) Feature {
			return Feature{Start: func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
				calls = append(calls, name)
				if then == nil {
					return nil, nil
				}
				return then(ctx, in)
			}}
		}
		set := Set{{}, noted("first", nil), noted("second", test.second), noted("third", nil)}
		stop, err := set.Gather(t.Context(), &reconciliation.State{}, func(f Feature) Gather { return f.Start })
		if (stop != nil) != test.stops || !errors.Is(err, test.err) || !slices.Equal(calls, test.calls) {
			t.Errorf("%s: %+v, %v after %q", test.name, stop, err, calls)
		}
	}
}

// A feature carries out its own actions, and no others.
func TestAct(t *testing.T) {
	act := func(_ context.Context, _ Work, a plan.Action) (outcome.Outcome, error) {
		return outcome.Outcome{Message: string(a.Verb)}, nil
	}
	set := Set{{}, {Acts: map[plan.Verb]Act{"Fly": act}}}
	if set.Act("Swim") != nil {
		t.Error("a verb of no feature is carried out")
	}
	if got, err := set.Act("Fly")(t.Context(), nil, plan.Action{Verb: "Fly"}); err != nil || got.Message != "Fly" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Features add to a plan one after the other, but not to that of an object that is deleted or of which nothing is known.
func TestPlan(t *testing.T) {
	adds := func(text string) Feature {
		return Feature{Plan: func(_ *reconciliation.State, a plan.Action) plan.Action {
			a.Message += text
			return a
		}}
	}
	set := Set{adds("one"), {}, adds(", two")}
	for _, test := range []struct {
		name string
		view plan.View
		seen driver.Observation
		want string
	}{
		{"there", plan.View{}, driver.Observation{State: driver.Ready}, "planned: one, two"},
		{"being deleted", plan.View{Deleting: true}, driver.Observation{State: driver.Ready}, "planned: "},
		{"not understood", plan.View{}, driver.Observation{}, "planned: "},
	} {
		in := reconciliation.State{Facts: outcome.Facts{View: test.view, Observation: test.seen}}
		if got := set.Plan(&in, plan.Action{Message: "planned: "}); got.Message != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got.Message, test.want)
		}
	}
}

// What the cloud says of an object is shown only where the object may see it; what follows from the object itself is shown always.
func TestDescribe(t *testing.T) {
	b := &v1alpha1.Bucket{}
	b.Status.ExternalName = "photos"
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid"}
	for _, test := range []struct {
		name     string
		mark     driver.Mark
		observed bool
		state    condition.State
		want     []string
	}{
		{"ours", mark, true, condition.UpToDate, []string{"record", "mirror", "status"}},
		{"ours, and being created", mark, true, condition.Progressing, []string{"record", "status"}},
		{"another tenant's", driver.Mark{Cluster: "id", Namespace: "bank", Name: "photos", UID: "other"}, true, condition.UpToDate, []string{"status"}},
		{"not observed", mark, false, condition.UpToDate, []string{"status"}},
	} {
		var calls []string
		set := Set{{Status: func(v1alpha1.ResourceObject) { calls = append(calls, "status") }}, {
			Mirror: func(reconciliation.State, v1alpha1.ResourceObject) { calls = append(calls, "mirror") },
			Record: func(reconciliation.State, v1alpha1.ResourceObject) { calls = append(calls, "record") },
		}}
		in := reconciliation.State{Facts: outcome.Facts{
			Kind: kind.Bucket(), Observed: test.observed, View: plan.View{Mark: mark, Bound: true}, Redact: func(s string) string { return s },
			Observation: driver.Observation{State: driver.Ready, Available: true, Mark: test.mark},
		}}
		got := set.Describe(in, b, outcome.Outcome{State: test.state})
		if !slices.Equal(calls, test.want) || got.Object == v1alpha1.ResourceObject(b) {
			t.Errorf("%s: %q", test.name, calls)
		}
	}
}

// The first of the times counts that features ask for.
func TestDue(t *testing.T) {
	at := func(second int64) Feature {
		return Feature{Due: func(reconciliation.State) time.Time {
			if second == 0 {
				return time.Time{}
			}
			return time.Unix(second, 0)
		}}
	}
	if got := (Set{{}, at(0)}).Due(reconciliation.State{}); !got.IsZero() {
		t.Errorf("nothing is due, and it comes back at %s", got)
	}
	if got := (Set{at(0), at(9), at(7), at(8)}).Due(reconciliation.State{}); got.Unix() != 7 {
		t.Errorf("it comes back at %s, want 7", got)
	}
}

// Hooks that note something run for all features that have them.
func TestNotes(t *testing.T) {
	var calls []string
	note := func(name string) { calls = append(calls, name) }
	has := Feature{
		Begin:        func(*reconciliation.State) { note("begin") },
		Queued:       func(*reconciliation.State) { note("queued") },
		Failed:       func(_ *reconciliation.State, message string) { note("failed: " + message) },
		Clear:        func(*reconciliation.State) bool { note("clear"); return len(calls) == 7 },
		ClearBinding: func(v1alpha1.ResourceObject) { note("unbind") },
		Request:      func(*reconciliation.State, *driver.Request) { note("request") },
		Observed:     func(context.Context, *reconciliation.State) { note("observed") },
		Recorded:     func(reconciliation.State, *reconciliation.Memory) { note("recorded") },
	}
	set := Set{{}, has, has}
	set.Begin(nil)
	set.Queued(nil)
	set.Failed(nil, "late")
	if !set.Clear(nil) {
		t.Error("what one feature has stored is not, because another one has nothing")
	}
	set.ClearBinding(nil)
	set.Request(nil, nil)
	set.Observed(t.Context(), nil)
	set.Recorded(reconciliation.State{}, nil)
	want := []string{"begin", "begin", "queued", "queued", "failed: late", "failed: late", "clear", "clear", "unbind", "unbind", "request", "request", "observed", "observed", "recorded", "recorded"}
	if !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}

// What a feature can't do ends what all of them are called for: those after it are not called, and the error comes back.
func TestFirstErrorEndsAHook(t *testing.T) {
	failed := errors.New("no answer")
	hooks := map[string]func(Set) error{
		"read":    func(s Set) error { return s.Read(t.Context(), nil, plan.Action{}) },
		"prepare": func(s Set) error { return s.Prepare(t.Context(), nil, AtOnce) },
		"publish": func(s Set) error { _, err := s.Publish(t.Context(), nil, outcome.Outcome{}); return err },
		"finish":  func(s Set) error { return s.Finish(t.Context(), nil) },
		"drop":    func(s Set) error { return s.Drop(t.Context(), nil, true) },
	}
	for name, call := range hooks {
		for _, test := range []struct {
			err  error
			want int
		}{{nil, 2}, {failed, 1}} {
			calls := 0
			note := func() error { calls++; return test.err }
			f := Feature{
				Read:    func(context.Context, *reconciliation.State, plan.Action) error { return note() },
				Prepare: func(context.Context, Work, Moment) error { return note() },
				Publish: func(_ context.Context, _ Work, out outcome.Outcome) (outcome.Outcome, error) { return out, note() },
				Finish:  func(context.Context, Work) error { return note() },
				Drop:    func(context.Context, Work, bool) error { return note() },
			}
			if err := call(Set{{}, f, f}); !errors.Is(err, test.err) || calls != test.want {
				t.Errorf("%s: got %v after %d calls, want %v after %d", name, err, calls, test.err, test.want)
			}
		}
	}
}

// Features say of what a cloud object is made where one is to be created, and nowhere else. One that stops is the last.
func TestSource(t *testing.T) {
	for _, test := range []struct {
		name     string
		observed bool
		seen     driver.State
		view     plan.View
		stops    bool
		calls    int
	}{
		{name: "to be created", observed: true, seen: driver.Absent, calls: 2},
		{name: "to be created, and it stops", observed: true, seen: driver.Absent, stops: true, calls: 1},
		{name: "not observed", seen: driver.Absent},
		{name: "there", observed: true, seen: driver.Ready},
		{name: "perhaps there", observed: true, seen: driver.Absent, view: plan.View{Bound: true}},
		{name: "being deleted", observed: true, seen: driver.Absent, view: plan.View{Deleting: true}},
	} {
		calls := 0
		has := Feature{Source: func(_ context.Context, _ *reconciliation.State, creation plan.Action) (*reconciliation.Stop, error) {
			if calls++; creation.Verb != plan.Create {
				t.Errorf("%s: it is planned to %s", test.name, creation.Verb)
			}
			if test.stops {
				return &reconciliation.Stop{}, nil
			}
			return nil, nil
		}}
		in := reconciliation.State{Facts: outcome.Facts{Observed: test.observed, View: test.view, Observation: driver.Observation{State: test.seen}}}
		stop, err := Set{{}, has, has}.Source(t.Context(), &in)
		if err != nil || calls != test.calls || (stop != nil) != test.stops {
			t.Errorf("%s: %+v, %v after %d calls", test.name, stop, err, calls)
		}
	}
}

// What features say for the plan, and of it, stands in the order of the features.
func TestInterpretation(t *testing.T) {
	says := func(name string) Feature {
		return Feature{
			Interpret: func(in *reconciliation.State) []driver.Change {
				in.View.Children = append(in.View.Children, name)
				return []driver.Change{{Field: name}}
			},
			Request: func(_ *reconciliation.State, request *driver.Request) { request.Username += name },
			Expect:  func(in *reconciliation.State) { in.Observation.Problem += name },
			Remarks: func(reconciliation.State, []plan.Decided) []string { return []string{name} },
		}
	}
	set, in := Set{{}, says("one"), says("two")}, reconciliation.State{}
	changes := set.Interpret(&in)
	set.Expect(&in)
	set.Request(&in, &in.Request)
	if in.Request.Username != "onetwo" {
		t.Errorf("asked for %q", in.Request.Username)
	}
	if both := []string{"one", "two"}; !slices.Equal(driver.Names(changes), both) || !slices.Equal(in.View.Children, both) || !slices.Equal(set.Remarks(in, nil), both) || in.Observation.Problem != "onetwo" {
		t.Errorf("got %+v, %+v, %q", changes, in.View.Children, in.Observation.Problem)
	}
}

// All features take in what the cloud accepted. The first that has an Event for it says so.
func TestSent(t *testing.T) {
	calls := 0
	says := func(reason string) Feature {
		return Feature{Sent: func(Work, plan.Action, []driver.Change) *outcome.Note {
			if calls++; reason == "" {
				return nil
			}
			return &outcome.Note{Reason: reason}
		}}
	}
	said := (Set{{}, says(""), says("First"), says("Second")}).Sent(nil, plan.Action{}, nil)
	if said == nil || said.Reason != "First" || calls != 3 {
		t.Errorf("said %+v after %d calls", said, calls)
	}
	if said := (Set{says("")}).Sent(nil, plan.Action{}, nil); said != nil {
		t.Errorf("said %+v", said)
	}
}
