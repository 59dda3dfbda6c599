package plan

import (
	"strconv"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// AcceptedPassword returns the serial of the password that the cloud accepted, as the status says; 0 if it says nothing.
func AcceptedPassword(status *v1alpha1.ResourceStatus) int {
	applied := status.Applied[driver.FieldPassword]
	if len(applied) != 1 {
		return 0
	}
	serial, err := strconv.Atoi(applied[0])
	if err != nil {
		return 0
	}
	return serial
}
