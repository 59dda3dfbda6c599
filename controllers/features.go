package controllers

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/expiry"
	"github.com/mooring-dev/mooring/controllers/feature/support"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// Features returns the features that a kind has, in the order in which their hooks are called. This is the one list of all features: a new one takes one line here.
func Features(k *kind.Kind, family kind.Family, c client.Client) feature.Set {
	return slices.Concat(
		expiry.Of(k, family, c),
		support.Of(k),
	)
}
