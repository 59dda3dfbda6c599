package gather

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A counting gathers what a limit of the parent's class says.
type counting struct{ g *gathering }

// limit has the class of the parent say whether the namespace may have one more object made of those of the class, and whether the deletion of one may leave it in the cloud.
// By which class an object counts is recorded with its binding, because it may outlive its parent.
func (c *counting) limit(ctx context.Context) error {
	g := c.g
	if !kind.CountsAgainstLimit(g.Kind, g.Object) {
		return nil
	}
	if g.Deleting {
		if g.Policy.Deletion != v1alpha1.DeletionRetain {
			return nil
		}
		left, err := g.gatherer.Classes.RetainForbidden(ctx, g.Object)
		if err != nil {
			return fmt.Errorf("find out whether it counts against a limit: %w", err)
		}
		if left != nil {
			g.Policy.Unreleased = plan.Refusal{Reason: left.Reason, Message: left.String()}
		}
		return nil
	}
	if g.Bound() {
		return nil
	}
	g.Kind.Parent.Status(g.Object).ClassName = g.Parent.Class
	crowded, err := g.gatherer.Classes.ParentLimitReached(ctx, g.Object)
	if err != nil {
		return fmt.Errorf("count the objects of kind %s in this namespace: %w", g.Kind.Name, err)
	}
	if crowded != nil {
		g.Problem = crowded
	}
	return nil
}
