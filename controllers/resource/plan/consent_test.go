package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// noted is a reconciliation of which the status has what was decided, and by which words of the object's own spec.
func noted(s *fixture) {
	recorded(s)
	s.AwaitedOwn = s.Own
}

// says is what an object's own spec says of updates.
func says(own OwnRules) func(*fixture) { return func(s *fixture) { s.Own = own } }

// laxer is a class, or a spec, that no longer asks for approval and no longer waits for a window.
func laxer(p v1alpha1.DisruptivePolicy) func(*fixture) {
	return func(s *fixture) { s.Policy.Disruptive, s.Policy.Window = p, nil }
}

// entries is an edit of a map that asks for entries.
func entries(to string) func(*fixture) {
	return func(s *fixture) {
		s.Seen.Changes[0].Entries, s.Seen.Changes[0].From, s.Seen.Changes[0].To = true, "a=1", to
	}
}

// An edit of a class releases nothing that waits; an edit of the object's own spec does, for which a person needs the
// verb approve.
func TestAClassReleasesNothing(t *testing.T) {
	always, asks := disruptive(v1alpha1.DisruptiveAlways), disruptive(v1alpha1.DisruptiveOnApproval)
	revalued := func(s *fixture) { s.Seen.Changes[0].To = "newer" }
	begunRestart := func(s *fixture) { s.Seen.Changes[0].From = "new (pending-reboot)" }
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
	}{
		{"the class becomes Always while an edit waits", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always}, AwaitApproval},
		{"and is Always ever since", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always, noted, always}, AwaitApproval},
		{"the class becomes OnSpecChange while an edit waits", []func(*fixture){edited(instance, driver.Restarts), asks, noted, laxer(v1alpha1.DisruptiveOnSpecChange)}, AwaitApproval},
		{"and the spec is edited elsewhere", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always, noted, edited(days, driver.Online), always}, Update},
		{"the class becomes Always while drift waits", []func(*fixture){drifted(instance, driver.Restarts), noted, always}, AwaitApproval},
		{"the class becomes Always while its own change waits", []func(*fixture){byClass(instance, driver.Restarts), noted, always}, AwaitApproval},
		{"what waits is approved", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always, approved}, Update},
		{"the restart is left of what waits", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always, begunRestart}, AwaitApproval},
		{"the class becomes Always, and a later edit asks for another value", []func(*fixture){
			edited(instance, driver.Restarts), asks, noted, always, noted, revalued,
		}, Update},
		{"the class becomes Always, and another entry of the map is added that restarts nothing alone", []func(*fixture){
			edited("parameters", driver.Restarts), entries("a=2"), asks, noted, always, entries("a=2, b=3"),
		}, AwaitApproval},
		{"the object's own spec becomes Always", []func(*fixture){edited(instance, driver.Restarts), asks, noted, always, says(OwnRules{Disruptive: v1alpha1.DisruptiveAlways})}, Update},
		{"the object's own spec becomes OnSpecChange, and drift waits", []func(*fixture){
			drifted(instance, driver.Restarts), asks, noted, laxer(v1alpha1.DisruptiveOnSpecChange), says(OwnRules{Disruptive: v1alpha1.DisruptiveOnSpecChange}),
		}, AwaitApproval},
		{"one edit of the class becomes Always and changes a field: that waited for nothing", []func(*fixture){byClass(instance, driver.Restarts), always}, Update},
		{"the class becomes stricter", []func(*fixture){byClass(instance, driver.Restarts), asks}, AwaitApproval},

		{"the class takes the window away while an edit waits for it", []func(*fixture){waitsForWindow, edited(instance, driver.Restarts), noted, laxer(v1alpha1.DisruptiveAlways)}, AwaitWindow},
		{"and had none ever since", []func(*fixture){waitsForWindow, edited(instance, driver.Restarts), noted, laxer(v1alpha1.DisruptiveAlways), noted, laxer(v1alpha1.DisruptiveAlways)}, AwaitWindow},
		{"the window opens", []func(*fixture){waitsForWindow, edited(instance, driver.Restarts), noted, laxer(v1alpha1.DisruptiveAlways), at(open)}, Update},
		{"the object's own spec becomes Immediate", []func(*fixture){
			waitsForWindow, edited(instance, driver.Restarts), noted, laxer(v1alpha1.DisruptiveAlways), says(OwnRules{Timing: v1alpha1.TimingImmediate}),
		}, Update},
		{"what was approved waits for the window that the class takes away", []func(*fixture){
			waitsForWindow, drifted(instance, driver.Restarts), approved, noted, laxer(v1alpha1.DisruptiveAlways),
		}, AwaitWindow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, change := range tt.fixture {
				change(&s)
			}
			a := s.plan()
			if a.Verb != tt.verb {
				t.Errorf("%s, want %s: %s", a.Verb, tt.verb, a.Message)
			}
			if a.Verb == Update && strings.Contains(tt.name, "elsewhere") && (len(a.Changes) != 1 || a.Changes[0].Field != days) {
				t.Errorf("it changes %v, want %s alone", driver.Names(a.Changes), days)
			}
		})
	}
}

