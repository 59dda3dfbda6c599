package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// needsBackup is an edit to another major version of a server that the cloud does not back up, and of the parameters that go with it.
func needsBackup(s *fixture) {
	edited("version", driver.Irreversible)(s)
	edited("parameters", driver.Online)(s)
	for i := range s.Seen.Changes {
		s.Seen.Changes[i].BackupFirst = true
	}
}

func backup(b Backup) func(*fixture) { return func(s *fixture) { s.Backup = b } }

// What can't be taken back is made once a snapshot was taken, if the cloud takes none; all else is made before that, and consent and window come first.
func TestPlanOfBackups(t *testing.T) {
	asks, taken := disruptive(v1alpha1.DisruptiveOnApproval), backup(Backup{Named: "DatabaseSnapshot x", Ready: true})
	byTheClass := func(s *fixture) { s.ByClass, s.Edited = class.Fields{"version", "parameters"}, false }
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
		changes string
		says    string
		asks    string
	}{
		{"there is none yet", []func(*fixture){needsBackup}, AwaitBackup, "version parameters", "waiting for a snapshot, which is taken before the upgrade to version new", "new"},
		{"it is being taken", []func(*fixture){needsBackup, backup(Backup{Named: "DatabaseSnapshot x"})}, AwaitBackup, "version parameters", "waiting for DatabaseSnapshot x, which", ""},
		{"it is not taken", []func(*fixture){needsBackup, backup(Backup{Named: "DatabaseSnapshot x", Problem: "QuotaExceeded: 100"})}, Stall, "version parameters", "but it is not taken: QuotaExceeded: 100", ""},
		{"it was taken", []func(*fixture){needsBackup, taken}, Update, "version parameters", "", ""},
		{"other changes come first, and it is asked for beside them", []func(*fixture){needsBackup, edited(days, driver.Online)}, Update, days, "", "new"},
		{"other changes that restart come first", []func(*fixture){needsBackup, edited(instance, driver.Restarts), taken}, Update, "version parameters " + instance, "", ""},
		{"the upgrade waits for approval", []func(*fixture){needsBackup, asks}, Update, "parameters", "", ""},
		{"and was approved", []func(*fixture){needsBackup, asks, approved}, AwaitBackup, "parameters version", "", "new"},
		{"the window is closed", []func(*fixture){needsBackup, waitsForWindow}, Update, "parameters", "", ""},
		{"the window is open", []func(*fixture){needsBackup, waitsForWindow, at(open)}, AwaitBackup, "version parameters", "", "new"},
		{"what completes a new server", []func(*fixture){needsBackup, func(s *fixture) { s.WasReady = false }}, Update, "version parameters", "", ""},
		{"another server takes its place", []func(*fixture){needsBackup, func(s *fixture) { s.Treat("version", Treatment{Way: "beside"}) }}, Update, "version parameters", "", ""},
		{"a part of the spec is impossible", []func(*fixture){needsBackup, edited("engine", driver.Impossible)}, Update, "parameters", "", ""},
		{"the class changed", []func(*fixture){needsBackup, byTheClass, disruptive(v1alpha1.DisruptiveAlways)}, AwaitBackup, "version parameters", "", "new"},
		{"the class changed, and other changes come first", []func(*fixture){needsBackup, byTheClass, disruptive(v1alpha1.DisruptiveAlways), drifted(days, driver.Online)}, Update, days, "", ""},
		{"the class changed, and it is not taken", []func(*fixture){needsBackup, byTheClass, disruptive(v1alpha1.DisruptiveAlways), backup(Backup{Named: "DatabaseSnapshot x", Problem: "full"})}, AwaitBackup, "version parameters", "full", ""},
	} {
		s := settled()
		for _, prepare := range tt.fixture {
			prepare(&s)
		}
		a := s.plan()
		if got := strings.Join(driver.Names(a.Changes), " "); a.Verb != tt.verb || got != tt.changes || !strings.Contains(a.Message, tt.says) || a.BackupFor != tt.asks {
			t.Errorf("%s: %s of %q: %s, asks for %q", tt.name, a.Verb, got, a.Message, a.BackupFor)
		}
	}
}

// An approval outlasts the snapshot: it is used up by the upgrade, and by nothing before.
func TestApprovalOutlastsTheBackup(t *testing.T) {
	s := settled()
	for _, prepare := range []func(*fixture){needsBackup, disruptive(v1alpha1.DisruptiveOnApproval), approved, backup(Backup{Named: "DatabaseSnapshot x"})} {
		prepare(&s)
	}
	s.Seen.Changes = s.Seen.Changes[:1]
	approved(&s)
	hash := s.Approval
	if a := s.plan(); a.Verb != AwaitBackup || a.Hash != hash {
		t.Fatalf("while it is taken: %s, hash %q, want %q", a.Verb, a.Hash, hash)
	}
	recorded(&s)
	s.Backup.Ready = true
	if a := s.plan(); a.Verb != Update || !a.Approved {
		t.Errorf("once it is taken: %s, approved %t", a.Verb, a.Approved)
	}
}
