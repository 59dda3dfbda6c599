package kind

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// FormerOf returns the former server in an object's status, which its present server replaced; nil if there is none.
func FormerOf(k *Kind, object v1alpha1.ResourceObject) *driver.ParentRef {
	if k.Former == nil {
		return nil
	}
	if former := *k.Former(object); former != nil {
		return &driver.ParentRef{Name: former.ExternalName, ID: former.ExternalID}
	}
	return nil
}

// SetFormer writes the former server to an object's status, which its present server replaced; nil for none.
func SetFormer(k *Kind, object v1alpha1.ResourceObject, former *driver.Former) {
	if k.Former == nil {
		return
	}
	status := k.Former(object)
	if *status = nil; former != nil {
		*status = &v1alpha1.FormerServer{ExternalName: former.Name, ExternalID: former.ID}
	}
}
