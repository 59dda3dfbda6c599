package gather

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A hiding tells what a person took out of a spec from what the API server hides or lost.
type hiding struct {
	// reader reads from the API server.
	reader client.Reader
	*reconciliation.State
}

// find tells fields that a person took out of the spec from those that the API server took out: it leaves out what the
// CustomResourceDefinition in the cluster does not have, as after one of an earlier release was installed. Of an object with a hidden field nothing
// is changed. The definitions are read only if a field is missing that was applied.
func (h *hiding) find(ctx context.Context) error {
	if h.Deleting || h.Policy.Management != v1alpha1.ManagementFull || h.Policy.Refused.Reason != "" || h.Observation.Applied == nil {
		return nil
	}
	h.keepUnknown()
	missing, err := h.missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	lacking, hidden, err := h.hidden(ctx, missing)
	if err != nil || lacking != "" {
		h.keepApplied(missing...) // whether somebody took them out is not known
	}
	switch {
	case err != nil:
		return fmt.Errorf("find out whether the spec was edited, or the API server hides a part of it: %w", err)
	case lacking != "":
		return fmt.Errorf("the API server hides a part of the spec, so Mooring changes nothing: the CustomResourceDefinition %s lacks %s, which Mooring set; "+
			"install the CustomResourceDefinitions of this release, or go back to the release that they belong to", lacking, "spec."+strings.Join(hidden, ", spec."))
	}
	h.letGo(missing)
	return nil
}

// missing returns the fields that were applied and that neither the spec nor the class has any more.
func (h *hiding) missing() (fields []string, err error) {
	applied := h.Status().Applied
	for name := range applied {
		if _, still := h.Observation.Applied[name]; !still && h.describes(name) && !isOfLogin(name) {
			fields = append(fields, name)
		}
	}
	for _, c := range h.Observation.Changes {
		if c.Release && !slices.Contains(fields, c.Field) {
			fields = append(fields, c.Field)
		}
	}
	if plan.KnownManaged(h.Status()) && !h.Request.CloudManaged {
		fields = append(fields, plan.FieldSource)
	}
	if len(fields) == 0 {
		return nil, nil
	}
	want, err := class.TreeOf(h.Want.GetSpec())
	if err != nil {
		return nil, fmt.Errorf("read the spec: %w", err)
	}
	fields = slices.DeleteFunc(fields, func(name string) bool { return class.HasField(want, name) })
	slices.Sort(fields)
	return fields, nil
}

// isOfLogin reports whether a field is one of the login, of which not only the driver says what is applied.
func isOfLogin(name string) bool {
	return name == plan.FieldPassword || name == plan.FieldSource || name == driver.FieldUsername
}

// describes reports whether the driver has a field.
func (h *hiding) describes(name string) bool {
	return slices.ContainsFunc(h.Described.Fields, func(f driver.Field) bool { return f.Field == name })
}

// keepUnknown keeps what is noted as applied of what the driver does not have: a later release noted it, and will look for it.
func (h *hiding) keepUnknown() {
	for name := range h.Status().Applied {
		if _, noted := h.Observation.Applied[name]; !noted && !h.describes(name) && !isOfLogin(name) && h.Observation.State != driver.Absent {
			h.keepApplied(name)
		}
	}
}

// keepApplied keeps what is noted as applied of fields.
func (h *hiding) keepApplied(fields ...string) {
	kept := driver.Applied(maps.Clone(h.Observation.Applied))
	for _, name := range fields {
		if values, noted := h.Status().Applied[name]; noted {
			kept[name] = values
		}
	}
	h.Observation.Applied = kept
}

// letGo stops managing fields that are missing although nobody edited the object since they were applied: an API server that did not know them
// dropped them. They stay in the cloud as they are. What the class had set, and what is being released, is none of these.
func (h *hiding) letGo(missing []string) {
	status := h.Status()
	if status.AppliedGeneration != h.Object.GetGeneration() {
		return
	}
	isLost := func(c driver.Change) bool {
		pending := slices.ContainsFunc(status.PendingChanges, func(p v1alpha1.PendingChange) bool { return p.Field == c.Field })
		return c.Release && slices.Contains(missing, c.Field) && !pending && !h.Memory.Cloud.WasSent(c) && !class.SetByClass(status.Effective, c.Field)
	}
	left, applied := []driver.Change(nil), driver.Applied(maps.Clone(h.Observation.Applied))
	for _, c := range h.Observation.Changes {
		if isLost(c) {
			delete(applied, c.Field)
			continue
		}
		left = append(left, c)
	}
	h.Observation.Changes, h.Observation.Applied = left, applied
}

// hidden returns those of the fields that a CustomResourceDefinition lacks, and its name, which is empty if none lacks any. The API server's answer
// counts, and not a cache's: it was given after the object was read.
func (h *hiding) hidden(ctx context.Context, fields []string) (lacking string, lacks []string, err error) {
	for _, d := range definitionsOf(h.Kind, h.Class != nil) {
		crd := &unstructured.Unstructured{}
		crd.SetGroupVersionKind(crdKind)
		if err := h.reader.Get(ctx, client.ObjectKey{Name: d.name}, crd); err != nil {
			return "", nil, fmt.Errorf("read the CustomResourceDefinition %s: %w", d.name, err)
		}
		for _, field := range fields {
			if !hasField(crd, slices.Concat(d.within, strings.Split(field, "."))) {
				lacks = append(lacks, field)
			}
		}
		if len(lacks) > 0 {
			return d.name, lacks, nil
		}
	}
	return "", nil, nil
}

// A definition is a CustomResourceDefinition by its name, and where in an object of it the spec of a cloud object is.
type definition struct {
	name   string
	within []string
}

// definitionsOf returns which definitions decide what of a spec can be seen: that of the kind, and that of its class for an object that has one.
func definitionsOf(k *kind.Kind, byClass bool) []definition {
	all := []definition{{k.Definition(), []string{"spec"}}}
	if byClass && k.Class != nil {
		all = append(all, definition{k.Class.Definition(), []string{"spec", "defaults"}})
	}
	return all
}

// hasField reports whether the version of a definition that Mooring reads has a field.
func hasField(crd *unstructured.Unstructured, path []string) bool {
	all, _, _ := unstructured.NestedFieldNoCopy(crd.Object, "spec", "versions")
	versions, _ := all.([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		if version["name"] != v1alpha1.GroupVersion.Version {
			continue
		}
		at := []string{"schema", "openAPIV3Schema"}
		for _, step := range path {
			at = append(at, "properties", step)
		}
		_, has, _ := unstructured.NestedFieldNoCopy(version, at...)
		return has
	}
	return false
}
