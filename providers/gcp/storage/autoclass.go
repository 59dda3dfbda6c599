package storage

import (
	"cmp"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// standardClass is the class of a bucket with Autoclass. https://cloud.google.com/storage/docs/autoclass
const standardClass = "STANDARD"

// autoclassLack is a class beside Autoclass, which chooses the classes itself.
var autoclassLack = driver.Lack{
	Field: "gcp.storageClass", Match: "^(NEARLINE|COLDLINE|ARCHIVE)$", Values: "another class than STANDARD", With: map[string]string{"gcp.autoclass.enabled": "^true$"},
	Invalid: true, Why: "Autoclass chooses the classes of objects, and the bucket itself has STANDARD then",
	Instead: "set spec.gcp.storageClass to STANDARD, or spec.gcp.autoclass.enabled to false",
}

// autoclassRows are whether Cloud Storage chooses the classes of objects, and how cold they can get.
var autoclassRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	plain("gcp.autoclass.enabled", "Autoclass", func(b *bucket) *bool { return &autoclassOf(b).Enabled }),

	table.Field("gcp.autoclass.terminalStorageClass",
		func(p *v1alpha1.BucketParameters) *string {
			block := autoclassBlock(p)
			if block.Enabled != nil && !*block.Enabled {
				return nil
			}
			return block.TerminalStorageClass
		},
		func(b *bucket) *string {
			if !autoclassOf(b).Enabled {
				return nil
			}
			return resource.Present(autoclassOf(b).TerminalStorageClass)
		},
		func(p *parameters, v string) { p.TerminalStorageClass = &v }),
}

func autoclassBlock(s *v1alpha1.BucketParameters) v1alpha1.BucketAutoclass {
	if block := gcpOf(s).Autoclass; block != nil {
		return *block
	}
	return v1alpha1.BucketAutoclass{}
}

// autoclassOf returns the Autoclass of a bucket; one that is not enabled if there is none.
func autoclassOf(b *bucket) *storage.Autoclass {
	return cmp.Or(b.Autoclass, &storage.Autoclass{})
}

// newAutoclass is what a creation says of Autoclass: nothing if there is to be none.
func newAutoclass(p *parameters, attrs *storage.BucketAttrs) {
	if p.Autoclass != nil && *p.Autoclass {
		attrs.Autoclass = changedAutoclass(p, &bucket{BucketAttrs: *attrs})
	}
}

// changedAutoclass is what a patch says of Autoclass; nil if it says nothing. Cloud Storage takes the coldest class only together with whether Autoclass
// is on. https://cloud.google.com/storage/docs/using-autoclass
func changedAutoclass(p *parameters, have *bucket) *storage.Autoclass {
	if p.Autoclass == nil && p.TerminalStorageClass == nil {
		return nil
	}
	a := &storage.Autoclass{Enabled: autoclassOf(have).Enabled}
	if p.Autoclass != nil {
		a.Enabled = *p.Autoclass
	}
	if p.TerminalStorageClass != nil {
		a.TerminalStorageClass = *p.TerminalStorageClass
	}
	return a
}

// checkAutoclass refuses Autoclass in a bucket of another class than STANDARD, and another class in a bucket with Autoclass: Cloud Storage refuses
// both, also where the spec says nothing of the other one. Nor does it take a coldest class where there is no Autoclass.
func checkAutoclass(have *bucket, p *parameters) error {
	enabled, class := autoclassOf(have).Enabled, have.StorageClass
	if p.Autoclass != nil {
		enabled = *p.Autoclass
	}
	if p.StorageClass != nil {
		class = *p.StorageClass
	}
	switch {
	case !enabled && p.TerminalStorageClass != nil:
		return session.Invalid("the bucket has no Autoclass: set spec.gcp.autoclass.enabled to true, too, or take terminalStorageClass out of the spec")
	case !enabled || class == standardClass:
		return nil
	case p.Autoclass != nil:
		return session.Invalid("the bucket has the storage class %s, and Autoclass takes STANDARD only: set spec.gcp.storageClass to STANDARD, too", class)
	case p.StorageClass != nil:
		return session.Invalid("the bucket has Autoclass, and its storage class is STANDARD then: set spec.gcp.storageClass to STANDARD, or spec.gcp.autoclass.enabled to false")
	}
	return nil
}
