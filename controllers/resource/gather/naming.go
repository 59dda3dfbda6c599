package gather

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// naming decides about the name of an object where the cloud has a second form of names, which say in which account and location the object is. It comes once
// the account is known.
type naming struct{ g *gathering }

// choose decides which form the name has. What the cloud refused to create is not tied to the form of its name.
func (n naming) choose() {
	g := n.g
	rule, status := g.Described.Name, g.Status()
	if rule.Scope == nil || g.Kind.ChosenName(g.Object) != "" {
		return
	}
	bound := status.ExternalName
	if bound != "" && neverCreated(g.State) {
		bound = ""
	}
	account := driver.AccountID(cmp.Or(status.AccountID, string(g.Account)))
	scoped := plan.ScopedName(g.gatherer.ClusterID, g.Object.GetNamespace(), g.Object.GetName(), rule.MaxLength, rule.Scope.In(account, g.Request.Location))
	g.Asks = g.Asks.InForm(scoped, n.setting() == rule.Scope.Value, bound)
	if status.ExternalName == "" {
		g.Request.Name = g.Asks.Name
	}
}

// setting returns what the provider config says about the form of names; empty if it says nothing.
func (n naming) setting() string {
	return n.g.Connection.Settings.Field(n.g.Described.Name.Scope.Setting)
}

// findOther looks for what the object made under its name of the other form, where nothing has the name that it would get
// now: the object was bound to that one before its status was lost, and the config was edited since. What has no mark there
// may be its own, as it may be under the name that it asks for. Where the config says nothing about the form of names,
// there is nothing else to look for.
func (n naming) findOther(ctx context.Context) error {
	g := n.g
	absent := g.Observed && g.Observation.State == driver.Absent
	if g.Asks.Other == "" || !absent || g.Status().ExternalName != "" || n.setting() == "" {
		return nil
	}
	other := g.Request
	other.Name = g.Asks.Other
	seen, err := g.Session.Observe(ctx, g.Kind.Name, other, g.CallSecrets)
	if err == nil && plan.MarkUnread(seen) {
		err = &driver.Error{Code: driver.Denied, Message: "it is there, and its mark can't be read"}
	}
	if g.CallError = err; err != nil {
		return n.unseen(other.Name, err)
	}
	mark := seen.Mark
	switch {
	case seen.State == driver.Unknown: // which permits nothing
		g.Observation.State = driver.Unknown
	case seen.State == driver.Absent, mark.Released, !mark.Zero() && !mark.SameOwner(other.Mark):
	default:
		g.Asks.Name, g.Asks.Generated, g.Asks.Other = g.Asks.Other, g.Asks.Other, g.Asks.Generated
		g.Request.Name, g.Request.Read = other.Name, seen.Read
		g.observed(ctx, seen)
	}
	return nil
}

// unseen says that nobody knows whether the object has the name of the other form, and what to do if that is denied.
func (n naming) unseen(name string, err error) error {
	way := ""
	if driver.CodeOf(err) == driver.Denied {
		way = "; allow the identity to read it, or, if it belongs to another account, set spec.externalName"
	}
	return fmt.Errorf("check whether %s exists, the name that this %s would have by the other %s: %w%s",
		name, n.g.Kind.Name, n.g.Described.Name.Scope.Setting, err, way)
}