// What waits goes on waiting while nobody decides about it: while the object only observes, the cloud is at work, or the class refuses. So none of that releases it
// from a class that became laxer.
func TestWhatWaitsOutlastsWhatDecidesNothing(t *testing.T) {
	for name, pause := range map[string]func(*fixture){
		"it only observes":      func(s *fixture) { s.Policy.Management = v1alpha1.ManagementObserve },
		"the cloud is at work":  func(s *fixture) { s.Seen.State = driver.Pending },
		"the class refuses it":  func(s *fixture) { s.Policy.Refused = Refusal{Reason: v1alpha1.ReasonClassViolated, Message: "no"} },
		"a long value restarts": func(s *fixture) { s.Seen.Changes[0].To = strings.Repeat("v", longestRecorded+1) },
	} {
		for waits, begin := range map[string][]func(*fixture){
			v1alpha1.WaitsForApproval:          {edited(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveOnApproval)},
			v1alpha1.WaitsForMaintenanceWindow: {waitsForWindow, edited(instance, driver.Restarts)},
		} {
			t.Run(waits+", and "+name, func(t *testing.T) {
				s := settled()
				for _, change := range begin {
					change(&s)
				}
				if s.Seen.Changes[0].Field != instance {
					t.Fatalf("it is about %v", s.Seen.Changes)
				}
				whole := s
				pause(&s)
				whole.Seen.Changes = s.Seen.Changes
				noted(&whole) // before the pause
				s.Waiting, s.AwaitedHash, s.AwaitedOwn = whole.Waiting, whole.AwaitedHash, whole.AwaitedOwn
				laxer(v1alpha1.DisruptiveAlways)(&s)
				during := s.plan()
				if len(during.Pending) != 1 || during.Pending[0].WaitsFor != waits {
					t.Fatalf("%s during it: %+v", during.Verb, during.Pending)
				}
				after := whole
				after.Waiting = during.Pending
				laxer(v1alpha1.DisruptiveAlways)(&after)
				if a := after.plan(); a.Verb == Update {
					t.Errorf("%s after it: %s", a.Verb, a.Message)
				}
				after.Own = OwnRules{Disruptive: v1alpha1.DisruptiveAlways, Timing: v1alpha1.TimingImmediate}
				if a := after.plan(); a.Verb != Update {
					t.Errorf("%s once the object's own spec releases it: %s", a.Verb, a.Message)
				}
			})
		}
	}
}

