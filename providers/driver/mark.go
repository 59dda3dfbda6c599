package driver

import (
	"cmp"
	"maps"
)

// A Mark is the ownership mark of a cloud object: tags in AWS, labels in Google Cloud. It identifies the Kubernetes
// object that owns the cloud object. The Ownership of a kind says where the mark is stored.
type Mark struct {
	Cluster   string // the cluster id
	Namespace string
	Name      string
	UID       string // of the Kubernetes object
	// NamespaceUID is the uid of Namespace. It distinguishes a namespace from an earlier one of the same name. Marks
	// that Mooring wrote before contract version 25 have none.
	NamespaceUID string
	// Released: the Kubernetes object was deleted, and the cloud object was retained on purpose.
	Released bool
}

// Keys of the labels that make up a mark.
const (
	LabelCluster   = "mooring-cluster"
	LabelNamespace = "mooring-namespace"
	LabelName      = "mooring-name"
	LabelUID       = "mooring-uid"

	// A mark has one of these two labels, with the uid of the namespace as its value. A retained object has
	// LabelReleased in place of LabelNamespaceUID. So a mark never needs more labels than Mooring 0.1.0 reserved, which
	// knew LabelReleased alone.
	LabelNamespaceUID = "mooring-namespace-uid"
	LabelReleased     = "mooring-released"
)

// MarkLabels is the maximum number of labels of a mark.
const MarkLabels = 5

// releasedBefore is the value of LabelReleased in marks without the uid of the namespace.
const releasedBefore = "true"

// MarkKeys returns the keys of all labels that make up a mark.
func MarkKeys() []string {
	return []string{LabelCluster, LabelNamespace, LabelName, LabelUID, LabelNamespaceUID, LabelReleased}
}

// Labels returns the mark as labels. When you write them, remove the label of Obsolete. Remove it first if the object
// may have no room for another label.
func (m Mark) Labels() map[string]string {
	labels := map[string]string{
		LabelCluster: m.Cluster, LabelNamespace: m.Namespace, LabelName: m.Name, LabelUID: m.UID,
	}
	switch {
	case m.Released:
		labels[LabelReleased] = cmp.Or(m.NamespaceUID, releasedBefore)
	case m.NamespaceUID != "":
		labels[LabelNamespaceUID] = m.NamespaceUID
	}
	return labels
}

// Obsolete returns the key of the label that this mark must not have: LabelReleased, or LabelNamespaceUID for a
// released mark.
func (m Mark) Obsolete() string {
	if m.Released {
		return LabelNamespaceUID
	}
	return LabelReleased
}

// MarkFrom reads a mark from labels. Without LabelCluster and LabelUID it returns the zero Mark. Other labels that are
// missing leave their fields empty.
func MarkFrom(labels map[string]string) Mark {
	if labels[LabelCluster] == "" && labels[LabelUID] == "" {
		return Mark{}
	}
	m := Mark{
		Cluster:   labels[LabelCluster],
		Namespace: labels[LabelNamespace],
		Name:      labels[LabelName],
		UID:       labels[LabelUID],

		NamespaceUID: labels[LabelNamespaceUID],
		Released:     labels[LabelReleased] != "",
	}
	if released := labels[LabelReleased]; m.NamespaceUID == "" && released != releasedBefore {
		m.NamespaceUID = released
	}
	return m
}

// WithoutMark returns labels without those of a mark, as they are compared with the tags of a spec.
func WithoutMark(labels map[string]string) map[string]string {
	out := make(map[string]string, len(labels))
	maps.Copy(out, labels)
	for _, k := range MarkKeys() {
		delete(out, k)
	}
	return out
}

// Zero reports whether there is no mark.
func (m Mark) Zero() bool { return m == Mark{} }

// PartOf reports whether m is the mark whole after somebody removed some of its labels, except the uid, or changed the
// uid of the namespace.
func (m Mark) PartOf(whole Mark) bool {
	rest := func(part, of string) bool { return part == "" || part == of }
	return !m.Is(whole) && !m.Released && m.UID == whole.UID && m.UID != "" &&
		rest(m.Cluster, whole.Cluster) && rest(m.Namespace, whole.Namespace) && rest(m.Name, whole.Name)
}

// Is reports whether two marks are equal. NamespaceUID is not compared if one of them lacks it.
func (m Mark) Is(other Mark) bool {
	if m.NamespaceUID == "" || other.NamespaceUID == "" {
		m.NamespaceUID, other.NamespaceUID = "", ""
	}
	return m == other
}

// SameOwner reports whether two marks name the same object by cluster, namespace and name. The uids may differ.
func (m Mark) SameOwner(other Mark) bool {
	return m.Cluster == other.Cluster && m.Namespace == other.Namespace && m.Name == other.Name
}
