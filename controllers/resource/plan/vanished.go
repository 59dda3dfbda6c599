package plan

import (
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// NoteRestore notes in a view from what an object was restored, or is to be. want is the object with its class merged in.
func (v *View) NoteRestore(k *kind.Kind, want, stored v1alpha1.ResourceObject) {
	v.Restores, v.RestoreFrom, v.Vanished = k.Restores(want, stored), k.RestoreFrom(want) != nil, k.VanishedServer(stored)
	v.Restored = k.Restored(stored)
	if v.Unfinished() && k.Restoring != nil {
		v.Source.Contents, v.Source.Named = k.Restoring.Contents, "the snapshot"
	}
}

// hadOne reports whether the object had a cloud object that people may have used.
func (v View) hadOne() bool { return v.WasReady || v.Origin == v1alpha1.OriginAdopted }

// ComesBack reports whether a restore in the place of what vanished has begun, and nothing worked since.
func (v View) ComesBack() bool { return v.Vanished.ID != "" && !v.hadOne() }

// restoresInPlace reports whether a creation restores what vanished. Once that has begun it goes on, whatever the policy says by then: nothing empty comes
// in the place of data.
func restoresInPlace(v View, p Policy) bool {
	return v.ComesBack() || v.hadOne() && p.WhenVanished == v1alpha1.WhenVanishedRestore
}

// NewOne says what takes the place of an object that vanished, if it is created again.
func (v View) NewOne() string {
	switch {
	case v.Source.Another != "":
		return v.Source.Another
	case v.RestoreFrom:
		return "a new one from what spec.restoreFrom names"
	}
	return "a new, empty one"
}

// Loss says what is lost of data when an action creates a cloud object in the place of one that vanished, as a part of a message.
func Loss(v View, from *driver.Restore) string {
	if from == nil || from.Vanished == "" {
		return "its data is lost; Mooring is creating " + v.NewOne() + " under the same name"
	}
	return fmt.Sprintf("what was written to it after %s is lost; Mooring is restoring it under the same name from %s", from.Time.UTC().Format(time.RFC3339), from)
}