// What waits for approval, or for the maintenance window, and then for the start of the server, still waits for the first once it runs, whatever the class says by then.
func TestWhatWaitsOutlastsAStop(t *testing.T) {
	for name, tt := range map[string]struct {
		begin []func(*fixture)
		then  Verb
	}{
		"for approval":   {[]func(*fixture){edited(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveOnApproval)}, AwaitApproval},
		"for the window": {[]func(*fixture){waitsForWindow, edited(instance, driver.Restarts)}, AwaitWindow},
	} {
		for when, laxer := range map[string][2]func(*fixture){
			"the class becomes laxer before the stop is seen": {laxer(v1alpha1.DisruptiveAlways), nothing},
			"the class becomes laxer while it is stopped":     {nothing, laxer(v1alpha1.DisruptiveAlways)},
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				s := settled()
				for _, change := range tt.begin {
					change(&s)
				}
				noted(&s)
				awake := s.Seen
				laxer[0](&s)
				stopped(&s)
				asleep(&s)
				if a := s.plan(); a.Verb != AwaitStart {
					t.Fatalf("while it is stopped: %s: %s", a.Verb, a.Message)
				}
				noted(&s)
				laxer[1](&s)
				noted(&s)
				s.Seen, s.Edited = awake, true
				if a := s.plan(); a.Verb != tt.then {
					t.Errorf("once it runs: %s, want %s: %s", a.Verb, tt.then, a.Message)
				}
				s.Own = OwnRules{Disruptive: v1alpha1.DisruptiveAlways, Timing: v1alpha1.TimingImmediate}
				if a := s.plan(); a.Verb != Update {
					t.Errorf("once the object's own spec releases it: %s: %s", a.Verb, a.Message)
				}
			})
		}
	}
}

func nothing(*fixture) {}

// What waits goes on waiting while the cloud says nothing about it: because other changes come first, or because it could not be read.
func TestWhatWaitsOutlastsWhatIsNotSeen(t *testing.T) {
	for name, unseen := range map[string]func(*driver.Observation){
		"left out": func(o *driver.Observation) { o.LeftOut = []string{instance} },
		"unreadable": func(o *driver.Observation) {
			o.Unreadable = []driver.FieldError{{Field: instance, Err: &driver.Error{Code: driver.Denied}}}
		},
	} {
		for waits, begin := range map[string][]func(*fixture){
			v1alpha1.WaitsForApproval:          {edited(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveOnApproval)},
			v1alpha1.WaitsForMaintenanceWindow: {waitsForWindow, edited(instance, driver.Restarts)},
		} {
			for beside, others := range map[string][]driver.Change{"nothing": nil, "another change": {{Field: days, From: "1", To: "2", Effect: driver.Online}}} {
				t.Run(waits+", "+name+" beside "+beside, func(t *testing.T) {
					s := settled()
					for _, change := range begin {
						change(&s)
					}
					noted(&s)
					whole := s.Seen
					s.Seen.Changes = others
					unseen(&s.Seen)
					during := s.plan()
					if i := slices.IndexFunc(during.Pending, func(p v1alpha1.PendingChange) bool { return p.Field == instance }); i < 0 || during.Pending[i].WaitsFor != waits {
						t.Fatalf("%s meanwhile: %+v", during.Verb, during.Pending)
					}
					if asked := waits == v1alpha1.WaitsForApproval; asked && during.Hash != s.AwaitedHash || asked == (s.AwaitedHash == "") {
						t.Errorf("meanwhile the hash is %q, and was %q", during.Hash, s.AwaitedHash)
					}
					if kept := name == "left out" && len(others) == 0; during.KeepConditions != kept || kept && during.Verb != Wait {
						t.Errorf("%s meanwhile, with its conditions kept: %t, want %t", during.Verb, during.KeepConditions, kept)
					}
					noted(&s)
					laxer(v1alpha1.DisruptiveAlways)(&s)
					noted(&s)
					s.Seen, s.Edited = whole, true
					if a := s.plan(); a.Verb == Update {
						t.Errorf("once it is seen again: %s: %s", a.Verb, a.Message)
					}
				})
			}
		}
	}
}

// What is not listed as waiting is not listed because it is not seen.
func TestWhatDidNotWaitIsNotListedUnseen(t *testing.T) {
	s := settled()
	edited(days, driver.Online)(&s)
	noted(&s)
	s.Seen.Changes, s.Seen.LeftOut = nil, []string{days}
	if a := s.plan(); len(a.Pending) > 0 {
		t.Errorf("it lists %+v", a.Pending)
	}
}

