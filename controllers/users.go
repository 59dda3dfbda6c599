package controllers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
)

// countUsers returns how many objects of each namespace depend on a provider config.
func (s *setup) countUsers(ctx context.Context, key identity.Key) (map[string]int, error) {
	users := map[string]int{}
	err := s.eachUser(ctx, key, func(_ string, user client.Object) { users[user.GetNamespace()]++ })
	return users, err
}

// kindsOfUsers returns the kinds of the objects that depend on a provider config.
func (s *setup) kindsOfUsers(ctx context.Context, key identity.Key) (kinds []string, err error) {
	err = s.eachUser(ctx, key, func(kind string, _ client.Object) {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	})
	return kinds, err
}

// named is how many users of a provider config its status names.
const named = 3

// nameUsers names the first objects, by age, that depend on a provider config: objects that come later change nothing in it.
func (s *setup) nameUsers(ctx context.Context, key identity.Key) (string, error) {
	type user struct {
		created int64
		name    string
	}
	var users []user
	err := s.eachUser(ctx, key, func(kind string, o client.Object) {
		u := user{o.GetCreationTimestamp().Unix(), kind + " " + o.GetNamespace() + "/" + o.GetName()}
		at, _ := slices.BinarySearchFunc(users, u, func(a, b user) int {
			return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.name, b.name))
		})
		users = slices.Insert(users, at, u)
		users = users[:min(len(users), named+1)]
	})
	var names []string
	for _, u := range users[:min(len(users), named)] {
		names = append(names, u.name)
	}
	list := strings.Join(names, ", ")
	if len(users) > named {
		list += " and others"
	}
	return list, err
}

// eachUser visits the objects that depend on a provider config, with their kind: those that refer to it or are bound by it, and
// those that a class leads to it and that have nothing in the cloud yet. Visitors must not change them.
func (s *setup) eachUser(ctx context.Context, key identity.Key, visit func(kind string, user client.Object)) error {
	for _, kind := range s.kinds {
		list, err := kind.users(ctx, key)
		if err != nil {
			return err
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			visit(kind.Name, item.(client.Object))
			return nil
		})
		if key.Kind != identity.KindClusterProviderConfig || kind.Class == nil {
			continue
		}
		if err := s.eachComing(ctx, kind, key.Name, func(user client.Object) { visit(kind.Name, user) }); err != nil {
			return err
		}
	}
	return nil
}

// eachComing visits the objects that a class leads to a ClusterProviderConfig, and that have nothing in the cloud yet.
func (s *setup) eachComing(ctx context.Context, kind addedKind, config string, visit func(client.Object)) error {
	classes, err := kind.classesOf(ctx, config)
	if err != nil {
		return err
	}
	for _, c := range classes {
		err := kind.classes.EachUser(ctx, c, func(user v1alpha1.ResourceObject) error {
			if len(configsOf(user)) > 0 {
				return nil
			}
			leads, err := kind.classes.ConfigOf(ctx, user, c)
			if err == nil && leads != nil && leads.Name == config {
				visit(user)
			}
			return client.IgnoreNotFound(err) // a namespace that is not in the cache yet, or no longer
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// users lists the objects that refer to a provider config, or are bound by it. They must not be changed.
func (k addedKind) users(ctx context.Context, key identity.Key) (client.ObjectList, error) {
	list := k.NewList()
	err := k.classes.Client.List(ctx, list, client.InNamespace(key.Namespace), client.MatchingFields{configIndex: key.String()}, client.UnsafeDisableDeepCopy)
	return list, err
}
