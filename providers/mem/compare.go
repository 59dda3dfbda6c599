package mem

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// compare fills in what an observation says by comparing spec and cloud. Fields that it says can't be read are neither
// compared nor mirrored.
func compare[S, H, P any](rows table.Table[S, H, P], req *table.Request[S], have *H, obs *driver.Observation) error {
	var hidden []string
	for _, e := range obs.Unreadable {
		hidden = append(hidden, e.Field)
	}
	unseen := func(name string) bool { return slices.Contains(hidden, name) }
	obs.Changes = rows.Diff(&req.Spec, have, req.Applied, unseen)
	obs.Applied = rows.Applied(&req.Spec, req.Applied, obs.Changes, hidden...)

	seen := slices.DeleteFunc(slices.Clone(rows), func(row table.Row[S, H, P]) bool { return unseen(row.Name()) })
	var err error
	obs.Mirror, err = seen.Mirror(have)
	return err
}

// sift tells the changes that could be made from those that can't ever be.
func sift(changes []driver.Change) (possible []driver.Change, failed []driver.FieldError) {
	for _, c := range changes {
		if c.Effect == driver.Impossible {
			failed = append(failed, impossible(c))
		} else {
			possible = append(possible, c)
		}
	}
	return possible, failed
}

func impossible(c driver.Change) driver.FieldError {
	return driver.FieldError{Field: c.Field, Err: &driver.Error{Code: driver.Invalid, Op: string(OpUpdate), Message: c.Field + " can't change: " + c.Why}}
}

// apply makes each change by itself, so that one that is refused does not keep the others from being made.
func apply(call *Call, h hits, changes []driver.Change, one func(driver.Change) error) []driver.FieldError {
	possible, failed := sift(changes)
	for _, c := range possible {
		err := h.field(FieldRefused, c.Field, call)
		if err == nil {
			if cause := one(c); cause != nil {
				err = fail(call, driver.Invalid, "%v", cause)
			}
		}
		if err != nil {
			failed = append(failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(err)})
			continue
		}
		call.Fields = append(call.Fields, c.Field)
	}
	return failed
}
