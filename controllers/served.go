package controllers

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// served returns the kinds that the API server has. It may have the CustomResourceDefinitions of an earlier release, which lack the newest kinds: the
// others are looked after all the same.
func served(mapper meta.RESTMapper, kinds []*kind.Kind, log logr.Logger) (have []*kind.Kind, err error) {
	for _, k := range kinds {
		_, err := mapper.RESTMapping(v1alpha1.GroupVersion.WithKind(k.Name).GroupKind(), v1alpha1.GroupVersion.Version)
		switch {
		case err == nil:
			have = append(have, k)
		case meta.IsNoMatchError(err):
			log.Info("the API server does not have this kind: apply the CustomResourceDefinitions of this release, then restart Mooring", "kind", k.Name)
		default:
			return nil, fmt.Errorf("find out whether the API server has the kind %s: %w", k.Name, err)
		}
	}
	return have, nil
}
