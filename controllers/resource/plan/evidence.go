package plan

import (
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Place is where a spec asks for a cloud object, whatever the object is bound to.
type Place struct {
	// Name is the name in the cloud, and Generated the one that Mooring gives if the spec chooses none. Other is the one that it would give in the cloud's other form
	// of names; empty if the cloud has one form alone, or the spec chooses the name.
	Name, Generated, Other string
	// Location is that of the spec, or the account's default region; Chosen: the spec names it.
	Location string
	Chosen   bool
}

// PlaceOf returns where an object asks to be. want is the object with its class merged in, region the default of its account, and maxLength
// the longest name that the cloud takes.
func PlaceOf(want v1alpha1.ResourceObject, chosenName, clusterID, region string, maxLength int) Place {
	p := Place{Generated: ExternalName(clusterID, want.GetNamespace(), want.GetName(), maxLength), Location: want.GetLocation()}
	if p.Name = chosenName; p.Name == "" {
		p.Name = p.Generated
	}
	if p.Chosen = p.Location != ""; !p.Chosen {
		p.Location = region
	}
	return p
}

// InForm returns the place of an object for which no name was chosen, where a cloud has a second form of names: scoped, which new objects get if that is wanted. An object that
// is bound to a name in either form keeps it, so that a change of what is wanted renames nothing.
func (p Place) InForm(scoped string, wanted bool, bound string) Place {
	p.Other = scoped
	if bound == scoped || wanted && bound != p.Generated {
		p.Generated, p.Other = scoped, p.Generated
	}
	p.Name = p.Generated
	return p
}

// Moved reports whether the spec now asks for another name or location than those that the object is bound to. Where a cloud object
// was found it is, whatever region the account has by default.
func Moved(status *v1alpha1.ResourceStatus, asks Place) bool {
	found := status.Origin == v1alpha1.OriginAdopted || status.Origin == "" && status.ExternalID != ""
	return asks.Name != status.ExternalName || asks.Location != "" && asks.Location != status.Location && (asks.Chosen || !found)
}

// AnswerLost reports whether a creation may have been sent of whose answer nothing is known: it was lost, or the process ended before it
// came. That holds for names that Mooring made alone: under a name that a person chose another person may have created something
// meanwhile. It never holds for databases, whose clouds do not forget tags, and of which another may have another password.
func AnswerLost(k *kind.Kind, object v1alpha1.ResourceObject, asks Place, m Memory) bool {
	status := object.GetResourceStatus()
	bound := status.ExternalName != ""
	sent := bound && status.Origin == v1alpha1.OriginCreated && !NeverCreated(status, m) && !m.CreationFailed
	known := status.ExternalID != "" || status.FirstReadyTime != nil || status.AppliedGeneration != 0
	return sent && !known && !k.Login && k.ChosenName(object) == "" && status.ExternalName == asks.Generated
}

// Evidence is an observation, and what is known when it is made.
type Evidence struct {
	Kind   *kind.Kind
	Object v1alpha1.ResourceObject
	// Class is what the object's class makes of it; nil if it goes by none.
	Class   *class.Resolution
	Mark    driver.Mark
	Applied driver.Applied
	Asks    Place
	// Recorded: the cloud has no place for the mark of such an object, and RecordedMark stands for it.
	Recorded bool
	// Recovers, OwnAccount and FinalMarks are those of the View.
	Recovers, OwnAccount, FinalMarks bool
	// Rival is the strongest claim of another object to the cloud object, where no mark says whose it is; nil if there is none.
	Rival *Claim
	// Observation is what was observed, and Memory what was remembered before.
	Observation driver.Observation
	Memory      Memory
	Now         time.Time
	// Window is how long the cloud may take to show what was written.
	Window time.Duration
}

// An Interpretation is what follows from Evidence: the View, what is remembered from now on, and what the status says of the cloud object.
type Interpretation struct {
	View   View
	Memory Memory
	// ExternalID, MarkMissing and CreationRefused are as in the status.
	ExternalID                   string
	MarkMissing, CreationRefused bool
	// RecordEnds: what was recorded as the object's own is gone for certain.
	RecordEnds bool
}

// Note notes in the status of an object what it is to say. Of an object whose record ends nothing says any more that Mooring created something.
func (l Interpretation) Note(k *kind.Kind, object v1alpha1.ResourceObject) {
	status := object.GetResourceStatus()
	status.ExternalID, status.MarkMissing, status.CreationRefused = l.ExternalID, l.MarkMissing, l.CreationRefused
	if !l.RecordEnds {
		return
	}
	k.ClearOwnership(object)
	if status.Origin == v1alpha1.OriginCreated { // what was adopted and is gone is not created in its place unless the spec says so
		status.Origin = ""
	}
}

// Interpret makes the View of an object from what is stored, remembered and observed.
func Interpret(s Evidence) Interpretation {
	status, o, m := s.Object.GetResourceStatus(), s.Observation, s.Memory
	l := Interpretation{
		View: ViewOf(s.Object, status, s.Class), ExternalID: status.ExternalID, MarkMissing: status.MarkMissing, CreationRefused: status.CreationRefused,
	}
	v := &l.View
	v.Mark, v.Applied, v.Now = s.Mark, s.Applied, s.Now
	v.Recovers, v.OwnAccount, v.FinalMarks = s.Recovers, s.OwnAccount, s.FinalMarks
	v.Moved = v.Bound && Moved(status, s.Asks)
	v.CopyOf = copyOf(s, *v)
	v.Accepted = v.Bound && v.Origin == v1alpha1.OriginCreated && (status.ExternalID != "" || status.Operation != "" || m.Answered)
	if v.Bound {
		v.FinalSnapshot = SnapshotName(status.ExternalName, string(s.Object.GetUID()))
	}
	m.Absent = Since(m.Absent, o.State == driver.Absent, s.Now)
	m.SnapshotAbsent = Since(m.SnapshotAbsent, o.State == driver.Absent && o.Backup.GetFinalSnapshot() == driver.Absent, s.Now)
	there := o.State != driver.Absent && o.State != driver.Unknown
	l.checkMark(s, there, &m)
	if there && o.Mark.UID == s.Mark.UID { // nothing else has this uid
		l.CreationRefused, m.CreationRefused = false, false
	}
	lost := o.Mark.Zero() || Ownership(*v, o) == OursUnmarked
	m.Unmarked = Since(m.Unmarked, there && lost && !MarkUnread(o), s.Now)
	lasts := func(missing time.Time) bool { return !missing.IsZero() && s.Now.Sub(missing) >= s.Window }
	v.AbsenceSure = lasts(m.Absent) && s.Now.Sub(m.NotBefore) >= s.Window
	v.SnapshotAbsenceSure = lasts(m.SnapshotAbsent)
	v.UnmarkedSure = lasts(m.Unmarked)
	if s.Recorded && v.AbsenceSure {
		l.endRecord(s, &m)
	}
	l.Memory = m
	return l
}

// copyOf returns what the object's cloud object is like when it is born as a copy. Name and mark are stored before the copy is asked for, to a name that was seen to
// be free, so what has both is the copy. That is in doubt if every request was refused, if it is elsewhere, or if another object is bound to the name, which may have
// asked for it. What worked once has a mark of its own.
func copyOf(s Evidence, v View) Copy {
	of, copies := s.Kind.CopyOf(s.Object)
	status := s.Object.GetResourceStatus()
	if !copies || !v.Bound || v.WasReady || v.Origin != v1alpha1.OriginCreated {
		return Copy{}
	}
	refused := status.CreationRefused || s.Memory.CreationRefused && !s.Memory.CreationUnclear
	elsewhere := s.Observation.Location != "" && !strings.EqualFold(s.Observation.Location, status.Location)
	return Copy{
		Mark:   driver.Mark{Cluster: s.Mark.Cluster, Namespace: s.Mark.Namespace, Name: of.Database, UID: of.DatabaseUID, NamespaceUID: s.Mark.NamespaceUID},
		Source: of.ServerID, Doubtful: refused || elsewhere || s.Rival != nil,
	}
}

// endRecord forgets what stands for a mark, because the object is gone for certain: it says nothing about what comes later under the name.
func (l *Interpretation) endRecord(s Evidence, m *Memory) {
	l.RecordEnds = s.Kind.OwnershipRecorded(s.Object) || l.ExternalID != ""
	l.ExternalID, l.View.ID = "", ""
	m.Answered, m.Carried = false, nil
}

// checkMark notes that what the cloud just created does not show its mark. Only what was never seen with the mark counts: if
// somebody removes the mark later, nothing but the cloud's own id proves whose the object is.
//
// The answer may have been lost. The object is bound before a creation is sent, to a name that was seen to be free, and AnswerLost says
// that the name is one that nobody else would choose, and that no refusal is known.
func (l *Interpretation) checkMark(s Evidence, there bool, m *Memory) {
	switch {
	case !there || !l.View.Bound || s.Recorded || MarkUnread(s.Observation):
	case !s.Observation.Mark.Zero():
		l.MarkMissing, m.Answered = false, false
	case m.Answered, AnswerLost(s.Kind, s.Object, s.Asks, s.Memory):
		l.MarkMissing, l.ExternalID = true, s.Observation.ID
		l.View.ID = s.Observation.ID
	}
	l.View.MarkMissing = l.MarkMissing
}

// Taken reports whether another object has a stronger claim to the cloud object than this one.
func (s Evidence) Taken(parent driver.ParentRef) bool {
	if s.Rival == nil {
		return false
	}
	own := ClaimOf(s.Kind, s.Object, driver.Request{Name: s.Object.GetResourceStatus().ExternalName, Parent: parent, Mark: s.Mark})
	if NeverCreated(s.Object.GetResourceStatus(), s.Memory) {
		own.Bound, own.Recorded = false, false
	}
	own.Recorded = own.Recorded || own.Bound && s.Memory.Answered
	return s.Rival.Before(own)
}

// RecordedMark returns the mark of an object that the cloud has no place to mark. It is that of another object if that one has taken the cloud
// object. It is the object's own if it was recorded that Mooring created the cloud object within this parent, or took it over there. Otherwise
// it is the zero Mark. What was found at first sight is nobody's: only an explicit adoption takes it over.
//
// A creation whose answer was lost counts if Mooring made the name, which nobody else would choose. Under a name that a person chose,
// another person may have created something meanwhile.
func (s Evidence) RecordedMark(parent driver.ParentRef) driver.Mark {
	if s.Taken(parent) {
		return s.Rival.Mark
	}
	status := s.Object.GetResourceStatus()
	if !managed(s.Object) || NeverCreated(status, s.Memory) || !s.Kind.ParentRef(s.Object).Same(parent) {
		return driver.Mark{}
	}
	known := s.Kind.OwnershipRecorded(s.Object) || status.ExternalID != "" || s.Memory.Answered
	ownName := s.Kind.ChosenName(s.Object) == "" && status.ExternalName == s.Asks.Generated &&
		status.Origin == v1alpha1.OriginCreated && !s.Memory.CreationFailed
	if known || ownName {
		return s.Mark
	}
	return driver.Mark{}
}

// Since returns when something became so: now, if it was not so before; zero if it is not.
func Since(before time.Time, so bool, now time.Time) time.Time {
	switch {
	case !so:
		return time.Time{}
	case before.IsZero():
		return now
	default:
		return before
	}
}