// An earlier release noted a hash, and not what each change waits for. A class that becomes laxer before the first reconciliation after the upgrade releases
// nothing of that either.
func TestAClassReleasesNothingThatAnEarlierReleaseNoted(t *testing.T) {
	s := settled()
	edited(instance, driver.Restarts)(&s)
	edited(days, driver.Online)(&s)
	disruptive(v1alpha1.DisruptiveOnApproval)(&s)
	s.Own = OwnRules{Disruptive: v1alpha1.DisruptiveOnSpecChange}
	recorded(&s)
	for i := range s.Waiting {
		s.Waiting[i].WaitsFor = ""
	}
	disruptive(v1alpha1.DisruptiveAlways)(&s)
	if a := s.plan(); len(a.Changes) != 1 || a.Changes[0].Field != days || a.Hash == "" {
		t.Errorf("%s %v: %s", a.Verb, driver.Names(a.Changes), a.Message)
	}
}

// The message says why something waits although the policy no longer asks for it.
func TestMessageOfWhatWaitedBefore(t *testing.T) {
	s := settled()
	edited(instance, driver.Restarts)(&s)
	disruptive(v1alpha1.DisruptiveOnApproval)(&s)
	if message := s.plan().Message; strings.Contains(message, "waited before") {
		t.Errorf("it says %s", message)
	}
	noted(&s)
	disruptive(v1alpha1.DisruptiveAlways)(&s)
	if message := s.plan().Message; !strings.HasSuffix(message, "; it waited before updates.disruptive became Always, and that releases nothing that waits") {
		t.Errorf("it says %s", message)
	}
}

// The view of a stored object has what its own spec says, and what it said when something was recorded to wait.
func TestViewOfConsent(t *testing.T) {
	d := &v1alpha1.Database{}
	d.Spec.Updates = &v1alpha1.Updates{Timing: v1alpha1.TimingMaintenanceWindow}
	d.Status.Plan = &v1alpha1.PlanStatus{Hash: "a", Disruptive: "Always"}
	v := ViewOf(d, &d.Status.ResourceStatus, nil)
	if want := (OwnRules{Timing: v1alpha1.TimingMaintenanceWindow}); v.Own != want {
		t.Errorf("its own spec says %+v, want %+v", v.Own, want)
	}
	if want := (OwnRules{Disruptive: v1alpha1.DisruptiveAlways}); v.AwaitedOwn != want {
		t.Errorf("its own spec said %+v, want %+v", v.AwaitedOwn, want)
	}
}

// A status that says that the object worked before it was created is that of an earlier object, from a backup of the cluster.
func TestViewOfAStatusFromABackup(t *testing.T) {
	created := metav1.Now().Rfc3339Copy()
	for name, tt := range map[string]struct {
		ready *metav1.Time
		want  bool
	}{
		"it never worked":                 {nil, false},
		"it worked once it was created":   {new(metav1.NewTime(created.Add(time.Minute))), false},
		"it worked in the same second":    {&created, false},
		"it worked before it was created": {new(metav1.NewTime(created.Add(-time.Hour))), true},
	} {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: created}}
		d.Status.FirstReadyTime = tt.ready
		if v := ViewOf(d, &d.Status.ResourceStatus, nil); v.FromBackup != tt.want {
			t.Errorf("%s: from a backup is %t, want %t", name, v.FromBackup, tt.want)
		}
	}
}

// A window is read from what it says.
func TestSaidWindow(t *testing.T) {
	for _, w := range []window.Window{*sunday, *window.Parse("Monday", "23:30"), *window.Parse("Saturday", "00:00")} {
		if got := window.FromString(w.String()); got == nil || *got != w {
			t.Errorf("%s reads as %v", w, got)
		}
	}
	for _, text := range []string{"", "Sunday", "Sunday 03:00", "Sunday 03:00–05:00 UTC", "Someday 03:00–04:00 UTC"} {
		if got := window.FromString(text); got != nil {
			t.Errorf("%q reads as %s", text, got)
		}
	}
}
