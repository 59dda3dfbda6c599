package plan

import (
	"strconv"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// AcceptedPassword returns the serial of the password that the cloud accepted, as the status says; 0 if it says nothing.
func AcceptedPassword(status *v1alpha1.ResourceStatus) int {
	applied := status.Applied[FieldPassword]
	if len(applied) != 1 {
		return 0
	}
	serial, err := strconv.Atoi(applied[0])
	if err != nil {
		return 0
	}
	return serial
}

// NotePassword notes in a status which password the cloud accepted, by its serial; 0 for none.
func NotePassword(status *v1alpha1.ResourceStatus, accepted int) {
	switch {
	case accepted == AcceptedPassword(status):
	case accepted == 0:
		delete(status.Applied, FieldPassword)
	default:
		if status.Applied == nil {
			status.Applied = map[string][]string{}
		}
		status.Applied[FieldPassword] = []string{strconv.Itoa(accepted)}
	}
}

// NeverCreated reports whether it is sure that nothing was created for an object: the cloud refused every creation that was sent
// since the object was bound to its name and account. Then nothing in the cloud can be lost, wherever its provider config leads.
//
// There is a note in the status, which is written together with the first refusal, and one in memory. Both are removed, the first in
// the API server, before a creation is sent: after a crash in between neither is there. A creation that is sent again and refused
// again is noted in memory alone: else an object that waits for a quota would be written twice for each try. Of an object within a parent it is
// noted in the status again once the parent takes no creation, because the parent's deletion goes by that.
func NeverCreated(status *v1alpha1.ResourceStatus, m Memory) bool {
	return status.ExternalName != "" && (status.CreationRefused || m.CreationRefused)
}
