package storage

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var (
	gcsClasses  = []string{"STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL", "DURABLE_REDUCED_AVAILABILITY"}
	ruleActions = []string{"Delete", "SetStorageClass", "AbortIncompleteMultipartUpload"}
)

// settleClass writes a storage class in capitals.
func settleClass(c *change) error {
	if class, ok := c.resource["storageClass"].(string); ok {
		c.resource["storageClass"] = strings.ToUpper(class)
	}
	return nil
}

// validLifecycle demands an action and a condition of each rule.
func validLifecycle(c *change) error {
	if c.now.Lifecycle == nil {
		return nil
	}
	for _, rule := range c.now.Lifecycle.Rule {
		if rule.Action == nil || !slices.Contains(ruleActions, rule.Action.Type) || rule.Condition == nil {
			return google.Invalid("Invalid lifecycle rule: it needs an action and a condition.")
		}
		if rule.Action.Type == "SetStorageClass" && !slices.Contains(gcsClasses, rule.Action.StorageClass) {
			return google.Invalid("Invalid storage class in lifecycle rule: " + rule.Action.StorageClass)
		}
	}
	return nil
}
