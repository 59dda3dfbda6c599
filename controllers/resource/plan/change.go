package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// mustAsk reports whether a person is to be asked before a change is made.
func mustAsk(v View, c driver.Change, p Policy) bool {
	switch {
	case !c.Effect.Disruptive():
		return false
	case ofPassword(c), v.treatment(c).Asks: // others' password would be lost, which no policy on restarts speaks of
		return true
	case stopsNew(v, c), completesNew(v, c):
		return false
	}
	return policyAsks(v, c, p) || held(v, c)
}

// policyAsks reports whether a policy has a disruptive change wait for a person.
func policyAsks(v View, c driver.Change, p Policy) bool {
	switch p.Disruptive {
	case v1alpha1.DisruptiveAlways:
		return false
	case v1alpha1.DisruptiveOnApproval:
		return true
	default:
		return CauseOf(v, c) != v1alpha1.CauseSpec
	}
}

// stopsNew reports whether a change stops a new server for the first time. Clouds create servers that run, so it is a part of the creation, and
// nobody uses the server yet.
func stopsNew(v View, c driver.Change) bool {
	_, known := v.Applied[c.Field]
	return c.Stops() && !known && !mayBeUsed(v)
}

// completesNew reports whether a change completes the creation of an object that nobody uses yet.
func completesNew(v View, c driver.Change) bool { return completes(v, c) && !v.WasReady }

// completes reports whether a change sets what is missing of an object that was created and never yet was as declared: a call of its creation failed, or
// its answer was lost. A switch that is off is missing: nobody turned it. What a creation asks for is noted before it; of what an earlier object of the
// name had made, and this one took over, nothing is. Whatever differs of an object that was made of a snapshot or of another object, and that never worked, is as it was
// there.
func completes(v View, c driver.Change) bool {
	_, asked := v.Applied[c.Field]
	missing := asked && (c.From == "" || c.From == "false") && len(c.Drifted) == 0 && !c.Release
	ofAnother := (v.Restored || v.Source.AsThere) && !v.WasReady && c.Effect != driver.Irreversible
	return v.Origin == v1alpha1.OriginCreated && !v.WasApplied && (missing || ofAnother)
}

// stillCompletes reports whether a change sets what was missing all the time since the creation, although the object works. What was set and is missing
// again is drift, however long something else keeps the object from being as declared: the mirror had it, or it waits as drift since.
func stillCompletes(v View, c driver.Change) bool {
	return completes(v, c) && (!v.WasReady || !waitsAs(v, c, v1alpha1.CauseDrift) && !wasSet(v, c.Field))
}

// wasSet reports whether the status showed a field as set before the object was looked at now.
func wasSet(v View, field string) bool {
	mirror, err := class.TreeOf(v.Mirror)
	return err != nil || !slices.Contains([]string{"", "false", "0", "[]", "{}"}, class.FormatField(mirror, field))
}

// CauseOf tells an edit from drift: drift is a difference from what we applied ourselves, and not what is missing of a creation. What was
// never applied, as on an object just adopted, counts as drift until the spec is edited; what waits
// as drift by then stays drift, or the edit of one field would approve the restart for another. What differs because the
// class says something else is the class's doing, whatever was edited at the same time. Of a map, an edit is consent to the entries that
// it changed: a disruptive change in which another entry differs is drift as a whole.
func CauseOf(v View, c driver.Change) string {
	applied, known := v.Applied[c.Field]
	byClass := v.ByClass.Has(c.Field) && (!v.Edited || !v.WasReady)
	switch {
	case v.Rotates && PasswordChange(c) == driver.SetPassword:
		return v1alpha1.CauseRotation
	case v.treatment(c).Cause != "":
		return v.treatment(c).Cause
	case v.ClassChanged.Has(c.Field), waitsAs(v, c, v1alpha1.CauseClass):
		return v1alpha1.CauseClass
	case ofPassword(c) && c.Effect.Disruptive():
		return v1alpha1.CauseDrift // nobody asked for the old password to go
	case stillCompletes(v, c):
		return v1alpha1.CauseSpec
	case c.Effect.Disruptive() && (len(c.Drifted) > 0 || known && mixesDrift(v, c)):
		return v1alpha1.CauseDrift
	case c.Release, ofPassword(c), len(c.Remove) > 0:
		return v1alpha1.CauseSpec
	case !known && v.Edited && v.WasReady && !waitsAs(v, c, v1alpha1.CauseDrift):
		return v1alpha1.CauseSpec
	case !known && byClass && v.WasReady:
		return v1alpha1.CauseClass
	case !known:
		return v1alpha1.CauseDrift
	case len(applied) == 1 && applied[0] == c.To:
		return v1alpha1.CauseDrift
	case c.Entries && !v.Edited:
		return v1alpha1.CauseDrift
	case byClass:
		return v1alpha1.CauseClass
	default:
		return v1alpha1.CauseSpec
	}
}

