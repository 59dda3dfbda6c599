package gather

import (
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// limitReferences refuses other cloud objects that an object names, if it leads through an account that namespaces share, and no class could
// allow them.
func (g *Gatherer) limitReferences(ctx context.Context, of *reconciliation.State) error {
	if of.Config.Kind != identity.KindClusterProviderConfig {
		return nil // the cloud knows what the team's own account may use
	}
	problems, err := g.Classes.ReferencesWithoutClass(ctx, of.Object, of.Config.Name)
	if err != nil {
		return fmt.Errorf("find the cloud of %s: %w", of.Config, err)
	}
	of.Problem = of.Policy.Refuse(problems)
	return nil
}
