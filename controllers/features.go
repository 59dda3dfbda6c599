package controllers

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/action"
	"github.com/mooring-dev/mooring/controllers/feature/expiry"
	"github.com/mooring-dev/mooring/controllers/feature/finalsnapshot"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/feature/restore"
	"github.com/mooring-dev/mooring/controllers/feature/snapshot"
	"github.com/mooring-dev/mooring/controllers/feature/succession"
	"github.com/mooring-dev/mooring/controllers/feature/support"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// Features returns the features that a kind has, in the order in which their hooks are called. c reads from a cache and writes; fresh reads from the API server; sync is how
// often a converged object is observed. This is the one list of all features: a new one takes one line here.
func Features(k *kind.Kind, family kind.Family, c client.Client, fresh client.Reader, sync time.Duration) feature.Set {
	return slices.Concat(
		restore.Of(k, family, c, fresh),
		replica.Of(k, c, sync), // before succession: a promotion stands before a former server among the changes
		succession.Of(k),
		action.Of(k),
		expiry.Of(k, family, c),
		finalsnapshot.Of(k, c, fresh),
		snapshot.Of(k),
		support.Of(k),
	)
}