// waitsAs reports whether a change was waiting for that cause when the object was last looked at.
func waitsAs(v View, c driver.Change, cause string) bool {
	return slices.ContainsFunc(v.Waiting, func(w v1alpha1.PendingChange) bool {
		return w.Field == c.Field && isRecordedAs(w.To, c.To) && w.Cause == cause
	})
}

// mixesDrift reports whether entries of a map differ that no edit changed. What is not known of an entry is settled if just this change was asked for
// when the object was last looked at: it may be the first one of the map, and wait for its window.
func mixesDrift(v View, c driver.Change) bool {
	same := func(w v1alpha1.PendingChange) bool {
		return w.Field == c.Field && isRecorded(w, c) && w.Cause == v1alpha1.CauseSpec
	}
	return len(c.Drifted) > 0 || len(c.Edited) < len(c.Names) && !slices.ContainsFunc(v.Waiting, same)
}

// mixesEdit reports whether an edit may have asked for some of the entries that differ.
func mixesEdit(v View, c driver.Change) bool { return v.Edited && len(c.Drifted) < len(c.Names) }

// agreed reports whether a person agreed to what waits: to just that, or to a plan that was begun and of which it is left. What waited for the window or was made
// beside that plan needed no approval by then, and is no part of it.
func agreed(v View, hash string, wait []driver.Change) bool {
	if v.Approval == "" || v.Approval == hash {
		return v.Approval == hash
	}
	if gentler, has := v.gentler(wait); has && v.Approval == planHash(gentler, wait) {
		return false // this is more than was agreed to
	}
	return v.Approval == v.AwaitedHash && !slices.ContainsFunc(wait, func(c driver.Change) bool {
		return !slices.ContainsFunc(v.Waiting, func(w v1alpha1.PendingChange) bool {
			return w.Effect == string(c.Effect) && ofPlan(v, w) && isLeftOf(w, c)
		})
	})
}

