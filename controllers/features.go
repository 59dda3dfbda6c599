package controllers

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/action"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/feature/expiry"
	"github.com/mooring-dev/mooring/controllers/feature/finalsnapshot"
	"github.com/mooring-dev/mooring/controllers/feature/login"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/feature/restore"
	"github.com/mooring-dev/mooring/controllers/feature/snapshot"
	"github.com/mooring-dev/mooring/controllers/feature/succession"
	"github.com/mooring-dev/mooring/controllers/feature/support"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
)

// A Cluster is what features read and write in the cluster.
type Cluster struct {
	// Client reads from a cache, and writes. Reader reads from the API server: Secrets, and what must be certain.
	Client client.Client
	Reader client.Reader
	// SecretVersion returns the resourceVersion of a Secret that Mooring made, as a watch knows it; empty if it does not.
	SecretVersion func(context.Context, client.ObjectKey) string
	// Namespace is Mooring's own, where the truth about passwords is kept.
	Namespace string
	// Sync is how often a converged object is observed.
	Sync time.Duration
}

// Features returns the features that a kind has, in the order in which their hooks are called. This is the one list of all features: a new one takes one line here.
func Features(k *kind.Kind, family kind.Family, c Cluster) feature.Set {
	return slices.Concat(
		restore.Of(k, family, c.Client, c.Reader),
		replica.Of(k, c.Client, c.Sync), // before succession: a promotion stands before a former server among the changes
		succession.Of(k),
		action.Of(k),
		connection(k, c),
		expiry.Of(k, family, c.Client),
		finalsnapshot.Of(k, c.Client, c.Reader),
		snapshot.Of(k),
		support.Of(k),
	)
}

// connection returns the features of a kind's connection Secrets, and of the login that they hold of kinds that have one. The connection Secret comes first: no server is created
// whose login nobody could be told, and no password is forgotten that the connection Secret still has.
func connection(k *kind.Kind, c Cluster) feature.Set {
	secrets := &binding.Reader{API: c.Reader, Version: c.SecretVersion, Kind: k}
	if !k.Login {
		return binding.Of(k, secrets, c.Client, nil)
	}
	administrator := login.New(c.Reader, &password.Store{Reader: c.Reader, Writer: c.Client, Namespace: c.Namespace}, secrets, replica.PrimaryOf)
	return slices.Concat(binding.Of(k, secrets, c.Client, administrator), administrator.Features())
}
