package gather

import (
	"context"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// limitReferences refuses other cloud objects that an object names, if it leads through an account that namespaces share, and no class could
// allow them.
func (g *Gatherer) limitReferences(ctx context.Context, of *Gathered) error {
	if of.Config.Kind != identity.KindClusterProviderConfig {
		return nil // the cloud knows what the team's own account may use
	}
	problems, err := g.Classes.Direct(ctx, of.Object, of.Config.Name)
	if err != nil {
		return fmt.Errorf("find the cloud of %s: %w", of.Config, err)
	}
	refuse(of, problems)
	return nil
}

// refuse takes in what keeps the object from being as it is to be.
func refuse(g *Gathered, problems []class.Problem) {
	if g.Problem = class.Together(problems); g.Problem != nil {
		g.Policy.Refused = refusalOf(g.Problem)
	}
	g.Policy.Kept = map[string]plan.Refusal{}
	for _, p := range problems {
		if field := strings.TrimPrefix(p.Field, "spec."); p.Kept {
			g.Policy.Kept[field] = plan.Refusal{Reason: p.Reason, Message: p.String()}
		}
	}
}