// isLeftOf reports whether a change is what is left to do of one that was waiting: all of it, or some entries of a map, or the restart alone for which what
// is set by now waits. A call that sets values and one that restarts the server follow each other, and the second may fail.
func isLeftOf(w v1alpha1.PendingChange, c driver.Change) bool {
	switch {
	case w.Field != c.Field:
		return false
	case isRecorded(w, c):
		return true
	case !c.Entries:
		return c.To != "" && isRecordedAs(w.To, c.To) && strings.HasPrefix(c.From, c.To+" (")
	}
	present := c.From
	if at := strings.LastIndex(present, "("); at >= 0 && strings.HasSuffix(present, ")") {
		present = strings.TrimSpace(present[:at])
	}
	asked := entriesOf(w.To)
	known := append(entriesOf(w.From), asked...)
	return !slices.ContainsFunc(entriesOf(c.To), func(entry string) bool { return !slices.Contains(asked, entry) }) &&
		!slices.ContainsFunc(entriesOf(present), func(entry string) bool { return !slices.Contains(known, entry) }) &&
		!slices.ContainsFunc(c.Names, func(name string) bool {
			return !slices.ContainsFunc(known, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		})
}

// entriesOf takes a map apart that is written as name=value, name=value. A value with a comma in it comes in pieces.
func entriesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// ofPlan reports whether a change that was waiting was of the plan with the awaited hash. Earlier releases recorded neither who approved what nor what
// a change waits for, and then all of it counts.
func ofPlan(v View, w v1alpha1.PendingChange) bool {
	return w.Approved || w.WaitsFor == v1alpha1.WaitsForApproval || v.notedEarly()
}

// instead answers an approval that is not of what waits: it was mistyped, or is of a plan that was made already.
func instead(approval string) string {
	const most = 24 // twice a hash; anybody may have written anything
	if approval == "" {
		return ""
	}
	if len(approval) > most {
		approval = approval[:most] + "…"
	}
	return fmt.Sprintf(" (its value is %q now, which is not the hash of this plan)", approval)
}

// PendingChanges returns changes as the status lists them, each with its cause. What was due or approved before still is.
func PendingChanges(v View, changes []driver.Change) []v1alpha1.PendingChange {
	var out []v1alpha1.PendingChange
	for _, c := range changes {
		p := v1alpha1.PendingChange{Field: c.Field, From: inStatus(c.From), To: inStatus(c.To), Effect: string(c.Effect), Cause: CauseOf(v, c)}
		same := func(w v1alpha1.PendingChange) bool {
			return w.Field == c.Field && isRecordedAs(w.To, c.To) || isLeftOf(w, c)
		}
		if i := slices.IndexFunc(v.Waiting, same); i >= 0 {
			w := v.Waiting[i]
			p.Approved, p.DueSince, p.DueIn = w.Approved, w.DueSince, w.DueIn
			if waitsOn(v, w) { // while it is only observed, or at work, or refused, nobody decides about it
				p.WaitsFor, p.NeedsApproval = w.WaitsFor, w.NeedsApproval
			}
		}
		out = append(out, p)
	}
	return out
}

// longestRecorded is how much of a value the status lists, in bytes. A list may be as long as a spec, and the status has to fit beside it.
const longestRecorded = 8 << 10

// inStatus returns a value as the status lists it. Of a longer one it has the beginning and the end, and a hash, so that another value is recorded
// differently. What is recorded is recorded as it is.
func inStatus(value string) string { return recordedIn(longestRecorded, value) }

// longestBrief is how long a value of a change is in the status of an object that has no room for more, in bytes.
const longestBrief = 256

// Brief returns a value that the status lists as the status of an object has it that has no room for more.
func Brief(listed string) string { return recordedIn(longestBrief, listed) }

func recordedIn(most int, value string) string {
	const room = len(" (sha256 0123456789ab)")
	if len(value) <= most {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%s (sha256 %s)", prose.Shorten(value, most-room), hex.EncodeToString(sum[:6]))
}

// isRecordedAs reports whether the status lists a value, in whole, shortened or brief.
func isRecordedAs(listed, value string) bool {
	listed, value = inStatus(listed), inStatus(value)
	return listed == value || listed == Brief(value)
}

// isRecorded reports whether the status lists a change.
func isRecorded(w v1alpha1.PendingChange, c driver.Change) bool {
	return isRecordedAs(w.From, c.From) && isRecordedAs(w.To, c.To)
}

// planHash identifies changes that wait. The uid and the serial keep an approval from being good for
// another object, or for a later plan that happens to look the same.
func planHash(v View, wait []driver.Change) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%q %d", v.Mark.UID, v.Serial)
	for _, c := range wait {
		fmt.Fprintf(&text, " %q %q %q %q", c.Field, c.From, c.To, c.Effect)
		if way := v.treatment(c).Way; way != "" {
			text.WriteString(" " + way)
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:6])
}

// mostListed is how many changes a message lists, and longestListed how much of a value, in bytes. The status lists more.
const (
	mostListed    = 20
	longestListed = 512
)

// mostParts is how many parts of one change a message lists.
const mostParts = 5

// ListChanges says changes in a line: field from -> to (effect: why).
func ListChanges(changes []driver.Change) string {
	var s strings.Builder
	for i, c := range changes {
		if i == mostListed {
			fmt.Fprintf(&s, ", and %d more, which status.pendingChanges lists", len(changes)-i)
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(shownInMessage(c))
		switch {
		case c.Effect == driver.Online || c.Effect == "":
		case c.Why != "":
			fmt.Fprintf(&s, " (%s: %s)", c.Effect, prose.Shorten(c.Why, longestListed))
		default:
			fmt.Fprintf(&s, " (%s)", c.Effect)
		}
	}
	return s.String()
}

// shownInMessage says from what to what a change leads, as conditions and Events do.
func shownInMessage(c driver.Change) string {
	return Shown(c, 2*longestListed, func(from, to string) (string, string) {
		return prose.Shorten(from, longestListed), prose.Shorten(to, longestListed)
	})
}

// longestPath is how much of the path of a part a message has, in bytes: names of rules and keys may be long.
const longestPath = 80

// Shown says from what to what a change leads: its first parts one by one, as far as they have room, with values that shorten has made short.
func Shown(c driver.Change, room int, shorten func(from, to string) (string, string)) string {
	var said []string
	parts := DifferencesOf(c)
	for i, d := range parts {
		from, to := shorten(OrNone(d.From), OrNone(d.To))
		part := fmt.Sprintf("%s %s -> %s", prose.Shorten(d.At, longestPath), from, to)
		if room -= len(part); i > 0 && (room < 0 || i == mostParts) {
			said = append(said, fmt.Sprintf("and %d more in %s", len(parts)-i, c.Field))
			break
		}
		said = append(said, part)
	}
	return strings.Join(said, ", ")
}

// OrNone returns a value as messages show it.
func OrNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// WhyReplaced says what comes of a new password for a server whose old one only others know.
const WhyReplaced = "no cloud returns the current one, so Mooring sets a new one, and every login with the current one then fails; " +
	"to keep it, set spec.credentials.passwordSecretRef"
