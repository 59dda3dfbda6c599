package telemetry

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// All tells each of several of every request, the first of them first; those that are nil are left out. It is nil if none
// is left, so that where nobody wants to know nothing is done.
func All(each ...driver.Calls) driver.Calls {
	each = slices.DeleteFunc(slices.Clone(each), func(c driver.Calls) bool { return c == nil })
	switch len(each) {
	case 0:
		return nil
	case 1:
		return each[0]
	}
	return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
		ends := make([]func(driver.Call), len(each))
		for i, begin := range each {
			ctx, ends[i] = begin.Begin(ctx, service, operation)
		}
		return ctx, func(answer driver.Call) {
			for _, end := range slices.Backward(ends) {
				end(answer)
			}
		}
	}
}
